"""The budget policy: may this tool run, and what is said about it. Pure.

`judge` looks at one call and the state; `apply` and `message_ended` fold the policy's own records.
"""

from __future__ import annotations

from .. import events as ev

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..events import Event
    from ..shapes import Level, Meter, Record, SessionState, Settings

# Verdicts of `judge`.
GO, YELLOW, WARN, SAVE, DENY, DENY_BRIEF, GRACE = (
    "go", "yellow", "warn", "save", "deny", "brief", "grace",
)
RED_TOLD = "red"  # kind of notice: Red was told where it may not deny
HALT_AFTER_MESSAGES = 3
_MEASURED = ("host", "transcript", "turn_sum", "unconfirmed")  # the last may be too high, never too low


class OwnFiles:
    """Files (paths relative to the project) that hold this session's own words at Red."""

    __slots__ = ("readable", "writable")

    def __init__(self, handoff: str, notes: str, report: str) -> None:
        self.readable = [handoff, notes, report]
        self.writable = [notes, report]


def message_key(state: SessionState) -> str:
    """Names the model message that a call belongs to (as far as the host shows it)."""
    return f"{state['prompts']}:{state['generation']}:{state['meter'].get('requests', 0)}"


def judge(
    state: SessionState, event: Event, level: Level, settings: Settings, own_files: OwnFiles
) -> str:
    """The verdict on a tool that is about to run. `level` is that of the reading just taken.

    `own_files` are the paths (relative to the project) that stay readable and writable at Red.
    """
    latch = state["latch"]
    if latch is None:
        if level == "red" and _may_stop(settings, state):
            return SAVE
        if level == "red" and not state["paused"] and RED_TOLD not in state["told"]:
            return WARN
        if level != "green" and not state["yellow_told"]:
            return YELLOW
        return GO
    if not _may_stop(settings, state):
        return GO
    if is_grace(event, state, settings, own_files):
        return GRACE
    if latch["phase"] != "saved":
        return SAVE
    told = state["deny"]["full_told"] and state["deny"]["message"] == message_key(state)
    return DENY_BRIEF if told else DENY


def _may_stop(settings: Settings, state: SessionState) -> bool:
    return settings["mode"] == "enforce" and not state["paused"]


def is_grace(event: Event, state: SessionState, settings: Settings, own_files: OwnFiles) -> bool:
    """True for one of the few calls that still run at Red: they save words and commits, nothing else."""
    if state["grace_used"] >= settings["grace"]["calls"] and not _was_granted(state, event):
        return False
    if event.kind == ev.BEFORE_SHELL or event.tool == ev.SHELL:
        from .simple_command import is_simple_command

        return is_simple_command(event.command, settings["grace"]["commands"])
    if event.tool in ev.TODO_TOOLS or event.tool == ev.TOOL_SEARCH:
        return True
    if event.kind == ev.BEFORE_READ or event.tool == ev.READ:
        return _names(event, own_files.readable)
    return event.tool in (ev.WRITE, ev.EDIT) and _names(event, own_files.writable)


def _was_granted(state: SessionState, event: Event) -> bool:
    """True where Cursor asks again, with the command or the file's content, for a call let through."""
    if event.kind not in (ev.BEFORE_SHELL, ev.BEFORE_READ):
        return False
    from ..records import command_key, in_project

    open_calls = state["open_calls"]
    granted = [open_calls[call] for call in state["granted"] if call in open_calls]
    if event.kind == ev.BEFORE_SHELL:
        return command_key(event.command) in [known["command_key"] for known in granted]
    return in_project(event.file_path, event.project) in [known["subject"] for known in granted]


def _names(event: Event, own: list[str]) -> bool:
    path = event.file_path.replace("\\", "/")
    project = event.project.rstrip("/")
    return any(name and path in (name, f"./{name}", f"{project}/{name}") for name in own)


def apply(state: SessionState, record: Record) -> None:
    """Fold a record of this policy into the state."""
    kind = record["kind"]
    if kind == "yellow":
        state["yellow_told"] = bool(record.get("value", True))
        if not state["yellow_told"] and RED_TOLD in state["told"]:  # Green again: the next crossing is news
            state["told"].remove(RED_TOLD)
    elif kind == "latch":
        _latch(state, record)
    elif kind == "release":
        state["latch"] = None
        state["grace_used"] = 0
        state["granted"] = []
        state["deny"] = {"message": "", "full_told": False, "calls": [], "messages": 0}
    elif kind == "deny":
        _denied(state, record)
    elif kind == "grace":
        _grant(state, record.get("call", ""))
    elif kind == "extend":
        state["extended"] += record.get("tokens", 0)
    elif kind == "pause":
        state["paused"] = bool(record.get("value"))


def _latch(state: SessionState, record: Record) -> None:
    before = state["latch"]
    phase = record.get("status", "saving")
    cause = "compacted" if record.get("reason") == "compacted" else "full"
    state["latch"] = {
        "cause": cause,
        "at": record.get("at", 0.0),
        "phase": phase,  # type: ignore[typeddict-item]
        "checkpoint": record.get("checkpoint", ""),
        "handoff": record.get("handoff", ""),
        "attempts": (before["attempts"] if before else 0) + (phase == "saving"),
    }
    if phase == "saved":
        state["checkpoints"].append(record.get("checkpoint", ""))


def _grant(state: SessionState, call: str) -> None:
    """Count a call once: of the two events that ask for it on Cursor, only one has opened it."""
    if call in state["open_calls"] and call not in state["granted"]:
        state["grace_used"] += 1
        state["granted"].append(call)


def _denied(state: SessionState, record: Record) -> None:
    deny, message = state["deny"], record.get("name", "")
    if deny["message"] != message:
        deny["message"], deny["full_told"], deny["calls"] = message, False, []
    deny["full_told"] = deny["full_told"] or record.get("verdict") == "deny"
    deny["calls"].append(record.get("call", ""))
    state["told_generation"] = state["generation"]
    state["open_calls"].pop(record.get("call", ""), None)


def message_ended(state: SessionState, record: Record) -> None:
    """Count the messages in a row whose calls were all denied (from the host's batch event)."""
    calls, denied = record.get("calls", []), state["deny"]["calls"]
    all_denied = bool(calls) and all(call in denied for call in calls)
    state["deny"]["messages"] = state["deny"]["messages"] + 1 if all_denied else 0
    state["deny"]["calls"] = []
    state["deny"]["full_told"] = False


def must_halt(state: SessionState) -> bool:
    """True when the model has had its answer often enough and still calls tools."""
    return state["latch"] is not None and state["deny"]["messages"] >= HALT_AFTER_MESSAGES


def may_release(state: SessionState, level: Level) -> bool:
    """A `full` latch opens when the context is known to have shrunk; a `compacted` one only by hand."""
    latch = state["latch"]
    if latch is None or latch["cause"] != "full":
        return False
    if _was_compacted(state["meter"]):
        return True
    return level == "green" and state["reading"]["source"] in _MEASURED


def _was_compacted(meter: Meter) -> bool:
    """The host went on with a summary of unknown size: no figure, but less than what filled the context."""
    transcript = meter.get("transcript")
    if transcript is not None:
        return transcript["boundary"] and transcript["base"] is None
    return meter.get("compacted", False) and meter.get("calls", 0) > 0
