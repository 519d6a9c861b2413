"""Solve a Cursor turn's token sums for the context that its last model call leaves behind.

The input sum counts the context once per call of the turn, so it grows with the number of calls and says
little by itself.  With n calls, of which the first held c tokens::

    input sum = n*c + scale*said_sum + h*n(n-1)/2 + ratio*got_sum + found_ratio*found_sum
                + loss*lost_sum + extra*n(n-1)/2

``said`` is what was seen of the model's own words (the output sum corrects its scale), ``h`` what it wrote
unseen per call, ``got`` what the tools gave it back, ``found`` what they gave without showing a hook how much
(guessed), ``lost`` the results that never arrived, ``extra`` what else came in unseen per call; ``*_sum`` add
up what preceded each call.  Unknown are c, both ratios, loss and extra.
Each has an expectation with an uncertainty, and the sum's surplus is shared among them in proportion to how
much of it each could account for: the usual least-squares correction, which meets the sum exactly.

The number of calls is known from below only: todo lists, searches of the web and by meaning reach no hook.  A
sum far above what was expected can mean a fuller context or more calls, and a single turn cannot tell which.
Such a figure is taken, but in ``doubt`` until the turns behind it bear it out: it stops nobody.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Tuple

    from ..shapes import Meter, TokenSource, TurnMeter

    Term = Tuple[float, float, float, float, float]  # factor, expectation, uncertainty, least, most

RATIO_SIGMA, MIN_RATIO, MAX_RATIO = 0.35, 0.3, 3.0
LOSS_TOKENS, LOSS_SIGMA, MAX_LOSS = 32_000.0, 32_000.0, 120_000.0
EXTRA_SIGMA, MIN_EXTRA, MAX_EXTRA = 300.0, -300.0, 4_000.0
MAX_TOKENS = 1_050_000  # no window is larger: a solution beyond this is none

# A surplus of more than three uncertainties says that the expectation was wrong, not how wrong.
SURPRISE = 9.0
MISCOUNT = 3.0  # what it costs, on the same scale, to say that there were calls that no hook saw
JUMP_FACTOR, JUMP_TOKENS = 2, 60_000  # beyond both, a turn's growth is not believed at once

# A rise that calls which no hook saw would explain as well.
UNSEEN_CALLS = 30  # that many more in one turn are possible
LARGE_RISE = 0.25  # of the expected context
DOUBT = 4  # ends after four turns without a surplus,
OTHER_COUNT = 2  # or two: by chance alone unseen calls do not fit one figure at two numbers of seen ones


def settle(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int) -> None:
    """Take the turn's sums into the meter, unless they make no sense."""
    if turn.get("mixed"):
        return
    calls = _likely_calls(meter, turn, input_sum, output_sum)
    first, ratio, loss, extra, found = _solve(meter, turn, input_sum, output_sum, calls)
    scale, hidden = _written(meter, turn, output_sum, calls)
    end = first + scale * turn["said"] + ratio * turn["got"] + loss * turn["lost"]
    end += found * turn.get("found", 0)
    end += hidden * calls + extra * (calls - 1)
    if not _is_credible(meter, turn, first, end):
        meter["rejected"] = meter.get("rejected", 0) + 1
        return
    doubt = _doubt(meter, turn, input_sum, output_sum, calls)
    meter["ratio"], meter["extra"] = round(ratio, 4), round(extra)
    meter["recounts"] = meter.get("recounts", 0) + 1 if calls != turn["calls"] else 0
    if output_sum > 0 and doubt < DOUBT:  # else it may be that of more calls
        known = meter.get("hidden", round(hidden))
        meter["hidden"] = round((known + hidden) / 2)
    fix(meter, round(end), "turn_sum")
    if turn.get("found_sum", 0):
        from . import found as founds

        _, terms = _equation(meter, turn, input_sum, output_sum, calls)
        founds.settle(meter, turn, calls, found, _variance(terms))
    if doubt:
        meter["doubt"] = doubt
    if doubt == DOUBT:
        meter["doubted_calls"] = turn["calls"]


def fix(meter: Meter, tokens: int, source: TokenSource) -> None:
    """``tokens`` is the context now; growth is counted from here on."""
    meter["exact"], meter["exact_source"] = tokens, source
    meter["growth"] = meter["found"] = meter["calls"] = meter["lost"] = 0
    meter.pop("rejected", None)
    meter.pop("doubt", None)
    meter.pop("risen", None)
    meter.pop("unsure", None)
    if source != "host":
        meter.pop("compacted", None)


# --- the equation ----------------------------------------------------------------------------------------


def _written(meter: Meter, turn: TurnMeter, output_sum: int, calls: int) -> tuple[float, float]:
    """``(scale, hidden)``: true tokens per seen token of the model's words, and its unseen ones per call."""
    said = turn["said"]
    if output_sum <= 0:
        return meter.get("ratio", 1.0), float(meter.get("hidden", 0))
    if said > output_sum:
        return output_sum / said, 0.0
    return 1.0, (output_sum - said) / calls


def _equation(
    meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int
) -> tuple[float, list[Term]]:
    """The sum's surplus over the expectation if it is over so many calls, and the unknowns."""
    stretch = calls / turn["calls"]  # calls that no hook saw are taken to lie between the others
    scale, hidden = _written(meter, turn, output_sum, calls)
    gaps = calls * (calls - 1) / 2
    terms: list[Term] = [
        (calls, turn["start"], turn["sigma"], 0.0, MAX_TOKENS),
        (turn["got_sum"] * stretch, meter.get("ratio", 1.0), RATIO_SIGMA, MIN_RATIO, MAX_RATIO),
        (turn["lost_sum"] * stretch, LOSS_TOKENS, LOSS_SIGMA, 0.0, MAX_LOSS),
        (gaps, meter.get("extra", 0), EXTRA_SIGMA, MIN_EXTRA, MAX_EXTRA),
    ]
    if turn.get("found_sum", 0):
        from . import found

        terms.append(found.term(meter, turn, stretch))
    expected = scale * turn["said_sum"] * stretch + hidden * gaps
    expected += sum(factor * value for factor, value, _, _, _ in terms)
    return input_sum - expected, terms


def _variance(terms: list[Term]) -> float:
    return sum((factor * sigma) ** 2 for factor, _, sigma, _, _ in terms)


def _likely_calls(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int) -> int:
    """How many calls the sum is over.

    The price of leaving the counted number rises faster than that of being surprised by the context, and with
    every turn in a row that paid it, so that a wrong figure is not defended by wrong counts for long.
    """
    counted = turn["calls"]
    if meter.get("compacted"):
        return counted
    best, best_cost = counted, -1.0
    # A sum that is too small says rather that results of unknown size were smaller than guessed.
    fewer = 0 if turn.get("found_sum", 0) else counted // 4
    for calls in range(max(1, counted - fewer), counted + 4 + counted // 4):
        surplus, terms = _equation(meter, turn, input_sum, output_sum, calls)
        away = (calls - counted) / (0.7 + 0.1 * counted)
        cost = min(surplus * surplus / _variance(terms), SURPRISE) + away * away
        cost += MISCOUNT + meter.get("recounts", 0) if away else 0.0
        if best_cost < 0 or cost < best_cost:
            best, best_cost = calls, cost
    return best


def _doubt(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int) -> int:
    """How much is lacking until this turn's figure is borne out. None is too low: only a rise is doubted."""
    surplus, terms = _equation(meter, turn, input_sum, output_sum, calls)
    # Results of unknown size explain any surplus: here they may be as large again as they were so far.
    known = [(factor, value, min(sigma, value), low, high) for factor, value, sigma, low, high in terms[4:]]
    excess = surplus * abs(surplus) / _variance([*terms[:4], *known])
    if excess > SURPRISE and _is_explained(meter, turn, input_sum, output_sum, calls):
        return DOUBT
    if calls != turn["calls"] or not -SURPRISE <= excess <= 1.0:
        return turn.get("doubt", 0)
    return max(0, turn.get("doubt", 0) - (1 if calls == meter.get("doubted_calls") else OTHER_COUNT))


def _is_explained(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int) -> bool:
    """Whether the expected context meets the sum as well, with calls that no hook saw.

    Where the figure rises by a good part, the expectation may itself be off: it need not fit exactly.
    """
    surplus, _ = _equation(meter, turn, input_sum, output_sum, calls)
    if surplus > LARGE_RISE * turn["start"] * calls:
        return input_sum < (turn["start"] + 3 * turn["sigma"]) * (calls + UNSEEN_CALLS)
    for more in range(calls + 1, calls + 1 + UNSEEN_CALLS):
        surplus, terms = _equation(meter, turn, input_sum, output_sum, more)
        if surplus * surplus <= SURPRISE * _variance(terms):
            return True
    return False


def _solve(
    meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int
) -> tuple[float, float, float, float, float]:
    """``(first call's context, ratio, loss, extra, found ratio)`` that meet the sum."""
    surplus, terms = _equation(meter, turn, input_sum, output_sum, calls)
    variance = _variance(terms)
    is_surprise = surplus * surplus > SURPRISE * variance  # nothing can be learned of one that large
    is_guessed = turn["lost_sum"] or turn.get("found_sum", 0)  # then the guess was what was wrong
    shared = 0.0 if is_surprise and not is_guessed else surplus
    values = [
        _bounded(value + shared * factor * sigma * sigma / variance, low, high)
        for factor, value, sigma, low, high in terms
    ]
    # What the bounds kept from the others is the context's.
    rest = surplus - sum(term[0] * (value - term[1]) for term, value in zip(terms[1:], values[1:]))
    found = values[4] if len(values) > 4 else 1.0
    return turn["start"] + rest / calls, values[1], values[2], values[3], found


def _is_credible(meter: Meter, turn: TurnMeter, first: float, end: float) -> bool:
    """A second surprise in a row is believed: then it was the old figure that was wrong."""
    if first <= 0 or end > min(MAX_TOKENS, meter.get("window", MAX_TOKENS) * 1.05):
        return False
    if "exact" not in meter or meter.get("rejected", 0):
        return True
    return end <= max(JUMP_FACTOR * turn["start"], turn["start"] + JUMP_TOKENS)


def _bounded(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))
