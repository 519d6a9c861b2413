"""One process of a session, from its start to its end: what it tells, and when it is asked to end."""

from __future__ import annotations

import time
from collections.abc import Callable

from . import stream
from .agent_process import AgentProcess
from .interrupts import Interrupts
from .outcome import INTERRUPTED, TIME, Ended
from .plan import Limits
from .stream import Frame

TICK_S = 0.25


class Told:
    """What the agent has told so far."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.started = False
        self.calls: dict[str, str] = {}  # tool calls that run: id -> name and subject
        self.retry = ""  # why the agent itself waits for the model
        self.result: Frame | None = None
        self.output_tokens = 0
        self.asked = ""
        self.hung = False

    def take(self, frame: Frame) -> None:
        self.started = self.started or frame.kind in ("started", "tool")
        if frame.session_id and (frame.kind == "started" or not self.session_id):
            self.session_id = frame.session_id
        self.retry = ""
        if frame.kind == "tool":
            self.calls[frame.call] = f"{frame.text}: {frame.subject}" if frame.subject else frame.text
        elif frame.kind == "tool_ended":
            self.calls.pop(frame.call, None)
        elif frame.kind == "retry":
            self.retry = f"waits for the model ({frame.status or frame.text})"
        elif frame.kind == "result":
            self.result, self.output_tokens = frame, self.output_tokens + frame.output_tokens
            self.calls.clear()

    @property
    def tool(self) -> str:
        return self.retry or next(reversed(self.calls.values()), "")

    def ended(self, exit_status: int, words: str) -> Ended:
        """The facts about its end; the session's state adds `latch` and `worked`."""
        result = self.result
        if result is not None:
            return Ended(
                exit_status, True, True, result.is_error, result.status, result.text or words, self.asked,
                self.hung, refused=result.refused,
            )  # fmt: skip
        status = stream.status_in(words) if exit_status > 0 else 0
        return Ended(exit_status, self.started, False, status > 0, status, words, self.asked, self.hung)


def follow(
    process: AgentProcess,
    told: Told,
    interrupts: Interrupts,
    limits: Limits,
    deadline: float,
    tick: Callable[[Told], bool],
) -> Ended:
    """Read the process to its end. `deadline` is monotonic; `tick` is called some times a second.

    `tick` says whether the session has subagents that run: then silence after a result is no hanging.
    """
    heard = time.monotonic()
    is_clean = False
    try:
        while process.exit_status is None:
            frames = process.read(TICK_S)
            for frame in frames:
                told.take(frame)
            now = time.monotonic()
            heard = now if frames else heard
            busy = tick(told)
            is_over = told.result is not None or process.is_silent
            if is_over and not busy and now - heard > limits.linger_s:
                told.hung = True
                process.ask(limits.signal_s)
            _heed(process, told, interrupts, limits, deadline, now)
        for frame in process.drain():
            told.take(frame)
        is_clean = told.result is not None and not told.asked
        return told.ended(process.exit_status or 0, process.words)
    finally:
        process.close(is_clean)


def _heed(
    process: AgentProcess, told: Told, interrupts: Interrupts, limits: Limits, deadline: float, now: float
) -> None:
    """A person, or the time, wants an end: after the tool that runs, or at once."""
    if interrupts.count:
        told.asked = INTERRUPTED
    elif now >= deadline:
        told.asked = TIME
    if not told.asked:
        return
    if interrupts.count > 1:
        process.kill()
    elif not told.calls or now > deadline + limits.tool_s:
        process.ask(limits.signal_s)
