from __future__ import annotations

from typing import Any

import payloads
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from payloads import AGENT_TRANSCRIPT, GENERATION, PROJECT, SESSION
from payloads import cursor as payload_of

from safepoint.hot import events as ev
from safepoint.hot.events import Event
from safepoint.hot.hosts import cursor
from safepoint.hot.hosts.cursor_versions import context_events, is_cli, start_channel
from safepoint.hot.textweight import PICTURE_TOKENS, tokens

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner), max_leaves=12
)


def parse(event: str, **fields: Any) -> Event:
    return cursor.parse(payload_of(event, **fields), ev.UNKNOWN)


def values(event: Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in Event.__slots__}


# --- every event ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("sessionStart", ev.SESSION_START, {"background": False, "generation_id": "", "transcript_path": ""}),
        ("beforeSubmitPrompt", ev.PROMPT, {"prompt": "Add a discount to the basket", "transcript_path": ""}),
        ("preToolUse", ev.BEFORE_TOOL, {"tool": "Shell", "command": "ls", "tool_use_id": "tool_1"}),
        ("beforeShellExecution", ev.BEFORE_SHELL, {"tool": "Shell", "command": "ls", "tool_use_id": ""}),
        (
            "beforeReadFile",
            ev.BEFORE_READ,
            {"tool": "Read", "file_path": PROJECT + "/basket.py", "output": "def total(): ...\n",
             "tokens_out": tokens("def total(): ...\n")},
        ),
        (
            "postToolUse",
            ev.AFTER_TOOL,
            {"output": "basket.py\n", "exit_code": 0, "ok": True, "duration_s": 0.03125},
        ),
        (
            "afterShellExecution",
            ev.AFTER_SHELL,
            {"tool": "Shell", "command": "ls", "output": "basket.py\n", "exit_code": None,
             "tokens_out": tokens("basket.py\n")},
        ),
        (
            "postToolUseFailure",
            ev.TOOL_FAILED,
            {"ok": False, "error": "Command timed out", "reason": "timeout", "status": "",
             "duration_s": 30.0005},
        ),
        (
            "subagentStart",
            ev.SUBAGENT_START,
            {"child_id": "sub-1", "agent_id": "", "agent_type": "explore", "parent_id": SESSION,
             "prompt": "Find the callers of total()", "tool_use_id": "tool_9"},
        ),
        (
            "subagentStop",
            ev.SUBAGENT_STOP,
            {"child_id": "sub-1", "status": "completed", "summary": "Three callers.",
             "files": [PROJECT + "/basket.py"], "ok": True, "duration_s": 5.0, "agent_transcript_path": ""},
        ),
        (
            "preCompact",
            ev.COMPACT,
            {"trigger": "auto", "context_tokens": 179_000, "window": 200_000, "percent": 89.5},
        ),
        (
            "afterAgentResponse",
            ev.RESPONSE,
            {"text": "Done.", "input_tokens": 42_000, "output_tokens": 900, "tokens_out": tokens("Done.")},
        ),
        ("afterAgentThought", ev.UNKNOWN, {}),
        (
            "stop",
            ev.TURN_END,
            {"status": "completed", "stop_hook_active": False, "input_tokens": 42_000, "output_tokens": 900},
        ),
        (
            "sessionEnd",
            ev.SESSION_END,
            {"reason": "user_close", "status": "completed", "duration_s": 60.0},
        ),
        ("somethingNew", ev.UNKNOWN, {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_each_event_fills_its_fields(name: str, kind: str, expected: dict[str, Any]) -> None:
    common = {"kind": kind, "host": "cursor", "session_id": SESSION, "host_event": name, "project": PROJECT,
              "host_version": "3.20.17", "model": "composer-2.5", "generation_id": GENERATION,
              "transcript_path": AGENT_TRANSCRIPT}  # fmt: skip
    found = values(parse(name))
    wanted = {**common, **expected}
    assert {key: found[key] for key in wanted} == wanted


@pytest.mark.parametrize("name", payloads.CURSOR)
def test_a_payload_with_nothing_but_its_event_is_all_empty(name: str) -> None:
    event = cursor.parse({"hook_event_name": name, "cursor_version": None}, ev.UNKNOWN)
    empty = Event(event.kind, "cursor", "")
    ignored = {"kind", "host_event", "ok", "tokens_in", "tokens_out", "tool", "tool_name", "tool_input"}
    assert {k: v for k, v in values(event).items() if k not in ignored} == {
        k: v for k, v in values(empty).items() if k not in ignored
    }


def test_the_default_kind_serves_a_payload_without_an_event_name() -> None:
    event = cursor.parse(payload_of("stop", without=("hook_event_name",)), ev.TURN_END)
    assert (event.kind, event.host_event) == (ev.TURN_END, "stop")
    assert cursor.parse({"cursor_version": "3.20.17"}, ev.BATCH).kind == ev.UNKNOWN


@pytest.mark.parametrize(
    ("name", "neutral"),
    [("Shell", "Shell"), ("Read", "Read"), ("Write", "Write"), ("Delete", "Delete"), ("Grep", "Search"),
     ("Task", "Subagent"), ("MCP:query", "MCP:query"), ("ReadLints", "ReadLints")],
)  # fmt: skip
def test_tool_names_are_neutral(name: str, neutral: str) -> None:
    assert parse("preToolUse", tool_name=name).tool == neutral


def test_an_id_with_a_newline_is_kept_exactly() -> None:
    assert parse("preToolUse", tool_use_id="call_1\nfc_2").tool_use_id == "call_1\nfc_2"


# --- results ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        pytest.param({"output": "ok", "exitCode": 0}, ("ok", 0, True), id="success"),
        pytest.param({"output": "bad", "exitCode": 2}, ("bad", 2, False), id="failure"),
        pytest.param({"output": "ok"}, ("ok", None, True), id="no-code"),
        pytest.param({"output": "ok", "exitCode": "1"}, ("ok", None, True), id="code-of-wrong-type"),
        pytest.param("plain text", ("plain text", None, True), id="plain-text"),
        pytest.param("123", ("123", None, True), id="a-number-as-text"),
        pytest.param('{"output": "cut o', ('{"output": "cut o', None, True), id="cut-off"),
        pytest.param(None, (None, None, True), id="null"),
    ],
)
def test_a_shell_result(output: Any, expected: tuple[Any, ...]) -> None:
    event = parse("postToolUse", tool_output=output)
    assert (event.output, event.exit_code, event.ok) == expected


@pytest.mark.parametrize(
    ("tool", "output", "weight"),
    [
        pytest.param("Shell", {"output": "word " * 99, "exitCode": 0}, tokens("word " * 99), id="shell"),
        pytest.param("Read", {"file_path": "/a", "content_length": 3600}, 1000, id="read"),
        pytest.param("Read", {"file_path": "/a", "success": True}, PICTURE_TOKENS, id="picture"),
        pytest.param("Grep", {"pattern": "x", "success": True}, cursor.SEARCH_TOKENS, id="search"),
        pytest.param("Fetch", {"url": "u", "content_length": 720}, 200, id="fetch"),
        pytest.param(
            "MCP:x", {"content": [{"type": "text", "text": "hi there"}]}, tokens("hi there"), id="mcp"
        ),
        pytest.param("MCP:x", "plain", tokens("plain"), id="mcp-plain"),
    ],
)
def test_a_result_weighs_what_the_model_is_shown(tool: str, output: Any, weight: int) -> None:
    event = parse("postToolUse", tool_name=tool, tool_input={}, tool_output=output)
    assert event.tokens_out == weight


@pytest.mark.parametrize("name", ["a.png", "A.JPEG", "b.webp"])
def test_a_picture_weighs_what_a_picture_does(name: str) -> None:
    """Whatever a host tells of it: its bytes as a text would be a full context."""
    content = parse("beforeReadFile", file_path=f"/{name}", content="iVBORw0KGgo" * 90_000)
    read = parse(
        "postToolUse", tool_name="Read", tool_input={"file_path": f"/{name}"},
        tool_output={"file_path": f"/{name}", "content_length": 990_000},
    )  # fmt: skip
    assert (content.tokens_out, read.tokens_out, read.unsized) == (0, PICTURE_TOKENS, False)


@pytest.mark.parametrize(
    "content", ["\x7fELF\0\0" + "x" * 900_000, ("\ufffd" + "ab") * 300_000], ids=["zeros", "no UTF-8"]
)
def test_a_binary_file_weighs_nothing_by_its_content(content: str) -> None:
    assert parse("beforeReadFile", file_path="/a.bin", content=content).tokens_out == 0


def test_a_read_tells_how_much_of_the_file_was_shown() -> None:
    content = parse("beforeReadFile", file_path="/a.md", content="日本語の文書\n" * 300)
    asked = {"file_path": "/a.md", "offset": 10, "limit": 5}
    before = parse("preToolUse", tool_name="Read", tool_input=asked)
    after = parse("postToolUse", tool_name="Read", tool_input=asked, tool_output={"content_length": 35})
    whole = parse("preToolUse", tool_name="Read", tool_input={"file_path": "/a.md"})
    assert (content.chars, after.chars, before.chars) == (2_100, 35, 0)
    assert (before.partial, after.partial, whole.partial) == (True, True, False)


def test_calls_that_a_provider_numbers_anew_are_told_apart() -> None:
    def key(**fields: Any) -> str:
        call = {"tool_use_id": "call_0", "tool_name": "MCP:ask", "tool_input": {"q": "one"}, **fields}
        return cursor.event_key(parse("preToolUse", **call))

    others = [{"tool_input": {"q": "two"}}, {"tool_name": "MCP:deploy"}, {"generation_id": "another"}]
    assert key() == key() and len({key(), *(key(**other) for other in others)}) == 4


def test_a_text_with_a_few_broken_characters_is_a_text() -> None:
    content = "Grüße \ufffd und 日本語\n" * 500
    assert parse("beforeReadFile", file_path="/a.txt", content=content).tokens_out == tokens(content)


def test_a_write_weighs_its_content_as_input_alone() -> None:
    content = {"file_path": "/a.py", "content": "x = 1\n" * 200}
    before = parse("preToolUse", tool_name="Write", tool_input=content)
    after = parse("postToolUse", tool_name="Write", tool_input=content, tool_output={"file_path": "/a.py"})
    assert before.tokens_in == after.tokens_in > 300
    assert after.tokens_out < 20


def test_a_deny_reported_back_is_marked_as_denied() -> None:
    assert parse("postToolUseFailure", failure_type="permission_denied").status == "denied"


# --- models, windows, sums, paths -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "model"),
    [
        ({"model": "gpt-x-fast", "model_id": "gpt-x"}, "gpt-x"),
        ({"model": "gpt-x", "without": ("model_id",)}, "gpt-x"),
        ({"model": "default", "without": ("model_id",)}, "default"),
        ({"model": "", "without": ("model_id",)}, ""),
        ({"model": None, "model_id": 7}, ""),
    ],
    ids=str,
)
def test_the_model_is_its_id_where_that_is_given(fields: dict[str, Any], model: str) -> None:
    assert parse("stop", **fields).model == model


@pytest.mark.parametrize(
    ("params", "window"),
    [
        ([{"id": "fast", "value": "true"}, {"id": "context", "value": "1m"}], 1_000_000),
        ([{"id": "context", "value": "272k"}], 272_000),
        ([{"id": "fast", "value": "true"}], None),
        ([], None),
        ("1m", None),
        ([None, 3, {"id": "context"}], None),
    ],
    ids=str,
)
def test_the_window_is_read_from_the_models_parameters(params: Any, window: int | None) -> None:
    assert parse("beforeSubmitPrompt", model_params=params).window == window


def test_sums_are_unknown_after_a_manual_compaction() -> None:
    event = parse("stop", without=("input_tokens", "output_tokens"))
    assert (event.input_tokens, event.output_tokens) == (None, None)


@pytest.mark.parametrize(
    ("roots", "cwd", "project"),
    [
        (["/home/dev/shop", "/other"], "/home/dev", "/home/dev/shop"),
        (["/c:/Users/x/shop"], "", "C:/Users/x/shop"),
        ([], "C:\\Users\\x", "C:/Users/x"),
        ([], "", ""),
        ("nonsense", None, ""),
    ],
    ids=str,
)
def test_the_project_is_the_first_root(roots: Any, cwd: Any, project: str) -> None:
    assert parse("preToolUse", workspace_roots=roots, cwd=cwd).project == project


def test_a_followed_up_turn_is_known() -> None:
    event = parse("stop", loop_count=2)
    assert (event.loop_count, event.stop_hook_active) == (2, True)


def test_the_newest_builds_name_parent_and_child() -> None:
    assert parse("preToolUse", parent_tool_call_id="tool_9").parent_call == "tool_9"
    assert parse("subagentStop", child_conversation_id="c2").child_session_id == "c2"


# --- versions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "channel"),
    [
        ("2.0.0", "prompt"),
        ("3.1.15", "prompt"),
        ("3.6.31", "prompt"),
        ("3.7.2", "prompt"),
        ("3.7.3", "after_tool"),
        ("3.9.15", "after_tool"),
        ("3.9.16", "session_start"),
        ("3.9.20", "session_start"),
        ("3.10.0", "after_tool"),
        ("3.12.17", "after_tool"),
        ("3.18.25", "after_tool"),
        ("3.20.17", "session_start"),
        ("3.21.0-nightly", "session_start"),
        ("4.0.0", "session_start"),
        ("2026.07.17-abc", "session_start"),
        ("2026.09.28-64d2043", "session_start"),
        ("", "after_tool"),
        ("dev", "after_tool"),
        ("3.20", "after_tool"),
    ],
)
def test_the_first_text_takes_the_channel_that_delivers(version: str, channel: str) -> None:
    assert start_channel(version) == channel
    assert channel in context_events(version)


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2026.09.28-64d2043", True), ("3.20.17", False), ("", False), ("20260.1.1", False)],
)
def test_the_cli_is_known_by_its_dates(version: str, expected: bool) -> None:
    assert is_cli(version) is expected


def test_nothing_is_said_before_the_channel() -> None:
    order = [ev.SESSION_START, ev.PROMPT, ev.BEFORE_TOOL, ev.AFTER_TOOL]
    for version in ("3.1.15", "3.8.0", "3.9.16", "3.12.17", "3.20.17", "2026.09.28-64d2043"):
        known = [kind for kind in order if kind in context_events(version)]
        assert known[0] == start_channel(version)


# --- what must never happen -------------------------------------------------------------------------------

NAMES = sorted({name for payload in payloads.CURSOR.values() for name in payload} | set(payload_of("stop")))


@settings(max_examples=80, deadline=None)
@given(st.sampled_from([*payloads.CURSOR, ""]), st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6))
def test_no_value_of_any_field_makes_parse_raise(name: str, fields: dict[str, Any]) -> None:
    event = cursor.parse({**payload_of(name), **fields}, ev.AFTER_TOOL)
    event.now = 1.5
    assert cursor.event_key(event) == cursor.event_key(event)
    context_events(event.host_version)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4), st.text(max_size=30))
def test_no_nested_value_makes_parse_raise(inner: dict[str, Any], text: str) -> None:
    for tool in ("Shell", "Read", "Grep", "Task", "MCP:x"):
        for output in (inner, "{" + text, "[" + text, text):
            cursor.parse({**payload_of("postToolUse", tool_name=tool), "tool_input": inner,
                          "tool_output": output}, "")  # fmt: skip
    cursor.parse({**payload_of("stop"), "model_params": [inner, text, None]}, "")


# --- keys -------------------------------------------------------------------------------------------------


def key(event: str, now: float = 1000.0, **fields: Any) -> str:
    parsed = parse(event, **fields)
    parsed.now = now
    return cursor.event_key(parsed)


@pytest.mark.parametrize("name", payloads.CURSOR)
def test_two_deliveries_of_one_event_have_one_key(name: str) -> None:
    assert key(name, now=1000.1) == key(name, now=1000.6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(("stop", {}), ("stop", {"loop_count": 1}), id="stops-of-one-generation"),
        pytest.param(("stop", {}), ("stop", {"generation_id": "g2"}), id="stops"),
        pytest.param(
            ("beforeSubmitPrompt", {"prompt": "go on"}),
            ("beforeSubmitPrompt", {"prompt": "go on", "generation_id": "g2"}),
            id="same-prompt-again",
        ),
        pytest.param(
            ("beforeShellExecution", {"now": 1000.0}),
            ("beforeShellExecution", {"now": 1009.0}),
            id="same-command",
        ),
        pytest.param(
            ("beforeShellExecution", {}), ("beforeShellExecution", {"command": "pwd"}), id="commands"
        ),
        pytest.param(("preCompact", {}), ("preCompact", {"context_tokens": 180_001}), id="compactions"),
        pytest.param(
            ("preCompact", {}), ("preCompact", {"context_window_size": 1_000_000}), id="compactions-windows"
        ),
        pytest.param(("subagentStop", {}), ("subagentStop", {"subagent_id": "sub-2"}), id="subagents"),
        pytest.param(("preToolUse", {}), ("preToolUse", {"tool_use_id": "tool_2"}), id="calls"),
    ],
)
def test_two_events_have_two_keys(one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]) -> None:
    assert key(one[0], **one[1]) != key(other[0], **other[1])


def test_a_late_second_delivery_still_has_the_key_of_its_generation() -> None:
    assert key("stop", now=1000.0) == key("stop", now=1005.0)
    assert key("beforeSubmitPrompt", now=1000.0) == key("beforeSubmitPrompt", now=1005.0)
