"""Where a Markdown text's lines, fenced code and task boxes are. Pure.

Everything is found by searching for its characters: to look at each line of a long text takes too long.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BOXES = 1000  # that many which are none: a table of them, no task list
_BULLET = 200  # no mark of a list item is longer, however deep it stands
_AFTER_BOX = ("", " ", "\t", "\r", "\n")


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


def fenced(text: str) -> tuple[list[tuple[int, int]], str]:
    """`(start, end)` of each stretch of fenced code with its fences, and the fence left open or ''."""
    fence, spans, begin = Fence(), [], -1
    for start, end in _fence_lines(text):
        fence.takes(text[start:end])
        if begin < 0 and fence.open:
            begin = start
        elif begin >= 0 and not fence.open:
            spans.append((begin, end))
            begin = -1
    if begin >= 0:
        spans.append((begin, len(text)))
    return spans, fence.open


def _fence_lines(text: str) -> Iterator[tuple[int, int]]:
    """The lines that could be fences: no other line opens or closes one."""
    ticks, tildes = text.find("```"), text.find("~~~")
    while ticks >= 0 or tildes >= 0:
        at = min([place for place in (ticks, tildes) if place >= 0])
        start, end = line_at(text, at)
        yield start, end
        if 0 <= ticks < end:
            ticks = text.find("```", end)
        if 0 <= tildes < end:
            tildes = text.find("~~~", end)


def places(text: str, word: str, code: list[tuple[int, int]]) -> Iterator[int]:
    """Where `word` stands outside of the stretches of `code`."""
    at, index = text.find(word), 0
    while at >= 0:
        while index < len(code) and code[index][1] <= at:
            index += 1
        if index < len(code) and code[index][0] <= at:
            at = text.find(word, code[index][1])
        else:
            yield at
            at = text.find(word, at + len(word))


def line_at(text: str, at: int) -> tuple[int, int]:
    """`(start, end)` of the line around `at`, its line break included."""
    return text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)


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
    if "[ ]" not in text and "[x]" not in text and "[X]" not in text:
        return None
    code, _ = fenced(text)
    if _has_box(text, "[ ]", code):
        return True
    return False if _has_box(text, "[x]", code) or _has_box(text, "[X]", code) else None


def _has_box(text: str, box: str, code: list[tuple[int, int]]) -> bool:
    for count, at in enumerate(places(text, box, code)):
        start = text.rfind("\n", 0, at) + 1
        if _is_bullet(text[max(start, at - _BULLET) : at]) and text[at + 3 : at + 4] in _AFTER_BOX:
            return True
        if count >= MAX_BOXES:
            break
    return False


def _is_bullet(text: str) -> bool:
    """What stands before the box in its line is the mark of a list item and space, no more."""
    bullet = text.strip(" \t")
    numbered = bullet[-1:] in (".", ")") and bullet[:-1].isdigit()
    return (bullet in ("-", "*", "+") or numbered) and text[-1:] in (" ", "\t")
