"""Margin, hysteresis and overrides: what lies between a figure and a level."""

from __future__ import annotations

from typing import Any

import pytest
from test_meter_reading import SETTINGS, claude, cursor, made, transcript

from safepoint.hot.meters import account
from safepoint.hot.meters.cursor import LOST_TOKENS
from safepoint.hot.meters.reading import level, reading, thresholds


def with_budget(**budget: Any) -> Any:
    return {**SETTINGS, "budget_thresholds": {**SETTINGS["budget_thresholds"], **budget}}


@pytest.mark.parametrize(
    ("tokens", "margin", "expected"),
    [(156_000, 0, "red"), (156_000, 1, "yellow"), (160_000, 4_000, "red"), (160_000, 4_001, "yellow")],
)
def test_red_is_what_is_above_it_without_the_margin(tokens: int, margin: int, expected: str) -> None:
    assert level(made(tokens, margin=margin), SETTINGS) == expected


def test_what_was_measured_has_no_margin() -> None:
    assert "margin" not in claude(transcript=transcript(output=500))


@pytest.mark.parametrize(
    ("meter", "margin"),
    [
        pytest.param({"exact": 90_000, "growth": 10_000}, 1_200, id="assumed"),
        pytest.param({"exact": 90_000, "growth": 10_000, "error": 0.3}, 3_000, id="observed"),
        pytest.param({"exact": 90_000, "growth": 10_000, "lost": 1}, LOST_TOKENS + 1_200, id="lost payload"),
    ],
)
def test_margin_is_what_the_estimates_were_off_by(meter: Any, margin: int) -> None:
    assert cursor(**meter)["margin"] == margin


def turn(meter: Any, name: str, growth: int, input_sum: int) -> Any:
    for fields in (
        {"kind": "prompt", "tokens_in": growth},
        {"kind": "turn_end", "input_sum": input_sum, "output_sum": 1},
    ):
        meter = account.apply(meter, {"at": 1.0, "generation": name, **fields})  # type: ignore[typeddict-item]
    return meter


def test_each_figure_tells_how_far_the_estimate_was_off() -> None:
    meter = turn({"host": "cursor", "exact": 50_000, "exact_source": "host"}, "a", 4_000, 55_000)
    assert 0.1 < meter["error"] < 0.3


def test_yellow_ends_below_where_it_began() -> None:
    for tokens, expected in ((119_999, "yellow"), (116_000, "yellow"), (115_999, "green")):
        assert level(made(tokens), SETTINGS, 0, "yellow") == expected
    assert level(made(119_999), SETTINGS, 0, "green") == "green"
    assert level(made(119_999), with_budget(hysteresis_ratio=0.0), 0, "yellow") == "green"


ROWS = [
    {"host": "cursor", "model": "claude-opus-4-8", "red_tokens": 100_000},
    {"host": "cursor", "yellow_ratio": 0.5, "red_ratio": 0.7},
    {"model": "claude-opus-4.8", "yellow_tokens": 300_000, "red_tokens": 400_000},
]


@pytest.mark.parametrize(
    ("host", "model", "expected"),
    [
        ("cursor", "claude-4.8-opus-thinking", (100_000, 100_000)),
        ("cursor", "gpt-5", (100_000, 140_000)),
        ("claude_code", "claude-opus-4-8", (300_000, 400_000)),
        ("claude_code", "claude-haiku-4-5", (120_000, 156_000)),
    ],
)
def test_first_row_that_fits_is_laid_over_the_tier(host: Any, model: str, expected: tuple[int, int]) -> None:
    settings = with_budget(overrides=ROWS)
    assert thresholds(reading({}, host, model, settings), settings) == expected


def test_a_reading_names_its_model_only_where_thresholds_ask_for_it() -> None:
    assert "model" not in claude("m", transcript=transcript())
