from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot.meters.window import context_param, fullest, normalize, parse_tokens, resolve

WINDOWS: Any = {
    "claude_code": {
        "default": 200_000,
        "models": {"claude-sonnet-4-5": 200_000, "claude-opus-4-8": 1_000_000, "claude-sonnet-4-6": 200_000},
        "ambiguous": ["claude-sonnet-4-6"],
    },
    "cursor": {
        "default": 200_000,
        "models": {"claude-4.5-sonnet": 200_000, "gpt-5.1": 272_000, "gemini-2.5-pro": 1_000_000},
        "ambiguous": [],
    },
}


def window(
    model: str, host: Any = "claude_code", meter: Any = None, env: Any = None, tokens: int | None = None
) -> Any:
    return resolve(host, model, meter or {}, WINDOWS, env, tokens)


SPELLINGS = [
    "claude-sonnet-4-5",
    "claude-4.5-sonnet",
    "claude-sonnet-4-5-20250929",
    "claude-4.5-sonnet-thinking",
    "claude-4-5-sonnet",
    "anthropic/claude-sonnet-4.5",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "claude-sonnet-4-5@20250929",
    "claude-sonnet-4-5[1m]",
    "Claude-Sonnet-4-5",
    " claude-sonnet-4-5-latest ",
]


@pytest.mark.parametrize("model", SPELLINGS)
def test_one_model_has_one_name(model: str) -> None:
    assert normalize(model) == "claude-sonnet 4.5"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("claude-sonnet-4-5", "claude-sonnet-4"),
        ("claude-sonnet-4-5", "claude-sonnet-4-6"),
        ("claude-sonnet-4-5", "claude-opus-4-5"),
        ("gpt-5", "gpt-5-mini"),
        ("gpt-5.1", "gpt-5.1-codex"),
        ("gpt-4o", "gpt-4"),
        ("composer-2", "composer-2.5"),
    ],
)
def test_different_models_stay_apart(one: str, other: str) -> None:
    assert normalize(one) != normalize(other)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("claude-sonnet-4-0", "claude-sonnet-4"),
        ("composer-2.5-fast", "composer-2.5"),
        ("gpt-5-high", "gpt-5"),
    ],
)
def test_how_a_model_is_run_makes_no_difference(model: str, expected: str) -> None:
    assert normalize(model) == normalize(expected)


@pytest.mark.parametrize(
    ("host", "model", "expected"),
    [
        ("claude_code", "claude-sonnet-4-5-20250929", (200_000, "model_table")),
        ("claude_code", "claude-opus-4-8", (1_000_000, "model_table")),
        ("claude_code", "claude-sonnet-4-6", (200_000, "ambiguous")),
        ("claude_code", "claude-sonnet-4-6[1m]", (1_000_000, "host")),
        ("claude_code", "claude-next-9", (200_000, "host_default")),
        ("claude_code", "", (200_000, "host_default")),
        ("cursor", "claude-sonnet-4-5", (200_000, "model_table")),
        ("cursor", "gpt-5.1-high", (272_000, "model_table")),
        ("cursor", "default", (200_000, "host_default")),
        ("other", "gpt-5.1", (None, "unknown")),
    ],
)
def test_table(host: Any, model: str, expected: Any) -> None:
    assert window(model, host) == expected


HOST = {"window": 300_000, "window_source": "host", "window_model": "claude-sonnet-4-6"}


def test_what_the_host_stated_comes_first() -> None:
    assert window("claude-sonnet-4-6", meter=HOST) == (300_000, "host")
    assert window("claude-sonnet-4-6", meter=HOST, tokens=290_000) == (300_000, "host")


def test_a_stated_window_is_not_another_models() -> None:
    assert window("claude-opus-4-8", meter=HOST) == (1_000_000, "model_table")
    assert window("default", "cursor", meter=HOST) == (300_000, "host")


def test_a_learned_window_comes_before_the_table() -> None:
    meter = {"window": 1_000_000, "window_source": "learned", "window_model": "claude-4.6-sonnet"}
    assert window("claude-sonnet-4-6", meter=meter) == (1_000_000, "learned")


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (None, (200_000, "model_table")),
        (200_000, (200_000, "model_table")),
        (200_001, (1_000_000, "ambiguous")),
        (1_200_000, (1_000_000, "ambiguous")),
    ],
)
def test_more_than_the_host_would_keep_proves_a_larger_window(tokens: int | None, expected: Any) -> None:
    assert window("claude-sonnet-4-5", tokens=tokens) == expected


@pytest.mark.parametrize(
    ("host", "size", "point"),
    [("claude_code", 200_000, 200_000), ("claude_code", 1_000_000, 1_000_000), ("cursor", 200_000, 184_000)],
)
def test_fullest_context_of_a_window(host: Any, size: int, point: int) -> None:
    assert fullest(host, size) == point


def test_environment_of_the_client_counts() -> None:
    assert window("claude-opus-4-8", env={"CLAUDE_CODE_DISABLE_1M_CONTEXT": "1"}) == (200_000, "model_table")
    assert window("claude-sonnet-4-6", env={"CLAUDE_CODE_DISABLE_1M_CONTEXT": "true"}) == (
        200_000,
        "model_table",
    )
    assert window("claude-sonnet-4-6", env={"CLAUDE_CODE_DISABLE_1M_CONTEXT": "0"}) == (200_000, "ambiguous")
    assert window("claude-sonnet-4-6", env={"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "120000"}) == (120_000, "host")


def test_the_clients_environment_says_nothing_of_cursor() -> None:
    assert window("gpt-5.1", "cursor", env={"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "120000"}) == (
        272_000,
        "model_table",
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1m", 1_000_000),
        ("200k", 200_000),
        ("272000", 272_000),
        ("1.5M", 1_500_000),
        ("200_000", 200_000),
        (400_000, 400_000),
        ("", None),
        ("large", None),
        ("0", None),
        ("-5k", None),
        ("nan", None),
        ("inf", None),
        (True, None),
        (None, None),
    ],
)
def test_parse_tokens(value: Any, expected: int | None) -> None:
    assert parse_tokens(value) == expected


def test_context_param() -> None:
    assert context_param([{"id": "fast", "value": "true"}, {"id": "context", "value": "1m"}]) == 1_000_000
    for params in (None, "x", [], [1], [{"id": "context"}], [{"id": "fast", "value": "1m"}]):
        assert context_param(params) is None


@given(model=st.text(max_size=40))
def test_any_id_has_a_window(model: str) -> None:
    size, source = window(model)
    assert size and size > 0 and source in ("host_default", "model_table", "ambiguous", "host")
    assert normalize(normalize(model)) == normalize(model)


@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("claude-sonnet-4-6[1m]", (1_000_000, "host")),
        ("claude-sonnet-4-6", (200_000, "model_table")),
        ("", (200_000, "ambiguous")),
    ],
)
def test_the_model_as_it_was_asked_for_settles_the_window(requested: str, expected: Any) -> None:
    meter = {"transcript": {"requested": requested}}
    assert window("claude-sonnet-4-6", meter=meter) == expected
