"""Fit the prices of `safepoint.hot.textweight`: least relative error over the fitted side of the corpus.

Every kind of text has the same say, however many texts there are of it.  No price is negative, nor is
that of a character in a run of its own kind, so no text can come out cheaper for being longer.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from safepoint.hot import textweight

MODULE = Path(textweight.__file__)
_BEGIN, _END = "# --- prices: written by", "# --- end of prices ---"
_ROUNDS, _SWEEPS = 20, 200
_CLOSE = 0.02  # errors below this do not matter: keeps the weights finite

FLOOR = {b"a": 0.08, b" ": 0.02}  # a word of a thousand letters or a line of blanks is not free
# What is counted: kinds of characters, then neighbours. In classes: a A 0 . blank n(ew line) t(ab) k(ana)
# h(an) g(Hangul) L(atin with accents) C(yrillic) S(igns).
_ASCII = (b"a", b"A", b"0", b".", b" ", b"n", b"t", b" a", b".a", b"na", b"aA", b"0a", b"a0",
          b"0A", b"A0", b" 0", b"..", b"00")  # fmt: skip
_BEYOND = (b"k", b"h", b"g", b"L", b"C", b"S")
FEATURES = _ASCII + _BEYOND
# A run's second character costs what its pair does: the pair's own price is what it adds to the single one's.
_RUNS = {b"..": b".", b"00": b"0"}


class Sample(NamedTuple):
    kind: str
    counts: list[int]
    tokens: int  # by the dearer of the tokenizers


def counts(body: str) -> list[int]:
    kinds = body.encode("utf-8", "surrogatepass").translate(textweight._CLASSES, textweight._LATER)
    return [kinds.count(feature) for feature in FEATURES]


def prices(samples: list[Sample]) -> list[tuple[bytes, float]]:
    """The price of each feature that costs anything, rounded."""
    rows = [[count / sample.tokens for count in _apart(sample.counts)] for sample in samples]
    many = {kind: sum(sample.kind == kind for sample in samples) for kind in {s.kind for s in samples}}
    weights = [1 / many[sample.kind] for sample in samples]
    found = _least_errors(rows, weights)
    for pair, single in _RUNS.items():
        found[FEATURES.index(pair)] -= found[FEATURES.index(single)]
    return [(feature, round(price, 3)) for feature, price in zip(FEATURES, found) if abs(price) >= 0.005]


def _apart(counted: list[int]) -> list[int]:
    """First and second characters of runs apart, so that both have a price that is not negative."""
    apart = list(counted)
    for pair, single in _RUNS.items():
        apart[FEATURES.index(single)] -= counted[FEATURES.index(pair)]
    return apart


def _least_errors(rows: list[list[float]], weights: list[float]) -> list[float]:
    """Weighted least squares, again and again with the weights of least absolute errors."""
    floors = [FLOOR.get(feature, 0.0) for feature in FEATURES]
    found = [max(0.3, floor) for floor in floors]
    mild = [1.0] * len(rows)
    for _ in range(_ROUNDS):
        _sweep(found, floors, *_normal(rows, [weight * m for weight, m in zip(weights, mild)]))
        mild = [1 / max(_CLOSE, abs(_dot(row, found) - 1)) for row in rows]
    return found


def _normal(rows: list[list[float]], weights: list[float]) -> tuple[list[list[float]], list[float]]:
    size = len(FEATURES)
    square, side = [[0.0] * size for _ in range(size)], [0.0] * size
    for row, weight in zip(rows, weights):
        for i, value in enumerate(row):
            if value:
                scaled, line = value * weight, square[i]
                side[i] += scaled
                for j, other in enumerate(row):
                    line[j] += scaled * other
    for i in range(size):
        square[i][i] += 1e-5
    return square, side


def _sweep(found: list[float], floors: list[float], square: list[list[float]], side: list[float]) -> None:
    """Coordinate descent, each price at its best while the others stand, never below its floor."""
    for _ in range(_SWEEPS):
        for i, line in enumerate(square):
            best = found[i] + (side[i] - _dot(line, found)) / line[i]
            found[i] = max(floors[i], best)


def _dot(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right))


def write(found: list[tuple[bytes, float]], module: Path = MODULE) -> None:
    """The prices into the module, between its two marks."""
    page = module.read_text(encoding="utf-8")
    head, begin, rest = page.partition(_BEGIN)
    mark, _, rest = rest.partition("\n")
    _, end, tail = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{module} has no marked block of prices")
    digits = tuple(feature for feature in _ASCII if b"0" in feature)
    capitals = tuple(feature for feature in _ASCII if b"A" in feature and feature not in digits)
    others = tuple(feature for feature in _ASCII if feature not in digits + capitals)
    block = _tuple("_PRICES", found, others) + _tuple("_CAPITAL_PRICES", found, capitals)
    block += _tuple("_DIGIT_PRICES", found, digits) + _tuple("_SCRIPT_PRICES", found, _BEYOND)
    module.write_text(f"{head}{begin}{mark}\n{block}{end}{tail}", encoding="utf-8")


def _tuple(name: str, found: list[tuple[bytes, float]], features: tuple[bytes, ...]) -> str:
    lines = [f'    (b"{feature.decode()}", {price}),\n' for feature, price in found if feature in features]
    return f"{name} = (\n{''.join(lines)})\n"
