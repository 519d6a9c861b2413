from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import events as ev
from safepoint.hot import records
from safepoint.hot.events import Event
from safepoint.hot.shapes import Host

FEW = settings(max_examples=60, deadline=None)
SECRET = "ghp_" + "a1B2" * 9
PROJECT = "/home/dev/shop"


def event(kind: str, host: Host = "claude_code", **fields: Any) -> Event:
    made = Event(kind, host, "s-1")
    made.project, made.now = PROJECT, 1764520000.12345
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def test_empty_fields_are_left_out() -> None:
    made = records.make(event(ev.BEFORE_TOOL, tool=ev.READ, tool_use_id="t1"), "k")
    assert made == {
        "kind": ev.BEFORE_TOOL, "at": 1764520000.123, "key": "k", "tool": ev.READ, "call": "t1",
        "tokens_in": 0, "tokens_out": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(
            event(ev.AFTER_TOOL, tool=ev.SHELL, command="make", exit_code=0, cwd=PROJECT + "/web"),
            {"command": "make", "exit": 0, "cwd": "web", "ok": True, "summary": "make"},
            id="command",
        ),
        pytest.param(
            event(ev.AFTER_TOOL, tool=ev.SHELL, command="make", exit_code=None), {"exit": None}, id="no-exit"
        ),
        pytest.param(
            event(ev.TOOL_FAILED, tool=ev.EDIT, file_path=PROJECT + "/a.py", ok=False, error="no match"),
            {"file": "a.py", "ok": False, "error": "no match", "summary": "a.py"},
            id="failed-edit",
        ),
        pytest.param(
            event(
                ev.AFTER_TOOL, tool=ev.SUBAGENT, summary="3 callers", background=True, agent_type="explore"
            ),
            {"summary": "3 callers", "background": True, "name": "explore"},
            id="subagent",
        ),
        pytest.param(event(ev.PROMPT, prompt="go on"), {"text": "go on"}, id="prompt"),
        pytest.param(
            event(ev.TURN_END, text="done", input_tokens=9, output_tokens=None),
            {"text": "done", "input_sum": 9, "output_sum": 0},
            id="turn-end",
        ),
        pytest.param(
            event(ev.BATCH, calls=[{"tool_use_id": "t1"}, {"tool_use_id": "t2"}]),
            {"calls": ["t1", "t2"]},
            id="batch",
        ),
        pytest.param(
            event(ev.SUBAGENT_STOP, summary="found", agent_type="explore", files=[PROJECT + "/a.py", "/b"]),
            {"summary": "found", "name": "explore", "value": {"files": ["a.py", "/b"]}},
            id="subagent-stop",
        ),
        pytest.param(
            event(ev.COMPACT, context_tokens=5, window=9, trigger="auto"),
            {"context_tokens": 5, "window": 9, "trigger": "auto"},
            id="compaction",
        ),
    ],
)
def test_record_holds_what_the_event_told(made: Event, expected: dict[str, object]) -> None:
    record: Any = records.make(made, "k")
    assert {name: record.get(name) for name in expected} == expected


TEXT_FIELDS = ["command", "file_path", "cwd", "error", "summary", "prompt", "text", "reason", "status"]


@pytest.mark.parametrize("field", TEXT_FIELDS)
@pytest.mark.parametrize("kind", [ev.BEFORE_TOOL, ev.AFTER_TOOL, ev.PROMPT, ev.TURN_END, ev.SUBAGENT_STOP])
def test_secret_never_gets_into_a_record(kind: str, field: str) -> None:
    made = event(kind, tool=ev.SHELL, **cast("Any", {field: f"see {SECRET} there"}))
    assert SECRET not in repr(records.make(made, "k"))


def test_secret_is_redacted_before_the_text_is_cut() -> None:
    text = "x" * (records.TEXT_BYTES - 10) + " " + SECRET
    assert "ghp_" not in records.make(event(ev.PROMPT, prompt=text), "k")["text"]


@FEW
@given(st.text(max_size=50), st.sampled_from(TEXT_FIELDS), st.integers(0, 300))
def test_record_is_bounded_whatever_the_event_says(text: str, field: str, times: int) -> None:
    for kind in (ev.AFTER_TOOL, ev.PROMPT):
        made = records.make(event(kind, tool=ev.SHELL, **cast("Any", {field: text * times})), "k")
        assert len(repr(made).encode("utf-8", "surrogatepass")) < 30_000


# --- joining events --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(ev.BEFORE_SHELL, ev.AFTER_SHELL, id="shell-pair"),
        pytest.param(ev.BEFORE_TOOL, ev.AFTER_TOOL, id="tool-pair"),
    ],
)
def test_call_without_an_id_has_one_name_in_both_its_events(one: str, other: str) -> None:
    first, second = (
        event(kind, "cursor", tool=ev.SHELL, command="make", generation_id="g1") for kind in (one, other)
    )
    assert records.call_id(first) == records.call_id(second)


def test_calls_without_an_id_differ_by_turn_and_command() -> None:
    names = {
        records.call_id(event(ev.BEFORE_SHELL, tool=ev.SHELL, command=command, generation_id=turn))
        for command in ("make", "make x")
        for turn in ("g1", "g2")
    }
    assert len(names) == 4


def test_id_of_the_host_is_the_name_of_the_call() -> None:
    assert records.call_id(event(ev.BEFORE_TOOL, tool_use_id="toolu_1\nfc_2")) == "toolu_1\nfc_2"


def test_short_key_is_the_same_in_every_process() -> None:
    assert ev.short_key("make") == "6d616b65"
    assert ev.short_key("make " + "x" * 1000) == "7434389a568"
    assert ev.short_key("\ud83d") == ev.short_key("\ud83d")


@pytest.mark.parametrize(
    ("path", "project", "expected"),
    [
        pytest.param(f"{PROJECT}/src/a.py", PROJECT, "src/a.py", id="inside"),
        pytest.param(f"{PROJECT}/src/a.py", PROJECT + "/", "src/a.py", id="slash-behind-project"),
        pytest.param(PROJECT, PROJECT, "", id="project-itself"),
        pytest.param(PROJECT + "ping/a.py", PROJECT, PROJECT + "ping/a.py", id="only-a-prefix"),
        pytest.param("/etc/hosts", PROJECT, "/etc/hosts", id="outside"),
        pytest.param("src/a.py", PROJECT, "src/a.py", id="relative"),
        pytest.param("C:\\shop\\a.py", "C:/shop", "a.py", id="drive"),
        pytest.param("/etc/hosts", "", "/etc/hosts", id="no-project"),
        pytest.param("", PROJECT, "", id="none"),
    ],
)
def test_path_is_named_from_the_project(path: str, project: str, expected: str) -> None:
    assert records.in_project(path, project) == expected
