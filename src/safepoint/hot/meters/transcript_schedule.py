"""Whether a prompt came from a schedule (Claude Code's `/loop`, CronCreate): only the transcript tells.

The hook's payload is that of a person's prompt. The client writes a record of its own when a schedule fires,
a tenth of a second behind.
"""

from __future__ import annotations

import os
import time

from .. import wire
from ..utc import utc
from .transcript import read_at

WAIT_S = 0.4  # the record's lag, four times over; only before a word of Safepoint's is done
FRESH_S = 10  # a fire that is older brought another prompt: one that was answered here leaves no record
AHEAD_S = 3  # what a record may be ahead of the hook's clock
_TAIL_BYTES = 1024 * 1024
_POLL_S = 0.05


def is_scheduled(path: str, prompt: str, now: float) -> bool:
    """Whether the transcript tells of a schedule that has just sent `prompt`; waits until it could."""
    within = utc(now - FRESH_S), utc(now + AHEAD_S)
    until = time.monotonic() + WAIT_S
    while not _has_fired(path, prompt.strip(), within):
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_S)
    return True


def _has_fired(path: str, prompt: str, within: tuple[str, str]) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            size = os.fstat(fd).st_size
            data = read_at(fd, max(0, size - _TAIL_BYTES), _TAIL_BYTES)
        finally:
            os.close(fd)
    except (OSError, ValueError):  # a new chat has none yet
        return False
    return any(
        _is_fire(line, prompt, within) for line in data.split(b"\n") if b'"scheduled_task_fire"' in line
    )


def _is_fire(line: bytes, prompt: str, within: tuple[str, str]) -> bool:
    try:
        record = wire.loads(line)
    except (ValueError, RecursionError):  # cut at either end
        return False
    if not isinstance(record, dict) or record.get("subtype") != "scheduled_task_fire":
        return False
    sent, at = record.get("prompt"), record.get("timestamp")
    if not isinstance(sent, str) or sent.strip() != prompt or not isinstance(at, str):
        return False
    return within[0][:19] <= at[:19] <= within[1][:19]
