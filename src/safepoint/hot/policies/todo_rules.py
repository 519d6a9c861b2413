"""The rules of the todo list, judged before a todo tool runs. Pure.

Calls of one message run side by side, so a call is judged against the list as its siblings will leave it:
what was asked for before it is taken as done, what was asked for after it only where that frees a place.
"""

from __future__ import annotations

from .. import events as ev
from .todos import STATUSES, change, is_open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..shapes import TodoChange, TodoIntent, TodoItem

LIST, REQUIRED, EMPTY, STATUS, DUPLICATE, MAX_OPEN, ONE = (
    "list",
    "required",
    "empty",
    "status",
    "duplicate",
    "max_open",
    "one_in_progress",
)
DELETED = "deleted"


class Broken:
    """A rule that a call would break, and the facts that its text names."""

    __slots__ = ("facts", "rule")

    def __init__(self, rule: str, **facts: object) -> None:
        self.rule, self.facts = rule, facts

    def __repr__(self) -> str:
        return f"Broken({self.rule!r}, {self.facts!r})"


def judge(
    tool: str,
    given: dict[str, Any],
    items: list[TodoItem],
    intents: list[TodoIntent],
    call: str,
    max_open: int,
) -> Broken | None:
    """The first rule that the call `call` breaks, or None. `given` is its input as the model wrote it."""
    if tool == ev.TODO_WRITE:
        return _judge_write(given, max_open)
    planned = plan(items, intents, call)
    if tool == ev.TASK_CREATE:
        return _judge_create(given, planned, max_open)
    if tool == ev.TASK_UPDATE:
        return _judge_update(given, planned, max_open)
    return None


def plan(items: list[TodoItem], intents: list[TodoIntent], call: str) -> list[TodoItem]:
    """The list that `call` will meet. Items that were handed over (no id) are not in a host's own list."""
    planned, earlier = [item for item in items if item["id"]], True
    for intent in intents:
        if intent["call"] == call:
            earlier = False
        elif earlier or _frees(intent["todo"]):
            what = intent["todo"]
            if what.get("op") == "create":
                what = {**what, "id": "+" + intent["call"]}
            planned = change(planned, what)
    return planned


def _frees(what: TodoChange) -> bool:
    return what.get("op") == "delete" or what.get("status") in ("completed", "pending")


def key(text: str) -> str:
    """What two contents are compared by."""
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFKC", text)
    return text.strip()


# --- TodoWrite: the whole list at once -------------------------------------------------------------------


def _judge_write(given: dict[str, Any], max_open: int) -> Broken | None:
    entries = given.get("todos", given.get("items"))
    if not isinstance(entries, list):
        return Broken(LIST)
    for number, entry in enumerate(entries, 1):
        broken = _judge_entry(number, entry)
        if broken is not None:
            return broken
    return _judge_whole(entries, max_open)


def _judge_entry(number: int, entry: Any) -> Broken | None:
    if not isinstance(entry, dict):
        return Broken(REQUIRED, field="content", number=number, item="")
    content = entry.get("content")
    for field in ("content", "status", "activeForm"):
        if not isinstance(entry.get(field), str):
            return Broken(
                REQUIRED, field=field, number=number, item=content if isinstance(content, str) else ""
            )
    if not key(entry["content"]):
        return Broken(EMPTY, field="content", number=number)
    if not key(entry["activeForm"]):
        return Broken(EMPTY, field="activeForm", number=number)
    if entry["status"] not in STATUSES:
        return Broken(STATUS, status=entry["status"], item=content, allowed=", ".join(STATUSES))
    return None


def _judge_whole(entries: list[dict[str, Any]], max_open: int) -> Broken | None:
    known: dict[str, int] = {}
    running: dict[str, tuple[str, int]] = {}
    for number, entry in enumerate(entries, 1):
        if entry["status"] == "completed":
            continue
        content, owner = entry["content"], str(entry.get("owner") or "")
        if key(content) in known:
            return Broken(DUPLICATE, item=content, id=known[key(content)])
        known[key(content)] = number
        if entry["status"] == "in_progress":
            if owner in running:
                other, place = running[owner]
                return Broken(ONE, item=content, other=other, id=place, tool=ev.TODO_WRITE)
            running[owner] = content, number
    if len(known) > max_open:
        return Broken(MAX_OPEN, item=list(known)[max_open], open=len(known), max=max_open)
    return None


# --- TaskCreate and TaskUpdate: one item -----------------------------------------------------------------


def _judge_create(given: dict[str, Any], planned: list[TodoItem], max_open: int) -> Broken | None:
    subject = given.get("subject")
    if not isinstance(subject, str):
        return Broken(REQUIRED, field="subject", number=1, item="")
    if not key(subject):
        return Broken(EMPTY, field="subject", number=1)
    return _judge_opening(subject, "", planned, max_open)


def _judge_opening(content: str, own: str, planned: list[TodoItem], max_open: int) -> Broken | None:
    """An item is open from now on: a new one, or a finished one that is taken up again."""
    others = [item for item in planned if item["id"] != own and is_open(item)]
    for item in others:
        if key(item["content"]) == key(content):
            return Broken(DUPLICATE, item=content, id=_shown_id(item))
    if len(others) >= max_open:
        return Broken(MAX_OPEN, item=content, open=len(others) + 1, max=max_open)
    return None


def _judge_update(given: dict[str, Any], planned: list[TodoItem], max_open: int) -> Broken | None:
    name, status, subject = str(given.get("taskId") or ""), given.get("status"), given.get("subject")
    if not name:
        return Broken(REQUIRED, field="taskId", number=1, item="")
    if status is not None and status not in (*STATUSES, DELETED):
        return Broken(STATUS, status=status, item=name, allowed=", ".join((*STATUSES, DELETED)))
    if subject is not None and not (isinstance(subject, str) and key(subject)):
        return Broken(EMPTY, field="subject", number=1)
    if status in ("completed", DELETED):
        return None
    before = next((item for item in planned if item["id"] == name), None)
    content = subject or (before["content"] if before else name)
    will_run = (status or (before["status"] if before else "")) == "in_progress"
    if will_run and (before is None or before["status"] != "in_progress" or given.get("owner")):
        broken = _judge_start(name, content, str(given.get("owner") or _owner(before)), planned)
        if broken is not None:
            return broken
    if before is not None and (subject or (status and not is_open(before))):
        limit = max_open if not is_open(before) else len(planned) + 1  # an open item takes no further place
        return _judge_opening(content, name, planned, limit)
    return None


def _judge_start(name: str, content: str, owner: str, planned: list[TodoItem]) -> Broken | None:
    for item in planned:
        if item["status"] == "in_progress" and item["id"] != name and _owner(item) == owner:
            return Broken(ONE, item=content, other=item["content"], id=_shown_id(item), tool=ev.TASK_UPDATE)
    return None


def _shown_id(item: TodoItem) -> str:
    return "new" if item["id"].startswith("+") else item["id"]


def _owner(item: TodoItem | None) -> str:
    return item.get("owner", "") if item else ""
