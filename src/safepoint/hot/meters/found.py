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
LEAST, MOST = 0.05, 50.0


def term(meter: Meter, turn: TurnMeter, stretch: float) -> Term:
    """This unknown in the equation of the turn."""
    mean, known, own = _sigmas(meter, turn.get("found", 0))
    return turn.get("found_sum", 0) * stretch, mean, (known + own) ** 0.5, LEAST, MOST


def of_another_kind(term: Term, surplus: float) -> Term:
    """This unknown where it has to account for a surprise: the turn's results are none like those before."""
    factor, mean, sigma, low, high = term
    return factor, mean, max(sigma, abs(surplus) / factor), low, high


def settle(meter: Meter, turn: TurnMeter, solved: float, term: Term, variance: float) -> None:
    """Take the turn's own ratio into the session's."""
    before, _, sigma, _, _ = term
    mean, known, _ = _sigmas(meter, turn.get("found", 0))
    mean += (solved - mean) * known / (sigma * sigma)
    left = known * max(0.0, 1.0 - before * before * known / variance)
    meter["found_ratio"] = round(mean, 4)
    meter["found_sigma"] = round((left + (DRIFT * mean) ** 2) ** 0.5, 4)


def scatter(turn: TurnMeter, calls: int, mean: float) -> float:
    """How far off (tokens) what they come to may be once their mean is solved for.

    Each is counted once for every call behind it: of the same sum, early ones are smaller than late ones.
    """
    results = turn["found"] / GUESS_TOKENS
    open_share = max(0.0, 1.0 - 1.5 * calls / (2 * calls - 1))
    return float(SPREAD * mean * GUESS_TOKENS * (results * open_share) ** 0.5)


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
