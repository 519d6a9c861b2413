"""Simulated chats: is one stopped while its true context is below Yellow?

python -m tools.bench.early_stops [CHATS [SEED]]   10,000 of both hosts, or so many, from that seed on
python -m tools.bench.early_stops --unseen [CHATS [SEED]]   of Cursor, most of whose calls no hook sees
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CHATS, UNSEEN = 10_000, 1_500


def main(arguments: list[str]) -> int:
    """0 where none was stopped below Yellow, else 1; of ``--unseen`` chats the figures are only told."""
    sys.path.insert(0, str(ROOT / "tests/hot"))
    from early_stops import of_claude, of_cursor, of_unseen

    settings = json.loads((ROOT / "hooks/settings.json").read_text(encoding="utf-8"))
    is_unseen = arguments[:1] == ["--unseen"]
    numbers = [int(argument) for argument in arguments[is_unseen:]]
    chats, first = [*numbers, *(UNSEEN if is_unseen else CHATS, 0)[len(numbers) :]]
    kinds = (of_unseen,) if is_unseen else (of_cursor, of_claude)
    stops = [of(seed, settings) for seed in range(first, first + chats // len(kinds)) for of in kinds]
    early = [stop for stop in stops if stop.is_early]
    for stop in early[:10]:
        print(stop)
    for host in ("cursor", "claude_code")[: len(kinds)]:
        _tell(host, [stop for stop in stops if stop.host == host])
    print(f"{len(early)} of {len(stops)} stopped below Yellow")
    return 1 if early and not is_unseen else 0


def _tell(host: str, stops: list[Any]) -> None:
    stopped = [stop.context / stop.yellow for stop in stops if stop.context]
    never = len(stops) - len(stopped)
    low, middle = min(stopped), statistics.median(stopped)
    print(f"{host}: {len(stopped)} stopped, at {low:.2f} to {max(stopped):.2f} of Yellow's tokens, "
          f"half of them above {middle:.2f}; {never} not stopped before the host compacts")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
