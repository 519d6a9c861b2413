from __future__ import annotations

import base64
import hashlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot.textweight import tokens, value_tokens

PROSE = "The agent stops at a point where its state is known, and the next chat goes on from there. "
CODE = "def decide(state, event, settings):\n    if state.level == 'red':\n        return deny(state)\n"
JAPANESE = "コンテキストが上限に近づいたら、作業の状態を保存してから停止し、次のセッションで再開する。"
HEX = " ".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(20))
BLOB = base64.b64encode(b"".join(hashlib.sha256(bytes([n])).digest() for n in range(60))).decode()


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        pytest.param(PROSE, 3.4, 5.0, id="prose"),
        pytest.param(CODE, 2.9, 4.5, id="code"),
        pytest.param(HEX, 1.4, 1.9, id="hex"),
        pytest.param(BLOB, 1.3, 2.1, id="base64"),
        pytest.param(JAPANESE, 0.8, 1.2, id="japanese"),
        pytest.param("系统在停止之前保存工作状态然后从那里继续", 0.75, 1.2, id="chinese"),
        pytest.param("시스템은 중지하기 전에 작업 상태를 저장합니다", 0.8, 1.6, id="korean"),
        pytest.param("Система сохраняет состояние работы перед остановкой", 1.8, 3.5, id="russian"),
        pytest.param("Το σύστημα αποθηκεύει την κατάσταση πριν σταματήσει", 0.9, 2.8, id="greek"),
        pytest.param("Le système enregistre l'état avant d'arrêter la tâche", 2.2, 4.4, id="french"),
        pytest.param("🎉🚀✅🔥👍", 0.4, 0.8, id="emoji"),
        pytest.param(" " * 4000, 10, 60, id="blank"),
    ],
)
def test_characters_per_token(text: str, low: float, high: float) -> None:
    assert low <= len(text * 20) / tokens(text * 20) <= high


@given(st.text())
def test_weight_lies_between_the_characters_and_the_bytes(text: str) -> None:
    assert (tokens(text) == 0) == (text == "")
    assert (
        len(text) * 0.02
        <= tokens(text) + text.count("\r")
        <= 1 + 1.7 * len(text.encode("utf-8", "surrogatepass"))
    )


@settings(max_examples=20)
@given(st.text(min_size=1, max_size=200), st.integers(2, 500))
def test_repeating_a_text_repeats_its_weight(text: str, times: int) -> None:
    short, long = tokens(text * 50) / 50, tokens(text * 50 * times) / (50 * times)
    assert long == pytest.approx(short, rel=0.35, abs=0.5)


@pytest.mark.parametrize("text", ["\ud800", "a\udcffb", "\0", "\ud83d\ude00"], ids=ascii)
def test_odd_text_is_weighed(text: str) -> None:
    assert tokens(text) > 0


@pytest.mark.parametrize("text", [CODE, JAPANESE, "🎉 ok "], ids=["code", "japanese", "emoji"])
def test_twenty_megabytes_take_no_time(text: str) -> None:
    large = text * (20_000_000 // len(text))
    started = time.process_time()
    weight = tokens(large)
    assert time.process_time() - started < 0.1
    assert weight == pytest.approx(tokens(text * 100) * (len(large) / (len(text) * 100)), rel=0.05)


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        pytest.param("word", 1, 2, id="text"),
        pytest.param("", 0, 0, id="empty-text"),
        pytest.param(None, 1, 3, id="null"),
        pytest.param({}, 1, 2, id="empty-object"),
        pytest.param([True, 12, 1.5], 5, 12, id="scalars"),
        pytest.param({"command": "git status", "timeout": 10}, 8, 14, id="tool-input"),
        pytest.param({"a": [{"b": JAPANESE}]}, len(JAPANESE) * 0.9, len(JAPANESE) * 1.4, id="nested"),
        pytest.param([object(), b"x"], 2, 6, id="unknown"),
        pytest.param(10**100_000, 30_000, 100_000, id="huge-number"),
    ],
)
def test_value_weight(value: object, low: float, high: float) -> None:
    assert low <= value_tokens(value) <= high


def test_deep_wide_and_circular_values_end() -> None:
    deep: list[object] = []
    for _ in range(50_000):
        deep = [deep]
    circle: list[object] = []
    circle.extend([circle, circle])
    started = time.process_time()
    assert value_tokens(deep) >= 50_000
    assert value_tokens(circle) > 0
    assert value_tokens([0] * 1_000_000) > 1_000_000
    assert time.process_time() - started < 2
    while deep:
        deep = deep.pop()  # type: ignore[assignment]
