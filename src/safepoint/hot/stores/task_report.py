"""The task report is its author's. Safepoint writes between two marks of its own in it, nothing else."""

from __future__ import annotations

from ..markdown import Fence, fenced, line_at, newline_of, places
from . import project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

BEGIN = "<!-- safepoint:begin -->"
END = "<!-- safepoint:end -->"
SUFFIXES = (".md", ".markdown", ".mdx")
_INDENTS = ("", " ", "  ", "   ")


def write_section(project: str, report: str, section: str) -> bool:
    """Have `section` between the marks of the report (a path below the project); True when it is there.

    False, and nothing written, where there is no such Markdown file inside the project. Raises OSError
    when the file system refuses.
    """
    path = project_file.regular(project, report) if is_report_name(report) else ""
    return bool(path) and project_file.rewrite(path, lambda text: update_section(text, section))


def is_report_name(name: str) -> bool:
    """A name that a pointer gave could be any file's; only Markdown is written to."""
    return name.lower().endswith(SUFFIXES)


def update_section(text: str, section: str) -> str:
    """`text` with `section` between the marks; every byte outside of them stays.

    A text without marks, or with marks of which it is not plain which belong together, gets a fresh
    section at its end. A section there is found again even so, or each update would add another.
    """
    marks, open_fence = _marks(text)
    own = _own(text, marks)
    if own is not None:
        newline = newline_of(text[own[0] - 2 : own[0]])  # as the mark's own line ends
        return text[: own[0]] + _body(section, newline) + text[own[1] :]
    newline = newline_of(text)
    return text + _gap(text, open_fence, newline) + BEGIN + newline + _body(section, newline) + END + newline


def without_section(text: str) -> str:
    """What the report's author wrote: `text` without what stands between the marks."""
    own = _own(text, _marks(text)[0]) if BEGIN in text else None
    return text if own is None else text[: own[0]] + text[own[1] :]


def _own(text: str, marks: list[tuple[int, int, bool]]) -> Optional[tuple[int, int]]:
    """Where the section's body starts and ends, if it is plain which section is Safepoint's."""
    if [is_begin for _, _, is_begin in marks[-2:]] != [True, False]:
        return None
    (_, start, _), (end, after, _) = marks[-2:]
    return (start, end) if len(marks) == 2 or not text[after:].strip() else None


def _marks(text: str) -> tuple[list[tuple[int, int, bool]], str]:
    """All marks outside of fenced code as (line start, line end, is it a begin), and the fence left open.

    A mark stands alone on its line, and not so far to the right that it is an indented code block.
    """
    code, open_fence = fenced(text)
    marks = []
    for mark in (BEGIN, END):
        for at in places(text, mark, code):
            start, end = line_at(text, at)
            if text[start:at] in _INDENTS and not text[at + len(mark) : end].strip():
                marks.append((start, end, mark == BEGIN))
    return sorted(marks), open_fence


def _gap(text: str, open_fence: str, newline: str) -> str:
    """What sets a fresh section apart from the text before it."""
    if not text:
        return ""
    gap = "" if text.endswith("\n") else newline
    if open_fence:  # without its end the section would be code, and not be found again
        gap += open_fence + newline
    return gap if text.endswith("\n" + newline) and not open_fence else gap + newline


def _body(section: str, newline: str) -> str:
    """The section's lines, made harmless: no mark among them, no code left open, only what UTF-8 can hold."""
    text = section.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    fence, lines = Fence(), []
    for line in text.split("\n") if text else []:
        if BEGIN in line or END in line:
            line = line.replace(BEGIN, "&lt;!-- safepoint --&gt;").replace(END, "&lt;!-- safepoint --&gt;")
        fence.takes(line)
        lines.append(line)
    if fence.open:
        lines.append(fence.open)
    return "".join([line + newline for line in lines])
