"""Markdown line by line, with an eye for fenced code. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Fence:
    """Follows fenced code through a text; feed it every line in turn.

    Any indentation counts: inside a list item a fence stands far to the right.
    """

    __slots__ = ("open",)

    def __init__(self) -> None:
        self.open = ""  # the opening fence (``` or ~~~, as long as it was); empty outside of code

    def takes(self, line: str) -> bool:
        """True when `line` belongs to fenced code: inside it, or one of its fences."""
        text = line.strip()
        if self.open:
            if len(text) >= len(self.open) and not text.strip(self.open[0]):
                self.open = ""
            return True
        self.open = _opening(text)
        return bool(self.open)


def _opening(text: str) -> str:
    if text[:3] not in ("```", "~~~"):
        return ""
    rest = text.lstrip(text[0])
    if text[0] == "`" and "`" in rest:
        return ""  # a line of inline code
    return text[: len(text) - len(rest)]


def split_lines(text: str) -> Iterator[tuple[int, int]]:
    """`(start, end)` of each line, its line break included. Only a line feed ends a line."""
    start, size = 0, len(text)
    while start < size:
        end = text.find("\n", start) + 1 or size
        yield start, end
        start = end


def newline_of(text: str) -> str:
    """The line break that `text` uses first; a line feed where it has none."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def has_open_box(text: str) -> bool | None:
    """True when a task list item is unticked, False when all are ticked, None when there is none."""
    fence, found = Fence(), None
    for start, end in split_lines(text):
        line = text[start:end]
        if not fence.takes(line):
            box = _box(line)
            if box == " ":
                return True
            if box:
                found = False
    return found


def _box(line: str) -> str:
    """What stands in the box of a task list item, in lower case; empty for any other line."""
    text = line.lstrip()
    bullet, _, rest = text.partition(" ")
    if bullet not in ("-", "*", "+") and not (bullet[-1:] in (".", ")") and bullet[:-1].isdigit()):
        return ""
    rest = rest.lstrip(" ")
    box = rest[1:2].lower()
    if rest[:1] != "[" or rest[2:3] != "]" or rest[3:4] not in ("", " ", "\t", "\r", "\n"):
        return ""
    return box if box in (" ", "x") else ""
