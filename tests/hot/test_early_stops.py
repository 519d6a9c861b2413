"""No chat is stopped while its true context is below Yellow. `tools/bench` asks 10,000 of them."""

from __future__ import annotations

import json
from pathlib import Path

from cursor_simulator import KINDS
from early_stops import of_claude, of_cursor, of_kind, of_unseen

SETTINGS = json.loads((Path(__file__).resolve().parents[2] / "hooks/settings.json").read_text())


def test_no_chat_is_stopped_below_yellow() -> None:
    stops = [of(seed, SETTINGS) for seed in range(150) for of in (of_cursor, of_claude)]
    assert [stop for stop in stops if stop.is_early] == []
    assert sum(stop.context > 0 for stop in stops) > 0.9 * len(stops)


def test_a_rise_behind_others_that_were_unseen_calls_is_doubted() -> None:
    """The figure before was too high already, so no number of calls met the sum exactly."""
    stop = of_kind("mixed", KINDS["mixed"], 942, 200_000, SETTINGS)
    assert stop.context > stop.yellow


def test_chats_with_most_calls_unseen_are_hardly_ever_stopped_below_yellow() -> None:
    """What is left are chats in which turn after turn as many calls stay unseen beside as many seen ones."""
    stops = [of_unseen(seed, SETTINGS) for seed in range(400)]
    assert sum(stop.is_early for stop in stops) <= 0.01 * len(stops)
    assert sum(stop.context > 0 for stop in stops) > 0.15 * len(stops)
