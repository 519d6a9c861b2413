"""The lists in a Markdown text's front matter, read and replaced without a YAML library. Pure.

What is written here is read here: one item a line, or a small mapping of scalars. Of other YAML (flow
mappings, anchors, nested lists) nothing is seen; the cold path reads all of it.
"""

from __future__ import annotations

from . import front_matter
from .markdown import newline_of
from .scalars import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Union

    Item = Union[str, dict[str, str]]


def read(text: str) -> dict[str, list[Item]]:
    """The lists of the front matter by key."""
    block = front_matter._block(text)
    if block is None:
        return {}
    return {
        entry.key: _items(text[entry.start : entry.tail])
        for entry in front_matter._entries(text, *block)
        if entry.value is None
    }


def _items(block: str) -> list[Item]:
    if block.strip()[:1] == "[":
        return _flow(block.strip())
    found: list[Item] = []
    for line in block.split("\n")[1:]:
        part = line.strip()
        if part == "-" or part.startswith("- "):
            found.append(_item(part[1:].strip()))
        elif part and part[0] != "#" and found and isinstance(found[-1], dict):
            found[-1].update(_pair(part))
    return [item for item in found if item]


def _flow(text: str) -> list[Item]:
    """`[a, "b"]`: scalars only, none with a comma in it."""
    if text[-1:] != "]" or "{" in text:
        return []
    parts = [part.strip() for part in text[1:-1].split(",")]
    return [value for value in (front_matter._value(part, 0)[0] for part in parts if part) if value]


def _item(text: str) -> Item:
    pair = _pair(text)
    return pair or front_matter._value(text, 0)[0] or ""


def _pair(text: str) -> dict[str, str]:
    key = front_matter._key(text) if text else None
    if key is None:
        return {}
    name, start = key
    rest = text[start:].strip()
    value = front_matter._value(rest, 0)[0] if rest else ""
    return {name: value or ""}


def patch(text: str, lists: Mapping[str, Sequence[Item]]) -> str:
    """`text` with these lists in its front matter, which has to be there; all else stays to the byte."""
    for key, items in lists.items():
        text = _patched(text, key, items)
    return text


def _patched(text: str, key: str, items: Sequence[Item]) -> str:
    block = front_matter._block(text)
    if block is None:
        raise ValueError("no front matter")
    newline = newline_of(text)
    for entry in front_matter._entries(text, *block):
        if entry.key == key:
            before = text[: entry.start].rstrip(" \t")
            return before + _written(items, newline) + text[entry.tail :]
    return text[: block[1]] + key + ":" + _written(items, newline) + newline + text[block[1] :]


def _written(items: Sequence[Item], newline: str) -> str:
    if not items:
        return " []"
    return "".join([newline + line for item in items for line in _lines(item)])


def _lines(item: Item) -> list[str]:
    if isinstance(item, str):
        return ["  - " + quote(item)]
    pairs = [f"{key}: {quote(value)}" for key, value in item.items()]
    return ["  - " + pairs[0], *["    " + pair for pair in pairs[1:]]]
