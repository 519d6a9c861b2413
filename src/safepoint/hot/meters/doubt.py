"""Cursor: whether a turn's sum means a fuller context, or calls that no hook saw.

Unseen calls can only make a figure too high.  A rise that they would explain is taken, but in doubt: it stops
nobody until the turns behind it bear it out.  What else tells the two apart:

- The output sum counts the calls as well, for each writes something.  Where a rise can come of results whose
  size no hook is shown, and the output has no room for the calls that would explain it, one turn is enough.
- No call holds more than the window: a larger mean proves calls that no hook saw, and bounds the context.
- A context never falls, unless it is compacted: a figure below the one before proves that one wrong.
"""

from __future__ import annotations

from .turn_sum import SURPRISE, equation, fix, most, variance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Meter, TurnMeter

UNSEEN_CALLS = 30  # that many more in one turn are possible
LARGE_RISE = 0.25  # of the expected context
DOUBT = 4  # ends after four turns without a surplus,
OTHER_COUNT = 2  # or two: by chance alone unseen calls do not fit one figure at two numbers of seen ones
ASKED_TOKENS = 50  # the least that the model writes for a call, beside its thoughts
HEARD = 0.5  # of what unseen calls would have written: with less there were none


def of(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int) -> int:
    """How much is lacking until this turn's figure is borne out."""
    surplus, terms = equation(meter, turn, input_sum, output_sum, calls)
    before = turn.get("doubt", 0)
    turn.pop("heard", None)
    # Results of unknown size explain any surplus: here they may be as large again as they were so far.
    known = [(factor, value, min(sigma, value), low, high) for factor, value, sigma, low, high in terms[4:]]
    excess = surplus * abs(surplus) / variance([*terms[:4], *known])
    if excess > SURPRISE:
        turn["heard"] = _is_heard(meter, turn, input_sum, output_sum, calls)
        if _is_explained(meter, turn, input_sum, output_sum, calls):
            return OTHER_COUNT if turn["heard"] else DOUBT
    if excess < -SURPRISE and not meter.get("compacted"):
        meter["misled"] = meter.get("misled", 0) + 1
        return DOUBT if before else 0
    if calls != turn["calls"] or not -SURPRISE <= excess <= 1.0:
        return before
    return max(0, before - (1 if calls == meter.get("doubted_calls") else OTHER_COUNT))


def lower(meter: Meter, turn: TurnMeter, input_sum: int) -> bool:
    """Take the mean of the fewest calls that the window allows, if the context was thought to be fuller."""
    if meter.get("window_source") != "host":  # one that was learned may have grown
        return False
    fewest = -int(-input_sum // most(meter))
    mean = input_sum / fewest
    if fewest <= turn["calls"] or "exact" not in meter or mean >= turn["start"] - 3 * turn["sigma"]:
        return False
    fix(meter, round(mean), "turn_sum")
    meter["doubt"] = DOUBT
    meter["misled"] = meter.get("misled", 0) + 1
    return True


def _is_explained(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int) -> bool:
    """Whether the expected context meets the sum as well, with calls that no hook saw.

    Where the figure rises by a good part, the expectation may itself be off: it need not fit exactly.
    """
    surplus, _ = equation(meter, turn, input_sum, output_sum, calls)
    if surplus > LARGE_RISE * turn["start"] * calls:
        in_all = calls + UNSEEN_CALLS
        return equation(meter, turn, input_sum, output_sum, in_all)[0] < 3 * turn["sigma"] * in_all
    for in_all in range(calls + 1, calls + 1 + UNSEEN_CALLS):
        surplus, terms = equation(meter, turn, input_sum, output_sum, in_all)
        if surplus < 0:  # what it rose by before may have been unseen calls as well
            surplus = min(0.0, surplus + 2 * meter.get("risen", 0) * in_all)
        if surplus * surplus <= SURPRISE * variance(terms):
            return True
    return False


def _is_heard(meter: Meter, turn: TurnMeter, input_sum: int, output_sum: int, calls: int) -> bool:
    """Whether the output is that of the seen calls alone, by what a call of this chat writes unseen.

    That tells nothing in a chat that has made unseen calls: there it is learned from them as well.
    """
    if not turn.get("found_sum", 0) or output_sum <= 0 or "hidden" not in meter or meter.get("misled", 0):
        return False
    unseen = 1
    while unseen < UNSEEN_CALLS and equation(meter, turn, input_sum, output_sum, calls + unseen)[0] > 0:
        unseen += 1
    written = (calls + unseen) * meter["hidden"] + unseen * ASKED_TOKENS
    return output_sum - turn["said"] < HEARD * written
