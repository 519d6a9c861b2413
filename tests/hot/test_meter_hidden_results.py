"""Cursor: what is only guessed of results stops nobody, and what is learned of some is not true of others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from early_stops import of_cursor
from hidden_results import WINDOW, Seen, drawn, play

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
    full = [end for end in seen if end.ends_turn and end.context >= 0.85 * WINDOW]
    assert full and {end.level for end in full} == {"red"}


def test_what_is_guessed_is_left_out_of_account_at_red() -> None:
    meter: Any = {"exact": 130_000, "exact_source": "turn_sum", "found": 6_000, "found_ratio": 7.0,
                  "error": 0.0, "window": WINDOW, "window_source": "host", "window_model": "m"}  # fmt: skip
    found = reading(meter, "cursor", "m", SETTINGS)
    assert (found["tokens"], found["margin"], level(found, SETTINGS)) == (172_000, 42_000, "yellow")
    meter.update(found=0, exact=172_000, unsure=9_000)  # what they leave a figure uncertain by
    found = reading(meter, "cursor", "m", SETTINGS)
    assert (found["margin"], level(found, SETTINGS)) == (9_000, "red")


def ends(turns: list[list[int]]) -> list[Seen]:
    return [seen for seen in play(turns, SETTINGS) if seen.ends_turn]


QUIET, FULL = [[100] * 5] * 3, [16_000] * 9


def test_a_context_that_is_filled_within_one_turn_is_yellow_at_once_and_red_with_the_next() -> None:
    filled, agreeing = ends([*QUIET, FULL, [100] * 3])[3:]
    assert (filled.level, filled.source) == ("yellow", "unconfirmed")
    assert filled.tokens == pytest.approx(filled.context, rel=0.05)
    assert (agreeing.level, agreeing.source) == ("red", "turn_sum")


def test_two_turns_agree_at_other_numbers_of_calls_only() -> None:
    """As many unseen calls beside as many seen ones make the same figure of each turn."""
    assert [end.level for end in ends([*QUIET, FULL, [100] * 9])[3:]] == ["yellow", "yellow"]


def test_between_the_two_the_rejected_figure_stays_in_sight_and_grows() -> None:
    chat = play([*QUIET, FULL, [100] * 3], SETTINGS)
    seen = [seen for seen in chat if seen.turn == 4 and not seen.ends_turn]
    assert {(call.level, call.source) for call in seen} == {("yellow", "unconfirmed")}
    assert seen[-1].tokens > seen[0].tokens > 0.8 * WINDOW


def test_a_figure_that_no_window_holds_is_not_shown_but_ends_what_was_measured() -> None:
    meter: Any = {"exact": 30_000, "exact_source": "turn_sum", "rejected": 1, "window": WINDOW}
    found = reading(meter, "cursor", "m", SETTINGS)
    assert (found["tokens"], found["source"]) == (30_000, "estimate")


def test_calls_that_no_hook_saw_do_not_agree_by_chance() -> None:
    """Two simulated chats without a result of unknown size that a chance agreement would have stopped."""
    for seed in (1776, 2994):
        stop = of_cursor(seed, SETTINGS)
        assert stop.kind == "unhooked" and not stop.is_early, stop
