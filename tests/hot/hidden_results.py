"""A Cursor chat made of results whose size no hook is shown: searches, each counted as the same guess."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from safepoint.hot.meters import account
from safepoint.hot.meters.found import GUESS_TOKENS
from safepoint.hot.meters.reading import level, reading

START, WRITTEN, PROMPT, REPLY = 18_000, 350, 20, 200  # tokens; what a call writes is seen in part
SIZES = ((20, 300), (300, 2_500), (3_000, 12_000), (12_000, 32_000))  # tokens of one result
WINDOW = 200_000


class Seen(NamedTuple):
    """What the meter says once a record is in, beside the truth."""

    turn: int
    ends_turn: bool
    context: int  # true tokens
    tokens: int  # read ones
    level: str
    source: str


def play(turns: list[list[int]], settings: Any) -> list[Seen]:
    """One chat; `turns` holds the true size (tokens) of each call's result."""
    meter: Any = {"host": "cursor", "window": WINDOW, "window_source": "host", "window_model": "m"}
    context, at, seen = START, 1_000.0, []

    def tell(kind: str, **fields: Any) -> None:
        nonlocal meter, at
        at += 5.0
        record: Any = {"kind": kind, "at": at, "generation": f"g{number}", **fields}
        meter = account.apply(meter, record)

    def look(ends_turn: bool) -> None:
        found = reading(meter, "cursor", "m", settings)
        tokens, source = found["tokens"] or 0, found["source"]
        seen.append(Seen(number, ends_turn, context, tokens, level(found, settings), source))

    for number, sizes in enumerate(turns):
        tell("prompt", tokens_in=PROMPT)
        context += PROMPT
        inputs = 0
        for call, size in enumerate(sizes):
            inputs += context
            name: Any = {"call": f"{number}-{call}", "tool": "Search", "tokens_in": 50}
            tell("before_tool", **name)
            tell("after_tool", **name, tokens_out=GUESS_TOKENS, unsized=True)
            context += WRITTEN + size
            look(ends_turn=False)
        sums = {"input_sum": inputs + context, "output_sum": WRITTEN * len(sizes) + REPLY}
        context += REPLY
        tell("turn_end", **sums)
        look(ends_turn=True)
    return seen


def drawn(seed: int) -> list[list[int]]:
    """Turns that fill the window, each with results of another kind."""
    chance, total = random.Random(seed), START
    turns: list[list[int]] = []
    while total < 0.95 * WINDOW and len(turns) < 60:
        sizes = chance.choice((*SIZES, None))
        turn: list[int] = []
        for _ in range(chance.randint(1, chance.choice((1, 2, 3, 5, 10, 20, 45, 80)))):
            size = chance.randint(*sizes) if sizes else round(20 * 1_500 ** chance.random())
            if total + size + 800 > 0.975 * WINDOW:
                break
            turn.append(size)
            total += size + WRITTEN
        if not turn:
            break
        total += PROMPT + REPLY
        turns.append(turn)
    return turns
