from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import after, before, record, state_of, todo, todos_written, wrote

from safepoint.hot import events as ev
from safepoint.hot import session
from safepoint.hot.policies import reminders, todo_log, todos
from safepoint.hot.policies.reminders import INITIAL, NO_CALL, due
from safepoint.hot.policies.todo_log import STALE
from safepoint.hot.shapes import Host, Record, SessionState

SETTINGS: Any = json.loads((Path(__file__).parents[2] / "hooks/settings.json").read_text())
SONNET = "claude-sonnet-4-5-20250929"
LISTED = todos_written(todo(1, "a", "in_progress"), todo(2, "b"))
ALL_DONE = todos_written(todo(1, "a", "completed"))
STEPS = "\n".join(f"{n}. step" for n in range(1, 6))


def batches(count: int, first: int = 0) -> list[Record]:
    """So many requests on Claude Code, each with one call."""
    return [record(ev.BATCH, calls=[f"b{first + n}"]) for n in range(count)]


def reminded(kind: str) -> Record:
    return record(todo_log.REMINDED, name=kind)


def prompt(text: str = "go", model: str = SONNET) -> Record:
    return record(ev.PROMPT, text=text, model=model)


def kind_due(*records: Record, at_prompt: bool = False, env: Any = None, host: Host = "claude_code") -> str:
    return due(state_of(*records, host=host), SETTINGS, env or {}, at_prompt)


# --- a list that nobody touches --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([LISTED, *batches(8)], "", id="the-request-of-the-change-does-not-count"),
        pytest.param([LISTED, *batches(9)], STALE, id="eight-without-a-change"),
        pytest.param([ALL_DONE, *batches(30)], "", id="nothing-open"),
        pytest.param([LISTED, *batches(4), LISTED, *batches(8, 9)], "", id="changed-in-between"),
        pytest.param([LISTED, *batches(9), reminded(STALE), *batches(7, 9)], "", id="told-seven-ago"),
        pytest.param([LISTED, *batches(9), reminded(STALE), *batches(8, 9)], STALE, id="told-eight-ago"),
        pytest.param(
            [LISTED, *batches(9), after(tool=ev.TASK_LIST, todo={"op": "sync", "items": [todo(1, "a")]})],
            STALE, id="looking-is-no-change",
        ),
        pytest.param([LISTED, *batches(9), after("x", ev.TASK_UPDATE, ok=False)], STALE,
                     id="failed-update-is-no-change"),
        pytest.param([LISTED, *batches(9), record(session.LATCH, status="saved")], "", id="red"),
    ],
)  # fmt: skip
def test_stale_list(records: list[Record], expected: str) -> None:
    assert kind_due(prompt(), *records) == expected


@pytest.mark.parametrize(("told", "pause"), [(0, 8), (1, 8), (2, 8), (3, 16), (4, 32), (5, 64), (9, 64)])
def test_unanswered_reminders_come_less_often(told: int, pause: int) -> None:
    state = state_of(prompt(), LISTED, *batches(9), *[reminded(STALE)] * told)
    assert reminders.cooldown(state, SETTINGS) == pause
    assert reminders.cooldown(session.apply(state, LISTED), SETTINGS) == 8  # an answer


def test_waiting_reminder_is_dropped_when_the_list_changes() -> None:
    waiting = record(session.WAITING, value=[["reminder", "old"], ["resume", "kept"]])
    assert [part[0] for part in state_of(LISTED, waiting, LISTED)["waiting"]] == ["resume"]


def test_handed_over_items_count_until_the_session_has_a_list_of_its_own() -> None:
    given = record(session.INHERIT, value={"todos": [todo(1, "old")]})
    assert kind_due(prompt(), given, *batches(8)) == STALE
    created = after(tool=ev.TASK_CREATE, todo={"op": "create", "id": "1", "content": "x"})
    completed = after("u", ev.TASK_UPDATE, todo={"op": "update", "id": "1", "status": "completed"})
    assert kind_due(prompt(), given, created, completed, *batches(9)) == ""


# --- the host's own --------------------------------------------------------------------------------------


def hosts_own(offset: int) -> Record:
    scan = {"path": "t", "inode": 1, "offset": offset, "message_id": "", "base": 1, "output": 0, "after": 0,
            "model": SONNET, "boundary": False, "reminder": offset}  # fmt: skip
    return before(transcript=scan)


def test_hosts_own_reminder_silences_ours_for_the_cooldown() -> None:
    begun = [prompt(), LISTED, *batches(9), hosts_own(5)]
    assert kind_due(*begun) == ""
    assert kind_due(*begun, *batches(7, 9)) == ""
    assert kind_due(*begun, *batches(8, 9)) == STALE
    assert kind_due(*begun, *batches(8, 9), hosts_own(9)) == ""
    assert kind_due(*begun, *batches(8, 9), hosts_own(5)) == STALE  # the same one, seen again


# --- no list yet -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([prompt(STEPS), *batches(10)], "", id="ten-requests"),
        pytest.param([prompt(STEPS), *batches(11)], NO_CALL, id="more-than-ten"),
        pytest.param([prompt(), *batches(30)], "", id="small-work"),
        pytest.param([prompt(), *[after(f"t{n}") for n in range(20)], *batches(11)], NO_CALL,
                     id="many-calls"),
        pytest.param([prompt(), *[wrote(f"{n}.py") for n in range(3)], *batches(11)], NO_CALL,
                     id="several-files"),
        pytest.param([prompt(), *[wrote("a.py")] * 3, *batches(11)], "", id="one-file"),
        pytest.param([prompt(STEPS), ALL_DONE, *batches(12)], "", id="done-with-the-list-of-that-prompt"),
        pytest.param([prompt(STEPS), ALL_DONE, prompt(STEPS), *batches(12)], NO_CALL, id="a-prompt-since"),
        pytest.param([prompt(STEPS), *batches(11), reminded(NO_CALL), *batches(39, 11)], "", id="told"),
        pytest.param([prompt(STEPS), *batches(11), reminded(NO_CALL), *batches(40, 11)], NO_CALL,
                     id="told-long-ago"),
        pytest.param([prompt(STEPS, "claude-opus-4-8"), *batches(11)], "", id="no-todo-tool"),
        pytest.param([prompt(STEPS, ""), *batches(11)], "", id="model-not-known"),
    ],
)  # fmt: skip
def test_no_call(records: list[Record], expected: str) -> None:
    assert kind_due(*records) == expected


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([prompt(STEPS)], INITIAL, id="several-steps"),
        pytest.param([prompt("a, b and c")], "", id="small-work"),
        pytest.param([prompt(STEPS), LISTED], "", id="it-has-a-list"),
        pytest.param([prompt(STEPS), reminded(INITIAL), *batches(39)], "", id="told"),
        pytest.param([prompt(STEPS), reminded(INITIAL), *batches(40)], INITIAL, id="told-long-ago"),
        pytest.param([prompt(STEPS, "gpt-9")], "", id="no-todo-tool"),
    ],
)
def test_initial(records: list[Record], expected: str) -> None:
    assert kind_due(*records, at_prompt=True) == expected


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("", 0), ("Refactor it", 0), ("- a\n- b\n* c", 3), ("1. a\n2. b\n3) c", 3), ("・a\n・b", 2),
        ("do 1) this 2) that 3) the rest", 3), ("1、設計 2、実装 3、試験", 3), ("version 2.5 of 10.1", 0),
        ("1.5 apples", 1), ("2026-11-30\n12:00", 0),
    ],
)  # fmt: skip
def test_steps_named(text: str, steps: int) -> None:
    assert reminders.steps_named(text) == steps


# --- which tool ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "env", "tool"),
    [
        ("claude-sonnet-4-5", {}, "TaskCreate, TaskUpdate"),
        (SONNET, {"CLAUDE_CODE_ENABLE_TASKS": "0"}, "TodoWrite"),
        (SONNET, {"CLAUDE_CODE_ENABLE_TASKS": "1"}, "TaskCreate, TaskUpdate"),
        ("claude-opus-4-8", {}, ""),
        ("claude-opus-4-8", {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "0"}, ""),
        ("claude-opus-4-8", {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}, "TaskCreate, TaskUpdate"),
        ("claude-opus-4-8", {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "true", "CLAUDE_CODE_ENABLE_TASKS": "false"},
         "TodoWrite"),
        ("claude-sonnet-4-55", {}, ""),
        ("", {}, ""),
    ],
)  # fmt: skip
def test_tool_by_model_and_environment(model: str, env: dict[str, str], tool: str) -> None:
    assert reminders.todo_tool(state_of(prompt(model=model)), SETTINGS, env) == tool


@pytest.mark.parametrize("host", ["cursor", "claude_code"])
def test_tool_that_was_seen_is_known(host: Host) -> None:
    own = record(todo_log.CALL, tool=ev.TASK_CREATE, todo={"op": "create", "id": "1", "content": "a"})
    assert reminders.todo_tool(state_of(prompt(model="x"), host=host), SETTINGS, {}) == ""
    state = state_of(prompt(model="x"), own, host=host)
    assert reminders.todo_tool(state, SETTINGS, {}) == "TaskCreate, TaskUpdate"
    assert [item["content"] for item in state["todos"]] == ["a"]


# --- the fold --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "left"),
    [
        pytest.param(after("c1", ev.TASK_UPDATE), ["c2"], id="done"),
        pytest.param(after("c1", ev.TASK_UPDATE, ok=False), ["c2"], id="failed"),
        pytest.param(record(todo_log.REFUSED, call="c1"), ["c2"], id="refused"),
        pytest.param(record(ev.BATCH, calls=["c1", "c2"]), [], id="message-over"),
        pytest.param(record(ev.BATCH, calls=["c9"]), ["c1", "c2"], id="another-message"),
        pytest.param(prompt(), [], id="broken-off"),
    ],
)
def test_intents_end(ending: Record, left: list[str]) -> None:
    intents = [
        record(todo_log.INTENT, call=call, todo={"op": "update", "id": "1", "status": "completed"})
        for call in ("c1", "c2")
    ]
    state = state_of(LISTED, *intents, ending)
    assert [intent["call"] for intent in state["todo_log"]["intents"]] == left


def test_intents_are_bounded() -> None:
    state = state_of(*[record(todo_log.INTENT, call=str(n), todo={}) for n in range(200)])
    assert len(state["todo_log"]["intents"]) == todo_log.KEEP_INTENTS


# --- laws ------------------------------------------------------------------------------------------------

_STEPS = st.lists(
    st.sampled_from(["request", "request", "request", "start", "finish", "look", "files", "prompt", "steps",
                     "host", "compact", "resume"]),
    max_size=90,
)  # fmt: skip
_RECORDS: dict[str, Record] = {
    "start": LISTED, "finish": ALL_DONE, "look": after(tool=ev.TASK_LIST), "prompt": prompt(),
    "steps": prompt(STEPS), "compact": record(ev.COMPACT),
    "resume": record(ev.SESSION_START, source="resume"),
}  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(_STEPS)
def test_no_two_reminders_of_a_kind_are_closer_than_their_cooldown(steps: list[str]) -> None:
    limits = SETTINGS["reminders"]
    cooldown = {STALE: 8, INITIAL: limits["initial"]["cooldown_requests"],
                NO_CALL: limits["no_call"]["cooldown_requests"]}  # fmt: skip
    state, given_at, changed_at, hosts_at = state_of(prompt()), {}, 0, -100
    for number, step in enumerate(steps):
        request = _play(state, step, number)
        if step in ("start", "finish"):
            changed_at = request + 1
        if step == "host":
            hosts_at = request
        kind = due(state, SETTINGS, {}, at_prompt=step in ("prompt", "steps"))
        if step not in ("request", "prompt", "steps") or not kind:
            continue
        assert request - given_at.get(kind, -100) >= cooldown[kind]
        assert request - hosts_at >= 8
        if kind == STALE:
            assert todos.active(state["todos"]) and request - changed_at >= 8
        else:
            assert not todos.active(state["todos"])
        given_at[kind] = request
        session.apply(state, reminded(kind))


def _play(state: SessionState, step: str, number: int) -> int:
    """Fold one step; the number of requests then."""
    if step == "request":
        session.apply(state, record(ev.BATCH, calls=[f"b{number}"]))
    elif step == "files":
        session.apply(state, wrote(f"{number}.py"))
    elif step == "host":
        session.apply(state, hosts_own(number + 1))
    else:
        session.apply(state, {**_RECORDS[step]})
    return reminders.requests(state)
