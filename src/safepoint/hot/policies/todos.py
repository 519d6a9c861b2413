"""The todo list in its one normal form: `change` folds a call into it, `progress` counts. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Substep, TodoChange, TodoItem, TodoProgress

KEEP = 100
STATUSES = ("pending", "in_progress", "completed")


def change(items: list[TodoItem], what: TodoChange) -> list[TodoItem]:
    """The list after one todo tool call. A change of an item that is not known changes nothing."""
    op, name = what.get("op"), what.get("id", "")
    if op == "write":
        return what.get("items", [])[:KEEP]
    if op == "sync":
        return _synced(items, what.get("items", []))
    if op == "create":
        return [*[item for item in items if not _is_again(item, what)], _item(what)][-KEEP:]
    if not name:
        return items
    if op == "delete":
        return [item for item in items if item["id"] != name]
    return [_updated(item, what) if item["id"] == name else item for item in items]


def _is_again(item: TodoItem, what: TodoChange) -> bool:
    """An id given anew, or an open item that was handed over (without an id) and is now entered here."""
    if item["id"]:
        return item["id"] == what.get("id")
    return item["content"] == what.get("content") and item["status"] != "completed"


def _item(what: TodoChange) -> TodoItem:
    content = what.get("content", "")
    return {"id": what.get("id", ""), "content": content, "status": "pending",
            "active_form": what.get("active_form") or content}  # fmt: skip


def _synced(items: list[TodoItem], listed: list[TodoItem]) -> list[TodoItem]:
    """The host's own list, with what only we know: active forms, and items that were handed over."""
    known = {item["id"]: item for item in items}
    told = {item["content"] for item in listed}
    given = [item for item in items if not item["id"] and item["content"] not in told]
    return (given + [_as_known(item, known.get(item["id"])) for item in listed])[-KEEP:]


def _as_known(item: TodoItem, known: TodoItem | None) -> TodoItem:
    if known is None or known["content"] != item["content"]:
        return item
    return {**item, "active_form": known["active_form"]}


def _updated(item: TodoItem, what: TodoChange) -> TodoItem:
    status = what.get("status", "")
    updated: TodoItem = {
        "id": item["id"],
        "content": what.get("content") or item["content"],
        "status": status if status in STATUSES else item["status"],  # type: ignore[typeddict-item]
        "active_form": what.get("active_form") or item["active_form"],
    }
    owner = what.get("owner") or item.get("owner")
    if owner:
        updated["owner"] = owner
    return updated


def is_open(item: TodoItem) -> bool:
    return item["status"] != "completed"


def active(items: list[TodoItem]) -> list[TodoItem]:
    """The open items: of this session's own list where it has one, else those that were handed over."""
    own = [item for item in items if item["id"]]
    return [item for item in own or items if is_open(item)]


def progress(items: list[TodoItem]) -> TodoProgress:
    """How far the list is; `current_item` is the one in progress, else the first that is open."""
    done = sum(item["status"] == "completed" for item in items)
    current = next((item["content"] for item in items if item["status"] == "in_progress"), "")
    current = current or next((item["content"] for item in items if item["status"] == "pending"), "")
    return {"done": done, "total": len(items), "current_item": current}


def of_substeps(substeps: list[Substep]) -> list[TodoItem]:
    """The parts of a step as a todo list, for a session that keeps none of its own."""
    return [
        {"id": str(number), "content": part["text"], "active_form": part["text"],
         "status": "completed" if part["status"] == "done" else "pending"}
        for number, part in enumerate(substeps, 1)
    ]  # fmt: skip
