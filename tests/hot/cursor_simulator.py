"""A Cursor chat whose true context is known, seen through the records its hooks would make of it.

The truth is in true tokens; the hooks see it through an estimate that is wrong by a factor per kind of text,
and not at all where Cursor shows nothing: thoughts, results of searches, what is attached to a prompt, tools
without hooks, payloads that were too long for the transport.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """One way of working with an agent. Ranges are true tokens, except where said."""

    rounds: tuple[int, int]  # tool rounds of a turn
    parallel: tuple[int, int] = (1, 1)  # calls of one message
    result: tuple[int, int] = (200, 2500)
    prompt: tuple[int, int] = (20, 400)
    thought: tuple[int, int] = (50, 600)
    reply: tuple[int, int] = (80, 700)
    written: tuple[int, int] = (40, 250)  # a call's input
    error: float = 1.0  # seen tokens / true tokens
    spread: float = 0.15  # of that from text to text
    searches: float = 0.0  # share of calls whose result is seen as a summary only
    lost: float = 0.0  # share of shell calls whose result never arrives
    unhooked: float = 0.0  # share of rounds whose tools no hook sees
    attached: tuple[int, int] = (0, 300)  # to each prompt, unseen
    pictures: float = 0.0  # share of calls that read a picture
    parts: float = 0.0  # share of calls that read a part of a large file, whose whole content a hook is shown


KINDS = {
    "chat": Kind(rounds=(0, 0), reply=(200, 1500)),
    "one_round": Kind(rounds=(1, 1)),
    "many_rounds": Kind(rounds=(5, 25)),
    "parallel": Kind(rounds=(2, 8), parallel=(1, 5)),
    "long_reads": Kind(rounds=(2, 6), result=(3000, 9000), error=1.15),
    "japanese": Kind(rounds=(2, 8), error=1.25, prompt=(100, 1200), reply=(300, 2000)),
    "weighed_low": Kind(rounds=(2, 8), error=0.75),
    "searches": Kind(rounds=(3, 10), searches=0.4),
    "lost": Kind(rounds=(3, 8), lost=0.08),
    "unhooked": Kind(rounds=(2, 6), unhooked=0.25),
    "pictures": Kind(rounds=(2, 6), pictures=0.3),
    "parts": Kind(rounds=(3, 10), parts=0.5),
    "mcp": Kind(rounds=(2, 8), result=(200, 4000), error=1.2),
    "subagents": Kind(rounds=(1, 3), parallel=(1, 4), result=(400, 3000), written=(150, 900)),
    "mixed": Kind(rounds=(0, 12), parallel=(1, 3), searches=0.2, unhooked=0.08, error=1.1),
}
SEARCH_SEEN = 600
LOST_RESULT = (20_000, 45_000)
PICTURE, PICTURE_SEEN = (500, 1_600), 1_500
WHOLE_FILE, CHARS_PER_TOKEN = (5_000, 30_000), 3.2


class Step(NamedTuple):
    """A record, and the true context once the host has done what it tells."""

    record: dict[str, Any]
    context: int
    turn: int
    ends_turn: bool


class Chat:
    """Makes the steps of one chat; `limit` ends it before the window does."""

    def __init__(self, kind: Kind, seed: int, start: int = 0, limit: int = 170_000) -> None:
        self.kind, self.random, self.limit = kind, random.Random(seed), limit
        self.context = start or self.random.randint(15_000, 26_000)
        self.at, self.calls, self.steps = 1_700_000_000.0, 0, []
        self.input_sum = self.output_sum = 0
        self.turn = 0
        self.steps: list[Step] = []

    def run(self, turns: int) -> list[Step]:
        for _ in range(turns):
            if self.context > self.limit:
                break
            self._turn()
        return self.steps

    def _turn(self) -> None:
        self.turn += 1
        self.input_sum = self.output_sum = 0
        prompt = self._draw(self.kind.prompt)
        self.context += prompt + self._draw(self.kind.attached)
        self._tell("prompt", tokens_in=self._seen(prompt))
        for _ in range(self._draw(self.kind.rounds)):
            if self.context > self.limit:
                break
            self._round()
        self._request()
        reply = self._draw(self.kind.reply)
        self._write(reply)
        sums = {"input_sum": self.input_sum, "output_sum": self.output_sum}
        self._tell("response", ends=True, tokens_out=self._seen(reply), **sums)
        self._tell("turn_end", ends=True, status="completed", **sums)

    def _round(self) -> None:
        self._request()
        hidden = self.random.random() < self.kind.unhooked
        calls = [self._call() for _ in range(self._draw(self.kind.parallel))]
        self._write(sum(call["written"] for call in calls))
        results = 0
        for call in calls:
            results += call["result"]
            if not hidden:
                self._tell("before_tool", gap=0.02, tokens_in=self._seen(call["written"]), **call["names"])
                if call["content"]:
                    self._tell("before_read", gap=0.01, **call["content"])
        self.random.shuffle(calls)
        for call in calls:
            self.context += call["result"]
            if hidden or call["lost"]:
                self.at += 1.0
                continue
            told = {"tokens_out": call["seen"], "ok": True, **call["told"], **call["names"]}
            self._tell("after_tool", gap=1.0, **told)

    def _call(self) -> dict[str, Any]:
        self.calls += 1
        result = self._draw(self.kind.result)
        is_search = self.random.random() < self.kind.searches
        lost = not is_search and self.random.random() < self.kind.lost
        if lost:
            result = self._draw(LOST_RESULT)
        names = {"call": f"tool_{self.calls}", "tool": "Search" if is_search else "Shell"}
        seen = SEARCH_SEEN if is_search else self._seen(result)
        call = {"written": self._draw(self.kind.written), "result": result, "seen": seen, "lost": lost,
                "names": names, "told": {"unsized": True} if is_search else {}, "content": None}  # fmt: skip
        if self.kind.pictures and self.random.random() < self.kind.pictures:
            names["tool"] = "Read"
            call.update(result=self._draw(PICTURE), seen=PICTURE_SEEN)
        if self.kind.parts and self.random.random() < self.kind.parts:
            self._read_a_part(call)
        return call

    def _read_a_part(self, call: dict[str, Any]) -> None:
        """What the call's own end tells is a length; what it weighs is known by the whole content alone."""
        whole = self._draw(WHOLE_FILE)
        chars, shown = round(whole * CHARS_PER_TOKEN), round(call["result"] * CHARS_PER_TOKEN)
        call["names"].update(tool="Read", file=call["names"]["call"], partial=True)
        call.update(seen=round(shown / 3.6), told={"chars": shown})
        call["content"] = {"tool": "Read", "file": call["names"]["file"], "chars": chars,
                           "tokens_out": self._seen(whole)}  # fmt: skip

    def _request(self) -> None:
        self.input_sum += self.context
        self.at += self.random.uniform(1.5, 6.0)

    def _write(self, tokens: int) -> None:
        tokens += self._draw(self.kind.thought)
        self.context += tokens
        self.output_sum += tokens

    def _tell(self, kind: str, ends: bool = False, gap: float = 3.0, **fields: Any) -> None:
        self.at += gap
        record = {"kind": kind, "at": round(self.at, 3), "generation": f"g{self.turn}", **fields}
        self.steps.append(Step(record, self.context, self.turn, ends))

    def _draw(self, bounds: tuple[int, int]) -> int:
        """Skewed to the small side, as sizes are."""
        low, high = bounds
        return low + round((high - low) * self.random.random() ** 2)

    def _seen(self, tokens: int) -> int:
        factor = self.random.gauss(self.kind.error, self.kind.spread * self.kind.error)
        return max(1, round(tokens * max(0.3, factor)))
