"""Cursor: what is only guessed of results stops nobody, and what is learned of some is not true of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hidden_results import WINDOW, drawn, play

from safepoint.hot.meters.reading import level, reading

SETTINGS = json.loads((Path(__file__).resolve().parents[2] / "hooks/settings.json").read_text())
YELLOW = 0.6 * WINDOW


@pytest.mark.parametrize("before", [[], [[300] * 4]], ids=["first turn", "after small ones"])
@pytest.mark.parametrize("large", [5_000, 8_000, 12_000, 15_000, 20_000, 30_000])
def test_small_results_behind_large_ones_stop_nobody(large: int, before: list[list[int]]) -> None:
    for count in (1, 2, 3, 4):
        for seen in play([*before, [large] * count, [200] * 70], SETTINGS):
            assert seen.level != "red" or seen.context >= 0.7 * WINDOW, (count, seen)


def test_chats_of_all_sizes_are_stopped_above_yellow_only() -> None:
    stops = []
    for seed in range(500):
        red = [seen for seen in play(drawn(seed), SETTINGS) if seen.level == "red"]
        assert all(seen.context >= YELLOW for seen in red), (seed, red)
        stops += red[:1]
    assert len(stops) > 100
    assert sum(stop.context < 0.7 * WINDOW for stop in stops) <= 1


def test_large_results_fill_the_context_and_stop_the_agent() -> None:
    """From the next figure on: a turn's sum is exact enough."""
    seen = play([[6_000] * 3] * 9, SETTINGS)
    ends = [end for end in seen if end.ends_turn and end.context >= 0.85 * WINDOW]
    assert ends and {end.level for end in ends} == {"red"}


def test_what_is_guessed_is_left_out_of_account_at_red() -> None:
    meter: Any = {"exact": 130_000, "exact_source": "turn_sum", "found": 6_000, "found_ratio": 7.0,
                  "error": 0.0, "window": WINDOW, "window_source": "host", "window_model": "m"}  # fmt: skip
    found = reading(meter, "cursor", "m", SETTINGS)
    assert (found["tokens"], found["margin"], level(found, SETTINGS)) == (172_000, 42_000, "yellow")
    meter.update(found=0, exact=172_000, unsure=9_000)  # what they leave a figure uncertain by
    found = reading(meter, "cursor", "m", SETTINGS)
    assert (found["margin"], level(found, SETTINGS)) == (9_000, "red")


QUIET = [[100] * 5] * 3


@pytest.mark.parametrize("filling", [[16_000] * 9, [28_000] * 5, [10_000] * 14, [5_800] * 25])
@pytest.mark.parametrize("calls", [1, 3, 5, 9, 14], ids=lambda calls: f"{calls} calls a turn")
def test_a_context_filled_within_one_turn_is_yellow_at_its_end_and_red_with_the_next(
    filling: list[int], calls: int
) -> None:
    """However many calls the turns have, and be they as many as in the turn that filled it."""
    ends = [seen for seen in play([*QUIET, filling, [100] * calls], SETTINGS) if seen.ends_turn]
    filled, following = ends[3:]
    assert filled.context >= 0.8 * WINDOW and filled.level != "green"
    assert following.level == "red"
    assert following.tokens == pytest.approx(following.context, rel=0.10)


def test_results_of_another_kind_are_no_measure_for_the_next_ones() -> None:
    """One turn of very large results; those of the turns behind it are small again."""
    for seen in play([*QUIET, [16_000] * 7, *[[100] * 5] * 4], SETTINGS):
        if seen.turn > 3:
            assert seen.tokens == pytest.approx(seen.context, rel=0.15), seen
