"""Solve a Cursor turn's token sums for the context that its last model call leaves behind.

The input sum counts the context once per call of the turn, so it grows with the number of calls and says
little by itself.  With n calls, of which the first held c tokens::

    input sum = n*c + scale*said_sum + h*n(n-1)/2 + ratio*got_sum + loss*lost_sum

``said`` is what was seen of the model's own words (the output sum corrects its scale), ``h`` what it wrote
unseen per call, ``got`` what the tools gave it back, ``lost`` the results that never arrived; ``*_sum`` add
up what preceded each call.  Unknown are c, ratio and loss.  Each has an expectation with an uncertainty, and
the sum's surplus is shared among them in proportion to how much of it each could account for: the usual
least-squares correction, which meets the sum exactly.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Meter, TokenSource, TurnMeter

START_TOKENS = 20_000  # system prompt, tools and rules of a fresh Cursor chat
START_SIGMA = 8_000.0
MIN_RATIO, MAX_RATIO = 0.3, 3.0
RATIO_SIGMA = 0.35
LOSS_TOKENS, LOSS_SIGMA, MAX_LOSS = 32_000.0, 32_000.0, 250_000.0
MAX_TOKENS = 1_050_000  # no window is larger: a solution beyond this is none

# A surplus of more than three uncertainties says that the expectation was wrong, not how wrong.
SURPRISE = 9.0
JUMP_FACTOR, JUMP_TOKENS = 4, 150_000  # beyond both, a turn's growth is not believed at once


def uncertainty(meter: Meter, estimated: int, lost_tokens: int) -> float:
    """Of the context expected at a turn's first call (tokens, one standard deviation)."""
    if "exact" not in meter:
        return START_SIGMA
    lost = meter.get("lost", 0) * lost_tokens
    return 800.0 + 0.01 * meter["exact"] + 0.3 * max(0, estimated - lost) + lost


def settle(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int) -> None:
    """Take the turn's sums into the meter, unless they make no sense."""
    if turn.get("mixed"):
        return
    calls = _likely_calls(meter, turn, input_sum, output_sum)
    first, ratio, loss = _solve(meter, turn, input_sum, output_sum, calls)
    scale, hidden = _written(meter, turn, output_sum, calls)
    end = round(first + scale * turn["said"] + hidden * calls + ratio * turn["got"] + loss * turn["lost"])
    if not _is_credible(meter, turn, first, end):
        meter["rejected"] = meter.get("rejected", 0) + 1
        return
    meter["ratio"] = round(ratio, 4)
    if output_sum > 0:
        known = meter.get("hidden")
        meter["hidden"] = round(hidden if known is None else (known + hidden) / 2)
    fix(meter, end, "turn_sum")


def fix(meter: Meter, tokens: int, source: TokenSource) -> None:
    """``tokens`` is the context now; growth is counted from here on."""
    meter["exact"], meter["exact_source"] = tokens, source
    meter["growth"] = meter["calls"] = meter["lost"] = 0
    meter.pop("rejected", None)
    if source != "host":
        meter.pop("compacted", None)


def learn(meter: Meter, tokens: int, hidden: int) -> None:
    """Correct ``ratio`` by a figure of the host's; a small growth says little about it."""
    growth = meter.get("growth", 0)
    if "exact" not in meter or meter.get("lost", 0) or growth <= 0 or tokens <= meter["exact"]:
        return
    ratio = meter.get("ratio", 1.0)
    observed = _bounded((tokens - meter["exact"] - hidden) / growth, MIN_RATIO, MAX_RATIO)
    meter["ratio"] = round(ratio + (observed - ratio) * growth / (growth + 10_000), 4)


# --- the equation ----------------------------------------------------------------------------------------


def _written(meter: Meter, turn: TurnMeter, output_sum: int, calls: int) -> tuple[float, float]:
    """``(scale, hidden)``: true tokens per seen token of the model's words, and its unseen ones per call."""
    said = turn["said"]
    if output_sum <= 0:
        return meter.get("ratio", 1.0), float(meter.get("hidden", 0))
    if said > output_sum:
        return output_sum / said, 0.0
    return 1.0, (output_sum - said) / calls


def _surplus(
    meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int
) -> tuple[float, float, float]:
    """What the sum holds beyond the expectation, and the weights of ratio and loss, for so many calls."""
    stretch = calls / turn["calls"]  # calls that no hook saw are taken to lie between the others
    scale, hidden = _written(meter, turn, output_sum, calls)
    got, lost = turn["got_sum"] * stretch, turn["lost_sum"] * stretch
    own = scale * turn["said_sum"] * stretch + hidden * calls * (calls - 1) / 2
    seen = calls * turn["start"] + own + meter.get("ratio", 1.0) * got + LOSS_TOKENS * lost
    return input_sum - seen, got, lost


def _likely_calls(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int) -> int:
    """How many calls the sum is over. Todo tools and searches of the web or by meaning reach no hook.

    Only a session whose context is known can tell.  The price of leaving the counted number rises faster
    than that of being surprised by the context, so a wrong figure is not defended by a wrong count.
    """
    counted = turn["calls"]
    if "exact" not in meter or meter.get("compacted"):
        return counted
    best, best_cost = counted, -1.0
    for calls in range(max(1, counted - counted // 4), counted + 4 + counted // 4):
        surplus, got, lost = _surplus(meter, turn, input_sum, output_sum, calls)
        variance = (calls * turn["sigma"]) ** 2 + (got * RATIO_SIGMA) ** 2 + (lost * LOSS_SIGMA) ** 2
        away = (calls - counted) / (0.7 + 0.1 * counted)
        cost = min(surplus * surplus / variance, SURPRISE) + away * away
        if best_cost < 0 or cost < best_cost:
            best, best_cost = calls, cost
    return best


def _solve(
    meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int
) -> tuple[float, float, float]:
    """``(first call's context, ratio, loss)`` that meet the sum."""
    surplus, got, lost = _surplus(meter, turn, input_sum, output_sum, calls)
    ratio, sigma = meter.get("ratio", 1.0), turn["sigma"]
    ratio_share, loss_share = (got * RATIO_SIGMA) ** 2, (lost * LOSS_SIGMA) ** 2
    variance = (calls * sigma) ** 2 + ratio_share + loss_share
    new_ratio, loss = ratio, LOSS_TOKENS
    if lost or surplus * surplus <= SURPRISE * variance:
        if got:
            new_ratio = _bounded(ratio + surplus * ratio_share / variance / got, MIN_RATIO, MAX_RATIO)
        if lost:
            loss = _bounded(loss + surplus * loss_share / variance / lost, 0.0, MAX_LOSS)
    rest = surplus - (new_ratio - ratio) * got - (loss - LOSS_TOKENS) * lost
    return turn["start"] + rest / calls, new_ratio, loss


def _is_credible(meter: Meter, turn: TurnMeter, first: float, end: int) -> bool:
    """A second surprise in a row is believed: then it was the old figure that was wrong."""
    if first <= 0 or end > min(MAX_TOKENS, round(meter.get("window", MAX_TOKENS) * 1.05)):
        return False
    if "exact" not in meter or meter.get("rejected", 0):
        return True
    return end <= max(JUMP_FACTOR * turn["start"], turn["start"] + JUMP_TOKENS)


def _bounded(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))
