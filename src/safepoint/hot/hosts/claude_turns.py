"""Claude Code's events that are no tool calls: sessions, prompts, turns, subagents, compactions."""

from __future__ import annotations

from .. import events as ev
from ..textweight import tokens
from .claude_code import set_model
from .fields import path, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..events import Event


def _session(event: Event, payload: dict[str, Any]) -> None:
    event.source = text(payload, "source")
    event.reason = text(payload, "reason")


def _prompt(event: Event, payload: dict[str, Any]) -> None:
    event.prompt = text(payload, "prompt")
    event.tokens_in = tokens(event.prompt)


def _turn_end(event: Event, payload: dict[str, Any]) -> None:
    event.stop_hook_active = payload.get("stop_hook_active") is True
    event.text = text(payload, "last_assistant_message")


def _subagent_stop(event: Event, payload: dict[str, Any]) -> None:
    _turn_end(event, payload)
    event.summary = event.text
    event.agent_transcript_path = path(text(payload, "agent_transcript_path"))


def _compact(event: Event, payload: dict[str, Any]) -> None:
    event.trigger = text(payload, "trigger")
    event.text = text(payload, "custom_instructions")


def _model_switch(event: Event, payload: dict[str, Any]) -> None:
    set_model(event, text(payload, "to_model") or event.model)


FILL: dict[str, Callable[[Event, dict[str, Any]], None]] = {
    ev.SESSION_START: _session,
    ev.SESSION_END: _session,
    ev.PROMPT: _prompt,
    ev.SUBAGENT_STOP: _subagent_stop,
    ev.COMPACT: _compact,
    ev.TURN_END: _turn_end,
    ev.MODEL_SWITCH: _model_switch,
}
