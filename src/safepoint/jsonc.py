"""JSON with comments as spans over its own text, so that an edit touches nothing but its own place.

Comments and trailing commas are read; what else is no JSON is refused with line and column.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, NamedTuple

MAX_DEPTH = 200
_TRIVIA = re.compile(r"[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_WORD = re.compile(r"[^\s,:\[\]{}\"/]+")


class JsoncError(ValueError):
    """A text that is not JSON; `line` and `column` count from 1."""

    def __init__(self, text: str, at: int, message: str) -> None:
        before = text[:at]
        self.line = before.count("\n") + 1
        self.column = at - (before.rfind("\n") + 1) + 1
        self.message = message
        super().__init__(f"line {self.line}, column {self.column}: {message}")


class Node(NamedTuple):
    """One value, not to be changed. `items` are the nodes of a list, or of an object's values."""

    start: int
    end: int
    value: Any
    items: list[Node]
    keys: list[Key]

    def child(self, name: str | int) -> Node | None:
        if isinstance(name, int):
            return self.items[name] if 0 <= name < len(self.items) and isinstance(self.value, list) else None
        for key, item in zip(self.keys, self.items, strict=False):
            if key.name == name:
                return item
        return None

    def at(self, path: list[str | int]) -> Node | None:
        node: Node | None = self
        for name in path:
            node = node.child(name) if node else None
        return node

    def spans(self) -> list[tuple[int, int]]:
        """Where each child stands: in an object from the beginning of its key."""
        starts = [key.start for key in self.keys] or [item.start for item in self.items]
        return [(start, item.end) for start, item in zip(starts, self.items, strict=True)]


class Key(NamedTuple):
    name: str
    start: int


@lru_cache(maxsize=8)  # an edit looks at the same text several times
def parse(text: str) -> Node:
    node = _value(text, skip(text, 0), 0)
    rest = skip(text, node.end)
    if rest != len(text):
        raise JsoncError(text, rest, f"{text[rest]!r} after the end of the value")
    return node


def skip(text: str, at: int) -> int:
    """The position of the next token: behind white space and comments."""
    while match := _TRIVIA.match(text, at):
        at = match.end()
    if text.startswith("/*", at):
        raise JsoncError(text, at, "a comment that is never closed")
    return at


def comments(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the comments between two tokens."""
    found = []
    while start < end and (match := _TRIVIA.match(text, start)):
        if match.group().startswith("/"):
            found.append(match.span())
        start = match.end()
    return found


def _value(text: str, at: int, depth: int) -> Node:
    char = text[at : at + 1]
    if depth > MAX_DEPTH:
        raise JsoncError(text, at, f"nested deeper than {MAX_DEPTH}")
    if char in ("{", "["):
        return _container(text, at, depth)
    if char == '"':
        end, value = _string(text, at)
        return Node(at, end, value, [], [])
    match = _SCALAR.match(text, at)
    word = _WORD.match(text, at)
    if match and word and match.end() >= word.end():
        return Node(at, match.end(), json.loads(match.group()), [], [])
    raise JsoncError(text, at, _unexpected(text, at, "a value"))


def _container(text: str, at: int, depth: int) -> Node:
    is_object, close = (True, "}") if text[at] == "{" else (False, "]")
    keys: list[Key] = []
    names: set[str] = set()
    items: list[Node] = []
    here = skip(text, at + 1)
    while text[here : here + 1] != close:
        if is_object:
            key, here = _key(text, here, names)
            keys.append(key)
            names.add(key.name)
        item = _value(text, here, depth + 1)
        items.append(item)
        here = skip(text, item.end)
        if text[here : here + 1] == ",":
            here = skip(text, here + 1)
        elif text[here : here + 1] != close:
            raise JsoncError(text, here, _unexpected(text, here, f"',' or '{close}'"))
    values = [item.value for item in items]
    value = dict(zip((key.name for key in keys), values, strict=True)) if is_object else values
    return Node(at, here + 1, value, items, keys)


def _key(text: str, at: int, names: set[str]) -> tuple[Key, int]:
    if text[at : at + 1] != '"':
        raise JsoncError(text, at, _unexpected(text, at, "a key in double quotes or '}'"))
    end, name = _string(text, at)
    if name in names:
        raise JsoncError(text, at, f'the key "{name}" stands twice in this object')
    colon = skip(text, end)
    if text[colon : colon + 1] != ":":
        raise JsoncError(text, colon, _unexpected(text, colon, "':'"))
    return Key(name, at), skip(text, colon + 1)


def _string(text: str, at: int) -> tuple[int, str]:
    match = _STRING.match(text, at)
    if not match:
        raise JsoncError(text, at, "a text in double quotes that does not end on its line")
    try:
        return match.end(), str(json.loads(match.group()))
    except ValueError as error:
        raise JsoncError(text, at, "a text with an escape that JSON does not have") from error


def _unexpected(text: str, at: int, wanted: str) -> str:
    word = _WORD.match(text, at)
    found = "the end of the file" if at >= len(text) else repr(word.group()[:20] if word else text[at])
    return f"{found} where {wanted} is expected"
