"""How near the reading of a Cursor chat comes, over simulated chats whose true context is known.

python -m tools.bench.cursor_reading           the table, for each way of working
python -m tools.bench.cursor_reading --write   and into docs/performance.md
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from . import table

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- cursor reading: python -m tools.bench.cursor_reading --write -->"
END = "<!-- end of cursor reading -->"
CHATS, TURNS = 200, 14  # of each kind; of each chat
AT_END, BETWEEN = 0.10, 0.15  # of the true context

KINDS = {
    "chat": "no tools",
    "one_round": "one round a turn",
    "many_rounds": "5 to 25 rounds a turn",
    "parallel": "parallel calls",
    "long_reads": "long results, weighed 15 % too high",
    "japanese": "Japanese, weighed 25 % too high",
    "weighed_low": "all weighed 25 % too low",
    "pictures": "a third of the results pictures",
    "parts": "half of the results parts of large files",
    "mcp": "results of MCP tools, weighed 20 % too high",
    "subagents": "subagents, up to four at once",
    "searches": "40 % of the results unseen, of the usual size",
    "small": "70 % unseen, small ones",
    "large": "40 % unseen, large ones",
    "large_only": "90 % unseen, large ones",
    "lost": "8 % of the payloads lost",
    "unhooked": "25 % of the calls unseen",
    "mixed": "a fifth of the results and 8 % of the calls unseen",
}


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(ROOT / "tests/hot"))
    import cursor_simulator as simulator

    of_results: Any = simulator.KINDS["searches"]
    kinds = {
        **simulator.KINDS,
        "small": of_results._replace(result=(20, 300), searches=0.7),
        "large": of_results._replace(result=(2_000, 9_000)),
        "large_only": of_results._replace(result=(2_000, 9_000), searches=0.9),
    }
    heads = ("way of working", "ends of turns, over 10 % off", "tools of turn 2, over 15 %", "of later turns")
    lines = [f"| {' | '.join(heads)} |", "|---|---:|---:|---:|"]
    for name, words in KINDS.items():
        lines.append(f"| {words} | {' | '.join(map(_share, _misses(simulator, kinds[name])))} |")
    block = "\n".join([*lines, "", f"{CHATS} chats of each, up to {TURNS} turns, from the second turn on."])
    print(block)
    if "--write" in arguments:
        table.write(block, BEGIN, END)
    return 0


def _misses(simulator: Any, kind: Any) -> list[tuple[int, int]]:
    """``(readings, misses)`` at turns' ends, at the tools of the second turn, and at those of later ones."""
    from safepoint.hot.meters import account, cursor

    found = [[0, 0], [0, 0], [0, 0]]
    for seed in range(CHATS):
        meter: Any = {}
        for step in simulator.Chat(kind, seed).run(TURNS):
            meter = account.apply(meter, step.record)
            error = abs(cursor.expected(meter) / step.context - 1)
            if step.turn == 1 or step.record["kind"] == "response":
                continue
            place = found[0 if step.ends_turn else 1 if step.turn == 2 else 2]
            place[0] += 1
            place[1] += error > (AT_END if step.ends_turn else BETWEEN)
    return [(readings, misses) for readings, misses in found]


def _share(place: tuple[int, int]) -> str:
    readings, misses = place
    if not readings:
        return ""
    return f"{misses / readings:.1%}" if misses else "none"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
