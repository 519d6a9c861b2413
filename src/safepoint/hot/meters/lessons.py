"""Cursor: what a new figure says of the estimates that led to it."""

from __future__ import annotations

from .cursor import estimated_growth, expected
from .turn_sum import MAX_RATIO, MIN_RATIO, RATIO_SIGMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Meter

OBSERVED_TOKENS = 2_000  # the error of a smaller growth says little


def learn(meter: Meter, tokens: int, hidden: int) -> None:
    """Correct ``ratio`` by a figure of the host's; a small growth says little about it."""
    growth = meter.get("growth", 0)
    is_sure = "exact" in meter and not meter.get("lost", 0) and not meter.get("doubt", 0)
    if not is_sure or growth + meter.get("found", 0) <= 0 or tokens <= meter["exact"]:
        return
    ratio = meter.get("ratio", 1.0)
    missed = tokens - meter["exact"] - hidden - growth * ratio
    if meter.get("found", 0):
        from . import found

        missed = found.learn(meter, missed, (growth * RATIO_SIGMA) ** 2)
    if growth > 0:
        observed = min(MAX_RATIO, max(MIN_RATIO, ratio + missed / growth))
        meter["ratio"] = round(ratio + (observed - ratio) * growth / (growth + 10_000), 4)


def observe(meter: Meter, before: Meter) -> None:
    """How far the growth estimated in ``before`` was off, by the figure that ``meter`` now has.

    A larger error counts at once, a smaller one by and by; a lost payload was no estimate.
    """
    estimated = estimated_growth(before)
    if _is_open(meter) or "exact_source" not in meter:
        return
    if "exact" not in before or before.get("lost", 0) or estimated < OBSERVED_TOKENS:
        return
    if meter.get("doubt", 0) or before.get("doubt", 0):  # it may be the figure that was off
        return
    error = min(1.0, abs(meter["exact"] - before["exact"] - estimated) / estimated)
    known = meter.get("error", error)
    meter["error"] = round(error if error > known else known + (error - known) * 0.3, 3)


def carry(meter: Meter, before: Meter) -> None:
    """Half of what a solved figure rose above the expected one may be calls that no hook saw.

    A fall takes its half off again; what is left fades by a quarter with every turn that is as expected.
    """
    if _is_open(meter) or "exact" not in before or meter["turn"].get("heard"):
        return
    risen = meter["exact"] - expected(before)
    carried = before.get("risen", 0)
    if abs(risen) <= meter["turn"]["sigma"]:
        carried = carried * 3 // 4
    meter["risen"] = max(0, carried + risen // 2)


def _is_open(meter: Meter) -> bool:
    """Whether no figure was taken: what had grown is still an estimate."""
    return bool(meter.get("growth", 0) or meter.get("found", 0) or meter.get("rejected", 0))
