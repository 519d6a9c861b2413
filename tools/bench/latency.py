"""Paired medians of whole processes, all cases interleaved in one run."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable
from typing import NamedTuple

from .cases import Case, bare
from .processes import Finished

Clock = Callable[[Finished], float]


class Row(NamedTuple):
    """One line of the table; `figure` and `bound` are in `unit`."""

    name: str
    figure: float
    unit: str
    bound: float | None
    ms: float | None = None
    note: str = ""

    def holds(self, slack: float) -> bool:
        return self.bound is None or self.figure <= self.bound * (1 + slack)


def wall(finished: Finished) -> float:
    """What people wait for."""
    return finished.seconds


def cpu(finished: Finished) -> float:
    """What the process and its children have used: other load on the machine moves it little."""
    return finished.cpu_s


def paired(cases: list[Case], runs: int, clock: Clock = wall) -> list[Row]:
    """Each case against bare Python right before it: the median of the ratios."""
    base = bare(cases[0])
    seconds: dict[str, list[float]] = {case.name: [] for case in cases}
    ratios: dict[str, list[float]] = {case.name: [] for case in cases}
    bares: list[float] = []
    order, chance = list(cases), random.Random(1)
    for number in range(runs + 1):
        chance.shuffle(order)
        for case in order:
            bare_s = clock(base._replace(state=case.state, repository=case.repository).run())
            finished = case.run()
            if finished.code:
                raise RuntimeError(f"{case.name}: exit {finished.code}")
            if number:  # the first round warms the caches
                bares.append(bare_s)
                seconds[case.name].append(clock(finished))
                ratios[case.name].append(clock(finished) / bare_s)
    rows = [Row(base.name, 1.0, "×", None, statistics.median(bares) * 1000)]
    for case in cases:
        ms = statistics.median(seconds[case.name]) * 1000
        rows.append(Row(case.name, statistics.median(ratios[case.name]), "×", case.bound, ms))
    return rows
