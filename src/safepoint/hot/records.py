"""One journal record from one event: texts redacted first, then cut. Pure."""

from __future__ import annotations

from . import events as ev
from .redact import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .events import Event
    from .shapes import Record

COMMAND_BYTES, TEXT_BYTES, ERROR_BYTES, SUMMARY_BYTES = 2000, 1000, 600, 300
_TOOL_KINDS = frozenset(
    {ev.BEFORE_TOOL, ev.BEFORE_SHELL, ev.BEFORE_READ, ev.AFTER_TOOL, ev.AFTER_SHELL, ev.TOOL_FAILED,
     ev.SUBAGENT_START}
)  # fmt: skip


def make(event: Event, key: str) -> Record:
    """The record of `event`. Empty fields are left out: a green guard appends it on every call."""
    record: Record = {"kind": event.kind, "at": round(event.now, 3), "key": key}
    for name in ("model", "source", "trigger", "reason", "status"):
        value = getattr(event, name)
        if value:
            record[name] = capture(value, SUMMARY_BYTES)
    if event.generation_id:
        record["generation"] = event.generation_id
    if event.window:
        record["window"] = event.window
    if event.context_tokens is not None:
        record["context_tokens"] = event.context_tokens
    if event.kind in _TOOL_KINDS:
        _tool(record, event)
    else:
        _turn(record, event)
    return record


def _tool(record: Record, event: Event) -> None:
    record["tool"] = capture(event.tool, 80)  # an MCP server names its tools as it likes
    record["call"] = call_id(event)
    record["tokens_in"], record["tokens_out"] = event.tokens_in, event.tokens_out
    if event.chars:
        record["chars"] = event.chars
    if event.partial:
        record["partial"] = True
    if event.command:
        record["command"] = capture(event.command, COMMAND_BYTES)
        record["command_key"] = command_key(event.command)
    if event.file_path:
        record["file"] = capture(in_project(event.file_path, event.project), COMMAND_BYTES)
    if event.tool == ev.SUBAGENT and event.kind == ev.BEFORE_TOOL:
        record["text"] = capture(str(event.tool_input.get("description") or ""), SUMMARY_BYTES)
    if event.agent_type:
        record["name"] = capture(event.agent_type, 80)
    if event.background:
        record["background"] = True
    if event.kind in (ev.AFTER_TOOL, ev.AFTER_SHELL, ev.TOOL_FAILED):
        _result(record, event)


def _result(record: Record, event: Event) -> None:
    record["ok"] = event.ok
    if event.unsized:
        record["unsized"] = True
    record["payload_bytes"] = event.payload_bytes
    if event.tool == ev.SHELL:
        record["exit"] = event.exit_code
        record["cwd"] = capture(in_project(event.cwd, event.project), SUMMARY_BYTES)
    if event.child_id:
        record["child"] = event.child_id
    if event.error:
        record["error"] = capture(event.error, ERROR_BYTES)
    record["summary"] = _summary(record, event)
    from .todo_calls import read_change

    todo = read_change(event)
    if todo is not None:
        record["todo"] = todo


def _summary(record: Record, event: Event) -> str:
    if event.summary:
        return capture(event.summary, SUMMARY_BYTES)
    subject = record.get("command") or record.get("file")
    if event.tool == ev.SUBAGENT:
        subject = event.tool_input.get("description")
    if not subject or not isinstance(subject, str):
        subject = record.get("tool") or event.tool_name
    return capture(subject, SUMMARY_BYTES)


def _turn(record: Record, event: Event) -> None:
    text = event.prompt or event.text
    if text:
        record["text"] = capture(text, TEXT_BYTES)
    record["tokens_in"], record["tokens_out"] = event.tokens_in, event.tokens_out
    if event.input_tokens is not None:
        record["input_sum"] = event.input_tokens
        record["output_sum"] = event.output_tokens or 0
    if event.kind == ev.BATCH:
        record["calls"] = [call["tool_use_id"] for call in event.calls[:200]]
    if event.kind == ev.SUBAGENT_STOP:
        record["summary"] = capture(event.summary, TEXT_BYTES)
        record["child"] = event.child_id
        record["name"] = capture(event.agent_type, 80)
        record["value"] = {
            "files": [capture(in_project(path, event.project), COMMAND_BYTES) for path in event.files[:100]]
        }


def call_id(event: Event) -> str:
    """The host's id of a call; where it gives none, one that its other event gives as well."""
    if event.tool_use_id:
        return event.tool_use_id
    subject = command_key(event.command or event.file_path)
    return f"{capture(event.tool, 80)}:{event.generation_id}:{subject}"


def command_key(text: str) -> str:
    """What joins the events of one command. Of its redacted text: else it could give a password away."""
    return ev.short_key(capture(text, COMMAND_BYTES))


def in_project(path: str, project: str) -> str:
    """`path` relative to the project where it lies inside."""
    path = path.replace("\\", "/") if path[1:3] == ":\\" else path
    prefix = project.rstrip("/") + "/"
    if project and path.startswith(prefix):
        return path[len(prefix):]
    return "" if project and path == project else path
