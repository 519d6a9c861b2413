from __future__ import annotations

from typing import Any

import payloads
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payloads import GENERATION, PROJECT, SESSION, TRANSCRIPT, claude

from safepoint.hot import events as ev
from safepoint.hot.events import Event
from safepoint.hot.hosts import claude_code
from safepoint.hot.hosts.fields import host_of
from safepoint.hot.textweight import PICTURE_TOKENS, tokens

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner), max_leaves=12
)


def parse(event: str, **fields: Any) -> Event:
    return claude_code.parse(claude(event, **fields), ev.UNKNOWN)


def values(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in Event.__slots__}


# --- every event ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("SessionStart", ev.SESSION_START, {"source": "startup", "model": "claude-sonnet-4-5"}),
        ("UserPromptSubmit", ev.PROMPT, {"prompt": "Add a discount to the basket"}),
        (
            "PreToolUse",
            ev.BEFORE_TOOL,
            {"tool": "Shell", "tool_name": "Bash", "command": "ls", "exit_code": None},
        ),
        (
            "PostToolUse",
            ev.AFTER_TOOL,
            {"output": "basket.py", "exit_code": 0, "ok": True, "duration_s": 0.012},
        ),
        (
            "PostToolUseFailure",
            ev.TOOL_FAILED,
            {"ok": False, "exit_code": 1, "error": "Exit code 1\nno such test", "interrupted": False},
        ),
        (
            "PostToolBatch",
            ev.BATCH,
            {"calls": [{"tool_use_id": "toolu_01", "tool_name": "Bash", "tool": "Shell"}]},
        ),
        ("SubagentStart", ev.SUBAGENT_START, {"child_id": "a1", "agent_id": "", "agent_type": "Explore"}),
        (
            "SubagentStop",
            ev.SUBAGENT_STOP,
            {"child_id": "a1", "agent_id": "", "agent_type": "Explore", "summary": "Three callers found."},
        ),
        ("PreCompact", ev.COMPACT, {"trigger": "auto"}),
        ("PostCompact", ev.UNKNOWN, {}),
        ("Stop", ev.TURN_END, {"stop_hook_active": False, "text": "Done."}),
        ("SessionEnd", ev.SESSION_END, {"reason": "prompt_input_exit"}),
        (
            "PostModelSwitch",
            ev.MODEL_SWITCH,
            {"model": "claude-sonnet-4-5", "window": 1_000_000, "context_tokens": 61_000},
        ),
        ("TaskCompleted", ev.UNKNOWN, {}),
        ("SomethingNew", ev.UNKNOWN, {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_event_fills_its_fields(name: str, kind: str, expected: dict[str, Any]) -> None:
    event = parse(name)
    common = {"kind": kind, "host": "claude_code", "session_id": SESSION, "host_event": name, "cwd": PROJECT,
              "project": PROJECT, "transcript_path": TRANSCRIPT}  # fmt: skip
    found = values(event)
    assert {key: found[key] for key in common} == common
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("name", payloads.CLAUDE)
def test_a_payload_with_nothing_but_its_event_is_all_empty(name: str) -> None:
    event = claude_code.parse({"hook_event_name": name}, ev.UNKNOWN)
    empty = Event(event.kind, "claude_code", "")
    ignored = {"kind", "host_event", "ok", "exit_code", "tokens_in", "tokens_out"}
    assert {k: v for k, v in values(event).items() if k not in ignored} == {
        k: v for k, v in values(empty).items() if k not in ignored
    }


def test_the_default_kind_serves_a_payload_without_an_event_name() -> None:
    event = claude_code.parse(claude("PreToolUse", without=("hook_event_name",)), ev.BEFORE_TOOL)
    assert (event.kind, event.host_event, event.command) == (ev.BEFORE_TOOL, "PreToolUse", "ls")


def test_a_kind_this_host_has_not_is_unknown() -> None:
    assert claude_code.parse({}, ev.BEFORE_SHELL).kind == ev.UNKNOWN


def test_the_host_is_told_from_the_payload() -> None:
    assert host_of(claude("Stop")) == "claude_code"
    assert host_of(payloads.cursor("stop")) == "cursor"


@pytest.mark.parametrize(
    ("name", "neutral"),
    [("Bash", "Shell"), ("Read", "Read"), ("Write", "Write"), ("Edit", "Edit"), ("MultiEdit", "Edit"),
     ("NotebookEdit", "Edit"), ("Grep", "Search"), ("Glob", "Search"), ("Agent", "Subagent"),
     ("Task", "Subagent"), ("TodoWrite", "TodoWrite"), ("TaskCreate", "TaskCreate"),
     ("TaskUpdate", "TaskUpdate"), ("TaskList", "TaskList"), ("TaskGet", "TaskGet"),
     ("ToolSearch", "ToolSearch"), ("mcp__db__query", "mcp__db__query"), ("", "")],
)  # fmt: skip
def test_tool_names_are_neutral(name: str, neutral: str) -> None:
    event = parse("PreToolUse", tool_name=name)
    assert (event.tool, event.tool_name) == (neutral, name)


@pytest.mark.parametrize("key", ["file_path", "path", "notebook_path"])
def test_a_tools_file_is_found_under_each_of_its_names(key: str) -> None:
    assert parse("PreToolUse", tool_name="Read", tool_input={key: "/a/b.py"}).file_path == "/a/b.py"


def test_only_a_shell_call_has_a_command() -> None:
    assert parse("PreToolUse", tool_name="mcp__x", tool_input={"command": "ls"}).command == ""


# --- results ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("Exit code 1\nboom", 1),
        ("Exit code 137", 137),
        ("Exit code 2 ", 2),
        ("Exit code", None),
        ("Exit code x", None),
        ("Command timed out after 2m", None),
        ("Error: Exit code 1", None),
        ("", None),
    ],
)
def test_the_exit_code_leads_the_error(error: str, code: int | None) -> None:
    assert parse("PostToolUseFailure", error=error).exit_code == code


def test_only_a_shell_call_fails_with_an_exit_code() -> None:
    assert parse("PostToolUseFailure", tool_name="Read", error="Exit code 1").exit_code is None


@pytest.mark.parametrize(
    ("response", "given_input", "expected"),
    [
        pytest.param({"stdout": "a", "stderr": "b"}, {}, ("a\nb", 0, True, False, False), id="both-streams"),
        pytest.param({"stdout": "", "stderr": "b"}, {}, ("b", 0, True, False, False), id="stderr-only"),
        pytest.param(
            {"stdout": "a", "interrupted": True}, {}, ("a", None, False, True, False), id="interrupted"
        ),
        pytest.param(
            {"stdout": "", "backgroundTaskId": "b1"}, {}, ("", None, True, False, True), id="sent-back"
        ),
        pytest.param(
            {"stdout": ""}, {"run_in_background": True}, ("", None, True, False, True), id="background"
        ),
        pytest.param("plain", {}, ("plain", 0, True, False, False), id="text"),
        pytest.param(None, {}, (None, 0, True, False, False), id="missing"),
        pytest.param({"stdout": 7}, {}, ("", 0, True, False, False), id="wrong-type"),
    ],
)
def test_a_shell_result(response: Any, given_input: dict[str, Any], expected: tuple[Any, ...]) -> None:
    event = parse("PostToolUse", tool_response=response, tool_input={"command": "x", **given_input})
    assert (event.output, event.exit_code, event.ok, event.interrupted, event.background) == expected


@pytest.mark.parametrize(
    ("tool", "response", "weight"),
    [
        pytest.param("Bash", {"stdout": "word " * 100, "stderr": ""}, tokens("word " * 100), id="shell"),
        pytest.param("Bash", {"stdout": "iVBORw" * 99, "isImage": True}, PICTURE_TOKENS, id="shell-picture"),
        pytest.param(
            "Read",
            {"type": "text", "file": {"filePath": "/a", "content": "日本語" * 50, "numLines": 1}},
            tokens("日本語" * 50),
            id="read",
        ),
        pytest.param(
            "Read", {"type": "image", "file": {"base64": "A" * 90_000}}, PICTURE_TOKENS, id="read-picture"
        ),
        pytest.param(
            "Edit",
            {"originalFile": "x" * 90_000, "oldString": "a", "newString": "b"},
            claude_code.ACKNOWLEDGEMENT_TOKENS,
            id="edit-echo",
        ),
        pytest.param("mcp__x", [{"type": "text", "text": "hello"}], tokens("hello"), id="mcp-text"),
        pytest.param("mcp__x", [{"type": "image", "data": "A" * 9000}], PICTURE_TOKENS, id="mcp-picture"),
        pytest.param(
            "Agent",
            {"status": "completed", "content": [{"type": "text", "text": "report"}], "usage": {"a": 1}},
            tokens("report"),
            id="subagent-report",
        ),
    ],
)
def test_a_result_weighs_what_the_model_is_shown(tool: str, response: Any, weight: int) -> None:
    event = parse("PostToolUse", tool_name=tool, tool_response=response)
    assert event.tokens_out == weight


def test_both_events_of_a_call_weigh_its_input_alike() -> None:
    content = {"file_path": "/a.py", "content": "x = 1\n" * 200}
    before = parse("PreToolUse", tool_name="Write", tool_input=content)
    after = parse("PostToolUse", tool_name="Write", tool_input=content)
    assert before.tokens_in == after.tokens_in > 300


def test_a_task_tools_answer_stays_a_value() -> None:
    response = {"task": {"id": "1", "subject": "Write the test"}}
    assert parse("PostToolUse", tool_name="TaskCreate", tool_response=response).output == response


# --- subagents, models, paths -----------------------------------------------------------------------------


def test_the_clients_own_summariser_is_no_subagent() -> None:
    assert parse("SubagentStop", agent_type="").kind == ev.UNKNOWN
    assert parse("SubagentStop", without=("agent_type",)).kind == ev.SUBAGENT_STOP


def test_a_subagents_tool_event_names_the_subagent_and_its_parents_session() -> None:
    event = parse("PreToolUse", agent_id="a1", agent_type="Explore")
    assert (event.session_id, event.agent_id, event.child_id) == (SESSION, "a1", "")


@pytest.mark.parametrize(
    ("fields", "background"),
    [
        pytest.param({"tool_response": {"status": "async_launched"}}, True, id="launched"),
        pytest.param({"tool_response": {"status": "completed"}}, False, id="completed"),
        pytest.param({"tool_input": {"run_in_background": True}}, True, id="asked-for"),
    ],
)
def test_a_subagent_in_the_background_is_known(fields: dict[str, Any], background: bool) -> None:
    assert parse("PostToolUse", tool_name="Agent", **fields).background is background


def test_the_mark_of_the_long_window_becomes_the_window() -> None:
    event = parse("SessionStart", source="resume", model="claude-opus-4-6[1m]", context_tokens=88_000)
    assert (event.model, event.window, event.context_tokens) == ("claude-opus-4-6", 1_000_000, 88_000)
    assert parse("PostModelSwitch", to_model="claude-haiku-4-5").window is None


@pytest.mark.parametrize(
    ("given_path", "expected"),
    [
        ("C:\\Users\\x\\shop", "C:/Users/x/shop"),
        ("/c:/Users/x/shop", "C:/Users/x/shop"),
        ("c:/Users/x", "C:/Users/x"),
        ("c:", "C:"),
        ("/home/dev/sh\\op", "/home/dev/sh\\op"),
        ("/c/x", "/c/x"),
        ("ab:/x", "ab:/x"),
        ("\\\\server\\share", "\\\\server\\share"),
        ("", ""),
    ],
)
def test_a_drive_path_has_one_spelling(given_path: str, expected: str) -> None:
    event = parse("PreToolUse", tool_name="Read", cwd=given_path, tool_input={"file_path": given_path})
    assert (event.project, event.cwd, event.file_path) == (expected, expected, expected)


# --- what must never happen -------------------------------------------------------------------------------

NAMES = sorted({name for payload in payloads.CLAUDE.values() for name in payload} | set(claude("Stop")))


@settings(max_examples=80, deadline=None)
@given(st.sampled_from([*payloads.CLAUDE, ""]), st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6))
def test_no_value_of_any_field_makes_parse_raise(name: str, fields: dict[str, Any]) -> None:
    payload = {**claude(name), **fields}
    event = claude_code.parse(payload, ev.BEFORE_TOOL)
    event.now = 1.5
    assert claude_code.event_key(event) == claude_code.event_key(event)
    assert isinstance(event.session_id, str) and isinstance(event.tool_input, dict)


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(st.text(max_size=8), JSON, max_size=4), st.sampled_from(["tool_response", "tool_calls"])
)
def test_no_nested_value_makes_parse_raise(inner: dict[str, Any], field: str) -> None:
    for tool in ("Bash", "Read", "Agent", "Edit", "mcp__x"):
        value = inner if field == "tool_response" else [inner, "x", None]
        claude_code.parse({**claude("PostToolUse", tool_name=tool), "tool_input": inner, field: value}, "")
        claude_code.parse({**claude("PostToolBatch"), "tool_calls": value}, "")


# --- keys -------------------------------------------------------------------------------------------------


def key(event: str, now: float = 1000.0, **fields: Any) -> str:
    parsed = parse(event, **fields)
    parsed.now = now
    return claude_code.event_key(parsed)


@pytest.mark.parametrize("name", payloads.CLAUDE)
def test_two_deliveries_of_one_event_have_one_key(name: str) -> None:
    assert key(name, now=1000.1) == key(name, now=1000.6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            ("UserPromptSubmit", {"prompt": "a"}), ("UserPromptSubmit", {"prompt": "b"}), id="prompts"
        ),
        pytest.param(("Stop", {"now": 1000.0}), ("Stop", {"now": 1060.0}), id="stops"),
        pytest.param(
            ("UserPromptSubmit", {"prompt": "go on", "now": 1000.0}),
            ("UserPromptSubmit", {"prompt": "go on", "now": 1060.0}),
            id="same-prompt-later",
        ),
        pytest.param(
            ("UserPromptSubmit", {"prompt": "go on", "prompt_id": "p1"}),
            ("UserPromptSubmit", {"prompt": "go on", "prompt_id": "p2"}),
            id="same-prompt-at-once",
        ),
        pytest.param(("Stop", {"prompt_id": "p1"}), ("Stop", {"prompt_id": "p2"}), id="stops-at-once"),
        pytest.param(("Stop", {}), ("Stop", {"stop_hook_active": True}), id="continued-stop"),
        pytest.param(("PreToolUse", {}), ("PostToolUse", {}), id="before-and-after"),
        pytest.param(("PreToolUse", {}), ("PreToolUse", {"tool_use_id": "toolu_02"}), id="calls"),
        pytest.param(
            ("PostToolBatch", {}),
            ("PostToolBatch", {"tool_calls": [{"tool_name": "Bash", "tool_use_id": "toolu_02"}]}),
            id="batches",
        ),
        pytest.param(("SubagentStop", {}), ("SubagentStop", {"agent_id": "a2"}), id="subagents"),
    ],
)
def test_two_events_have_two_keys(one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]) -> None:
    assert key(one[0], **one[1]) != key(other[0], **other[1])


def test_a_call_is_known_by_its_id_and_subject() -> None:
    assert key("PreToolUse", tool_use_id="toolu\n7", now=1.0).startswith("PreToolUse:toolu\n7:")
    assert key("PreToolUse", now=1.0) == key("PreToolUse", now=9.0)
    assert key("PreToolUse", tool_input={"command": "a"}) != key("PreToolUse", tool_input={"command": "b"})
    assert GENERATION not in key("PreToolUse")
