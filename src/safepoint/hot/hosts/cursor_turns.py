"""Cursor's events that are no tool calls: prompts, turns, subagents, compactions."""

from __future__ import annotations

from .. import events as ev
from ..textweight import tokens
from .fields import count, identifier, number, path, seconds, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..events import Event


def _prompt(event: Event, payload: dict[str, Any]) -> None:
    event.prompt = text(payload, "prompt")
    event.tokens_in = tokens(event.prompt)


def _subagent(event: Event, payload: dict[str, Any]) -> None:
    event.child_id = identifier(payload, "subagent_id")
    event.agent_type = text(payload, "subagent_type")
    event.parallel = payload.get("is_parallel_worker") is True
    event.prompt = text(payload, "task")
    event.tool_use_id = identifier(payload, "tool_call_id")


def _subagent_stop(event: Event, payload: dict[str, Any]) -> None:
    _subagent(event, payload)
    event.tool_use_id = ""  # a resumed subagent stops more than once
    event.status = text(payload, "status")
    event.summary = text(payload, "summary")
    event.error = text(payload, "error_message")
    event.ok = event.status not in ("error", "aborted")
    event.files = [path(name) for name in texts(payload, "modified_files")]
    event.child_session_id = identifier(payload, "child_conversation_id")
    event.agent_transcript_path = path(text(payload, "agent_transcript_path"))
    event.duration_s = seconds(payload, "duration_ms")
    _loops(event, payload)


def _compact(event: Event, payload: dict[str, Any]) -> None:
    event.trigger = text(payload, "trigger")
    event.context_tokens = count(payload, "context_tokens")
    from ..meters.window import plausible

    stated = plausible(count(payload, "context_window_size"), event.context_tokens)
    event.window = stated or event.window
    event.percent = number(payload, "context_usage_percent")


def _response(event: Event, payload: dict[str, Any]) -> None:
    event.text = text(payload, "text")
    event.tokens_out = tokens(event.text)
    _sums(event, payload)


def _turn_end(event: Event, payload: dict[str, Any]) -> None:
    event.status = text(payload, "status")
    event.ok = event.status not in ("error", "aborted")
    _loops(event, payload)
    _sums(event, payload)


def _sums(event: Event, payload: dict[str, Any]) -> None:
    event.input_tokens = count(payload, "input_tokens")
    event.output_tokens = count(payload, "output_tokens")


def _loops(event: Event, payload: dict[str, Any]) -> None:
    event.loop_count = count(payload, "loop_count") or 0
    event.stop_hook_active = event.loop_count > 0


def _session_end(event: Event, payload: dict[str, Any]) -> None:
    event.reason = text(payload, "reason")
    event.status = text(payload, "final_status")
    event.duration_s = seconds(payload, "duration_ms")


FILL: dict[str, Callable[[Event, dict[str, Any]], None]] = {
    ev.PROMPT: _prompt,
    ev.SUBAGENT_START: _subagent,
    ev.SUBAGENT_STOP: _subagent_stop,
    ev.COMPACT: _compact,
    ev.RESPONSE: _response,
    ev.TURN_END: _turn_end,
    ev.SESSION_END: _session_end,
}
