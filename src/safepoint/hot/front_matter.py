"""The flat part of a Markdown text's YAML front matter, read and changed without a YAML library. Pure.

Only top-level keys with a scalar on their own line are looked at. Lists, mappings, block and multi-line
scalars are passed over when reading, and replaced as a whole when a field of that name is written.
"""

from __future__ import annotations

from .markdown import newline_of, split_lines
from .scalars import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Optional

_BOM = "\ufeff"
_SPACE = " \t"
_NOT_A_KEY = frozenset("#?&*!|>%@`{}[],")
_NOT_FLAT = ("|", ">", "[", "{", "&", "*", "!")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028",
    "P": "\u2029",
}  # fmt: skip
_HEX_ESCAPES = {"x": 2, "u": 4, "U": 8}


class _Entry:
    """One key: where its value stands (`start`, `end`), and where its last line ends (`tail`).

    `value` is None where it is not a scalar on the key's own line.
    """

    __slots__ = ("end", "key", "start", "tail", "value")

    def __init__(self, key: str, value: Optional[str], start: int, end: int, tail: int) -> None:
        self.key, self.value = key, value
        self.start, self.end, self.tail = start, end, tail


# --- reading ---------------------------------------------------------------------------------------------


def read(text: str) -> dict[str, str]:
    """The fields of the front matter; the last of two equal keys wins. {} for a text without any."""
    block = _block(text)
    if block is None:
        return {}
    return {entry.key: entry.value for entry in _entries(text, *block) if entry.value is not None}


def _block(text: str) -> Optional[tuple[int, int]]:
    """Where the lines between the two fences start and end; None unless both are there."""
    first = 0
    for start, end in split_lines(text):
        line = text[start:end].rstrip(" \t\r\n")
        if start == 0:
            if line not in ("---", _BOM + "---"):
                return None
            first = end
        elif line in ("---", "..."):
            return first, start
    return None


def _entries(text: str, start: int, stop: int) -> list[_Entry]:
    found: list[_Entry] = []
    last: Optional[_Entry] = None  # the key that a following indented line belongs to
    while start < stop:
        end = text.index("\n", start) + 1
        line = text[start:end].rstrip("\r\n")
        if last is not None and _goes_on(line, last):
            last.value = None
            last.tail = start + len(line)
        elif line.strip() and line[0] not in _SPACE and line[0] != "#":
            last = _entry(line, start)
            if last is not None:
                found.append(last)
        start = end
    return found


def _goes_on(line: str, entry: _Entry) -> bool:
    """True for a line that is part of the value of the key above it."""
    text = line.lstrip(_SPACE)
    if not text:
        return False
    if line[0] in _SPACE:  # an indented comment is none inside a block scalar
        return text[0] != "#" or entry.value is None
    return text == "-" or text.startswith("- ") or text[0] in "]}"


def _entry(line: str, offset: int) -> Optional[_Entry]:
    key = _key(line)
    if key is None:
        return None
    name, start = key
    while start < len(line) and line[start] in _SPACE:
        start += 1
    value, end = _value(line, start)
    return _Entry(name, value, offset + start, offset + end, offset + len(line))


def _key(line: str) -> Optional[tuple[str, int]]:
    """A line's key, and where what follows its colon begins."""
    if line[0] in "\"'":
        quoted = _quoted(line, 0)
        if quoted is None:
            return None
        rest = line[quoted[1] :].lstrip(_SPACE)
        colon = len(line) - len(rest)
        return (quoted[0], colon + 1) if rest[:1] == ":" and rest[1:2] in ("", " ", "\t") else None
    if line[0] in _NOT_A_KEY or line == "-" or line.startswith("- "):
        return None
    colon = line.find(":")
    while colon >= 0 and line[colon + 1 : colon + 2] not in ("", " ", "\t"):
        colon = line.find(":", colon + 1)
    name = line[:colon].rstrip(_SPACE) if colon > 0 else ""
    return (name, colon + 1) if name and " #" not in name else None


def _value(line: str, start: int) -> tuple[Optional[str], int]:
    """The scalar at `start` and where it ends; None for what is no scalar, or goes on in the next line."""
    text = line[start:]
    if text[:1] in ("'", '"'):
        quoted = _quoted(line, start)
        if quoted is not None and _is_rest(line[quoted[1] :]):
            return quoted
    end = start + _comment(text)
    while end > start and line[end - 1] in _SPACE:
        end -= 1
    return (None if text.startswith(_NOT_FLAT) else line[start:end]), end


def _comment(text: str) -> int:
    """Where a comment begins in the text of a plain value, or the text's length."""
    if text[:1] == "#":
        return 0
    places = [at for at in (text.find(" #"), text.find("\t#")) if at >= 0]
    return min(places) if places else len(text)


def _is_rest(text: str) -> bool:
    """Nothing but space and perhaps a comment."""
    rest = text.lstrip(_SPACE)
    return not rest or (rest[0] == "#" and rest != text)


def _quoted(line: str, start: int) -> Optional[tuple[str, int]]:
    """The quoted text that begins at `start`, and the place behind it; None when it is broken."""
    quote, at = line[start], start + 1
    chars: list[str] = []
    while at < len(line):
        char = line[at]
        at += 1
        if char == quote:
            if quote == '"' or line[at : at + 1] != "'":
                return "".join(chars), at
            at += 1
        elif char == "\\" and quote == '"':
            width = _HEX_ESCAPES.get(line[at : at + 1], 0)
            escaped = _hex(line[at + 1 : at + 1 + width], width) if width else _ESCAPES.get(line[at : at + 1])
            if escaped is None:
                return None
            char = escaped
            at += 1 + width
        chars.append(char)
    return None


def _hex(digits: str, width: int) -> Optional[str]:
    if len(digits) != width or digits.strip("0123456789abcdefABCDEF"):
        return None
    code = int(digits, 16)
    return chr(code) if code < 0x110000 else None


# --- writing ---------------------------------------------------------------------------------------------


def patch(text: str, fields: Mapping[str, str]) -> str:
    """`text` with these fields in its front matter; a text that has none gets one.

    Where a field already has its value nothing changes, not even its quotes. All other bytes stay as they
    are. Raises ValueError for a key that is no plain word.
    """
    for key in fields:
        if not _is_word(key):
            raise ValueError(f"not a front matter key: {key!r}")
    block = _block(text)
    if block is None:
        return _with_block(text, fields) if fields else text
    entries = _entries(text, *block)
    present = {entry.key for entry in entries}
    newline = newline_of(text)
    missing = "".join([_line(key, fields[key], newline) for key in fields if key not in present])
    parts, at = [], 0
    for entry in entries:
        if entry.key in fields and entry.value != fields[entry.key]:
            parts += [text[at : entry.start], _spaced(text, entry, fields[entry.key])]
            at = entry.tail if entry.value is None else entry.end
    return "".join([*parts, text[at : block[1]], missing, text[block[1] :]])


def _spaced(text: str, entry: _Entry, value: str) -> str:
    """The value as it is written, apart from the colon before it and a comment behind it."""
    before = "" if text[entry.start - 1] in _SPACE else " "
    after = " " if entry.value is not None and text[entry.end : entry.end + 1] == "#" else ""
    return before + quote(value) + after


def _with_block(text: str, fields: Mapping[str, str]) -> str:
    newline = newline_of(text)
    bom, rest = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    lines = "".join([_line(key, value, newline) for key, value in fields.items()])
    return f"{bom}---{newline}{lines}---{newline}{rest}"


def _line(key: str, value: str, newline: str) -> str:
    return f"{key}: {quote(value)}{newline}"


def _is_word(key: str) -> bool:
    return key.isascii() and key.replace("_", "a").replace("-", "a").isalnum() and key[0].isalpha()
