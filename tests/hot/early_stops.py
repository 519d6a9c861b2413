"""Simulated chats of both hosts up to the moment at which Safepoint would stop them."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from cursor_simulator import KINDS, Chat, Kind

from safepoint.hot.meters import account
from safepoint.hot.meters.reading import level, reading, thresholds

WINDOWS = {"cursor": (200_000, 300_000), "claude_code": (200_000, 1_000_000)}
ENDS = 0.95  # of the window: a host compacts before


class Stop(NamedTuple):
    host: str
    kind: str
    seed: int
    context: int  # the true one, at the first tool that would be denied; 0: none was
    yellow: int

    @property
    def is_early(self) -> bool:
        return 0 < self.context < self.yellow


def of_cursor(seed: int, settings: Any) -> Stop:
    """A Cursor chat, as its hooks see it."""
    chance = random.Random(seed)
    kind, window = chance.choice(sorted(KINDS)), chance.choice(WINDOWS["cursor"])
    return of_kind(kind, KINDS[kind], seed, window, settings)


def of_unseen(seed: int, settings: Any) -> Stop:
    """A Cursor chat of which no hook sees more than half of the rounds."""
    return of_kind("unseen", _unseen(random.Random(seed)), seed, WINDOWS["cursor"][seed % 2], settings)


def _unseen(chance: random.Random) -> Kind:
    fewest = chance.choice((0, 1, 2, 4))
    return Kind(
        rounds=(fewest, fewest + chance.choice((1, 3, 6, 12, 20))),
        parallel=(1, chance.choice((1, 1, 2, 4))),
        result=chance.choice(((200, 2500), (200, 2500), (20, 300), (1000, 6000), (3000, 9000))),
        unhooked=chance.uniform(0.5, 0.9),
        thought=chance.choice(((50, 600), (0, 150), (20, 60), (200, 2000))),
        searches=chance.choice((0, 0, 0.2, 0.6)),
        error=chance.choice((0.75, 1, 1, 1.25)),
        prompt=chance.choice(((20, 400), (100, 1200))),
    )


def of_kind(name: str, kind: Kind, seed: int, window: int, settings: Any) -> Stop:
    chat = Chat(kind, seed, limit=round(window * ENDS))
    meter: Any = {"host": "cursor", "window": window, "window_source": "host", "window_model": "m"}
    for step in chat.run(400):
        meter = account.apply(meter, step.record)  # type: ignore[arg-type]
        if step.record["kind"] == "before_tool" and _is_red(meter, "cursor", settings):
            return _stop("cursor", name, seed, step.context, meter, settings)
    return Stop("cursor", name, seed, 0, 0)


def of_claude(seed: int, settings: Any) -> Stop:
    """A chat of Claude Code: usage is exact and often a response late, what came since is weighed."""
    chance = random.Random(seed)
    window, error = chance.choice(WINDOWS["claude_code"]), chance.choice((0.8, 1.0, 1.15, 1.3))
    meter: Any = {"host": "claude_code", "window": window, "window_source": "host", "window_model": "m"}
    context, flushed, number = chance.randint(15_000, 40_000), {}, 0
    unseen: dict[str, int] = {}
    while context < window * ENDS:
        number += 1
        written, base = chance.randint(50, 900), context
        context += written
        if chance.random() < 0.6:  # the response is in the transcript before its tool's hook runs
            flushed, unseen = _usage(number, base, written), {}
        else:
            unseen[f"in:c{number}"] = round(written * error)
        meter = {**meter, "transcript": flushed, "unseen": unseen} if flushed else meter
        if flushed and _is_red(meter, "claude_code", settings):
            return _stop("claude_code", f"error {error}", seed, context, meter, settings)
        result = round(chance.choice((400, 3_000, 20_000)) * chance.random())
        context += result
        unseen = {**unseen, f"c{number}": max(1, round(result * error * chance.uniform(0.7, 1.3)))}
    return Stop("claude_code", f"error {error}", seed, 0, 0)


def _usage(number: int, base: int, output: int) -> Any:
    return {"path": "t", "inode": 1, "offset": number, "message_id": f"m{number}", "base": base,
            "output": output, "after": 0, "model": "m", "boundary": False}  # fmt: skip


def _is_red(meter: Any, host: Any, settings: Any) -> bool:
    return level(reading(meter, host, "m", settings), settings) == "red"


def _stop(host: Any, kind: str, seed: int, context: int, meter: Any, settings: Any) -> Stop:
    return Stop(host, kind, seed, context, thresholds(reading(meter, host, "m", settings), settings)[0])
