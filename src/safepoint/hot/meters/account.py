"""What each journal record does to the meter. Pure: the same records always give the same meter.

Claude Code's transcript states the context outright, a little late; what it does not hold yet is kept in
``unseen``.  Cursor states next to nothing, and has a module of its own.
"""

from __future__ import annotations

from .. import events as ev
from .window import is_large, same_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Host, Meter, Record, Transcript

MAX_UNSEEN = 256
_ENDED = (ev.AFTER_TOOL, ev.TOOL_FAILED)
_CURSOR_KINDS = (ev.BEFORE_SHELL, ev.AFTER_SHELL, ev.BEFORE_READ, ev.RESPONSE)


def apply(meter: Meter, record: Record) -> Meter:
    """The meter after ``record``; the given one is left as it is."""
    meter = _copy(meter)
    host = _host(meter, record)
    if host == "claude_code":
        _claude(meter, record)
    _model(meter, record)  # what the event says is newer than the transcript, which lags
    if host == "cursor":
        from . import cursor

        cursor.apply(meter, record)
    if record.get("kind") == ev.STATUS_LINE and record.get("context_tokens", 0) > 0:
        meter["stated"] = record["context_tokens"]
    return meter


def request_began(meter: Meter, record: Record) -> bool:
    """Whether ``record`` shows a model call that ``meter``, as it was before it, had not counted."""
    return apply(meter, record).get("requests", 0) > meter.get("requests", 0)


def _copy(meter: Meter) -> Meter:
    copy = meter.copy()
    for name in ("unseen", "older", "covered", "turn", "batch"):
        if name in copy:
            copy[name] = copy[name].copy()
    if "open" in copy:
        copy["open"] = {call: entry.copy() for call, entry in copy["open"].items()}
    return copy


def _host(meter: Meter, record: Record) -> Host:
    """Whose record this is. Only Cursor names a generation; a session never changes its host."""
    known = record.get("host") or meter.get("host")
    if known is None and (record.get("generation") or record.get("kind") in _CURSOR_KINDS):
        known = "cursor"
    if known is None and ("transcript" in record or record.get("kind") == ev.BATCH):
        known = "claude_code"
    if known is not None:
        meter["host"] = known
    return known or "claude_code"


def _model(meter: Meter, record: Record) -> None:
    """The model that is used now, and the window stated for it. The meter alone knows both."""
    model = record.get("model", "")
    if model:
        meter["model"] = model
    if record.get("window", 0) > 0:
        meter["window"] = record["window"]
        meter["window_source"] = "host"
        meter["window_model"] = model or meter.get("model", "")
        meter["window_marked"] = record.get("kind") != ev.STATUS_LINE
    elif record.get("learned", 0) > 0 and meter.get("window_source") != "host":
        meter["window"], meter["window_source"] = record["learned"], "learned"
        meter["window_model"] = model or meter.get("model", "")
    elif record.get("kind") == ev.MODEL_SWITCH and meter.get("window_source") == "host":
        _forget_window(meter)  # the switch names a larger window where there is one


def _forget_window(meter: Meter) -> None:
    for name in ("window", "window_source", "window_model", "window_marked"):
        meter.pop(name, None)  # type: ignore[misc]


# --- Claude Code -----------------------------------------------------------------------------------------


def _claude(meter: Meter, record: Record) -> None:
    seen = record.get("seen", [])
    unseen = meter.setdefault("unseen", {})
    for key in seen:
        unseen.pop(key, None)
    if "transcript" in record:
        _adopt(meter, record["transcript"], record.get("at", 0.0))
    if seen:
        _cover(meter, seen)
    if record.get("context_tokens", 0) > 0:
        meter["exact"], meter["exact_source"] = record["context_tokens"], "host"
    _add_unseen(meter, record)
    _count_batch(meter, record)


def _adopt(meter: Meter, new: Transcript, at: float) -> None:
    """Take a scan's transcript. Hooks run in parallel, so an older scan may be recorded after a newer one."""
    old = meter.get("transcript")
    if old is not None and at < meter.get("scan_at", 0.0) and _is_behind(new, old):
        return
    meter["transcript"], meter["scan_at"] = new, at
    _adopt_model(meter, new, old)
    if new["base"] is not None:
        meter.pop("exact", None)
    if new["boundary"] and not (old is not None and old["boundary"]):
        meter["unseen"], meter["older"], meter["covered"] = {}, [], []
    elif old is None or new["message_id"] != old["message_id"]:
        _new_message(meter)


def _adopt_model(meter: Meter, new: Transcript, old: Transcript | None) -> None:
    """Take the model of the last message where it has changed: an event may have named a newer one since."""
    requested = new.get("requested", "")
    if old is not None and (new["model"], requested) == (old["model"], old.get("requested", "")):
        return
    if not new["model"]:
        return
    meter["model"] = new["model"]
    # A window that was stated by the mark of the long one is not that of a request without it.
    is_unmarked = bool(requested) and not is_large(requested) and meter.get("window_marked", True)
    if meter.get("window_source") == "host" and (is_unmarked or not same_model(new["model"], meter)):
        _forget_window(meter)


def _is_behind(new: Transcript, old: Transcript) -> bool:
    return (new["path"], new["inode"]) == (old["path"], old["inode"]) and new["offset"] < old["offset"]


def _new_message(meter: Meter) -> None:
    """A further model message: it was sent with all that its forerunner's tools had given.

    The transcript lags by one message at most.  What outlived two of them will never turn up: a scan from
    the end of the file passed over it, or the prompt was one that the client answered itself.
    """
    unseen = meter["unseen"]
    for key in meter.get("older", []):
        unseen.pop(key, None)
    meter["older"] = list(unseen)
    meter["covered"] = []


def _cover(meter: Meter, seen: list[str]) -> None:
    """Remember what was found before its own event told of it: parallel calls are written down together."""
    covered = meter.setdefault("covered", [])
    covered.extend(key for key in seen if key != "prompt" and key not in covered)
    del covered[:-MAX_UNSEEN]


def _add_unseen(meter: Meter, record: Record) -> None:
    kind, call = record.get("kind"), record.get("call", "")
    written, given = max(0, record.get("tokens_in", 0)), max(0, record.get("tokens_out", 0))
    added: dict[str, int] = {}
    if kind == ev.PROMPT:
        added["prompt"] = written
    elif kind == ev.BEFORE_TOOL:
        added["in:" + call] = written
    elif kind in _ENDED:
        added["in:" + call], added[call] = written, given
    unseen, covered = meter["unseen"], meter.get("covered", [])
    for key, tokens in added.items():
        if tokens and key not in covered and len(unseen) < MAX_UNSEEN:
            unseen[key] = max(tokens, unseen.get(key, 0)) if key != "prompt" else tokens


def _count_batch(meter: Meter, record: Record) -> None:
    """One batch is one model message. A second registration of the hook reports the same one again."""
    if record.get("kind") != ev.BATCH:
        return
    calls = record.get("calls", [])
    if not calls or calls != meter.get("batch"):
        meter["requests"] = meter.get("requests", 0) + 1
    meter["batch"] = list(calls)
