from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import RECORDS, SESSION, after, before, ran, record, state_of, todo, todos_written, wrote

from safepoint.hot import events as ev
from safepoint.hot import session, wire
from safepoint.hot.events import Event
from safepoint.hot.hosts.fields import event_key
from safepoint.hot.policies import work
from safepoint.hot.shapes import Host, Record

MANY = settings(max_examples=50, deadline=None)
HOSTS = st.sampled_from(["cursor", "claude_code"])


def plain(value: Any) -> Any:
    """As it is after a way through a file."""
    return json.loads(wire.dumps(value))


# --- laws ------------------------------------------------------------------------------------------------


@MANY
@given(st.lists(RECORDS, max_size=25), HOSTS)
def test_no_order_of_records_raises(records: list[Record], host: Host) -> None:
    state = state_of(*copy.deepcopy(records), host=host)
    assert list(state) == list(session.new_state(SESSION, "", host))


@MANY
@given(st.lists(RECORDS, max_size=15), st.integers(0, 15), HOSTS)
def test_fold_goes_on_from_a_written_state_as_from_the_one_in_memory(
    records: list[Record], cut: int, host: Host
) -> None:
    whole = state_of(*copy.deepcopy(records), host=host)
    resumed = plain(state_of(*copy.deepcopy(records[:cut]), host=host))
    for made in plain(records[cut:]):
        resumed = session.apply(resumed, made)
    assert plain(resumed) == plain(whole)


@MANY
@given(st.lists(RECORDS, max_size=15), st.data(), HOSTS)
def test_second_record_with_a_key_changes_nothing(
    records: list[Record], data: st.DataObject, host: Host
) -> None:
    for number, made in enumerate(records):
        made["key"] = f"k{number}"
    again = data.draw(st.lists(st.sampled_from(records), max_size=5)) if records else []
    once = state_of(*copy.deepcopy(records), host=host)
    twice = state_of(*copy.deepcopy([*records, *again]), host=host)
    assert plain(twice) == plain(once)


@MANY
@given(st.lists(RECORDS, max_size=25), HOSTS)
def test_every_list_is_bounded(records: list[Record], host: Host) -> None:
    state = state_of(*copy.deepcopy(records * 12), host=host)
    assert len(state["seen_keys"]) <= session.SEEN_KEYS
    assert len(state["open_calls"]) <= 64
    assert len(state["completed_work"]) <= work.KEEP_WORK
    assert len(state["open_errors"]) <= work.KEEP_ERRORS
    assert len(state["recent_commands"]) <= work.KEEP_COMMANDS
    assert len(state["files_changed"]) <= work.KEEP_FILES


# --- keys and common fields ------------------------------------------------------------------------------


def test_keys_of_long_ago_are_forgotten() -> None:
    state = state_of(*[record(ev.PROMPT, key=f"k{n}") for n in range(session.SEEN_KEYS + 1)])
    assert not session.was_seen(state, "k0")
    assert session.was_seen(state, "k1")
    assert not session.was_seen(state, "")


def test_times_of_late_records_do_not_turn_the_clock_back() -> None:
    state = state_of(record(ev.PROMPT, at=50.0), record(ev.PROMPT, at=40.0))
    assert (state["started_at"], state["last_at"]) == (50.0, 50.0)


def test_reading_and_level_come_with_the_record_that_measured() -> None:
    reading = {"tokens": 5, "measured": 5, "estimated": 0, "window": 9, "source": "host",
               "window_source": "host"}  # fmt: skip
    state = state_of(before(reading=reading, level="red"), before("c2"))
    assert (state["reading"], state["level"]) == (reading, "red")


# --- events ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "known"),
    [
        pytest.param(record(ev.SESSION_START, source="resume"), True, id="start"),
        pytest.param(record(ev.PROMPT, text="go"), True, id="prompt"),
        pytest.param(record(ev.PROMPT, reason=session.NOTIFICATION), True, id="notification"),
        pytest.param(before(), False, id="tool"),
        pytest.param(record(ev.COMPACT), False, id="compaction"),
    ],
)
def test_origin_is_known_from_a_start_or_a_prompt(made: Record, known: bool) -> None:
    assert state_of(made)["known_origin"] is known


def test_notification_is_no_prompt_of_a_person() -> None:
    state = state_of(
        record(ev.PROMPT, text="go"),
        before(),
        record(ev.PROMPT, text="done", reason=session.NOTIFICATION),
    )
    assert (state["prompts"], state["last_prompt"]) == (1, "go")
    assert "c1" in state["open_calls"]


def test_prompt_closes_what_was_broken_off_but_no_subagent() -> None:
    state = state_of(before("c1"), before("c2", tool=ev.SUBAGENT), record(ev.PROMPT, text="stop that"))
    assert list(state["open_calls"]) == ["c2"]


@pytest.mark.parametrize(
    ("source", "left"), [("startup", []), ("clear", []), ("resume", ["c1"]), ("compact", ["c1"])]
)
def test_new_chat_has_no_open_calls(source: str, left: list[str]) -> None:
    state = state_of(before("c1"), record(ev.SESSION_START, source=source))
    assert list(state["open_calls"]) == left


def test_end_is_taken_back_by_a_prompt() -> None:
    ended = state_of(record(ev.SESSION_END))
    assert ended["ended"]
    assert not session.apply(ended, record(ev.PROMPT))["ended"]


def test_second_announcement_of_a_shell_call_opens_nothing() -> None:
    state = state_of(
        before("c1", command="make"),
        record(ev.BEFORE_SHELL, call="other", command="make"),
        record(ev.BEFORE_SHELL, call="third", command="make install"),
        host="cursor",
    )
    assert list(state["open_calls"]) == ["c1", "third"]


def test_call_that_told_no_end_is_closed_by_its_batch() -> None:
    state = state_of(
        before("c1", tool=ev.SUBAGENT), before("c2"), before("c3"), record(ev.BATCH, calls=["c1", "c2"])
    )
    assert list(state["open_calls"]) == ["c3"]


# --- workflow --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(
            record(session.CAMPAIGN, name="fix-login", reason="branch", text="docs/report.md"),
            {"campaign_slug": "fix-login", "campaign_by": "branch", "report": "docs/report.md"},
            id="campaign",
        ),
        pytest.param(
            record(session.STEP, name="step3", text="implementation"),
            {"workflow_step": "step3", "orchestrator_phase": "implementation"},
            id="step",
        ),
        pytest.param(record(session.OFFER, value=None), {"offer": None}, id="no-offer"),
        pytest.param(record(session.GIT, git={"branch": "main"}), {"git": {"branch": "main"}}, id="git"),
        pytest.param(
            record(session.WAITING, value=[["rest", "more"]]), {"waiting": [("rest", "more")]}, id="waiting"
        ),
        pytest.param(record(session.TOLD, name="lock"), {"told": ["lock"], "yellow_told": False}, id="told"),
    ],
)
def test_workflow_record_is_kept(made: Record, expected: dict[str, object]) -> None:
    state: Any = state_of(made)
    assert {name: state[name] for name in expected} == expected


def test_trouble_is_told_once() -> None:
    assert state_of(*[record(session.TOLD, name="lock")] * 2)["told"] == ["lock"]


INHERITED = {
    "completed_work": [{"description": "make", "known": "verified", "evidence": "exit 0", "at": 1.0}],
    "todos": [todo(1, "first", "completed"), todo(2, "second")],
    "files_changed": ["a.py", "b.py"],
    "open_errors": [{"key": "Shell:1", "tool": "Shell", "message": "broke", "at": 1.0}],
}


def test_inherited_work_stands_before_own() -> None:
    state = state_of(ran("npm test"), wrote("b.py"), record(session.INHERIT, value=INHERITED))
    assert [item["description"] for item in state["completed_work"]] == ["make", "npm test", "Write b.py"]
    assert state["files_changed"] == ["a.py", "b.py"]
    assert [item["content"] for item in state["todos"]] == ["first", "second"]
    assert len(state["open_errors"]) == 1


def test_inheriting_twice_adds_nothing() -> None:
    once = state_of(record(session.INHERIT, value=INHERITED))
    assert state_of(*[record(session.INHERIT, value=INHERITED)] * 2) == once


def test_own_todos_are_kept_where_there_are_some() -> None:
    state = state_of(todos_written(todo(1, "mine")), record(session.INHERIT, value=INHERITED))
    assert [item["content"] for item in state["todos"]] == ["mine"]


def test_own_ids_do_not_touch_inherited_todos() -> None:
    state = state_of(
        record(session.INHERIT, value=INHERITED),
        after(tool=ev.TASK_CREATE, todo={"op": "create", "id": "2", "content": "third"}),
        after(tool=ev.TASK_UPDATE, todo={"op": "update", "id": "2", "status": "completed"}),
    )
    assert [(item["content"], item["status"]) for item in state["todos"]] == [
        ("first", "completed"), ("second", "pending"), ("third", "completed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (1000.0, 1000.9, True), (1000.99, 1001.01, True), (1001.01, 1000.99, True),
        (1000.0, 1002.1, False), (1002.1, 1000.0, False),
    ],
)  # fmt: skip
def test_an_event_without_an_id_counts_once_across_a_second(first: float, second: float, same: bool) -> None:
    state = session.new_state("s", "", "claude_code")
    for now in (first, second):
        event = Event(ev.PROMPT, "claude_code", "s")
        event.host_event, event.prompt, event.now = "UserPromptSubmit", "continue", now
        state = session.apply(state, {"kind": ev.PROMPT, "at": now, "key": event_key(event)})
    assert state["prompts"] == (1 if same else 2)


@pytest.mark.parametrize("second", [1000.0, 1001.0, 1900.0])
def test_a_prompt_with_an_id_counts_once_whenever_it_comes_and_beside_an_equal_one(second: float) -> None:
    state = session.new_state("s", "", "claude_code")
    for now, prompt_id in ((1000.0, "p1"), (second, "p1"), (second, "p2")):
        event = Event(ev.PROMPT, "claude_code", "s")
        event.host_event, event.prompt, event.prompt_id = "UserPromptSubmit", "safepoint pause", prompt_id
        event.now = now
        state = session.apply(state, {"kind": ev.PROMPT, "at": now, "key": event_key(event)})
    assert state["prompts"] == 2
