"""10,000 simulated chats: is one stopped while its true context is below Yellow?

python -m tools.bench.early_stops [CHATS]
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHATS = 10_000


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(ROOT / "tests/hot"))
    from early_stops import of_claude, of_cursor

    settings = json.loads((ROOT / "hooks/settings.json").read_text(encoding="utf-8"))
    chats = int(arguments[0]) if arguments else CHATS
    stops = [of(seed, settings) for seed in range(chats // 2) for of in (of_cursor, of_claude)]
    early = [stop for stop in stops if stop.is_early]
    for stop in early[:10]:
        print(stop)
    for host in ("cursor", "claude_code"):
        stopped = [stop.context / stop.yellow for stop in stops if stop.host == host and stop.context]
        never = sum(stop.host == host for stop in stops) - len(stopped)
        low, middle = min(stopped), statistics.median(stopped)
        print(f"{host}: {len(stopped)} stopped, at {low:.2f} to {max(stopped):.2f} of Yellow's tokens, "
              f"half of them above {middle:.2f}; {never} not stopped before the host compacts")  # fmt: skip
    print(f"{len(early)} of {len(stops)} stopped below Yellow")
    return 1 if early else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
