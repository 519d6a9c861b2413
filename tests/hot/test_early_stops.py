"""No chat is stopped while its true context is below Yellow. `tools/bench` asks 10,000 of them."""

from __future__ import annotations

import json
from pathlib import Path

from early_stops import of_claude, of_cursor

SETTINGS = json.loads((Path(__file__).resolve().parents[2] / "hooks/settings.json").read_text())


def test_no_chat_is_stopped_below_yellow() -> None:
    stops = [of(seed, SETTINGS) for seed in range(150) for of in (of_cursor, of_claude)]
    assert [stop for stop in stops if stop.is_early] == []
    assert sum(stop.context > 0 for stop in stops) > 0.9 * len(stops)
