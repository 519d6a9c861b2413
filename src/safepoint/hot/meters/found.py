"""Cursor: results whose size no hook is shown, and what the figures behind them teach of it.

Each is counted as a guess; ``found_ratio`` is the session's true mean size over that guess.  It is one more
unknown of the turn's sum (see ``turn_sum``).  A single result may be far from the mean, so a turn's own mean
is another than the session's, the more so the fewer it is made of.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Meter, TurnMeter
    from .turn_sum import Term

GUESS_TOKENS = 600  # about what one is counted as
FIRST_SIGMA = 8.0  # of ``found_ratio`` (one standard deviation) while nothing is known
SPREAD = 0.6  # of one result around the mean, as a share of it
DRIFT = 0.15  # what the mean may move by from turn to turn, as a share of it
LEAST, MOST = 0.05, 20.0


def term(meter: Meter, turn: TurnMeter, stretch: float) -> Term:
    """This unknown in the equation of the turn."""
    mean, known, own = _sigmas(meter, turn.get("found", 0))
    return turn.get("found_sum", 0) * stretch, mean, (known + own) ** 0.5, LEAST, MOST


def settle(meter: Meter, turn: TurnMeter, calls: int, solved: float, variance: float) -> None:
    """Take the turn's own ratio into the session's, and keep how unsure that leaves the context (tokens)."""
    mean, known, own = _sigmas(meter, turn.get("found", 0))
    spread = known + own
    before, in_all = turn.get("found_sum", 0), turn.get("found", 0)
    mean += (solved - mean) * known / spread
    left = known * max(0.0, 1.0 - before * before * known / variance)
    meter["found_ratio"] = round(mean, 4)
    meter["found_sigma"] = round((left + (DRIFT * mean) ** 2) ** 0.5, 4)
    start = turn["sigma"] ** 2
    shared = calls * start + in_all * before * spread  # covariance of the turn's end and its sum
    meter["unsure"] = round(max(0.0, start + in_all * in_all * spread - shared * shared / variance) ** 0.5)


def learn(meter: Meter, missed: float, variance: float) -> float:
    """Correct the ratio by a figure of the host's; what of ``missed`` is left for others.

    ``variance`` is that of those others.
    """
    tokens = meter["found"]
    mean, known, own = _sigmas(meter, tokens)
    missed -= tokens * mean
    share = missed * tokens * tokens * (known + own) / (tokens * tokens * (known + own) + variance)
    meter["found_ratio"] = round(min(MOST, max(LEAST, mean + share / tokens)), 4)
    return missed - share


def _sigmas(meter: Meter, tokens: int) -> tuple[float, float, float]:
    """The mean; its variance; and that of the mean of ``tokens`` guessed ones around it."""
    mean = meter.get("found_ratio", 1.0)
    results = max(1.0, tokens / GUESS_TOKENS)
    return mean, meter.get("found_sigma", FIRST_SIGMA) ** 2, (SPREAD * mean) ** 2 / results
