"""Cursor's payloads in, its answers out. Pure: no file, clock or environment."""

from __future__ import annotations

from .. import events as ev
from ..textweight import PICTURE_TOKENS, tokens, value_tokens
from ..wire import WireError, loads
from .fields import (
    count,
    event_key,
    identifier,
    mapping,
    path,
    seconds,
    shown_tokens,
    spelling,
    text,
    texts,
    tool_file,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..decisions import Decision
    from ..events import Event

__all__ = ["event_key", "parse", "render"]

KINDS = {
    "sessionStart": ev.SESSION_START,
    "beforeSubmitPrompt": ev.PROMPT,
    "preToolUse": ev.BEFORE_TOOL,
    "beforeShellExecution": ev.BEFORE_SHELL,
    "beforeReadFile": ev.BEFORE_READ,
    "postToolUse": ev.AFTER_TOOL,
    "afterShellExecution": ev.AFTER_SHELL,
    "postToolUseFailure": ev.TOOL_FAILED,
    "subagentStart": ev.SUBAGENT_START,
    "subagentStop": ev.SUBAGENT_STOP,
    "afterAgentResponse": ev.RESPONSE,
    "preCompact": ev.COMPACT,
    "stop": ev.TURN_END,
    "sessionEnd": ev.SESSION_END,
}

_TOOLS = {
    "Grep": ev.SEARCH,
    "Glob": ev.SEARCH,
    "List": ev.SEARCH,
    "Task": ev.SUBAGENT,
    "StrReplace": ev.EDIT,
    "MultiEdit": ev.EDIT,
    **{f"MCP:{name}": ev.OWN_TODO for name in ev.TODO_TOOLS},  # it does not say whose server
}

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".heic", ".avif")
_LOOKED_AT = 4_000  # characters that tell whether the rest is a text

# What a tool gave the model where the payload holds only a summary of it.
CHARS_PER_TOKEN = 3.6  # of `content_length`, which counts characters
SEARCH_TOKENS = 600


def render(event: Event, decision: Decision, max_bytes: int) -> tuple[bytes, list[int]]:
    """The answer, and the indexes of the context parts that are in it."""
    from .cursor_versions import context_events
    from .render import cursor

    return cursor(event, decision, max_bytes, context_events(event.host_version))


def parse(payload: dict[str, Any], default_kind: str) -> Event:
    """`default_kind` serves a payload that does not name its event."""
    host_event = text(payload, "hook_event_name") or spelling(KINDS, default_kind)
    kind = KINDS.get(host_event, ev.UNKNOWN)
    event = ev.Event(
        kind, "cursor", identifier(payload, "conversation_id") or identifier(payload, "session_id")
    )
    event.host_event = host_event
    event.host_version = identifier(payload, "cursor_version")
    event.generation_id = identifier(payload, "generation_id")
    event.model = text(payload, "model_id") or text(payload, "model")
    event.window = _window(payload.get("model_params"))
    event.cwd = path(text(payload, "cwd"))
    roots = texts(payload, "workspace_roots")
    event.project = path(roots[0]) if roots else event.cwd
    event.transcript_path = path(text(payload, "transcript_path"))
    event.parent_id = identifier(payload, "parent_conversation_id")
    event.parent_call = identifier(payload, "parent_tool_call_id")
    event.background = payload.get("is_background_agent") is True
    if kind in _FILL:
        _FILL[kind](event, payload)
    elif kind not in (ev.SESSION_START, ev.UNKNOWN):
        from .cursor_turns import FILL

        FILL[kind](event, payload)
    return event


def _window(params: Any) -> int | None:
    if not params:  # tool events have none
        return None
    from ..meters.window import context_param

    return context_param(params)


def _tool(event: Event, payload: dict[str, Any]) -> None:
    event.tool_use_id = identifier(payload, "tool_use_id")
    event.tool_name = text(payload, "tool_name")
    event.tool = _TOOLS.get(event.tool_name, event.tool_name)
    event.tool_input = mapping(payload, "tool_input")
    event.tokens_in = value_tokens(event.tool_input)
    event.file_path = tool_file(event.tool_input)
    event.partial = event.tool == ev.READ and len(event.tool_input) > 1  # whatever the limits are called
    event.background = event.background or event.tool_input.get("run_in_background") is True
    event.duration_s = seconds(payload, "duration")
    if event.tool == ev.SHELL:
        event.command = text(event.tool_input, "command")
        event.cwd = path(text(event.tool_input, "cwd")) or event.cwd


def _after_tool(event: Event, payload: dict[str, Any]) -> None:
    _tool(event, payload)
    output = event.output = _unpacked(payload.get("tool_output"))
    if event.tool == ev.SHELL and isinstance(output, dict):
        code = output.get("exitCode")
        event.exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
        event.ok = event.exit_code in (0, None)
        event.output = text(output, "output")
    event.tokens_out = _weigh(event)


def _unpacked(output: Any) -> Any:
    """`tool_output` is an object's JSON inside a string; any other text is taken as it is."""
    if isinstance(output, str) and output[:1] in ("{", "["):
        try:
            return loads(output)
        except WireError:
            pass
    return output


def _weigh(event: Event) -> int:
    if isinstance(event.output, dict):
        size = count(event.output, "content_length")
        if size is not None and not _is_picture(event.file_path):
            event.chars = size if event.tool == ev.READ else 0
            return round(size / CHARS_PER_TOKEN)
    if event.tool not in (ev.READ, ev.SEARCH):
        return shown_tokens(event.output)
    event.unsized = not _is_picture(event.file_path)
    return PICTURE_TOKENS if event.tool == ev.READ else SEARCH_TOKENS


def _is_picture(file_path: str) -> bool:
    return file_path.lower().endswith(_PICTURES)


def _is_binary(content: str) -> bool:
    """Whether it is no text, of which the model is shown nothing: as such it would weigh a million tokens."""
    start = content[:_LOOKED_AT]
    return "\0" in start or start.count("\ufffd") * 10 > len(start)


def _tool_failed(event: Event, payload: dict[str, Any]) -> None:
    _tool(event, payload)
    event.ok = False
    event.error = text(payload, "error_message")
    event.reason = text(payload, "failure_type")
    event.status = "denied" if event.reason == "permission_denied" else ""
    event.interrupted = payload.get("is_interrupt") is True
    event.tokens_out = tokens(event.error)


def _shell(event: Event, payload: dict[str, Any]) -> None:
    event.tool = event.tool_name = ev.SHELL
    event.tool_use_id = identifier(payload, "tool_use_id")
    event.command = text(payload, "command")
    event.tool_input = {"command": event.command}
    event.tokens_in = value_tokens(event.tool_input)
    event.output = payload.get("output")
    event.tokens_out = shown_tokens(event.output) if event.output else 0
    event.duration_s = seconds(payload, "duration")


def _read(event: Event, payload: dict[str, Any]) -> None:
    event.tool = event.tool_name = ev.READ
    event.tool_use_id = identifier(payload, "tool_use_id")
    event.file_path = path(text(payload, "file_path"))
    content = event.output = payload.get("content")  # whole, whatever part of it the model is shown
    if isinstance(content, str) and not _is_picture(event.file_path) and not _is_binary(content):
        event.tokens_out, event.chars = tokens(content), len(content)


_FILL: dict[str, Callable[[Event, dict[str, Any]], None]] = {
    ev.BEFORE_TOOL: _tool,
    ev.AFTER_TOOL: _after_tool,
    ev.TOOL_FAILED: _tool_failed,
    ev.BEFORE_SHELL: _shell,
    ev.AFTER_SHELL: _shell,
    ev.BEFORE_READ: _read,
}
