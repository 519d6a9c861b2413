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
START_SIGMA = 8_000.0  # and how far off that may be
LOST_TOKENS = 32_000  # a payload over 128 KiB never reaches a hook; about what that many bytes cost
UNREPORTED_TOKENS = 1_500  # a summary is too short to be lost: that tool failed, or was broken off
HIDDEN_TOKENS = 300  # of thought and talk around one message's calls, until a session's own is known
MAX_OPEN = 64
SEQUEL_S = 0.3  # no model call is shorter
APART_S = 2.0  # calls of one message begin closer together
_SUMMARISED = (ev.READ, ev.SEARCH, ev.WRITE, ev.EDIT, ev.DELETE)  # their result's payload is a summary
_BEFORE, _ENDED = (ev.BEFORE_TOOL,), (ev.AFTER_TOOL, ev.TOOL_FAILED)
_SHELL = (ev.BEFORE_SHELL, ev.AFTER_SHELL)


def apply(meter: Meter, record: Record) -> None:
    """Change ``meter`` (a copy of the caller's) by one record."""
    kind = record.get("kind")
    if _is_late(meter, record):
        written, given = record.get("tokens_in", 0), record.get("tokens_out", 0)
        meter["growth"] = meter.get("growth", 0) + max(0, written) + max(0, given)
    elif kind == ev.PROMPT:
        _prompt(meter, record)
    elif kind in _BEFORE or kind in _ENDED:
        _tool(meter, record, kind in _ENDED)
    elif kind in _SHELL:
        _shell(meter, record, kind == ev.AFTER_SHELL)
    elif kind == ev.BEFORE_READ:
        _read(meter, record)
    elif kind in (ev.RESPONSE, ev.TURN_END):
        _turn_end(meter, record)
    elif kind == ev.COMPACT:
        _compact(meter, record)


def estimated_growth(meter: Meter) -> int:
    """Tokens that the context has grown by since the last exact figure."""
    seen = meter.get("growth", 0) * meter.get("ratio", 1.0)
    return round(seen) + _hidden(meter) + meter.get("lost", 0) * LOST_TOKENS


def _hidden(meter: Meter) -> int:
    """What came in unseen since the last exact figure."""
    return max(0, meter.get("calls", 0) * (meter.get("hidden", HIDDEN_TOKENS) + meter.get("extra", 0)))


def expected(meter: Meter) -> int:
    """The present context (tokens) by what is known so far."""
    return meter.get("exact", START_TOKENS) + estimated_growth(meter)


def _uncertainty(meter: Meter) -> float:
    """Of the context expected at a turn's first call (tokens, one standard deviation)."""
    if "exact" not in meter:
        return START_SIGMA
    lost = meter.get("lost", 0) * LOST_TOKENS
    return 800.0 + 0.01 * meter["exact"] + 0.3 * max(0, estimated_growth(meter) - lost) + lost


# --- turns -----------------------------------------------------------------------------------------------


def _prompt(meter: Meter, record: Record) -> None:
    turn = _turn(meter, record, begins=True)
    if "prompt" not in turn:
        tokens = max(0, record.get("tokens_in", 0))
        turn["prompt"] = tokens
        turn["start"] += round(tokens * meter.get("ratio", 1.0))
        meter["growth"] = meter.get("growth", 0) + tokens


def _turn(meter: Meter, record: Record, begins: bool = False) -> TurnMeter:
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
    _give_up(meter, list(meter.get("open", ())))
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
    }
    return turn


def _is_late(meter: Meter, record: Record) -> bool:
    """Whether the turn of ``record`` was over already: its sums must not be taken for the present one's."""
    return bool(record.get("generation")) and record.get("generation") == meter.get("turn", {}).get(
        "previous"
    )


def _turn_end(meter: Meter, record: Record) -> None:
    """The sums arrive twice, with the response and with the stop; more calls may follow the first."""
    turn = _turn(meter, record)
    total = record.get("input_sum", 0)
    if total > 0 and total == turn["settled"]:
        return
    if record.get("kind") == ev.TURN_END and record.get("status") in ("aborted", "error"):
        meter["open"] = {call: entry for call, entry in _open(meter).items() if entry.get("done")}
    _end_batch(meter)
    _say(meter, turn, max(0, record.get("tokens_out", 0)))
    if total <= 0:
        return
    from . import turn_sum

    turn["settled"] = total
    turn_sum.settle(meter, turn, total, max(0, record.get("output_sum", 0)))


def _compact(meter: Meter, record: Record) -> None:
    """The host's own figure, the only one: taken as it is, and what led to it is learned from."""
    tokens = record.get("context_tokens", 0)
    turn = meter.get("turn")
    if turn is not None:
        turn["mixed"] = True  # its calls before and after cannot be told apart in one sum
    meter["compacted"] = True
    if tokens <= 0:
        return
    from . import turn_sum

    turn_sum.learn(meter, tokens, _hidden(meter))
    turn_sum.fix(meter, tokens, "host")


# --- calls -----------------------------------------------------------------------------------------------


def _tool(meter: Meter, record: Record, ended: bool) -> None:
    turn = _turn(meter, record)
    call = record.get("call", "")
    entry = _open(meter).get(call) or _adopt_shell(meter, record, call)
    if entry is None:
        entry = _begin(meter, turn, record, call)
    _merge(meter, turn, entry, record)
    if ended:
        _done(meter, turn, entry, record)


def _shell(meter: Meter, record: Record, ended: bool) -> None:
    """Cursor reports a shell call twice. Whichever of its events comes first opens it."""
    turn = _turn(meter, record)
    stage = 2 if ended else 1
    key = record.get("command_key", "")
    entry = _open(meter).get(record.get("call", "")) or next(
        (
            entry
            for entry in _open(meter).values()
            if key and entry.get("command_key") == key and entry.get("shell", 0) < stage
        ),
        None,
    )
    if entry is None:
        entry = _begin(meter, turn, record, f"shell:{key}:{len(_open(meter))}")
    entry["shell"] = stage
    _merge(meter, turn, entry, record)
    if ended:
        _done(meter, turn, entry, record)


def _adopt_shell(meter: Meter, record: Record, call: str) -> OpenCall | None:
    """The entry that a shell event opened before the tool event of the same call was recorded."""
    key = record.get("command_key")
    opened = _open(meter)
    for name, entry in opened.items():
        if key and name.startswith("shell:") and entry.get("command_key") == key:
            opened[call] = opened.pop(name)
            return entry
    return None


def _read(meter: Meter, record: Record) -> None:
    """A file's content. The Read call of that file reports only its length, so the content counts."""
    turn = _turn(meter, record)
    file = record.get("file", "")
    opened = _open(meter)
    entry = opened.get(record.get("call", "")) or next(
        (entry for entry in opened.values() if entry.get("file") == file and entry.get("tool") == ev.READ),
        None,
    )
    if entry is None:
        entry = opened.setdefault("file:" + file, {"done": True, "aside": True})
    content = max(0, record.get("tokens_in", 0), record.get("tokens_out", 0))
    if not content:
        return
    more = content - entry.get("tout", 0)
    if entry.get("aside") and turn["calls"] == 1 and len(opened) == 1:  # attached to the prompt
        turn["start"] += round(more * meter.get("ratio", 1.0))
        meter["growth"] = max(0, meter.get("growth", 0) + more)
    else:
        _give(meter, turn, more)
    entry["tout"], entry["exact"] = content, True


def _begin(meter: Meter, turn: TurnMeter, record: Record, call: str) -> OpenCall:
    if _is_sequel(meter, record):
        _end_batch(meter)
    opened = _open(meter)
    if all(entry.get("aside") or entry.get("lost") for entry in opened.values()):
        meter["requests"] = meter.get("requests", 0) + 1
        meter["calls"] = meter.get("calls", 0) + 1
    meter["began_at"] = max(meter.get("began_at", 0.0), record.get("at", 0.0))
    entry: OpenCall = {"tool": record.get("tool", "")}
    for name in ("command_key", "file"):
        if record.get(name):
            entry[name] = record[name]
    opened[call] = entry
    if len(opened) > MAX_OPEN:
        _forget(opened)
    return entry


def _is_sequel(meter: Meter, record: Record) -> bool:
    """Whether a call that begins now was asked for by a further model call."""
    batch = [entry for entry in _open(meter).values() if not entry.get("aside") and not entry.get("lost")]
    done = [entry for entry in batch if entry.get("done")]
    at = record.get("at", 0.0)
    if not batch:
        return False
    if len(done) == len(batch):
        # the end of a call whose begin was not told: right behind the batch it was part of it
        ended = record.get("kind") in _ENDED
        return not ended or not at or at - meter.get("batch_at", 0.0) >= SEQUEL_S
    if not done:
        return at - meter.get("began_at", at) >= APART_S
    return not at or at - meter.get("batch_at", 0.0) >= SEQUEL_S


def _end_batch(meter: Meter) -> None:
    """All calls of a message have ended, or never will: the next model call has been sent."""
    turn, opened = meter["turn"], _open(meter)
    if not any(not entry.get("aside") and not entry.get("lost") for entry in opened.values()):
        return
    _give_up(meter, [call for call, entry in opened.items() if not entry.get("done")])
    meter["open"] = {call: entry for call, entry in opened.items() if entry.get("lost")}
    turn["calls"] += 1
    turn["said_sum"] += turn["said"]
    turn["got_sum"] += turn["got"]
    turn["lost_sum"] += turn["lost"]


def _give_up(meter: Meter, calls: list[str]) -> None:
    """Calls whose end was not told."""
    turn = meter.get("turn")
    for call in calls:
        entry = meter["open"][call]
        if turn is None or entry.get("done") or entry.get("lost"):
            continue
        entry["lost"] = True
        if entry.get("tool") in _SUMMARISED:
            _give(meter, turn, UNREPORTED_TOKENS - entry.get("tout", 0))
            entry["tout"] = max(UNREPORTED_TOKENS, entry.get("tout", 0))
        else:
            entry["unknown"] = True
            turn["lost"] += 1
            meter["lost"] = meter.get("lost", 0) + 1


def _done(meter: Meter, turn: TurnMeter, entry: OpenCall, record: Record) -> None:
    if entry.pop("unknown", False):  # late, not lost
        turn["lost"] = max(0, turn["lost"] - 1)
        meter["lost"] = max(0, meter.get("lost", 0) - 1)
    if not entry.get("lost"):
        entry["done"] = True
        meter["batch_at"] = max(meter.get("batch_at", 0.0), record.get("at", 0.0))


def _merge(meter: Meter, turn: TurnMeter, entry: OpenCall, record: Record) -> None:
    """Add what this event knows of the call and the earlier ones did not."""
    written, given = record.get("tokens_in", 0), record.get("tokens_out", 0)
    if written > entry.get("tin", 0):
        _say(meter, turn, written - entry.get("tin", 0))
        entry["tin"] = written
    if given > entry.get("tout", 0) and not entry.get("exact"):
        _give(meter, turn, given - entry.get("tout", 0))
        entry["tout"] = given


def _say(meter: Meter, turn: TurnMeter, tokens: int) -> None:
    turn["said"] += tokens
    meter["growth"] = meter.get("growth", 0) + tokens


def _give(meter: Meter, turn: TurnMeter, tokens: int) -> None:
    turn["got"] = max(0, turn["got"] + tokens)
    meter["growth"] = max(0, meter.get("growth", 0) + tokens)


def _open(meter: Meter) -> dict[str, OpenCall]:
    return meter.setdefault("open", {})


def _forget(opened: dict[str, OpenCall]) -> None:
    """Bound the state: first what is done with, then the oldest."""
    for call, entry in opened.items():
        if entry.get("lost") or entry.get("aside"):
            del opened[call]
            return
    del opened[next(iter(opened))]
