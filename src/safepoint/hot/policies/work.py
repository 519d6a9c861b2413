"""What the agent has done and what is next, folded from its finished tool calls. Pure."""

from __future__ import annotations

from .. import events as ev
from . import todos
from .work_commands import is_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Command, NextAction, OpenError, Record, SessionState, ToolDone

KEEP_COMMANDS, KEEP_ERRORS, KEEP_FILES, KEEP_WORK = 20, 10, 200, 60

_CHANGES = (ev.WRITE, ev.EDIT, ev.DELETE)


def call_ended(state: SessionState, record: Record) -> None:
    """Fold one finished call.

    Cursor tells a shell call's end twice (afterShellExecution has no exit code, postToolUse has), in
    either order: the first that arrives is counted, the second only adds what the first lacked.
    """
    call, key = record.get("call", ""), record.get("command_key", "")
    if call in state["deny"]["calls"] or record.get("status") == "denied":
        state["open_calls"].pop(call, None)
        return  # our own deny reported back, or another's: nothing ran
    balance = state["shell_seen"].pop(key, 0)  # shell events less tool events of this command
    is_shell_event = record["kind"] == ev.AFTER_SHELL
    if key and state["host"] == "cursor" and balance + (1 if is_shell_event else -1):
        state["shell_seen"][key] = balance + (1 if is_shell_event else -1)
        _drop_oldest(state["shell_seen"], 32)
    if balance < 0 if is_shell_event else balance > 0:
        _complete(state, record)
        return
    _close_call(state, record, key if is_shell_event else "")
    _count(state, record)
    if not is_shell_event:  # that one does not know how it ended
        _judge_result(state, record)


def _close_call(state: SessionState, record: Record, key: str) -> None:
    call = record.get("call", "")
    for open_call, known in state["open_calls"].items():
        if key and known["command_key"] == key:
            call = open_call
            break
    if call not in state["open_calls"]:
        return
    known = state["open_calls"].pop(call)
    if known["tool"] == ev.SUBAGENT and record.get("background") and record.get("child"):
        state["open_calls"][record["child"]] = known  # it only began; its end comes under its own id


def _complete(state: SessionState, record: Record) -> None:
    """The second event of a counted shell call: an exit code, if it brings one."""
    state["open_calls"].pop(record.get("call", ""), None)
    if record["kind"] == ev.AFTER_SHELL:
        return
    for command in reversed(state["recent_commands"]):
        if command["command"] == record.get("command") and command["exit"] is None:
            command["exit"] = record.get("exit")
            break
    _judge_result(state, record)


def _drop_oldest(items: dict[str, int], keep: int) -> None:
    while len(items) > keep:
        del items[next(iter(items))]


def _count(state: SessionState, record: Record) -> None:
    state["tool_calls"] += 1
    tool, path = record.get("tool", ""), record.get("file", "")
    if tool == ev.SHELL:
        state["shell_bytes"] += record.get("payload_bytes", 0)
        state["recent_commands"].append(
            {"command": record.get("command", ""), "exit": record.get("exit"),
             "cwd": record.get("cwd", ""), "at": record.get("at", 0.0)}
        )  # fmt: skip
        del state["recent_commands"][:-KEEP_COMMANDS]
    elif record.get("ok", True) and path and tool == ev.READ:
        _keep_newest(state["files_read"], path, KEEP_FILES)
    elif record.get("ok", True) and path and tool in _CHANGES:
        _keep_newest(state["files_changed"], path, KEEP_FILES)
        _keep_newest(state["todo_log"]["files"], path, KEEP_COMMANDS)
    if "todo" in record and record.get("ok", True):
        change_todos(state, record)


def change_todos(state: SessionState, record: Record) -> None:
    before = {item["content"] for item in state["todos"] if item["status"] == "completed"}
    state["todos"] = todos.change(state["todos"], record["todo"])
    for item in state["todos"]:
        if item["status"] == "completed" and item["content"] not in before:
            _add_work(state, item["content"], "carried", "todo", record)


def _judge_result(state: SessionState, record: Record) -> None:
    """Errors open and close, work is noted, and work that fails by now is work no more."""
    _note_error(state, record)
    if record.get("ok", True):
        state["last_completed"] = _tool_done(record)
        _note_work(state, record)
    else:
        failed = record.get("command")
        state["completed_work"] = [item for item in state["completed_work"] if item["description"] != failed]


def _tool_done(record: Record) -> ToolDone:
    done: ToolDone = {
        "tool": record.get("tool") or record.get("tool_name", ""),
        "summary": record.get("summary", ""),
        "ok": record.get("ok", True),
        "at": record.get("at", 0.0),
        "artifact_refs": [record["file"]] if record.get("file") else [],
    }
    if record.get("tool") == ev.SHELL:
        done["exit"] = record.get("exit")
    return done


def _error_key(record: Record) -> str:
    return f"{record.get('tool')}:{record.get('command_key') or record.get('file') or ''}"


def _note_error(state: SessionState, record: Record) -> None:
    """Open an error, or close the one that this success shows to be gone."""
    key, ok = _error_key(record), record.get("ok", True)
    if ok and record.get("tool") == ev.SHELL and record.get("exit") != 0:
        return  # started in the background, or nobody said how it ended
    state["open_errors"] = [error for error in state["open_errors"] if error["key"] != key]
    if not ok:
        message = record.get("error", "") or record.get("summary", "")
        error: OpenError = {
            "key": key, "tool": record.get("tool", ""), "message": message, "at": record.get("at", 0.0),
        }  # fmt: skip
        state["open_errors"].append(error)
        del state["open_errors"][:-KEEP_ERRORS]


def _note_work(state: SessionState, record: Record) -> None:
    tool = record.get("tool", "")
    if tool == ev.SHELL and record.get("exit") == 0 and is_work(record.get("command", "")):
        _add_work(state, record.get("command", ""), "verified", "exit 0", record)
    elif tool in _CHANGES and record.get("file"):
        _add_work(state, f"{tool} {record['file']}", "verified", "file", record)
    elif tool == ev.SUBAGENT and not (record.get("background") or record.get("child")):
        # who names the child tells of its end, and of its report, in an event of its own
        _add_work(state, record.get("summary", ""), "carried", "subagent", record)


def _add_work(state: SessionState, text: str, known: str, evidence: str, record: Record) -> None:
    if not text:
        return
    work = [item for item in state["completed_work"] if item["description"] != text]
    work.append(
        {"description": text, "known": known, "evidence": evidence,  # type: ignore[typeddict-item]
         "at": record.get("at", 0.0)}
    )  # fmt: skip
    state["completed_work"] = work[-KEEP_WORK:]


def _keep_newest(items: list[str], item: str, keep: int) -> None:
    if item in items:
        items.remove(item)
    items.append(item)
    del items[:-keep]


def subagent_ended(state: SessionState, record: Record) -> None:
    """A subagent's files are its parent's work too; its report is said, not proved."""
    state["open_calls"].pop(record.get("child", ""), None)
    for path in (record.get("value") or {}).get("files", []):
        _keep_newest(state["files_changed"], path, KEEP_FILES)
    if record.get("summary") and record.get("status", "completed") == "completed":
        _add_work(state, record["summary"], "carried", "subagent", record)


def _failing(state: SessionState) -> Command | None:
    """The newest work command that failed and has not passed since."""
    passed = set()
    for command in reversed(state["recent_commands"]):
        if command["exit"] == 0:
            passed.add(command["command"])
        elif command["exit"] is not None and command["command"] not in passed and is_work(command["command"]):
            return command
    return None


def next_action(state: SessionState) -> NextAction:
    """The one thing to do next: from the todo list, else the last failing command, else the prompt."""
    reads = [path for path in (state["report"],) if path]
    reads += [path for path in state["step_inputs"] if path not in reads]
    reads += [path for path in reversed(state["files_changed"][-5:]) if path not in reads]
    for status in ("in_progress", "pending"):
        for item in state["todos"]:
            if item["status"] == status:
                return {"description": item["content"], "inputs_to_read": reads, "source": "todo"}
    if not state["todos"]:
        for part in state["substeps"]:
            if part["status"] == "open":
                return {"description": part["text"], "inputs_to_read": reads, "source": "substep"}
    failing = _failing(state)
    if failing is not None:
        text = f"{failing['command']} (exit {failing['exit']})"
        return {"description": text, "inputs_to_read": reads, "source": "failing_command"}
    if state["last_prompt"]:
        return {"description": state["last_prompt"], "inputs_to_read": reads, "source": "prompt"}
    return {"description": "", "inputs_to_read": reads, "source": "none"}
