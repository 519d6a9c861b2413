from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import events as ev
from safepoint.hot.meters import account


def transcript(
    message: str = "m1", base: int | None = 10_000, offset: int = 100, **fields: Any
) -> dict[str, Any]:
    state = {
        "path": "/t", "inode": 1, "offset": offset, "message_id": message, "base": base, "output": 0,
        "after": 0, "model": "claude-sonnet-4-5", "boundary": False,
    }  # fmt: skip
    return {**state, **fields}


def fold(*records: dict[str, Any], meter: Any = None) -> Any:
    meter = meter or {"host": "claude_code"}
    for at, record in enumerate(records):
        meter = account.apply(meter, {"at": 1000.0 + at, **record})  # type: ignore[typeddict-item]
    return meter


def before(call: str, tokens: int = 0, **fields: Any) -> dict[str, Any]:
    return {"kind": "before_tool", "call": call, "tool": "Shell", "tokens_in": tokens, **fields}


def after(call: str, tokens: int = 0, **fields: Any) -> dict[str, Any]:
    return {"kind": "after_tool", "call": call, "tool": "Shell", "tokens_out": tokens, **fields}


def prompt(tokens: int, **fields: Any) -> dict[str, Any]:
    return {"kind": "prompt", "tokens_in": tokens, **fields}


def test_what_the_transcript_lacks_is_kept() -> None:
    meter = fold(prompt(7), before("c1", 20), after("c1", 300))
    assert meter["unseen"] == {"prompt": 7, "in:c1": 20, "c1": 300}


def test_what_was_seen_is_let_go() -> None:
    meter = fold(
        prompt(7),
        before("c1", 20, transcript=transcript(), seen=["prompt"]),
        after("c1", 300, transcript=transcript(offset=200), seen=["in:c1"]),
    )
    assert meter["unseen"] == {"c1": 300}


def test_a_call_seen_before_its_own_event_is_not_counted() -> None:
    meter = fold(
        before("c1", 20, transcript=transcript(), seen=["in:c1", "in:c2"]),
        before("c2", 30),
        after("c1", 5, transcript=transcript(offset=200), seen=["c1"]),
        after("c2", 6),
        after("c1", 5),
    )
    assert meter["unseen"] == {"c2": 6}


def test_what_never_turns_up_goes_with_the_second_message() -> None:
    meter = fold(prompt(7), after("lost", 50))
    meter = fold(before("c1", 1, transcript=transcript("m1")), meter=meter)
    assert meter["unseen"] == {"prompt": 7, "lost": 50, "in:c1": 1}
    meter = fold(before("c2", 2, transcript=transcript("m2", offset=300), seen=["in:c1"]), meter=meter)
    assert meter["unseen"] == {"in:c2": 2}


def test_a_lag_of_one_message_loses_nothing() -> None:
    meter = fold(before("c1", 10, transcript=transcript("m1"), seen=["in:c1"]), after("c1", 500))
    meter = fold(before("c2", 20, transcript=transcript("m1", offset=200), seen=["c1"]), meter=meter)
    assert meter["unseen"] == {"in:c2": 20}
    meter = fold(after("c2", 600, transcript=transcript("m2", offset=300), seen=["in:c2"]), meter=meter)
    assert meter["unseen"] == {"c2": 600}


def test_a_boundary_forgets_what_was_pending() -> None:
    meter = fold(after("c1", 500), before("c2", 9, transcript=transcript("", None, boundary=True)))
    assert meter["unseen"] == {"in:c2": 9}


def test_an_older_scan_recorded_later_changes_nothing() -> None:
    newer = {**before("c2"), "at": 2000.2, "transcript": transcript("m2", 20_000, offset=500)}
    older = {**before("c1"), "at": 2000.1, "transcript": transcript("m1", 10_000, offset=300)}
    assert fold(newer, older)["transcript"]["base"] == 20_000


def test_a_rewind_is_taken() -> None:
    meter = fold(
        before("c1", transcript=transcript("m2", 20_000, offset=500)),
        before("c2", transcript=transcript("m1", 10_000, offset=300)),
    )
    assert meter["transcript"]["base"] == 10_000


def test_the_clients_own_figure_serves_until_the_transcript_has_one() -> None:
    meter = fold({"kind": "session_start", "source": "resume", "context_tokens": 90_000})
    assert (meter["exact"], meter["exact_source"]) == (90_000, "host")
    assert "exact" not in fold(before("c1", transcript=transcript()), meter=meter)


def test_each_batch_is_one_request() -> None:
    batch = {"kind": "batch", "calls": ["a", "b"]}
    meter = fold(batch, batch, {"kind": "batch", "calls": ["c"]})
    assert meter["requests"] == 2


def test_request_began_tells_a_further_batch() -> None:
    batch: Any = {"kind": "batch", "calls": ["a"]}
    assert account.request_began({}, batch)
    assert not account.request_began(account.apply({}, batch), batch)


def test_a_stated_window_belongs_to_its_model() -> None:
    meter = fold({"kind": "model_switch", "model": "claude-sonnet-4-6", "window": 1_000_000})
    assert (meter["window"], meter["window_source"], meter["window_model"]) == (
        1_000_000,
        "host",
        "claude-sonnet-4-6",
    )
    meter = fold({"kind": "model_switch", "model": "claude-haiku-4-5"}, meter=meter)
    assert "window" not in meter and meter["model"] == "claude-haiku-4-5"


SONNET, OPUS = "claude-sonnet-4-5", "claude-opus-4-7"


def said(message: str, model: str, requested: str = "", **fields: Any) -> dict[str, Any]:
    extra = {"requested": requested} if requested else {}
    return {**prompt(0), "transcript": transcript(message, model=model, **extra), **fields}


@pytest.mark.parametrize(
    ("records", "model", "window"),
    [
        pytest.param([{"model": SONNET}, said("m1", OPUS)], OPUS, None, id="a fallback model answers"),
        pytest.param([said("m1", SONNET), {"model": OPUS}, said("m1", SONNET)], OPUS, None, id="it lags"),
        pytest.param([{"model": SONNET, "window": 10**6}, said("m1", SONNET)], SONNET, 10**6, id="the same"),
        pytest.param([{"model": SONNET, "window": 10**6}, said("m1", OPUS)], OPUS, None, id="another"),
        pytest.param(
            [{"model": SONNET, "window": 10**6}, said("m1", SONNET, SONNET + "[1m]"),
             said("m2", SONNET, SONNET)], SONNET, None, id="the mark is gone",
        ),
        pytest.param(
            [{"kind": "session_start", "model": SONNET, "window": 10**6,
              "transcript": transcript("m1", model=OPUS, requested=OPUS)}], SONNET, 10**6, id="resumed",
        ),
        pytest.param(
            [said("m1", SONNET, SONNET), {"kind": "model_switch", "model": OPUS, "window": 10**6},
             said("m2", OPUS, OPUS + "[1m]")], OPUS, 10**6, id="switched to the large one",
        ),
        pytest.param(
            [{"kind": "status_line", "model": OPUS, "window": 10**6}, said("m1", OPUS, OPUS)], OPUS, 10**6,
            id="drawn by the client, which asks for it without a mark",
        ),
    ],
)  # fmt: skip
def test_the_model_is_that_of_the_last_word_on_it(records: Any, model: str, window: int | None) -> None:
    meter = fold(*records)
    assert (meter["model"], meter.get("window")) == (model, window)


@pytest.mark.parametrize(
    ("record", "host"),
    [
        ({"kind": "prompt", "generation": "g"}, "cursor"),
        ({"kind": "before_shell"}, "cursor"),
        ({"kind": "batch"}, "claude_code"),
        ({"kind": "before_tool", "transcript": transcript()}, "claude_code"),
        ({"kind": "session_start", "host": "cursor"}, "cursor"),
    ],
)
def test_the_host_is_told_from_the_record(record: dict[str, Any], host: str) -> None:
    assert account.apply({}, record)["host"] == host  # type: ignore[arg-type]


# --- properties, both hosts ----------------------------------------------

IDS = st.sampled_from(["a", "b", "c", "d"])
TOKENS = st.one_of(st.integers(0, 50_000), st.integers(-10, 10))
RECORDS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(
            [value for name, value in vars(ev).items() if name.isupper() and isinstance(value, str)]
        )
    },
    optional={
        "at": st.floats(0, 1e3),
        "generation": st.sampled_from(["", "g1", "g2", "g1-0-x"]),
        "call": IDS,
        "tool": st.sampled_from(["Shell", "Read", "Search", "MCP:x"]),
        "tokens_in": TOKENS,
        "tokens_out": TOKENS,
        "command_key": IDS,
        "file": IDS,
        "calls": st.lists(IDS, max_size=3),
        "status": st.sampled_from(["", "completed", "aborted", "error"]),
        "input_sum": st.integers(0, 3_000_000),
        "output_sum": st.integers(0, 50_000),
        "context_tokens": st.integers(0, 250_000),
        "window": st.integers(0, 1_000_000),
        "model": st.sampled_from(["", "m1", "m2"]),
        "seen": st.lists(st.sampled_from(["prompt", "a", "in:a", "b", "in:b"]), max_size=3),
        "transcript": st.builds(
            transcript,
            message=IDS,
            base=st.one_of(st.none(), st.integers(0, 200_000)),
            offset=st.integers(0, 900),
            boundary=st.booleans(),
        ),
    },
)
HOSTS = st.sampled_from(["cursor", "claude_code", None])


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for key, item in value.items() if key != "extra" for number in numbers(item)]
    return [value] if isinstance(value, (int, float)) else []


@given(host=HOSTS, records=st.lists(RECORDS, max_size=25))
@settings(max_examples=100, deadline=None)
def test_any_records_in_any_order_keep_the_meter_sane(host: Any, records: list[Any]) -> None:
    meter: Any = {"host": host} if host else {}
    for record in records:
        kept = copy.deepcopy(meter)
        further = account.apply(meter, record)
        assert meter == kept
        assert further.get("requests", 0) >= meter.get("requests", 0)
        assert min(numbers(further), default=0) >= 0
        assert 0.3 <= further.get("ratio", 1.0) <= 3.0
        assert len(further.get("unseen", {})) <= account.MAX_UNSEEN
        meter = further


@given(host=HOSTS, records=st.lists(RECORDS, max_size=12))
@settings(max_examples=80, deadline=None)
def test_a_record_given_twice_counts_once(host: Any, records: list[Any]) -> None:
    """Where the record names what it is about; the journal drops other doubles by the event's key."""
    meter: Any = {"host": host} if host else {}
    for record in records:
        meter = account.apply(meter, record)
        if _is_named(record) and record.get("generation", 0) != meter.get("turn", {}).get("previous"):
            assert _counted(account.apply(meter, record)) == _counted(meter)


def _is_named(record: Any) -> bool:
    if record["kind"] in (ev.RESPONSE, ev.TURN_END):
        return bool(record.get("generation") and record.get("input_sum"))
    if record["kind"] == ev.BATCH:
        return bool(record.get("calls"))
    return record["kind"] in (ev.PROMPT, ev.BEFORE_TOOL, ev.AFTER_TOOL) and bool(
        record.get("generation") and record.get("call")
    )


def _counted(meter: Any) -> Any:
    return {name: meter.get(name, 0) for name in ("requests", "unseen", "exact", "growth", "lost", "turn")}


def test_a_learned_window_yields_to_a_stated_one() -> None:
    meter = account.apply({}, {"kind": "session_start", "model": "m", "learned": 300_000})
    assert (meter["window"], meter["window_source"]) == (300_000, "learned")
    meter = account.apply(meter, {"kind": "compact", "window": 400_000})
    assert (meter["window"], meter["window_source"]) == (400_000, "host")
    meter = account.apply(meter, {"kind": "session_start", "learned": 300_000})
    assert (meter["window"], meter["window_source"]) == (400_000, "host")
