"""Cursor: the context's growth from what its events show, and the calls that it is made of.

Cursor tells neither when a model call begins nor what it held.  Both are inferred: the tools of one message
report one after the other, and a tool that begins when those have ended was asked for by a further call.
A turn ends with token sums over its calls (``turn_sum`` solves them); only before a compaction does the host
state the context itself.
"""

from __future__ import annotations

from .. import events as ev

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Meter, OpenCall, Record, TurnMeter

START_TOKENS = 20_000  # system prompt, tools and rules of a fresh chat
LOST_TOKENS = 32_000  # a payload over 128 KiB never reaches a hook; about what that many bytes cost
UNREPORTED_TOKENS = 1_500  # a summary is too short to be lost: that tool failed, or was broken off
HIDDEN_TOKENS = 300  # of thought and talk around one message's calls, until a session's own is known
MAX_OPEN = 64
SEQUEL_S = 0.3  # no model call is shorter
APART_S = 2.0  # calls of one message begin closer together
_SUMMARISED = (ev.READ, ev.SEARCH, ev.WRITE, ev.EDIT, ev.DELETE)  # their result's payload is a summary
_BEFORE, _ENDED = (ev.BEFORE_TOOL,), (ev.AFTER_TOOL, ev.TOOL_FAILED)
_ASIDE = (ev.BEFORE_SHELL, ev.AFTER_SHELL, ev.BEFORE_READ)
_TURNS = (ev.PROMPT, ev.RESPONSE, ev.TURN_END, ev.COMPACT, ev.STATUS_LINE)


def apply(meter: Meter, record: Record) -> None:
    """Change ``meter`` (a copy of the caller's) by one record."""
    kind = record.get("kind")
    if _is_late(meter, record):
        written, given = record.get("tokens_in", 0), record.get("tokens_out", 0)
        meter["growth"] = meter.get("growth", 0) + max(0, written) + max(0, given)
    elif kind in _BEFORE or kind in _ENDED:
        _tool(meter, record, kind in _ENDED)
    elif kind in _ASIDE:
        from . import cursor_asides

        cursor_asides.apply(meter, record)
    elif kind in _TURNS:
        from . import cursor_turns

        cursor_turns.apply(meter, record)


def estimated_growth(meter: Meter) -> int:
    """Tokens that the context has grown by since the last exact figure."""
    return round(meter.get("growth", 0) * meter.get("ratio", 1.0)) + hidden(meter) + guessed(meter)


def guessed(meter: Meter) -> int:
    """Of that, what stands in for results whose size no hook was shown, and for payloads that were lost.

    The results to come may be of another size than those that the guess was learned from.
    """
    found = round(meter.get("found", 0) * meter.get("found_ratio", 1.0))
    return found + meter.get("lost", 0) * LOST_TOKENS


def hidden(meter: Meter) -> int:
    """What came in unseen since the last exact figure."""
    return max(0, meter.get("calls", 0) * (meter.get("hidden", HIDDEN_TOKENS) + meter.get("extra", 0)))


def expected(meter: Meter) -> int:
    """The present context (tokens) by what is known so far."""
    return meter.get("exact", START_TOKENS) + estimated_growth(meter)


def turn_of(meter: Meter, record: Record, begins: bool = False) -> TurnMeter:
    """The turn that ``record`` belongs to. Cursor names it by a generation; a follow-up has no prompt."""
    turn = meter.get("turn")
    name = record.get("generation", "")
    if turn is not None:
        known = turn.get("generation", "")
        if name and known:
            if name.startswith(known) or known.startswith(name):
                return turn
        elif not begins:
            return turn
    from .cursor_turns import begin_turn

    return begin_turn(meter, name)


def _is_late(meter: Meter, record: Record) -> bool:
    """Whether the turn of ``record`` was over already: its sums must not be taken for the present one's."""
    return bool(record.get("generation")) and record.get("generation") == meter.get("turn", {}).get(
        "previous"
    )


def _tool(meter: Meter, record: Record, ended: bool) -> None:
    turn = turn_of(meter, record)
    call = record.get("call", "")
    entry = opened_in(meter).get(call) or _adopt_shell(meter, record, call)
    if entry is None:
        entry = begin(meter, turn, record, call)
    if record.get("kind") == ev.TOOL_FAILED and "content" in entry:
        from . import cursor_asides

        cursor_asides.take_back(meter, turn, entry)
    merge(meter, turn, entry, record)
    if ended:
        done(meter, turn, entry, record)


def _adopt_shell(meter: Meter, record: Record, call: str) -> OpenCall | None:
    """The entry that a shell event opened before the tool event of the same call was recorded."""
    key = record.get("command_key")
    opened = opened_in(meter)
    for name, entry in opened.items():
        if key and name.startswith("shell:") and entry.get("command_key") == key:
            opened[call] = opened.pop(name)
            return entry
    return None


def begin(meter: Meter, turn: TurnMeter, record: Record, call: str) -> OpenCall:
    if _is_sequel(meter, record):
        end_batch(meter)
    opened = opened_in(meter)
    if all(entry.get("aside") or entry.get("lost") for entry in opened.values()):
        meter["requests"] = meter.get("requests", 0) + 1
        meter["calls"] = meter.get("calls", 0) + 1
    meter["began_at"] = max(meter.get("began_at", 0.0), record.get("at", 0.0))
    entry: OpenCall = {"tool": record.get("tool", "")}
    for name in ("command_key", "file", "partial"):
        if record.get(name):
            entry[name] = record[name]
    opened[call] = entry
    if len(opened) > MAX_OPEN:
        _forget(opened)
    return entry


def _is_sequel(meter: Meter, record: Record) -> bool:
    """Whether a call that begins now was asked for by a further model call."""
    batch = [entry for entry in opened_in(meter).values() if not entry.get("aside") and not entry.get("lost")]
    finished = [entry for entry in batch if entry.get("done")]
    at = record.get("at", 0.0)
    if not batch:
        return False
    if len(finished) == len(batch):
        # the end of a call whose begin was not told: right behind the batch it was part of it
        ended = record.get("kind") in _ENDED
        return not ended or not at or at - meter.get("batch_at", 0.0) >= SEQUEL_S
    if not finished:
        return at - meter.get("began_at", at) >= APART_S
    return not at or at - meter.get("batch_at", 0.0) >= SEQUEL_S


def end_batch(meter: Meter) -> None:
    """All calls of a message have ended, or never will: the next model call has been sent."""
    turn, opened = meter["turn"], opened_in(meter)
    if not any(not entry.get("aside") and not entry.get("lost") for entry in opened.values()):
        return
    give_up(meter, [call for call, entry in opened.items() if not entry.get("done")])
    meter["open"] = {call: entry for call, entry in opened.items() if entry.get("lost")}
    turn["calls"] += 1
    turn["said_sum"] += turn["said"]
    turn["got_sum"] += turn["got"]
    turn["found_sum"] = turn.get("found_sum", 0) + turn.get("found", 0)
    turn["lost_sum"] += turn["lost"]


def give_up(meter: Meter, calls: list[str]) -> None:
    """Calls whose end was not told."""
    turn = meter.get("turn")
    for call in calls:
        entry = meter["open"][call]
        if turn is None or entry.get("done") or entry.get("lost"):
            continue
        entry["lost"] = True
        if entry.get("tool") in _SUMMARISED:
            give(meter, turn, UNREPORTED_TOKENS - entry.get("tout", 0))
            entry["tout"] = max(UNREPORTED_TOKENS, entry.get("tout", 0))
        else:
            entry["unknown"] = True
            turn["lost"] += 1
            meter["lost"] = meter.get("lost", 0) + 1


def done(meter: Meter, turn: TurnMeter, entry: OpenCall, record: Record) -> None:
    if entry.pop("unknown", False):  # late, not lost
        turn["lost"] = max(0, turn["lost"] - 1)
        meter["lost"] = max(0, meter.get("lost", 0) - 1)
    if not entry.get("lost"):
        entry["done"] = True
        meter["batch_at"] = max(meter.get("batch_at", 0.0), record.get("at", 0.0))


def merge(meter: Meter, turn: TurnMeter, entry: OpenCall, record: Record) -> None:
    """Add what this event knows of the call and the earlier ones did not."""
    written, given = record.get("tokens_in", 0), record.get("tokens_out", 0)
    if written > entry.get("tin", 0):
        say(meter, turn, written - entry.get("tin", 0))
        entry["tin"] = written
    if record.get("chars"):
        entry["shown"] = record["chars"]
    if "shown" in entry and "content" in entry:
        from . import cursor_asides

        cursor_asides.weigh(meter, turn, entry)
    elif given > entry.get("tout", 0) and not entry.get("exact"):
        more = given - entry.get("tout", 0)
        if record.get("unsized"):
            find(meter, turn, more)
            entry["found"] = True
        else:
            give(meter, turn, more)
        entry["tout"] = given


def say(meter: Meter, turn: TurnMeter, tokens: int) -> None:
    turn["said"] += tokens
    meter["growth"] = meter.get("growth", 0) + tokens


def give(meter: Meter, turn: TurnMeter, tokens: int) -> None:
    turn["got"] = max(0, turn["got"] + tokens)
    meter["growth"] = max(0, meter.get("growth", 0) + tokens)


def find(meter: Meter, turn: TurnMeter, tokens: int) -> None:
    """A result whose size the host does not show: `tokens` is a guess, which later figures correct."""
    turn["found"] = max(0, turn.get("found", 0) + tokens)
    meter["found"] = max(0, meter.get("found", 0) + tokens)


def opened_in(meter: Meter) -> dict[str, OpenCall]:
    return meter.setdefault("open", {})


def _forget(opened: dict[str, OpenCall]) -> None:
    """Bound the state: first what is done with, then the oldest."""
    for call, entry in opened.items():
        if entry.get("lost") or entry.get("aside"):
            del opened[call]
            return
    del opened[next(iter(opened))]
