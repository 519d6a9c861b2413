"""What the hosts hand to the command of their status line. Pure."""

from __future__ import annotations

from ..meters.window import plausible
from .fields import count, mapping, number, path, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SHOWN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def stated(payload: dict[str, Any]) -> tuple[int | None, int | None]:
    """(tokens, window) as the host states them; None for what it does not.

    Claude Code gives the usage of the last response, Cursor's command line only a share of the window.
    """
    told = mapping(payload, "context_window")
    usage = mapping(told, "current_usage")
    tokens = sum(count(usage, name) or 0 for name in _SHOWN)
    window = plausible(count(told, "context_window_size"), tokens)
    share = number(told, "used_percentage")
    if not tokens and window and share is not None and 0 < share <= 100:
        tokens = round(window * share / 100)
    return tokens or None, window


def model(payload: dict[str, Any]) -> str:
    """The model that is used now, as Claude Code's events name it."""
    return text(mapping(payload, "model"), "id").partition("[")[0]


def folder(payload: dict[str, Any]) -> str:
    """The folder that the chat is in. Cursor's `project_dir` is that of its transcripts."""
    return path(text(payload, "cwd") or text(mapping(payload, "workspace"), "current_dir"))
