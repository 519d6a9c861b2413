"""What is counted of the todo list: calls, changes, reminders, and what parallel calls are about to do. Pure.

Everything is dated by the request (model call) that it happened in, `request_now`.
"""

from __future__ import annotations

from .. import events as ev

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Record, SessionState

# Kinds of record of our own; `session` sends them here.
CALL, INTENT, REFUSED, REMINDED = "todo", "todo_intent", "todo_refused", "reminded"
HOST = "host"  # among the reminders: the host's own
STALE = "stale"
KEEP_INTENTS = 64


def request_now(state: SessionState) -> int:
    """The number of the request whose tool calls run now.

    Claude Code counts a request when all its calls have ended, Cursor's inference when the first begins.
    """
    requests = state["meter"].get("requests", 0)
    return requests if state["host"] == "cursor" else requests + 1


def apply(state: SessionState, record: Record) -> None:
    """Fold a record of the todo tool, the rules or the reminders."""
    kind, log = record["kind"], state["todo_log"]
    if kind == CALL:  # our own tool: no host event folds it
        if "todo" in record:
            from .work import change_todos

            change_todos(state, record)
        _called(state, record)
    elif kind == INTENT:
        drop_intents(state, [record.get("call", "")])
        log["intents"].append({"call": record.get("call", ""), "todo": record.get("todo", {})})
        del log["intents"][:-KEEP_INTENTS]
    elif kind == REFUSED:
        drop_intents(state, [record.get("call", "")])
        state["open_calls"].pop(record.get("call", ""), None)
    elif kind == REMINDED:
        name = record.get("name", "")
        log["reminded"][name] = state["meter"].get("requests", 0)
        if name == STALE:
            log["unanswered"] += 1


def call_ended(state: SessionState, record: Record) -> None:
    """A host's tool call has ended, well or not: its intent is either done or void."""
    drop_intents(state, [record.get("call", "")])
    if record.get("tool") in ev.TODO_TOOLS and record.get("tool") != ev.OWN_TODO and record.get("ok", True):
        _called(state, record)


def _called(state: SessionState, record: Record) -> None:
    log, tool = state["todo_log"], record.get("tool", "")
    if tool in log["tools"]:
        log["tools"].remove(tool)
    log["tools"].append(tool)  # the one used last is the one to name
    del log["tools"][:-8]
    log["called"] = request_now(state)
    log["tool_calls"], log["prompts"], log["files"] = state["tool_calls"], state["prompts"], []
    if record.get("todo", {}).get("op", "sync") != "sync":
        log["updated"] = log["called"]
        log["unanswered"] = 0
        state["waiting"] = [part for part in state["waiting"] if part[0] != "reminder"]


def drop_intents(state: SessionState, calls: list[str]) -> None:
    log = state["todo_log"]
    if log["intents"]:
        log["intents"] = [intent for intent in log["intents"] if intent["call"] not in calls]
