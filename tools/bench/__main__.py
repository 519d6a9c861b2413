"""`python -m tools.bench latency`: what the hooks cost, against bare Python and against other ways.

`python -m tools.bench imports`: what single imports cost a process.

Every figure is a ratio of whole processes that ran right beside each other, through the registered command.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

from . import cases, imports, latency, scale, table
from .scratch import Repository


def main() -> int:
    """0 where every bound is kept within the slack, else 1."""
    asked = _arguments()
    runs = asked.runs or (11 if asked.quick else 31)
    python = shutil.which(asked.python) or sys.executable
    if asked.what == "imports":
        print(table.text(imports.costs(sys.executable, runs), runs, asked.slack, sys.executable))
        return 0
    folder = Path(tempfile.mkdtemp(prefix="safepoint-bench-"))
    try:
        rows = _measure(folder, python, runs, asked.quick)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    block = table.text(rows, runs, asked.slack, python)
    if asked.json:
        figures = [row._asdict() for row in rows]
        print(json.dumps({"runs": runs, "machine": table.machine(python), "rows": figures}))
    else:
        print(block)
    if asked.write:
        table.write(block)
    return 0 if all(row.holds(asked.slack) for row in rows) else 1


def _measure(folder: Path, python: str, runs: int, quick: bool) -> list[latency.Row]:
    """All rows; progress goes to stderr."""
    _say("preparing the scratch repositories")
    day, red = Repository(folder / "day/shop", python), Repository(folder / "red/shop", python)
    green = cases.green(day, quick)
    timed = [*green, *cases.rivals(green[0])]
    _say(f"{len(timed)} cases, {runs} rounds")
    rows = latency.paired(timed, runs)
    _say("Red and the start of a chat")
    rows += latency.paired(cases.rare(red, quick), max(5, runs // 2))[1:]
    rows += latency.paired(cases.cold(Repository(folder / "cold/shop", python)), max(5, runs // 3))[1:]
    _say("large payloads, many at once")
    rows += scale.large_payload(green[0], 5)
    rows += scale.together(Repository(folder / "many/shop", python), 1 if quick else 4)
    if not quick:
        _say("long transcripts and journals")
        rows += scale.flat(folder, python, runs)
    return rows


def _say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("what", choices=["latency", "imports"])
    parser.add_argument("--runs", type=int, default=0, help="rounds (default 31; 11 with --quick)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, without the long files")
    parser.add_argument("--slack", type=float, default=0.15, help="how far a bound may be passed (0.15)")
    parser.add_argument("--python", default="/usr/bin/python3", help="the interpreter of the hooks")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--write", action="store_true", help="also put the table into docs/performance.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
