"""Todo items as lines: `[x]` done, `[>] ... <- activeForm` under way, `[ ]` open. Pure."""

from __future__ import annotations

from ..quoting import safe
from .todos import active

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import TodoItem

MAX_CHARS = 200
MAX_BYTES = 3000  # of one list: an answer has other things to carry
_MARKS = {"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}


def line(item: TodoItem) -> str:
    text = f"{_MARKS[item['status']]} {safe(item['content'], MAX_CHARS)}"
    if item["status"] == "in_progress":
        text += f" <- {safe(item['active_form'], MAX_CHARS)}"
    return text


def changed(before: list[TodoItem], after: list[TodoItem]) -> list[str]:
    """The lines of the items that are new or not as they were."""
    return [line(item) for item in after if item not in before]


def reminder_lines(items: list[TodoItem]) -> list[str]:
    """Id, status and subject of the open items."""
    return [
        f"{item['id'] or '-'} ({item['status']}): {item['content'][:MAX_CHARS]}" for item in active(items)
    ]


def fitting(lines: list[str], max_bytes: int = MAX_BYTES) -> tuple[list[str], int]:
    """As many lines as fit, and how many are left out."""
    kept = []
    for text in lines:
        max_bytes -= len(text.encode("utf-8", "replace")) + 1
        if max_bytes < 0:
            break
        kept.append(text)
    return kept, len(lines) - len(kept)
