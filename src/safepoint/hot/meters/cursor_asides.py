"""Cursor's events that tell of a call beside its tool events: shell commands, and files that are read."""

from __future__ import annotations

from .. import events as ev
from .cursor import begin, done, find, give, merge, opened_in, turn_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Meter, OpenCall, Record, TurnMeter


def apply(meter: Meter, record: Record) -> None:
    """Change ``meter`` by a shell event or a file's content."""
    if record.get("kind") == ev.BEFORE_READ:
        _read(meter, record)
    else:
        _shell(meter, record, record.get("kind") == ev.AFTER_SHELL)


def _shell(meter: Meter, record: Record, ended: bool) -> None:
    """Cursor reports a shell call twice. Whichever of its events comes first opens it."""
    turn = turn_of(meter, record)
    stage = 2 if ended else 1
    key = record.get("command_key", "")
    entry = opened_in(meter).get(record.get("call", "")) or next(
        (
            entry
            for entry in opened_in(meter).values()
            if key and entry.get("command_key") == key and entry.get("shell", 0) < stage
        ),
        None,
    )
    if entry is None:
        entry = begin(meter, turn, record, f"shell:{key}:{len(opened_in(meter))}")
    entry["shell"] = stage
    merge(meter, turn, entry, record)
    if ended:
        done(meter, turn, entry, record)


def _read(meter: Meter, record: Record) -> None:
    """A file's content, which is there before the Read call of that file reports how much of it was shown."""
    turn = turn_of(meter, record)
    file = record.get("file", "")
    opened = opened_in(meter)
    entry = opened.get(record.get("call", "")) or _read_of(meter, file)
    if entry is None:
        entry = opened.setdefault("file:" + file, {"done": True, "aside": True})
    content = max(0, record.get("tokens_in", 0), record.get("tokens_out", 0))
    if not content:
        return
    if entry.pop("found", False):  # its size was guessed until now
        find(meter, turn, -entry.pop("tout", 0))
    entry["content"], entry["chars"] = content, record.get("chars", 0)
    if entry.get("aside") and turn["calls"] == 1 and len(opened) == 1:  # attached to the prompt
        more = content - entry.get("tout", 0)
        turn["start"] += round(more * meter.get("ratio", 1.0))
        meter["growth"] = max(0, meter.get("growth", 0) + more)
        entry["tout"], entry["exact"] = content, True
    else:
        weigh(meter, turn, entry)


def _read_of(meter: Meter, file: str) -> OpenCall | None:
    """The read that a content belongs to. Its call may spell the path another way, or not tell it at all."""
    reads = [entry for entry in opened_in(meter).values() if entry.get("tool") == ev.READ]
    same = [entry for entry in reads if entry.get("file") == file]
    if same:
        return same[0]
    waiting = [entry for entry in reads if "content" not in entry and not entry.get("done")]
    name = file.rpartition("/")[2]
    alike = [entry for entry in waiting if entry.get("file", "").rpartition("/")[2] == name]
    return alike[0] if alike else waiting[0] if len(waiting) == 1 else None


def take_back(meter: Meter, turn: TurnMeter, entry: OpenCall) -> None:
    """The model was shown nothing of the file: the read failed, or was denied."""
    del entry["content"]
    give(meter, turn, -entry.pop("tout", 0))
    entry.pop("exact", None)


def weigh(meter: Meter, turn: TurnMeter, entry: OpenCall) -> None:
    """What the model is shown of a file: a part of it, or with the numbers of its lines, it weighs by the
    character as the whole does."""
    content, chars, shown = entry["content"], entry.get("chars", 0), entry.get("shown", 0)
    if chars and shown:
        content = round(content * shown / chars)
    elif entry.get("partial"):
        return  # how much of it is told with the call's end
    give(meter, turn, content - entry.get("tout", 0))
    entry["tout"], entry["exact"] = content, True
