"""Replays a recorded chat through the real meter and thresholds: where would Yellow and Red have fallen?

Two records are understood: a transcript of Claude Code, which is handed to the transcript scanner as it grew,
and a session's own journal, of either host, whose events are folded again. What is judged is what a guard
judges, at the same moments. Nothing is written but a copy in a scratch folder.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

from .errors import SafepointError
from .hot.meters.reading import thresholds
from .hot.shapes import Level, Reading, Record, Settings
from .hot.stores.session_store import MALFORMED
from .recorded_chat import Chat, Moment, form_of, moments_of, open_chat

STATED = "stated"  # kind of the record that carries a window given on the command line


class Crossing(TypedDict):
    """The first tool call at another level than the one before it."""

    level: Level
    line: int
    at: str  # as the file says it; "" where it does not
    call: int  # counted from 1
    tool: str
    reading: Reading
    yellow_tokens: int
    red_tokens: int


class Simulation(TypedDict):
    file: str
    form: str  # transcript, journal
    host: str
    model: str
    lines: int
    calls: int  # tool calls of the main chat, each judged
    crossings: list[Crossing]
    highest: Reading | None  # of all that were judged, the one with most tokens
    last: Reading | None
    not_run: int  # tool calls from the first Red on: they would have been denied, or made in a new chat


def simulate(path: Path, settings: Settings, window: int | None = None) -> Simulation:
    """`window` (tokens): what the host states of it, which a transcript does not hold."""
    form = form_of(path)
    with tempfile.TemporaryDirectory(prefix="safepoint-simulate-") as scratch, open_chat(path) as lines:
        chat = Chat(settings, scratch)
        if window:
            chat.fold({"kind": STATED, "window": window})
        found = _judge(chat, moments_of(form, lines, chat), path)
    state = chat.state
    model = state["meter"].get("model") or state["model"]
    return {"file": str(path), "form": form, "host": state["host"], "model": model, **found}  # type: ignore[typeddict-item]


def _judge(chat: Chat, moments: Iterator[Moment], path: Path) -> dict[str, Any]:
    crossings: list[Crossing] = []
    level: Level = "green"
    highest: Reading | None = None
    line = calls = 0
    first_red: int | None = None
    for line, at, record, judged in moments:
        if record is None or not chat.fold(record) or not judged:
            continue
        calls += 1
        chat.state["level"] = level  # as this simulation has it, which hysteresis goes by
        try:
            reading, now = chat.read()
        except MALFORMED as error:
            raise SafepointError(f"{path}:{line}: damaged up to here; nothing can be measured") from error
        if (reading["tokens"] or 0) >= (highest["tokens"] or 0 if highest else 0):
            highest = reading
        if now == "red" and first_red is None:
            first_red = calls
        if now != level:
            crossings.append(_crossing(chat, now, line, at, calls, record, reading))
        level = chat.state["level"] = now
        chat.state["reading"] = reading
    return {
        "lines": line, "calls": calls, "crossings": crossings, "highest": highest,
        "last": chat.state["reading"] if calls else None,
        "not_run": 0 if first_red is None else calls - first_red + 1,
    }  # fmt: skip


def _crossing(
    chat: Chat, level: Level, line: int, at: str, call: int, record: Record, reading: Reading
) -> Crossing:
    yellow, red = thresholds(reading, chat.settings, chat.state["extended"])
    return {
        "level": level, "line": line, "at": at, "call": call, "tool": record.get("tool", ""),
        "reading": reading, "yellow_tokens": yellow, "red_tokens": red,
    }  # fmt: skip
