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
sum far above what was expected can mean a fuller context or more calls, and a single turn cannot tell which:
``doubt`` weighs it.
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


def settle(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int) -> None:
    """Take the turn's sums into the meter, unless they make no sense."""
    if turn.get("mixed"):
        return
    from . import doubt as doubts

    if doubts.lower(meter, turn, input_sum):
        return
    calls = _likely_calls(meter, turn, input_sum, output_sum)
    surplus, terms = equation(meter, turn, input_sum, output_sum, calls)
    if turn.get("found_sum", 0) and surplus * surplus > SURPRISE * variance(terms):
        from . import found as founds

        terms[4] = founds.of_another_kind(terms[4], surplus)
    first, ratio, loss, extra, found = _solve(turn, surplus, terms, calls)
    scale, hidden = _written(meter, turn, output_sum, calls)
    end = first + scale * turn["said"] + ratio * turn["got"] + loss * turn["lost"]
    end += found * turn.get("found", 0)
    end += hidden * calls + extra * (calls - 1)
    if not _is_credible(meter, turn, first, end):
        meter["rejected"] = meter.get("rejected", 0) + 1
        return
    doubt = doubts.of(meter, turn, input_sum, output_sum, calls)
    is_believed = doubt < doubts.DOUBT  # else it may be of more calls: nothing is learned of it
    if is_believed:
        meter["ratio"], meter["extra"] = round(ratio, 4), round(extra)
    if is_believed and output_sum > 0:
        known = meter.get("hidden", round(hidden))
        meter["hidden"] = round((known + hidden) / 2)
    meter["recounts"] = meter.get("recounts", 0) + 1 if calls != turn["calls"] else 0
    fix(meter, round(end), "turn_sum")
    meter["unsure"] = round(_unsure(turn, terms, calls))
    if turn.get("found_sum", 0):
        from . import found as founds

        meter["unsure"] = round((meter["unsure"] ** 2 + founds.scatter(turn, calls, found) ** 2) ** 0.5)
        if is_believed:
            founds.settle(meter, turn, found, terms[4], variance(terms))
    if doubt:
        meter["doubt"] = doubt
    if not is_believed:
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


def equation(
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


def variance(terms: list[Term]) -> float:
    return sum((factor * sigma) ** 2 for factor, _, sigma, _, _ in terms)


def _likely_calls(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int) -> int:
    """How many calls the sum is over.

    The price of leaving the counted number rises faster than that of being surprised by the context, and with
    every turn in a row that paid it, so that a wrong figure is not defended by wrong counts for long.
    """
    counted = turn["calls"]
    is_unknown = "exact" not in meter and turn.get("found_sum", 0)  # more calls, or larger results?
    if is_unknown or meter.get("compacted"):
        return counted
    best, best_cost = counted, -1.0
    for calls in range(counted, counted + 4 + counted // 4):
        surplus, terms = equation(meter, turn, input_sum, output_sum, calls)
        away = (calls - counted) / (0.7 + 0.1 * counted)
        cost = min(surplus * surplus / variance(terms), SURPRISE) + away * away
        cost += MISCOUNT + meter.get("recounts", 0) if away else 0.0
        if best_cost < 0 or cost < best_cost:
            best, best_cost = calls, cost
    return best


def _solve(
    turn: TurnMeter, surplus: float, terms: list[Term], calls: int
) -> tuple[float, float, float, float, float]:
    """``(first call's context, ratio, loss, extra, found ratio)`` that meet the sum."""
    in_all = variance(terms)
    is_surprise = surplus * surplus > SURPRISE * in_all  # nothing can be learned of one that large
    is_guessed = turn["lost_sum"] or turn.get("found_sum", 0)  # then the guess was what was wrong
    shared = 0.0 if is_surprise and not is_guessed else surplus
    values = [
        _bounded(value + shared * factor * sigma * sigma / in_all, low, high)
        for factor, value, sigma, low, high in terms
    ]
    # What the bounds kept from the others is the context's.
    rest = surplus - sum(term[0] * (value - term[1]) for term, value in zip(terms[1:], values[1:]))
    found = values[4] if len(values) > 4 else 1.0
    return turn["start"] + rest / calls, values[1], values[2], values[3], found


def _unsure(turn: TurnMeter, terms: list[Term], calls: int) -> float:
    """What the sum leaves open of the context at the turn's end (tokens, one standard deviation)."""
    grown = (1, turn["got"], turn["lost"], calls - 1, turn.get("found", 0))  # of each unknown, by the end
    alone = sum((share * term[2]) ** 2 for share, term in zip(grown, terms))
    shared = sum(share * term[0] * term[2] ** 2 for share, term in zip(grown, terms))
    return float(max(0.0, alone - shared * shared / variance(terms)) ** 0.5)


def _is_credible(meter: Meter, turn: TurnMeter, first: float, end: float) -> bool:
    """A second surprise in a row is believed: then it was the old figure that was wrong.

    So is a jump where results of unknown size can have made it; whether they did is for ``doubt``.
    """
    if first <= 0 or end > most(meter):
        return False
    if "exact" not in meter or meter.get("rejected", 0) or turn.get("found_sum", 0):
        return True
    return end <= max(JUMP_FACTOR * turn["start"], turn["start"] + JUMP_TOKENS)


def most(meter: Meter) -> float:
    """Tokens that no call holds more than; the window may be that of the model before."""
    from .window import same_model

    is_present = "window" in meter and same_model(meter.get("model", ""), meter)
    return min(MAX_TOKENS, meter["window"] * 1.05) if is_present else MAX_TOKENS


def _bounded(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))
