"""A session's state as the pure fold of its journal: `new_state`, then `apply` record by record.

No clock, file or setting is read here, so that a state rebuilt from its journal is the state that was.
"""

from __future__ import annotations

from . import events as ev
from .meters import account

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .shapes import Host, Record, SessionState

# Kinds of record that are no host event.
YELLOW, LATCH, RELEASE, DENY, GRACE, EXTEND, PAUSE = (
    "yellow", "latch", "release", "deny", "grace", "extend", "pause",
)
CAMPAIGN, STEP, OFFER, TOLD, WAITING, GIT, INHERIT, PLACES, SNAPSHOT = (
    "campaign", "step", "offer", "told", "waiting", "git", "inherit", "places", "snapshot",
)

NOTIFICATION = "notification"  # reason of a prompt that no person typed
SEEN_KEYS = 256
_AFTER = frozenset({ev.AFTER_TOOL, ev.AFTER_SHELL, ev.TOOL_FAILED})
_BEFORE = frozenset({ev.BEFORE_TOOL, ev.BEFORE_SHELL})
_GUARD = frozenset({YELLOW, LATCH, RELEASE, DENY, GRACE, EXTEND, PAUSE})
_WORKFLOW = frozenset({CAMPAIGN, STEP, OFFER, TOLD, WAITING, GIT, INHERIT, PLACES})
_TODO = frozenset({"todo", "todo_intent", "todo_refused", "reminded"})  # policies.todo_log

# What some records put into the state as it is: each field with its types.
_COUNT = (int, type(None))
_READING = {"tokens": _COUNT, "measured": _COUNT, "estimated": (int,), "window": _COUNT, "source": (str,),
            "window_source": (str,)}  # fmt: skip
_OFFER = {"session_id": (str,), "shown": (bool,), "claimed": (bool,), "settled": (bool,)}

def new_state(session_id: str, agent_id: str, host: Host) -> SessionState:
    """What is known of a session before its first record: nothing."""
    return {
        "schema_version": 1, "session_id": session_id, "agent_id": agent_id, "host": host,
        "host_version": "", "project": "", "known_origin": False, "started_at": 0.0, "last_at": 0.0,
        "ended": False, "model": "", "generation": "", "seen_keys": [],
        "prompts": 0, "tool_calls": 0, "shell_bytes": 0,
        "meter": {}, "level": "green",
        "reading": {"tokens": None, "measured": None, "estimated": 0, "window": None,
                    "source": "unknown", "window_source": "unknown"},
        "yellow_told": False, "extended": 0, "paused": False, "latch": None, "told_generation": "",
        "deny": {"message": "", "full_told": False, "calls": [], "messages": 0},
        "grace_used": 0, "granted": [], "checkpoints": [],
        "open_calls": {}, "shell_seen": {}, "last_completed": None, "completed_work": [],
        "recent_commands": [], "open_errors": [], "files_read": [], "files_changed": [],
        "last_prompt": "", "todos": [], "git": {},
        "todo_log": {"tools": [], "called": 0, "updated": 0, "tool_calls": 0, "prompts": 0, "files": [],
                     "reminded": {}, "unanswered": 0, "intents": []},
        "campaign_slug": "", "campaign_by": "", "report": "", "workflow_step": "",
        "orchestrator_phase": "", "substeps": [], "step_inputs": [], "places": "", "offer": None, "told": [],
        "waiting": [],
    }  # fmt: skip


def was_seen(state: SessionState, key: str) -> bool:
    """True for a second delivery of one host event (two registrations of the same hook).

    A key that ends in `@second` stands for an event without an id: its twin may be of the second beside it.
    """
    seen = state["seen_keys"]
    if not key or key in seen:
        return bool(key)
    text, mark, second = key.rpartition("@")
    if not (mark and second.isdecimal()):
        return False
    return f"{text}@{int(second) - 1}" in seen or f"{text}@{int(second) + 1}" in seen


def is_sound(record: Record) -> bool:
    """Whether what a record puts into the state as it is has its shape: a damaged line tells nothing.

    Raises what Python raises on a value of a wrong type.
    """
    reading: Any = record.get("reading")
    value: Any = record.get("value")
    kind = record["kind"]
    if reading is not None and not (_fits(reading, _READING) and isinstance(record.get("level", ""), str)):
        return False
    if kind == OFFER:
        return value is None or _fits(value, _OFFER)
    if kind == WAITING:
        return all(len(part) == 2 and type(part[0]) is type(part[1]) is str for part in value)
    return kind != GIT or isinstance(record.get("git", {}), dict)


def _fits(value: dict[str, Any], shape: dict[str, Any]) -> bool:
    return all(type(value[name]) in types for name, types in shape.items())


def apply(state: SessionState, record: Record) -> SessionState:
    """Fold one record into `state` (changed in place and returned)."""
    key = record.get("key", "")
    if key:
        if was_seen(state, key):
            return state
        state["seen_keys"].append(key)
        del state["seen_keys"][:-SEEN_KEYS]
    _common(state, record)
    kind = record.get("kind", "")
    if kind in _GUARD:
        from .policies import budget

        budget.apply(state, record)
    elif kind in _WORKFLOW:
        from .policies import workflow

        workflow.apply(state, record)
    elif kind in _TODO:
        from .policies import todo_log

        todo_log.apply(state, record)
    else:
        reminder = state["meter"].get("transcript", {}).get("reminder")
        state["meter"] = account.apply(state["meter"], record)
        if state["meter"].get("transcript", {}).get("reminder", reminder) != reminder:  # the host's own came
            state["todo_log"]["reminded"]["host"] = state["meter"].get("requests", 0)
        _event(state, record, kind)
    return state


def _common(state: SessionState, record: Record) -> None:
    at = record.get("at", 0.0)
    state["last_at"] = max(state["last_at"], at)
    state["started_at"] = state["started_at"] or at
    if "project" in record:
        state["project"], state["host"] = record["project"], record.get("host", state["host"])
        state["session_id"] = record.get("session_id", state["session_id"])
        state["agent_id"] = record.get("agent_id", state["agent_id"])
    state["host_version"] = record.get("host_version") or state["host_version"]
    state["model"] = record.get("model") or state["model"]
    state["generation"] = record.get("generation") or state["generation"]
    reading = record.get("reading")
    if reading is not None:
        state["reading"] = reading
        state["level"] = record.get("level", state["level"])


def _event(state: SessionState, record: Record, kind: str) -> None:
    if kind in _BEFORE:
        _call_began(state, record)
    elif kind in _AFTER:
        from .policies import work

        work.call_ended(state, record)
        if state["todo_log"]["intents"] or record.get("tool") in ev.TODO_TOOLS:
            from .policies import todo_log

            todo_log.call_ended(state, record)
    elif kind == ev.PROMPT:
        state["known_origin"] = True
        state["ended"] = False
        if record.get("reason") == NOTIFICATION:
            return
        state["prompts"] += 1
        state["deny"]["messages"] = 0  # a person's words begin anew; the model is told the reason again
        state["last_prompt"] = record.get("text", "") or state["last_prompt"]
        state["open_calls"] = {
            call: known for call, known in state["open_calls"].items() if known["tool"] == ev.SUBAGENT
        }  # a call that the user broke off reports no end; background agents go on
        state["todo_log"]["intents"] = []
    elif kind == ev.SESSION_START:
        state["known_origin"] = True
        state["ended"] = False
        if record.get("source") in ("startup", "clear"):
            state["open_calls"] = {}
    elif kind == ev.BATCH:
        deny = state["deny"]
        if deny["calls"] or deny["messages"] or deny["full_told"]:  # else it would change nothing
            from .policies import budget

            budget.message_ended(state, record)
        for call in record.get("calls", []):  # one that was refused or broken off has told no end
            state["open_calls"].pop(call, None)
        if state["todo_log"]["intents"]:
            from .policies import todo_log

            todo_log.drop_intents(state, record.get("calls", []))
    elif kind == ev.SUBAGENT_STOP:
        from .policies import work

        work.subagent_ended(state, record)
    elif kind == ev.SESSION_END:
        state["ended"] = True


def _call_began(state: SessionState, record: Record) -> None:
    call = record.get("call", "")
    if record["kind"] == ev.BEFORE_SHELL and any(
        known["command_key"] == record.get("command_key") for known in state["open_calls"].values()
    ):
        return  # the second announcement of one shell call
    state["open_calls"][call] = {
        "tool": record.get("tool", ""),
        "subject": record.get("command") or record.get("file") or record.get("text", ""),
        "at": record.get("at", 0.0), "command_key": record.get("command_key", ""),
        "tokens_in": record.get("tokens_in", 0), "agent_type": record.get("name", ""),
    }  # fmt: skip
    if len(state["open_calls"]) > 64:
        del state["open_calls"][next(iter(state["open_calls"]))]
