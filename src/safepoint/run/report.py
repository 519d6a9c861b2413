"""What a person sees of a run: one live line per session, a table at the end; or one JSON line per event."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from ..hot.quoting import safe

HEADS = ("#", "session", "ended", "level", "tokens", "files", "commits", "todo", "time")
REASONS = {
    "red": "Red: state saved", "compacted": "compaction: state saved", "finished": "by itself",
    "overloaded": "model overloaded", "rate_limited": "rate limit", "refused": "request refused",
    "error": "agent reported an error", "crashed": "agent crashed", "hung": "ended after its result",
    "not_started": "did not start", "interrupted": "interrupted", "time_limit": "time limit",
}  # fmt: skip
_CLEAR = "\r\x1b[2K"


class Live(NamedTuple):
    """What the live line tells. Two equal ones need no new line."""

    number: int
    level: str
    tokens: int | None
    window: int | None
    step: str
    todos: str
    tool: str


class Report:
    """Prints. `as_json`: events to stdout, one JSON object per line, and nothing else.

    `gone` is called once when nobody reads any more; what follows goes nowhere.
    """

    def __init__(self, as_json: bool, gone: Callable[[], None]) -> None:
        self.as_json, self._gone = as_json, gone
        self._is_terminal = not as_json and sys.stdout.isatty()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # a terminal of another encoding
        self._live: Live | None = None
        self._is_shown = False

    @property
    def last(self) -> Live | None:
        return self._live

    def event(self, event: dict[str, Any]) -> None:
        if self.as_json:
            self._write(json.dumps(event, ensure_ascii=False) + "\n")

    def line(self, text: str) -> None:
        """Text that stays. An agent's words may be in it, so nothing that a terminal would obey."""
        if not self.as_json:
            plain = "".join(char for char in text if char.isprintable() or char == "\n")
            self._write(f"{_CLEAR if self._is_shown else ''}{plain}\n")
            self._is_shown = False

    def live(self, live: Live, seconds: float) -> None:
        """On a terminal the one line of the session; else a line where level or todo list has changed."""
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            self._write(_CLEAR + fitted(live_text(live, seconds), width))
            self._is_shown = True
        elif not self.as_json and self._is_news(live):
            self.line(live_text(live._replace(tool=""), seconds))
        self._live = live

    def _is_news(self, live: Live) -> bool:
        old = self._live
        if old is None or old.number != live.number:
            return live.tokens is not None
        return (old.level, old.step, old.todos) != (live.level, live.step, live.todos)

    def _write(self, text: str) -> None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError:  # a closed pipe, or a terminal that was shut
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self._gone()


def live_text(live: Live, seconds: float) -> str:
    parts = [f"session {live.number}", live.level, size(live.tokens, live.window)]
    parts += [part for part in (live.step, f"todo {live.todos}" if live.todos else "", live.tool) if part]
    return "  ".join([*parts, clock(seconds)])


def fitted(text: str, width: int) -> str:
    """As much of a line as a terminal of `width` columns shows in one row; wide characters take two."""
    shown, room = "", width
    for char in safe(text, 4 * max(width, 1)):
        room -= 1 if ord(char) < 0x1100 else 2
        if room < 0:
            break
        shown += char
    return shown


def size(tokens: int | None, window: int | None) -> str:
    if tokens is None:
        return "?"
    return f"{tokens / 1000:.0f}k/{window / 1000:.0f}k" if window else f"{tokens / 1000:.0f}k"


def clock(seconds: float) -> str:
    whole = int(seconds)
    hours = f"{whole // 3600}:{whole // 60 % 60:02}" if whole >= 3600 else f"{whole // 60}"
    return f"{hours}:{whole % 60:02}"


def table(sessions: list[dict[str, Any]]) -> str:
    """One row for each session of a run."""
    rows = [list(HEADS)]
    for one in sessions:
        rows.append([
            str(one["number"]), one["session_id"][:8] or "-", REASONS.get(one["reason"], one["reason"]),
            one["level"], size(one["tokens"], one["window"]), str(len(one["files"])), str(one["commits"]),
            f"{one['todos_done']}/{one['todos']}" if one["todos"] else "-", clock(one["seconds"]),
        ])  # fmt: skip
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEADS))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
