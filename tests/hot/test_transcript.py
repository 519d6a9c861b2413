"""Scans of real files in the shape that Claude Code writes."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot.meters import transcript, transcript_tail
from safepoint.hot.meters.transcript import scan
from safepoint.hot.meters.transcript_tail import subagent_transcript
from safepoint.hot.textweight import PICTURE_TOKENS, tokens

MODEL = "claude-sonnet-4-5-20250929"
SYNTHETIC = {"id": "s", "model": "<synthetic>", "usage": {"input_tokens": 7}}
UNTOLD = {"type": "hook_success", "content": "x" * 999}


def assistant(
    name: str, base: int, said: int = 5, *, cached: int = 0, call: str = "", text: str = "ok", **extra: Any
) -> dict[str, Any]:
    block = (
        {"type": "tool_use", "id": call, "name": "Bash", "input": {}}
        if call
        else {"type": "text", "text": text}
    )
    usage = {
        "input_tokens": base - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": said,
    }
    message = {"id": name, "role": "assistant", "model": MODEL, "content": [block], "usage": usage}
    return {"parentUuid": None, "isSidechain": False, "type": "assistant", "message": message, **extra}


def result(call: str, content: Any = "done", **extra: Any) -> dict[str, Any]:
    block = {"tool_use_id": call, "type": "tool_result", "content": content}
    return user([block], toolUseResult={"stdout": "y" * 5000}, **extra)


def user(content: Any, **extra: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"parentUuid": "p", "isSidechain": False, "type": "user", "message": message, **extra}


def boundary(**metadata: Any) -> dict[str, Any]:
    return {
        "isSidechain": False,
        "type": "system",
        "subtype": "compact_boundary",
        "compactMetadata": metadata,
    }


def line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def write(path: Path, *records: dict[str, Any] | bytes) -> str:
    path.write_bytes(b"".join(item if isinstance(item, bytes) else line(item) for item in records))
    return str(path)


def append(path: str, *records: dict[str, Any] | bytes) -> None:
    with open(path, "ab") as file:
        file.write(b"".join(item if isinstance(item, bytes) else line(item) for item in records))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def first(path: str, **options: Any) -> transcript.Scan:
    found = scan(path, None, **options)
    assert found is not None
    return found


def further(path: str, last: transcript.Scan, **options: Any) -> transcript.Scan:
    found = scan(path, last.transcript, **options)
    assert found is not None
    return found


def test_base_counts_what_was_cached_as_well(path: Path) -> None:
    state = first(write(path, assistant("m1", 30_000, 70, cached=29_000))).transcript
    assert (state["base"], state["output"], state["after"]) == (30_000, 70, 0)
    assert (state["model"], state["message_id"], state["boundary"]) == (MODEL, "m1", False)
    assert state["offset"] == path.stat().st_size


def test_forward_reading_weighs_what_follows_the_last_usage(path: Path) -> None:
    name = write(path, user("hello"), assistant("m1", 1000, call="c1"))
    one = first(name)
    append(name, result("c1", "some output of a command"), user("and another thing"))
    two = further(name, one)
    assert two.transcript["base"] == 1000
    assert two.transcript["after"] == tokens("some output of a command") + tokens("and another thing")
    assert two.seen == ["c1", "prompt"]
    append(name, assistant("m2", 1500, call="c2"))
    three = further(name, two)
    assert (three.transcript["base"], three.transcript["after"], three.seen) == (1500, 0, ["in:c2"])


def test_nothing_new_changes_nothing(path: Path) -> None:
    name = write(path, assistant("m1", 1000, call="c1"), result("c1"))
    one = first(name)
    two = further(name, one)
    assert two.transcript == one.transcript and two.seen == []
    assert two.transcript is not one.transcript


def test_given_state_is_left_as_it_is(path: Path) -> None:
    name = write(path, assistant("m1", 1000))
    one = first(name)
    kept = dict(one.transcript)
    append(name, assistant("m2", 2000))
    further(name, one)
    assert one.transcript == kept


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param([(3, "x"), (900, "y")], 900, id="true size at the end"),
        pytest.param([(900, "x"), (900, "y")], 900, id="true size in each"),
        pytest.param(
            [(1, "word " * 400), (1, "word " * 300)],
            tokens("word " * 400) + tokens("word " * 300),
            id="never",
        ),
    ],
)
def test_blocks_of_one_message_count_once(path: Path, said: list[tuple[int, str]], expected: int) -> None:
    (size, text), (further_size, further_text) = said
    name = write(path, assistant("m1", 5000, size, text=text))
    one = first(name)
    append(name, assistant("m1", 5000, further_size, text=further_text))
    state = further(name, one).transcript
    assert (state["base"], state["after"]) == (5000, 0)
    assert state["output"] == pytest.approx(expected, abs=2)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(assistant("s1", 99_000, isSidechain=True), id="sidechain"),
        pytest.param(assistant("s1", 99_000, isApiErrorMessage=True), id="api error"),
        pytest.param({"type": "progress", "data": assistant("s1", 99_000)}, id="progress"),
        pytest.param({"type": "summary", "summary": "usage"}, id="summary"),
        pytest.param({"type": "assistant", "message": SYNTHETIC}, id="synthetic"),
        pytest.param({"type": "assistant", "message": {"id": "s", "model": MODEL}}, id="no usage"),
        pytest.param({"type": "user"}, id="no message"),
        pytest.param({"type": "attachment"}, id="no attachment"),
        pytest.param({"type": "attachment", "attachment": UNTOLD}, id="told nobody"),
        pytest.param(b'{"type":"user" "usage"\n', id="garbage"),
        pytest.param(b'["user"]\n', id="no object"),
        pytest.param(b"\n\n", id="empty lines"),
        pytest.param(b"\xff\xfe\"user\"\n", id="no text"),
    ],
)  # fmt: skip
def test_other_records_count_for_nothing(path: Path, other: dict[str, Any] | bytes) -> None:
    name = write(path, assistant("m1", 1000), other)
    assert first(name).transcript["base"] == 1000
    name = write(path, assistant("m1", 1000))
    one = first(name)
    append(name, other)
    two = further(name, one)
    assert (two.transcript["base"], two.transcript["after"], two.seen) == (1000, 0, [])
    assert two.transcript["offset"] == path.stat().st_size


def test_attachments_for_the_model_are_weighed(path: Path) -> None:
    attachment = {"type": "hook_additional_context", "content": ["remember the milk"]}
    name = write(
        path, assistant("m1", 1000), {"type": "attachment", "isSidechain": False, "attachment": attachment}
    )
    assert first(name).transcript["after"] == tokens("remember the milk")


def test_what_an_attachment_is_shown_as_counts_where_the_client_says_it(path: Path) -> None:
    attachment = {"type": "auto_mode", "bypass": False, "details": "x " * 9_000}
    told = {"type": "attachment", "attachment": attachment, "rendered": [{"content": "remember the milk"}]}
    name = write(path, assistant("m1", 1000), {"isSidechain": False, **told})
    assert first(name).transcript["after"] == tokens("remember the milk")


def test_the_prompt_that_a_newer_client_keeps_beside_a_response_is_not_sent_again(path: Path) -> None:
    snapshot = {"type": "prompt_snapshot", "systemPrompt": ["x " * 9_000], "tools": [{"name": "y" * 9_000}]}
    told = {"type": "attachment", "isSidechain": False, "attachment": snapshot}
    name = write(path, assistant("m1", 1000), told)
    assert first(name).transcript["after"] == 0


def test_an_image_costs_what_a_picture_costs(path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 400_000}}
    name = write(path, assistant("m1", 1000, call="c1"), result("c1", [image]))
    assert first(name).transcript["after"] == PICTURE_TOKENS


def test_boundary_with_a_figure_starts_from_it(path: Path) -> None:
    summary = user("a summary " * 50, isCompactSummary=True)
    state = first(write(path, assistant("m1", 160_000, 900), boundary(postTokens=24_000), summary)).transcript
    assert (state["base"], state["output"], state["after"], state["boundary"]) == (24_000, 0, 0, True)


def test_boundary_without_a_figure_is_unknown_until_the_next_usage(path: Path) -> None:
    name = write(path, assistant("m1", 160_000), boundary(preTokens=160_000))
    one = first(name)
    assert (one.transcript["base"], one.transcript["boundary"]) == (None, True)
    append(name, assistant("m2", 21_000))
    two = further(name, one)
    assert (two.transcript["base"], two.transcript["boundary"]) == (21_000, False)


def test_torn_last_line_waits_for_its_end(path: Path) -> None:
    whole = line(assistant("m2", 2000, text="日本語"))
    for cut in (1, len(whole) // 2, len(whole) - 2, len(whole) - 1):
        name = write(path, assistant("m1", 1000), whole[:cut])
        one = first(name)
        assert one.transcript["base"] == 1000
        append(name, whole[cut:])
        assert further(name, one).transcript["base"] == 2000


@pytest.mark.parametrize("how", ["shorter", "another file", "moved lines"])
def test_a_rewritten_file_is_read_anew(path: Path, how: str) -> None:
    name = write(path, user("hello"), assistant("m1", 50_000), user("more"))
    one = first(name)
    if how == "shorter":
        write(path, assistant("m0", 9000))
    elif how == "another file":
        other = path.with_name("other")
        write(other, user("hello"), assistant("m0", 9000), user("x" * 500))
        os.replace(other, path)
    else:
        write(path, assistant("m0", 9000, text="z" * one.transcript["offset"]))
    state = further(name, one).transcript
    assert (state["base"], state["message_id"]) == (9000, "m0")


def test_tail_scan_finds_a_usage_far_behind_the_end(path: Path) -> None:
    name = write(
        path, *[user(f"old {i}") for i in range(3000)], assistant("m1", 77_000), result("c", "z " * 150_000)
    )
    state = first(name).transcript
    assert state["base"] == 77_000 and state["after"] > 10_000


def test_tail_scan_stops_at_its_bound(path: Path) -> None:
    name = write(path, assistant("m1", 77_000), *[user("y" * 1000) for _ in range(200)])
    state = first(name, max_tail_bytes=50_000).transcript
    assert state["base"] is None and state["offset"] == path.stat().st_size
    append(name, assistant("m2", 78_000))
    found = scan(name, state)
    assert found is not None and found.transcript["base"] == 78_000


def test_figure_that_was_passed_over_is_told_and_the_old_one_kept_until_there_is_another(path: Path) -> None:
    name = write(path, assistant("m1", 77_000))
    known = first(name)
    with path.open("ab") as file:
        file.truncate(64 * 1024**2)  # one line, which nobody has ended yet
    again = further(name, known)
    twice = further(name, again)
    assert [found.is_passed for found in (known, again, twice)] == [False, True, True]
    assert known.transcript == again.transcript == twice.transcript
    assert first(name).is_passed and first(name).transcript["base"] is None
    with path.open("ab") as file:
        file.write(b"\n" + line(assistant("m2", 78_000)))
    for found in (further(name, twice), first(name)):
        assert not found.is_passed and found.transcript["base"] == 78_000


def test_short_transcript_without_a_figure_was_read_whole(path: Path) -> None:
    found = first(write(path, *[user("y" * 1000) for _ in range(200)]))
    assert not found.is_passed and found.transcript["base"] is None


def told(found: transcript.Scan | None) -> Any:
    return found and (found.transcript, found.seen, found.is_passed)


@given(cut=st.integers(1, 4000), block=st.integers(1, 700))
@settings(max_examples=40, deadline=None)
def test_block_size_and_cut_do_not_matter(tmp_path_factory: Any, cut: int, block: int) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    records = [
        user("á" * 40),
        assistant("m1", 100),
        result("c1"),
        assistant("m2", 200, text="ö" * 300),
        user("end"),
    ]
    data = b"".join(line(record) for record in records)[: cut or None]
    path.write_bytes(data)
    expected = told(scan(str(path), None))
    old, transcript_tail._BLOCK = transcript_tail._BLOCK, block
    old_chunk, transcript._CHUNK = transcript._CHUNK, block
    try:
        assert told(scan(str(path), None)) == expected
    finally:
        transcript_tail._BLOCK, transcript._CHUNK = old, old_chunk


@given(cuts=st.lists(st.integers(0, 3000), max_size=6))
@settings(max_examples=40, deadline=None)
def test_stepwise_reading_comes_to_the_same(tmp_path_factory: Any, cuts: list[int]) -> None:
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    records = [user("hi"), assistant("m1", 100, call="c1"), result("c1", "é" * 50), user("more")]
    data = b"".join(line(record) for record in records)
    last, seen = None, []
    for cut in [*sorted(cuts), len(data)]:
        path.write_bytes(data[:cut])
        found = scan(str(path), last)
        assert found is not None
        last = found.transcript
        seen += found.seen
    assert last is not None and (last["base"], last["after"]) == (100, tokens("é" * 50) + tokens("more"))
    assert set(seen) >= {"in:c1", "c1", "prompt"}


def test_a_large_file_costs_what_was_added(path: Path) -> None:
    """100 MB with holes: reading it whole would take seconds, and parse a line of 60 MB."""
    name = write(path, assistant("m1", 1000), b'{"type":"file-history-snapshot","x":"')
    with open(name, "r+b") as file:
        file.seek(60_000_000)
        file.write(b'"}\n')
        file.seek(100_000_000)
        file.write(b"\n" + line(assistant("m2", 40_000)))
    one = first(name)
    append(name, user("tail"))
    reads = 0
    real = os.read

    def counting(fd: int, count: int) -> bytes:
        nonlocal reads
        data = real(fd, count)
        reads += len(data)
        return data

    os.read = counting
    try:
        two = further(name, one)
    finally:
        os.read = real
    assert two.transcript["base"] == 40_000 and reads < 2000


def test_a_large_line_that_cannot_matter_is_not_parsed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = {"type": "file-history-snapshot", "data": "x" * 2_000_000}
    sidechain = {"isSidechain": True, "type": "user", "message": {"content": "x" * 2_000_000}}
    name = write(path, assistant("m1", 1000))
    one = first(name)
    append(name, snapshot, sidechain, user("small"))
    parsed: list[int] = []
    real = transcript.wire.loads
    monkeypatch.setattr(transcript.wire, "loads", lambda text: parsed.append(len(text)) or real(text))
    further(name, one)
    assert len(parsed) == 1 and parsed[0] < 1000


@pytest.mark.parametrize("what", ["missing", "folder", "fifo", "nul"])
def test_no_readable_file_is_no_scan(tmp_path: Path, what: str) -> None:
    path = tmp_path / "t"
    if what == "folder":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    assert scan(str(path) + ("\0" if what == "nul" else ""), None) is None


def test_file_that_this_user_may_not_read_is_no_scan() -> None:
    with as_nobody_special(), tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "t", assistant("m", 1))
        assert scan(path, None) is not None
        os.chmod(path, 0)
        assert scan(path, None) is None


@contextlib.contextmanager
def as_nobody_special() -> Iterator[None]:
    """Root may read everything, so it gives that up for a moment."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def test_empty_file_knows_nothing(path: Path) -> None:
    found = first(write(path))
    assert found.transcript["base"] is None and found.seen == []


def test_a_subagents_own_file_is_all_sidechain(tmp_path: Path) -> None:
    parent = tmp_path / "abc.jsonl"
    name = subagent_transcript(str(parent), "abc", "7f")
    assert name == str(tmp_path / "abc" / "subagents" / "agent-7f.jsonl")
    Path(name).parent.mkdir(parents=True)
    write(Path(name), assistant("m1", 12_000, isSidechain=True))
    assert first(name, sidechain=True).transcript["base"] == 12_000
    assert first(name).transcript["base"] is None


@pytest.mark.parametrize("agent", ["", "../x", "a/b", "a\\b", "a\0b"])
def test_an_agent_id_that_is_no_file_name_has_no_file(agent: str) -> None:
    assert subagent_transcript("/t/abc.jsonl", "abc", agent) == ""
    assert scan("", None) is None


# --- records that no client writes -----------------------------------------


NESTED = json.loads("[" * 600 + '"x"' + "]" * 600)


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(line(user(NESTED)), id="nested"),
        pytest.param(line(user("@")).replace(b'"@"', b"[" * 90_000 + b"]" * 90_000), id="nested too deep"),
        pytest.param(line(assistant("m9", 7)).replace(b":7,", b":1e999,"), id="infinite"),
        pytest.param(line(assistant("m9", 7)).replace(b":7,", b":NaN,"), id="no number"),
        pytest.param(line(assistant("m9", 7)).replace(b":7,", b":9" + b"9" * 5000 + b","), id="endless"),
        pytest.param(line(assistant("m9", 0, 0)), id="a usage of nothing"),
        pytest.param(line({"type": "attachment", "attachment": NESTED}), id="attachment"),
    ],
)
def test_an_odd_record_is_passed_over(path: Path, odd: bytes) -> None:
    name = write(path, assistant("m1", 1000, 5), odd)
    one = first(name)
    assert (one.transcript["base"], one.transcript["output"]) == (1000, 5)
    assert one.transcript["offset"] == os.path.getsize(name)
    append(name, assistant("m2", 2000))
    assert further(name, one).transcript["base"] == 2000


def test_a_record_that_cannot_be_weighed_counts_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write(path, assistant("m1", 1000))
    one = first(name)
    append(name, user("odd"), user("tail"))
    real = transcript.textweight.tokens

    def tokens_of(text: str) -> int:
        if text == "odd":
            raise OverflowError
        return real(text)

    monkeypatch.setattr(transcript.textweight, "tokens", tokens_of)
    assert further(name, one).transcript["after"] == one.transcript["after"] + real("tail")


def test_a_large_growth_is_read_from_its_end(path: Path) -> None:
    name = write(path, assistant("m1", 1000))
    one = first(name)
    filler = line(result("c", "x" * 1000))
    with open(name, "ab") as file:
        file.write(filler * (transcript.MAX_FORWARD_BYTES // len(filler) + 9))
    two = further(name, one)  # no usage near the end: the last one holds, and what was read comes on top
    assert two.transcript["base"] == 1000 and two.transcript["after"] > one.transcript["after"]
    append(name, assistant("m2", 150_000))
    assert further(name, one).transcript["base"] == 150_000


def test_a_scan_that_took_too_long_is_gone_on_with(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write(path, assistant("m1", 1000))
    found = first(name)
    append(name, *[user("x") for _ in range(5)], assistant("m2", 3000))
    monkeypatch.setattr(transcript, "BUDGET_S", -1.0)  # spent after one record
    offsets = [found.transcript["offset"]]
    while found.transcript["base"] != 3000:
        found = further(name, found)
        offsets.append(found.transcript["offset"])
    assert len(offsets) == 7 and offsets == sorted(set(offsets))


def test_what_was_found_is_bounded(path: Path) -> None:
    name = write(path, assistant("m1", 1000))
    one = first(name)
    append(name, user("hi"), *[result(f"c{number}") for number in range(1000)])
    seen = further(name, one).seen
    assert len(seen) <= 2 * transcript.MAX_SEEN and "prompt" in seen
    assert seen[-1] == "c999"
