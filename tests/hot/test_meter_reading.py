from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot.meters.cursor import HIDDEN_TOKENS, LOST_TOKENS, START_TOKENS
from safepoint.hot.meters.reading import level, proxy_reading, reading, thresholds

SETTINGS: Any = {
    "budget_thresholds": {
        "tiers": [
            {"window": 1_000_000, "yellow_ratio": 0.60, "red_ratio": 0.85},
            {"window": 200_000, "yellow_ratio": 0.60, "red_ratio": 0.78},
            {"window": 300_000, "yellow_ratio": 0.60, "red_ratio": 0.80},
        ],
        "proxies": {
            "prompts": {"yellow": 35, "red": 70},
            "shell_bytes": {"yellow": 768_000, "red": 4_194_304},
        },
        "deny_on": ["host", "transcript", "turn_sum"],
    },
    "windows": {
        "claude_code": {"default": 200_000, "models": {"claude-opus-4-8": 1_000_000}, "ambiguous": ["mixed"]},
        "cursor": {"default": 200_000, "models": {}, "ambiguous": []},
    },
}


def made(tokens: int | None = 0, window: int | None = 200_000, **fields: Any) -> Any:
    base = {"tokens": tokens, "measured": tokens, "estimated": 0, "window": window}
    return {**base, "source": "transcript", "window_source": "model_table", **fields}


def claude(model: str = "", env: Any = None, **meter: Any) -> Any:
    return reading(meter, "claude_code", model, SETTINGS, env)  # type: ignore[arg-type]


def cursor(model: str = "", **meter: Any) -> Any:
    return reading(meter, "cursor", model, SETTINGS)  # type: ignore[arg-type]


def transcript(base: int | None = 10_000, **fields: Any) -> Any:
    return {"base": base, "output": 0, "after": 0, "boundary": False, **fields}


# --- Claude Code -----------------------------------------


def test_claude_adds_what_the_usage_does_not_hold() -> None:
    found = claude(transcript=transcript(output=500, after=70), unseen={"c1": 30, "in:c2": 4})
    assert found == made(10_604, measured=10_500, estimated=104, margin=12, window_source="host_default")


@pytest.mark.parametrize(
    "meter",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"unseen": {"prompt": 900_000}}, id="no transcript yet"),
        pytest.param({"transcript": transcript(None, boundary=True)}, id="boundary without a figure"),
        pytest.param({"transcript": transcript(None), "unseen": {"c": 10**6}}, id="no usage found"),
    ],
)
def test_claude_unknown_is_never_full(meter: Any) -> None:
    found = claude(**meter)
    assert (found["tokens"], found["measured"], found["source"]) == (None, None, "unknown")
    assert level(found, SETTINGS, 0) == "green"


def test_claude_boundary_with_a_figure_is_a_reading() -> None:
    found = claude(transcript=transcript(24_000, boundary=True, after=100))
    assert (found["tokens"], found["source"]) == (24_100, "transcript")


def test_claude_figure_of_a_resumed_chat() -> None:
    found = claude(exact=90_000, exact_source="host", unseen={"prompt": 50})
    assert (found["tokens"], found["measured"], found["source"]) == (90_050, 90_000, "host")


def test_window_follows_the_model_that_is_known() -> None:
    assert claude("claude-opus-4-8")["window"] == 1_000_000
    assert claude(model="", transcript=transcript(), unseen={})["window"] == 200_000
    found = reading({"model": "claude-opus-4-8"}, "claude_code", "", SETTINGS, None)
    assert (found["window"], found["window_source"]) == (1_000_000, "model_table")


def test_a_stated_context_proves_a_larger_window() -> None:
    found = claude(transcript=transcript(200_001))
    assert (found["window"], found["window_source"]) == (1_000_000, "ambiguous")


def test_an_estimate_proves_nothing() -> None:
    found = claude(transcript=transcript(150_000, after=60_000))
    assert (found["tokens"], found["window"]) == (210_000, 200_000)
    assert level(found, SETTINGS, 0) == "red"


# --- Cursor -----------------------------------------


def test_cursor_nothing_is_unknown() -> None:
    assert cursor()["source"] == "unknown" and cursor()["tokens"] is None


def test_cursor_before_any_figure() -> None:
    found = cursor(growth=1000)
    assert found["tokens"] == found["estimated"] == START_TOKENS + 1000
    assert (found["measured"], found["source"]) == (None, "estimate")


def test_cursor_grows_from_its_last_figure() -> None:
    found = cursor(exact=100_000, exact_source="turn_sum", growth=1000, ratio=1.5, calls=2)
    assert (found["measured"], found["estimated"]) == (100_000, 1500 + 2 * HIDDEN_TOKENS)
    assert found["tokens"] == found["measured"] + found["estimated"]
    assert found["source"] == "turn_sum"


@pytest.mark.parametrize(
    ("meter", "source"),
    [
        ({"exact": 100_000, "exact_source": "host"}, "host"),
        ({"exact": 75_000, "exact_source": "host", "growth": 25_000}, "host"),
        ({"exact": 75_000, "exact_source": "host", "growth": 25_001}, "estimate"),
        ({"exact": 100_000, "exact_source": "turn_sum", "lost": 1}, "estimate"),
        ({"exact": 100_000, "exact_source": "turn_sum", "doubt": 1}, "unconfirmed"),
        ({"exact": 100_000, "exact_source": "turn_sum", "doubt": 1, "lost": 1}, "unconfirmed"),
    ],
)
def test_cursor_figure_that_is_mostly_guessed_is_an_estimate(meter: Any, source: str) -> None:
    assert cursor(**meter)["source"] == source


def test_cursor_lost_payload_is_a_large_growth() -> None:
    assert cursor(exact=50_000, exact_source="host", lost=2)["estimated"] == 2 * LOST_TOKENS


def test_cursor_after_a_compaction_is_unknown_once_the_model_went_on() -> None:
    stated = {"exact": 181_000, "exact_source": "host", "compacted": True}
    assert cursor(**stated)["tokens"] == 181_000
    assert cursor(**stated, calls=1)["tokens"] is None


def test_a_figure_in_doubt_proves_no_larger_window() -> None:
    assert cursor(exact=400_000, exact_source="turn_sum", doubt=1)["window"] == 200_000
    assert cursor(exact=400_000, exact_source="turn_sum")["window_source"] == "ambiguous"


# --- thresholds and levels -----------------------------------------


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (128_000, (76_800, 99_840)),
        (200_000, (120_000, 156_000)),
        (200_001, (120_001, 160_001)),
        (300_000, (180_000, 240_000)),
        (1_000_000, (600_000, 850_000)),
        (2_000_000, (1_200_000, 1_700_000)),
        (None, (120_000, 156_000)),
    ],
)
def test_thresholds_by_window(window: int | None, expected: Any) -> None:
    assert thresholds(made(window=window), SETTINGS, 0) == expected


@pytest.mark.parametrize(
    ("extended", "red"), [(0, 156_000), (20_000, 176_000), (38_000, 194_000), (10**9, 194_000), (-5, 156_000)]
)
def test_an_extension_ends_before_the_window(extended: int, red: int) -> None:
    assert thresholds(made(), SETTINGS, extended) == (120_000, red)


def test_an_extension_never_lowers_red() -> None:
    tiers = [{"window": 200_000, "yellow_ratio": 0.9, "red_ratio": 0.99}]
    assert thresholds(made(), with_tiers(tiers), 5000) == (180_000, 198_000)


def test_absolute_caps() -> None:
    tier = {"window": 1_000_000, "yellow_ratio": 0.6, "red_ratio": 0.85, "yellow_tokens": 300_000}
    settings = with_tiers([tier])
    assert thresholds(made(window=1_000_000), settings, 0) == (300_000, 850_000)
    tier["red_tokens"] = 250_000
    assert thresholds(made(window=1_000_000), settings, 0) == (250_000, 250_000)


def with_tiers(tiers: Any) -> Any:
    return {**SETTINGS, "budget_thresholds": {**SETTINGS["budget_thresholds"], "tiers": tiers}}


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (None, "green"),
        (0, "green"),
        (119_999, "green"),
        (120_000, "yellow"),
        (155_999, "yellow"),
        (156_000, "red"),
        (400_000, "red"),
    ],
)
def test_level_begins_at_the_figure_itself(tokens: int | None, expected: str) -> None:
    assert level(made(tokens), SETTINGS, 0) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"source": "host"}, "red"),
        ({"source": "turn_sum"}, "red"),
        ({"source": "estimate"}, "yellow"),
        ({"source": "unconfirmed"}, "yellow"),
        ({"source": "proxy"}, "yellow"),
        ({"source": "unknown"}, "green"),
        ({"window_source": "host"}, "red"),
        ({"window_source": "learned"}, "red"),
        ({"window_source": "host_default"}, "red"),
        ({"window_source": "ambiguous"}, "yellow"),
        ({"window_source": "unknown"}, "yellow"),
        ({"window": None, "window_source": "unknown"}, "yellow"),
    ],
)
def test_what_is_not_known_well_enough_stops_nobody(fields: Any, expected: str) -> None:
    assert level(made(199_000, **fields), SETTINGS, 0) == expected


def test_an_extension_moves_red_only() -> None:
    assert level(made(160_000), SETTINGS, 20_000) == "yellow"
    assert level(made(176_000), SETTINGS, 20_000) == "red"


# --- proxies -----------------------------------------


@pytest.mark.parametrize(
    ("prompts", "shell_bytes", "tokens", "expected"),
    [
        (0, 0, 0, "green"),
        (34, 767_999, 119_999, "green"),
        (35, 0, 120_000, "yellow"),
        (0, 768_000, 120_000, "yellow"),
        (70, 0, 156_000, "yellow"),
        (10_000, 10**9, None, "yellow"),
    ],
)
def test_a_proxy_reaches_yellow_at_most(
    prompts: int, shell_bytes: int, tokens: int | None, expected: str
) -> None:
    found = proxy_reading(prompts, shell_bytes, SETTINGS)
    assert (found["source"], found["measured"]) == ("proxy", None)
    assert tokens is None or found["tokens"] == tokens
    assert level(found, SETTINGS, 0) == expected


def test_a_proxy_is_laid_on_the_window_that_is_known() -> None:
    found = proxy_reading(35, 0, SETTINGS, made(None, 1_000_000, source="unknown"))
    assert (found["tokens"], found["window"], found["window_source"]) == (600_000, 1_000_000, "model_table")
    assert level(proxy_reading(35, 0, SETTINGS, made(None, None)), SETTINGS, 0) == "yellow"


@given(
    tokens=st.integers(0, 3_000_000),
    more=st.integers(0, 100_000),
    window=st.one_of(st.none(), st.integers(1, 2_500_000)),
    extended=st.integers(-1000, 10**7),
)
def test_laws_of_levels(tokens: int, more: int, window: int | None, extended: int) -> None:
    order = ["green", "yellow", "red"]
    yellow, red = thresholds(made(window=window), SETTINGS, extended)
    assert 0 <= yellow <= red and (window is None or red <= window)
    low = level(made(tokens, window), SETTINGS, extended)
    assert order.index(low) <= order.index(level(made(tokens + more, window), SETTINGS, extended))
    assert order.index(low) <= order.index(level(made(tokens, window), SETTINGS, 0))
