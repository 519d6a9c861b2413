"""The error of the estimate for each kind of text, as a table, and its block in docs/performance.md."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from typing import NamedTuple

from safepoint.hot.textweight import tokens

from .corpus import Text
from .tokenizers import VERSIONS

PAGE = Path(__file__).resolve().parents[3] / "docs/performance.md"
BEGIN, END = "<!-- accuracy: python -m tools.bench.accuracy --write -->", "<!-- end of accuracy -->"
MEAN_BOUND, WORST_BOUND = 0.12, 0.20
LARGE = 20_000_000  # characters, whose time is told


class Row(NamedTuple):
    kind: str
    texts: int
    characters: float  # in a token, by the dearer tokenizer
    apart: float  # Anthropic's count over o200k's
    error: float  # mean of the texts' errors, without their signs
    bias: float  # of all texts of the kind together


def rows(held: list[tuple[Text, tuple[int, int]]]) -> list[Row]:
    found = []
    for kind in dict.fromkeys(text.kind for text, _ in held):
        mine = [(tokens(text.body), real, len(text.body)) for text, real in held if text.kind == kind]
        dearer = sum(max(real) for _, real, _ in mine)
        found.append(
            Row(
                kind,
                len(mine),
                sum(size for *_, size in mine) / dearer,
                sum(real[0] for _, real, _ in mine) / sum(real[1] for _, real, _ in mine),
                sum(abs(guess / max(real) - 1) for guess, real, _ in mine) / len(mine),
                sum(guess for guess, *_ in mine) / dearer - 1,
            )
        )
    return found


def mean(found: list[Row]) -> float:
    return sum(row.error for row in found) / len(found)


def worst(found: list[Row]) -> Row:
    return max(found, key=lambda row: row.error)


def holds(found: list[Row]) -> bool:
    return mean(found) <= MEAN_BOUND and worst(found).error <= WORST_BOUND


def render(found: list[Row]) -> str:
    lines = [
        "| kind of text | texts | characters a token | Anthropic / o200k | mean error | bias |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in found:
        figures = f"{row.texts} | {row.characters:.2f} | {row.apart:.2f}"
        lines.append(f"| {row.kind} | {figures} | {row.error:.1%} | {row.bias:+.1%} |")
    lines.append(f"| **mean** | {sum(row.texts for row in found)} | | | **{mean(found):.1%}** | |")
    versions = ", ".join(f"{name} {version}" for name, version in VERSIONS.items())
    machine = f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} cores"
    lines += ["", f"{versions}; {machine}. Twenty million characters: {_large_ms():.0f} ms."]
    return "\n".join(lines)


def _large_ms() -> float:
    text = "The basket keeps its discount until `order.paid` is set to 1.\n" * (LARGE // 62)
    took = []
    for _ in range(5):
        began = time.process_time()
        tokens(text)
        took.append(time.process_time() - began)
    return sorted(took)[2] * 1000


def write(found: list[Row], page: Path = PAGE) -> None:
    text = page.read_text(encoding="utf-8")
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no block for this table")
    page.write_text(f"{head}{BEGIN}\n{render(found)}\n{END}{tail}", encoding="utf-8")
