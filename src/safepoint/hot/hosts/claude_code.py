"""Claude Code's payloads in, its answers out. Pure: no file, clock or environment."""

from __future__ import annotations

from .. import events as ev
from ..textweight import PICTURE_TOKENS, tokens, value_tokens
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
    tool_file,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..decisions import Decision
    from ..events import Event

__all__ = ["context_events", "event_key", "parse", "render"]

KINDS = {
    "SessionStart": ev.SESSION_START,
    "UserPromptSubmit": ev.PROMPT,
    "PreToolUse": ev.BEFORE_TOOL,
    "PostToolUse": ev.AFTER_TOOL,
    "PostToolUseFailure": ev.TOOL_FAILED,
    "PostToolBatch": ev.BATCH,
    "SubagentStart": ev.SUBAGENT_START,
    "SubagentStop": ev.SUBAGENT_STOP,
    "PreCompact": ev.COMPACT,
    "Stop": ev.TURN_END,
    "SessionEnd": ev.SESSION_END,
    "PostModelSwitch": ev.MODEL_SWITCH,
}

_TOOLS = {
    "Bash": ev.SHELL,
    "Grep": ev.SEARCH,
    "Glob": ev.SEARCH,
    "MultiEdit": ev.EDIT,
    "NotebookEdit": ev.EDIT,
    "Agent": ev.SUBAGENT,
    "Task": ev.SUBAGENT,
}

_OWN_TODO = "mcp__safepoint__"  # Safepoint's own server, as `install --with-todo-tool` names it

_CONTEXT = frozenset(
    {
        ev.SESSION_START,
        ev.PROMPT,
        ev.BEFORE_TOOL,
        ev.AFTER_TOOL,
        ev.TOOL_FAILED,
        ev.BATCH,
        ev.SUBAGENT_START,
        ev.MODEL_SWITCH,
    }
)

# The client's answer to a write holds the whole file before and after; the model is shown one sentence of it.
_ACKNOWLEDGED = frozenset({ev.WRITE, ev.EDIT, ev.TODO_WRITE})
ACKNOWLEDGEMENT_TOKENS = 100

_1M = "[1m]"


def context_events(host_version: str = "") -> frozenset[str]:
    """Kinds of event whose answer can carry text to the model."""
    return _CONTEXT


def render(event: Event, decision: Decision, max_bytes: int) -> tuple[bytes, list[int]]:
    """The answer, and the indexes of the context parts that are in it."""
    if event.kind == ev.COMPACT:
        return b"", []  # any text would be taken for instructions to the summariser
    from .render import claude_code

    return claude_code(event, decision, max_bytes, _CONTEXT)


def parse(payload: dict[str, Any], default_kind: str) -> Event:
    """`default_kind` serves a payload that does not name its event."""
    host_event = text(payload, "hook_event_name") or spelling(KINDS, default_kind)
    kind = KINDS.get(host_event, ev.UNKNOWN)
    if kind == ev.SUBAGENT_STOP and payload.get("agent_type") == "":
        kind = ev.UNKNOWN  # the client's own summariser at a compaction, not a worker
    event = ev.Event(kind, "claude_code", identifier(payload, "session_id"))
    event.host_event = host_event
    agent_id = identifier(payload, "agent_id")
    if kind in (ev.SUBAGENT_START, ev.SUBAGENT_STOP):
        event.child_id = agent_id
    else:
        event.agent_id = agent_id
    event.agent_type = text(payload, "agent_type")
    event.prompt_id = identifier(payload, "prompt_id")
    event.cwd = event.project = path(text(payload, "cwd"))
    event.transcript_path = path(text(payload, "transcript_path"))
    event.context_tokens = count(payload, "context_tokens")
    set_model(event, text(payload, "model"))
    if kind in _FILL:
        _FILL[kind](event, payload)
    elif kind not in (ev.SUBAGENT_START, ev.UNKNOWN):
        from .claude_turns import FILL

        FILL[kind](event, payload)
    return event


def set_model(event: Event, name: str) -> None:
    """The transcript never shows the mark of the long window, so it is taken off here as well."""
    if name.endswith(_1M):
        name, event.window = name[: -len(_1M)], 1_000_000
    event.model = name


def _tool(event: Event, payload: dict[str, Any]) -> None:
    event.tool_use_id = identifier(payload, "tool_use_id")
    event.tool_name = text(payload, "tool_name")
    event.tool = _TOOLS.get(event.tool_name, event.tool_name)
    if event.tool.startswith(_OWN_TODO):
        event.tool = ev.OWN_TODO
    event.tool_input = mapping(payload, "tool_input")
    event.tokens_in = value_tokens(event.tool_input)
    event.file_path = tool_file(event.tool_input)
    event.background = event.tool_input.get("run_in_background") is True
    event.duration_s = seconds(payload, "duration_ms")
    if event.tool == ev.SHELL:
        event.command = text(event.tool_input, "command")
    elif event.tool == ev.SUBAGENT:
        event.agent_type = text(event.tool_input, "subagent_type")


def _after_tool(event: Event, payload: dict[str, Any]) -> None:
    _tool(event, payload)
    response = payload.get("tool_response")
    event.output = response
    if event.tool == ev.SHELL:
        _after_shell(event, response)
    elif event.tool == ev.SUBAGENT and isinstance(response, dict):
        event.status = text(response, "status")
        event.child_id = identifier(response, "agentId")
        event.background = event.background or event.status == "async_launched"
    event.tokens_out = _weigh(event, response)


def _after_shell(event: Event, response: Any) -> None:
    """This event comes only for a command that ended with 0, went to the background or was interrupted."""
    if isinstance(response, dict):
        streams = [text(response, "stdout"), text(response, "stderr")]
        event.output = "\n".join([stream for stream in streams if stream])
        event.interrupted = response.get("interrupted") is True
        event.background = event.background or bool(text(response, "backgroundTaskId"))
    event.ok = not event.interrupted
    event.exit_code = None if event.interrupted or event.background else 0


def _weigh(event: Event, response: Any) -> int:
    if event.tool in _ACKNOWLEDGED:
        return ACKNOWLEDGEMENT_TOKENS
    if isinstance(response, dict):
        if response.get("isImage") is True:
            return PICTURE_TOKENS
        file = mapping(response, "file")
        if file:
            return PICTURE_TOKENS if "base64" in file else shown_tokens(file.get("content", file))
        if event.tool == ev.SHELL:
            return shown_tokens(event.output)
    return shown_tokens(response)


def _tool_failed(event: Event, payload: dict[str, Any]) -> None:
    _tool(event, payload)
    event.ok = False
    event.error = text(payload, "error")
    event.interrupted = payload.get("is_interrupt") is True
    event.tokens_out = tokens(event.error)
    if event.tool == ev.SHELL:
        event.exit_code = _leading_exit_code(event.error)


def _leading_exit_code(error: str) -> int | None:
    prefix = "Exit code "
    words = error[len(prefix) :][:12].split(None, 1) if error.startswith(prefix) else []
    try:
        return int(words[0]) if words else None
    except ValueError:
        return None


def _batch(event: Event, payload: dict[str, Any]) -> None:
    calls = payload.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            name, call_id = text(call, "tool_name"), identifier(call, "tool_use_id")
            event.calls.append({"tool_use_id": call_id, "tool_name": name, "tool": _TOOLS.get(name, name)})


_FILL: dict[str, Callable[[Event, dict[str, Any]], None]] = {
    ev.BEFORE_TOOL: _tool,
    ev.AFTER_TOOL: _after_tool,
    ev.TOOL_FAILED: _tool_failed,
    ev.BATCH: _batch,
}
