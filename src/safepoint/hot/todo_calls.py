"""Reads a todo tool's call, whatever the host's spelling, as one `TodoChange`. Pure."""

from __future__ import annotations

from . import events as ev
from .policies.todos import KEEP, STATUSES
from .redact import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .events import Event
    from .shapes import TodoChange, TodoItem

TEXT_BYTES = 400


def read_change(event: Event) -> TodoChange | None:
    """The change a finished todo call made to the list, or None for any other call."""
    if event.tool == ev.TODO_WRITE:
        return {"op": "write", "items": _items(event.tool_input)}
    if event.tool == ev.TASK_CREATE:
        return _create(event)
    if event.tool == ev.TASK_UPDATE and not _refused(event.output):
        return _update(event.tool_input)
    if event.tool == ev.TASK_LIST:
        return _listed(event.output)
    return None


def read_intent(event: Event) -> TodoChange | None:
    """The change that a call is about to make to one item, or None for any other call."""
    if event.tool == ev.TASK_CREATE:
        return _create(event)
    return _update(event.tool_input) if event.tool == ev.TASK_UPDATE else None


def _refused(answer: Any) -> bool:
    return isinstance(answer, dict) and answer.get("success") is False


def _items(tool_input: dict[str, Any]) -> list[TodoItem]:
    listed = tool_input.get("todos")
    if not isinstance(listed, list):
        listed = tool_input.get("items")
    items: list[TodoItem] = []
    for number, entry in enumerate(listed[:KEEP] if isinstance(listed, list) else [], 1):
        if isinstance(entry, dict):
            content = _text(entry, "content")
            items.append(
                {"id": _text(entry, "id") or str(number), "content": content,
                 "status": _status(entry.get("status")),  # type: ignore[typeddict-item]
                 "active_form": _text(entry, "activeForm") or content}
            )  # fmt: skip
    return items


def _create(event: Event) -> TodoChange:
    given, answer = event.tool_input, event.output
    task = answer.get("task") if isinstance(answer, dict) else None
    task_id = _text(task, "id") if isinstance(task, dict) else ""
    subject = _text(given, "subject")
    return {"op": "create", "id": task_id, "content": subject,
            "active_form": _text(given, "activeForm") or subject}  # fmt: skip


def _listed(answer: Any) -> TodoChange | None:
    """The host's whole list. Whatever changed it unseen, a subagent or another chat, is seen here."""
    tasks = answer.get("tasks") if isinstance(answer, dict) else None
    if not isinstance(tasks, list):
        return None
    items: list[TodoItem] = []
    for task in tasks[:KEEP]:
        if isinstance(task, dict) and _text(task, "id"):
            subject = _text(task, "subject")
            item: TodoItem = {
                "id": _text(task, "id"), "content": subject, "active_form": subject,
                "status": _status(task.get("status")),  # type: ignore[typeddict-item]
            }  # fmt: skip
            if _text(task, "owner"):
                item["owner"] = _text(task, "owner")
            items.append(item)
    return {"op": "sync", "items": items}


def _update(given: dict[str, Any]) -> TodoChange:
    change: TodoChange = {
        "op": "update", "id": _text(given, "taskId"), "content": _text(given, "subject"),
        "status": _text(given, "status"), "active_form": _text(given, "activeForm"),
    }  # fmt: skip
    if change["status"] == "deleted":
        change["op"] = "delete"
    if _text(given, "owner"):
        change["owner"] = _text(given, "owner")
    return change


def _status(value: object) -> str:
    return value if isinstance(value, str) and value in STATUSES else "pending"


def _text(mapping: dict[str, Any], name: str) -> str:
    value = mapping.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return capture(value, TEXT_BYTES) if isinstance(value, str) else ""
