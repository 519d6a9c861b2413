from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import after, before, ran, record, state_of, todo, todos_written, wrote

from safepoint.hot import events as ev
from safepoint.hot import session
from safepoint.hot.policies import work, work_commands
from safepoint.hot.records import command_key
from safepoint.hot.shapes import Record, SessionState


def told_by_shell(command: str, size: int = 10) -> Record:
    """Cursor's afterShellExecution: no exit code, no id."""
    return record(ev.AFTER_SHELL, call=f"Shell:g:{command}", command=command, ok=True, exit=None,
                  payload_bytes=size, summary=command)  # fmt: skip


def done(state: SessionState) -> list[str]:
    return [item["description"] for item in state["completed_work"]]


def commands(state: SessionState) -> list[tuple[str, int | None]]:
    return [(command["command"], command["exit"]) for command in state["recent_commands"]]


def errors(state: SessionState) -> list[str]:
    return [error["message"] for error in state["open_errors"]]


# --- errors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "open_errors"),
    [
        pytest.param([ran("make", 1, error="broke")], ["broke"], id="opens"),
        pytest.param([ran("make", 1), ran("make", 0)], [], id="same-command-passes"),
        pytest.param([ran("make", 1), ran("make x", 0)], ["make"], id="other-command-passes"),
        pytest.param([ran("make", 1, error="old"), ran("make", 2, error="new")], ["new"], id="fails-again"),
        pytest.param([ran("make", 1), ran("make", None)], ["make"], id="unknown-end-closes-nothing"),
        pytest.param([ran("make", 1), ran("make", None, background=True)], ["make"], id="background-start"),
        pytest.param([wrote("a.py", ev.EDIT, ok=False), wrote("a.py", ev.EDIT)], [], id="edit-of-same-file"),
        pytest.param(
            [wrote("a.py", ev.EDIT, ok=False), wrote("b.py", ev.EDIT)], ["a.py"], id="edit-of-other"
        ),
        pytest.param([after(tool="WebFetch", ok=False, error="404")], ["404"], id="tool-without-subject"),
        pytest.param([after(tool="WebFetch", ok=False), after(tool="WebFetch")], [], id="tool-passes-later"),
        pytest.param(
            [after(ok=False, command="make", exit=None, error="stopped")], ["stopped"], id="interrupted"
        ),
    ],
)
def test_open_errors(records: list[Record], open_errors: list[str]) -> None:
    assert errors(state_of(*records)) == open_errors


def test_newest_errors_are_kept() -> None:
    state = state_of(*[ran(f"make {n}", 1) for n in range(work.KEEP_ERRORS + 2)])
    assert errors(state)[0] == "make 2"
    assert len(errors(state)) == work.KEEP_ERRORS


# --- work ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([ran("make")], [("make", "verified", "exit 0")], id="command"),
        pytest.param([ran("ls -l")], [], id="look"),
        pytest.param([ran("make", 1)], [], id="failed"),
        pytest.param([ran("make", None)], [], id="unknown-end"),
        pytest.param([ran("make"), ran("make", 2)], [], id="failed-since"),
        pytest.param(
            [ran("make"), ran("make", 2), ran("make")], [("make", "verified", "exit 0")], id="mended"
        ),
        pytest.param(
            [ran("make"), ran("npm test"), ran("make")],
            [("npm test", "verified", "exit 0"), ("make", "verified", "exit 0")],
            id="once-newest-last",
        ),
        pytest.param([wrote("a.py")], [("Write a.py", "verified", "file")], id="write"),
        pytest.param([wrote("a.py", ev.DELETE)], [("Delete a.py", "verified", "file")], id="delete"),
        pytest.param([wrote("a.py", ok=False)], [], id="failed-write"),
        pytest.param([wrote("a.py", ev.READ)], [], id="read"),
        pytest.param(
            [after(tool=ev.SUBAGENT, summary="3 callers")],
            [("3 callers", "carried", "subagent")],
            id="subagent",
        ),
        pytest.param([after(tool=ev.SUBAGENT, summary="started", background=True)], [], id="launched"),
        pytest.param(
            [todos_written(todo(1, "a", "completed"), todo(2, "b"))], [("a", "carried", "todo")], id="todo"
        ),
        pytest.param(
            [todos_written(todo(1, "a", "completed"))] * 2,
            [("a", "carried", "todo")],
            id="todo-written-twice",
        ),
        pytest.param([todos_written(todo(1, "", "completed"))], [], id="todo-without-words"),
    ],
)
def test_completed_work(records: list[Record], expected: list[tuple[str, str, str]]) -> None:
    state = state_of(*records)
    found = [(item["description"], item["known"], item["evidence"]) for item in state["completed_work"]]
    assert found == expected


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "ls -la src",
        "/bin/cat a",
        "cd web",
        "git status",
        "git log --oneline",
        "git",
        "grep -rn 'a|b' .",
        'grep "x > y" a.py',
        "cat a | grep b | wc -l",
        "cd web && ls",
        "sed -n 1,20p a",
        "find . -name '*.py'",
        "find . 2>/dev/null",
        "ls 2>&1",
        "ls > /dev/null",
        "FOO=1 ls",
        "sudo ls",
        "env",
        "",
        "   ",
        "echo 'done'",
        "true; pwd",
    ],
)
def test_command_that_only_looks_is_no_work(command: str) -> None:
    assert not work_commands.is_work(command)


@pytest.mark.parametrize(
    "command",
    [
        "make", "npm test", "git commit -m x", "git push", "cd web && make", "cd web; make", "ls\nmake",
        "cat a | sh", "false || make", "echo x > a", "echo x >> a", "echo x >a", "make > /dev/null 2>&1",
        "sed -i s/a/b/ a", "sed -i.bak s/a/b/ a", "find . -delete", "find . -exec rm {} +", "FOO=1 make",
        "sudo make install", "env CI=1 npm test", "time make", "ls 2> errors.txt", "cat a | tee b",
    ],
)  # fmt: skip
def test_command_that_does_something_is_work(command: str) -> None:
    assert work_commands.is_work(command)


# --- files, commands, counters ---------------------------------------------------------------------------


def test_files_are_listed_once_newest_last() -> None:
    state = state_of(
        wrote("a"), wrote("b", ev.EDIT), wrote("a"), wrote("c", ev.READ), wrote("d", ev.READ, ok=False)
    )
    assert (state["files_changed"], state["files_read"]) == (["b", "a"], ["c"])


def test_newest_commands_are_kept_with_their_exit_codes() -> None:
    state = state_of(*[ran("make", n) for n in range(work.KEEP_COMMANDS + 3)])
    assert commands(state)[0] == ("make", 3)
    assert len(commands(state)) == work.KEEP_COMMANDS


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(ran("make"), ("Shell", "make", True, 0, []), id="command"),
        pytest.param(wrote("a.py"), ("Write", "a.py", True, None, ["a.py"]), id="file"),
        pytest.param(ran("make", 1), None, id="failure"),
    ],
)
def test_last_completed(made: Record, expected: Any) -> None:
    last: Any = state_of(made)["last_completed"]
    found = last and (last["tool"], last["summary"], last["ok"], last.get("exit"), last["artifact_refs"])
    assert found == expected


def test_last_completed_outlives_a_later_failure() -> None:
    last = state_of(wrote("a.py"), ran("make", 1))["last_completed"]
    assert last is not None
    assert last["summary"] == "a.py"


def test_failed_todo_call_changes_no_list() -> None:
    refused = after(tool=ev.TODO_WRITE, ok=False, todo={"op": "write", "items": []})
    assert len(state_of(todos_written(todo(1, "a")), refused)["todos"]) == 1


# --- one shell call, two events (Cursor) -----------------------------------------------------------------

SHELL, TOOL = told_by_shell("make"), ran("make", 0)
TOOL_2 = ran("make", 0, call="c2")


@pytest.mark.parametrize(
    ("ends", "exits"),
    [
        pytest.param([SHELL, TOOL], [0], id="shell-first"),
        pytest.param([TOOL, SHELL], [0], id="tool-first"),
        pytest.param([SHELL], [None], id="tool-event-lost"),
        pytest.param([TOOL], [0], id="shell-event-lost"),
        pytest.param([SHELL, SHELL, TOOL, TOOL_2], [0, 0], id="two-at-once"),
        pytest.param([TOOL, TOOL_2, SHELL, SHELL], [0, 0], id="two-at-once-tool-first"),
        pytest.param([SHELL, TOOL, TOOL_2, SHELL], [0, 0], id="two-in-both-orders"),
        pytest.param([SHELL, SHELL, TOOL_2], [None, 0], id="first-tool-event-lost"),
        pytest.param([TOOL, SHELL, TOOL_2], [0, 0], id="second-shell-event-lost"),
        pytest.param([TOOL, SHELL, TOOL_2, SHELL], [0, 0], id="one-after-the-other"),
        pytest.param([TOOL, TOOL_2, SHELL], [0, 0], id="first-shell-event-lost"),
    ],
)
def test_shell_call_is_counted_once(ends: list[Record], exits: list[int | None]) -> None:
    state = state_of(*copy.deepcopy(ends), host="cursor")
    assert state["tool_calls"] == len(exits)
    assert commands(state) == [("make", code) for code in exits]
    assert done(state) == (["make"] if 0 in exits else [])


@pytest.mark.parametrize("ends", list(itertools.permutations([SHELL, SHELL, TOOL, TOOL_2])))
def test_two_equal_calls_leave_nothing_open_in_any_order(ends: tuple[Record, ...]) -> None:
    state = state_of(
        before("c1", command="make"), before("c2", command="make"), *copy.deepcopy(ends), host="cursor"
    )
    assert (state["open_calls"], state["shell_seen"], state["tool_calls"]) == ({}, {}, 2)


@pytest.mark.parametrize("ends", [[SHELL, "tool"], ["tool", SHELL]], ids=["shell-first", "tool-first"])
@pytest.mark.parametrize("failed", [ran("make", 2), after(ok=False, command="make", exit=None)])
def test_failed_command_never_counts_as_done(ends: list[Any], failed: Record) -> None:
    records = [copy.deepcopy(failed if end == "tool" else end) for end in ends]
    state = state_of(ran("make", 1, call="c0"), told_by_shell("make"), *records, host="cursor")
    assert (done(state), len(errors(state)), state["last_completed"]) == ([], 1, None)


def test_end_told_without_a_code_closes_no_error() -> None:
    state = state_of(told_by_shell("make"), ran("make", 1), told_by_shell("make"), host="cursor")
    assert errors(state) == ["make"]
    assert done(state) == []


def test_shell_calls_announced_without_an_id_are_closed() -> None:
    name = "Shell:g:make"
    for ends in ([SHELL, TOOL], [TOOL, SHELL]):
        state = state_of(
            record(ev.BEFORE_SHELL, call=name, command="make"), *copy.deepcopy(ends), host="cursor"
        )
        assert state["open_calls"] == {}


def test_bytes_of_a_shell_call_count_once() -> None:
    state = state_of(told_by_shell("make", 100), ran("make", 0, payload_bytes=70), host="cursor")
    assert state["shell_bytes"] == 100


def test_claude_calls_with_one_command_are_all_counted() -> None:
    state = state_of(ran("make"), ran("make", call="c2"))
    assert (state["tool_calls"], state["shell_seen"]) == (2, {})


ENDS = st.sampled_from(["a", "b"]).flatmap(
    lambda name: st.sampled_from([told_by_shell(name), ran(name, 0), ran(name, 1)])
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ENDS, max_size=work.KEEP_COMMANDS))
def test_every_call_is_counted_whatever_is_lost(ends: list[Record]) -> None:
    state = state_of(*copy.deepcopy(ends), host="cursor")
    for name in "ab":
        told = [end["kind"] == ev.AFTER_SHELL for end in ends if end["command"] == name]
        by_shell, by_tool = sum(told), len(told) - sum(told)
        counted = sum(command == name for command, _ in commands(state))
        assert state["shell_seen"].get(command_key(name), 0) == by_shell - by_tool
        assert max(by_shell, by_tool) <= counted <= len(told)


# --- denied calls, subagents -----------------------------------------------------------------------------


def without_meter(state: SessionState) -> dict[str, object]:
    return {name: value for name, value in state.items() if name not in ("meter", "seen_keys")}


@pytest.mark.parametrize(
    "reported",
    [
        pytest.param(
            after("c1", ok=False, command="make", status="denied", error="denied"), id="host-says-so"
        ),
        pytest.param(after("c1", ok=False, command="make", error="denied"), id="we-know"),
    ],
)
def test_denied_call_reported_back_changes_nothing(reported: Record) -> None:
    state = state_of(
        ran("npm test"),
        before("c1", command="make"),
        record(session.DENY, call="c1", name="1::0", verdict="deny"),
        host="cursor",
    )
    was = copy.deepcopy(without_meter(state))
    assert without_meter(session.apply(state, reported)) == was


def test_call_that_another_hook_denied_is_closed_and_no_error() -> None:
    state = state_of(before("c1"), after("c1", ok=False, status="denied", command="make"), host="cursor")
    assert (state["open_calls"], state["open_errors"], state["tool_calls"]) == ({}, [], 0)


@pytest.mark.parametrize(
    ("status", "expected"),
    [("completed", ["found it"]), (None, ["found it"]), ("error", []), ("aborted", [])],
    ids=str,
)
def test_report_of_a_subagent_is_carried_when_it_completed(status: str | None, expected: list[str]) -> None:
    told = {"summary": "found it", "value": {"files": ["b.py", "a.py"]}}
    stop = record(ev.SUBAGENT_STOP, **told, **({"status": status} if status else {}))
    state = state_of(wrote("a.py"), stop)
    assert state["files_changed"] == ["b.py", "a.py"]
    assert done(state)[1:] == expected


# --- the next action -------------------------------------------------------------------------------------

PROMPT = record(ev.PROMPT, text="Fix the login")
PENDING, ACTIVE = todo(1, "first"), todo(2, "second", "in_progress")


@pytest.mark.parametrize(
    ("records", "description", "source"),
    [
        pytest.param([PROMPT, ran("make", 1), todos_written(PENDING, ACTIVE)], "second", "todo", id="active"),
        pytest.param([PROMPT, ran("make", 1), todos_written(PENDING)], "first", "todo", id="first-pending"),
        pytest.param([PROMPT, todos_written(todo(1, "a", "completed")), ran("make", 1)], "make (exit 1)",
                     "failing_command", id="failing"),
        pytest.param([PROMPT, ran("make", 1), ran("npm test", 2)], "npm test (exit 2)", "failing_command",
                     id="newest-failing"),
        pytest.param([PROMPT, ran("make", 1), ran("npm test"), wrote("a")], "make (exit 1)",
                     "failing_command", id="failing-before-other-work"),
        pytest.param([PROMPT, ran("make", 1), ran("make")], "Fix the login", "prompt", id="mended"),
        pytest.param([PROMPT, ran("make", 1), ran("make"), ran("npm i", 3), ran("npm i")], "Fix the login",
                     "prompt", id="all-mended"),
        pytest.param([PROMPT, ran("make", 1), ran("make"), after(tool="WebFetch", ok=False),
                      after(command="npm test", ok=False, exit=None)], "Fix the login", "prompt",
                     id="mended-beside-another-error"),
        pytest.param([PROMPT, ran("grep x a", 1)], "Fix the login", "prompt", id="look-that-found-nothing"),
        pytest.param([PROMPT], "Fix the login", "prompt", id="prompt"),
        pytest.param([], "", "none", id="nothing"),
    ],
)  # fmt: skip
def test_next_action(records: list[Record], description: str, source: str) -> None:
    action = work.next_action(state_of(*copy.deepcopy(records)))
    assert (action["description"], action["source"]) == (description, source)


def test_report_and_newest_changes_are_to_be_read_first() -> None:
    state = state_of(
        record(session.CAMPAIGN, name="x", text="docs/report.md"),
        *[wrote(f"{n}.py") for n in range(7)],
        wrote("docs/report.md"),
    )
    reads = work.next_action(state)["inputs_to_read"]
    assert reads == ["docs/report.md", "6.py", "5.py", "4.py", "3.py"]
