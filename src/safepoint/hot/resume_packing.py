"""Parts of a text that are shown whole or not at all, packed into a budget of bytes. Pure."""

from __future__ import annotations

from .quoting import clip_bytes, safe
from .texts import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LEFT_BYTES = 420  # room kept for the line that names what is left out


class Item:
    """One part. `label` and `where` name it when it is not."""

    __slots__ = ("label", "language", "priority", "text", "where")

    def __init__(
        self, priority: int, text: str, label: str = "", where: str = "", language: str = "en"
    ) -> None:
        self.priority, self.text, self.label = priority, text, label
        self.where, self.language = where, language

    def __repr__(self) -> str:
        return f"Item({self.priority}, {self.label!r}, {len(self.text)} characters)"


def pack(items: Sequence[Item], max_bytes: int) -> tuple[str, str]:
    """What fits now, and what follows with the next event ('' when nothing is left).

    By priority, each item whole or not at all. What does not fit is named; what would fit into no message
    is named only. A larger budget never costs an item unless a better one takes its place.
    """
    ordered = sorted(items, key=lambda item: item.priority)
    shown, left = _choose(ordered, max_bytes)
    first = _joined(shown, left, max_bytes)
    if not left:
        return first, ""
    intro = say(left[0].language, "resume_rest", where=clip_bytes(safe(left[0].where, 2000), 160))
    room = max_bytes - byte_size(intro) - 1
    shown, over = _choose(left, room)
    if not shown:
        return first, ""
    return first, intro + "\n" + _joined(shown, over, room)


def _choose(items: list[Item], max_bytes: int) -> tuple[list[Item], list[Item]]:
    """(in, out), in order. Room for the line about what is out is kept, except from the first item."""
    if sum(byte_size(item.text) + 1 for item in items) - 1 <= max_bytes:
        return items, []
    room, shown, left = max_bytes + 1, [], []
    for number, item in enumerate(items):
        size = byte_size(item.text) + 1
        if size <= room - (LEFT_BYTES if number else 0):
            room -= size
            shown.append(item)
        else:
            left.append(item)
    return shown, left


def _joined(shown: list[Item], left: list[Item], max_bytes: int) -> str:
    text = "\n".join([item.text for item in shown])
    if not left:
        return text
    names = clip_bytes(", ".join(dict.fromkeys([item.label for item in left if item.label])), 150)
    where = clip_bytes(safe(left[0].where, 2000), 140)
    line = say(left[0].language, "resume_left_out", names=names or "-", where=where or "-")
    together = f"{text}\n\n{clip_bytes(line, LEFT_BYTES - 2)}" if text else line
    return together if byte_size(together) <= max_bytes else text


def byte_size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
