"""Cursor's turns: where one begins, what its sums say at its end, and the figure before a compaction."""

from __future__ import annotations

from .. import events as ev
from . import turn_sum
from .cursor import (
    LOST_TOKENS,
    end_batch,
    estimated_growth,
    expected,
    give_up,
    hidden,
    opened_in,
    say,
    turn_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Meter, Record, TurnMeter

ROUNDED_TOKENS = 8_000  # a share in whole percent is too coarse to learn from a growth smaller than this
START_SIGMA = 8_000.0  # how far off START_TOKENS may be


def apply(meter: Meter, record: Record) -> None:
    """Change ``meter`` by a prompt, a response, a turn's end or a compaction."""
    kind = record.get("kind")
    if kind == ev.PROMPT:
        _prompt(meter, record)
    elif kind == ev.COMPACT:
        _compact(meter, record)
    elif kind == ev.STATUS_LINE:
        _stated(meter, record)
    else:
        _turn_end(meter, record)


def _prompt(meter: Meter, record: Record) -> None:
    turn = turn_of(meter, record, begins=True)
    if "prompt" not in turn:
        tokens = max(0, record.get("tokens_in", 0))
        turn["prompt"] = tokens
        turn["start"] += round(tokens * meter.get("ratio", 1.0))
        meter["growth"] = meter.get("growth", 0) + tokens


def begin_turn(meter: Meter, name: str) -> TurnMeter:
    """A turn of this generation; what the one before left open will not be told any more."""
    turn = meter.get("turn")
    give_up(meter, list(meter.get("open", ())))
    meter["open"] = {}
    previous = turn.get("generation", "") if turn is not None else ""
    meter.setdefault("growth", 0)
    meter["turn"] = turn = {
        "generation": name,
        "previous": previous,
        "start": expected(meter),
        "sigma": _uncertainty(meter),
        "calls": 1,
        "said": 0,
        "said_sum": 0,
        "got": 0,
        "got_sum": 0,
        "lost": 0,
        "lost_sum": 0,
        "settled": 0,
        "doubt": meter.get("doubt", 0),
    }
    return turn


def _turn_end(meter: Meter, record: Record) -> None:
    """The sums arrive twice, with the response and with the stop; more calls may follow the first."""
    turn = turn_of(meter, record)
    total = record.get("input_sum", 0)
    if total > 0 and total == turn["settled"]:
        return
    if record.get("kind") == ev.TURN_END and record.get("status") in ("aborted", "error"):
        meter["open"] = {call: entry for call, entry in opened_in(meter).items() if entry.get("done")}
    end_batch(meter)
    say(meter, turn, max(0, record.get("tokens_out", 0)))
    if total <= 0:
        return
    from . import lessons

    turn["settled"] = total
    before = meter.copy()
    turn_sum.settle(meter, turn, total, max(0, record.get("output_sum", 0)))
    lessons.observe(meter, before)
    lessons.carry(meter, before)


def _compact(meter: Meter, record: Record) -> None:
    """The host's own figure, the only one: taken as it is, and what led to it is learned from."""
    tokens = record.get("context_tokens", 0)
    turn = meter.get("turn")
    if turn is not None:
        turn["mixed"] = True  # its calls before and after cannot be told apart in one sum
    meter["compacted"] = True
    if tokens <= 0:
        return
    from . import lessons

    before = meter.copy()
    lessons.learn(meter, tokens, hidden(meter))
    turn_sum.fix(meter, tokens, "host")
    lessons.observe(meter, before)


def _stated(meter: Meter, record: Record) -> None:
    """What Cursor's command line shows of the context, as of the last model call."""
    tokens = record.get("context_tokens", 0)
    if tokens <= 0:
        return
    if "turn" in meter:
        meter["turn"]["mixed"] = True  # better than what the turn's sum would tell
    from . import lessons

    before = meter.copy()
    teaches = meter.get("growth", 0) >= ROUNDED_TOKENS
    if teaches:
        lessons.learn(meter, tokens, hidden(meter))
    turn_sum.fix(meter, tokens, "host")
    meter.pop("compacted", None)
    if teaches:
        lessons.observe(meter, before)


def _uncertainty(meter: Meter) -> float:
    """Of the context expected at a turn's first call (tokens, one standard deviation)."""
    if "exact" not in meter:
        return START_SIGMA
    lost = meter.get("lost", 0) * LOST_TOKENS
    usual = 800.0 + 0.01 * meter["exact"] + 0.3 * max(0, estimated_growth(meter) - lost) + lost
    return float((usual**2 + meter.get("unsure", 0) ** 2) ** 0.5)
