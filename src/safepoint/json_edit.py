"""Edits of one place in a JSON text, in the text's own style. `remove` undoes `append` to the byte."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from . import jsonc
from .jsonc import Node

Steps = list["str | int"]


class Style(NamedTuple):
    newline: str
    unit: str  # one step of indentation
    one_line: bool
    separators: tuple[str, str]


def style_of(text: str, root: Node) -> Style:
    newline = "\r\n" if "\r\n" in text else "\n"
    one_line = bool(root.items) and "\n" not in text[root.start : root.end]
    unit = _own_line(text, root.spans()[0][0]) if root.items else None
    bare = one_line and ", " not in text and '": ' not in text
    return Style(newline, unit or "  ", one_line, (",", ":") if bare else (", ", ": "))


def append(text: str, path: Steps, value: Any, key: str | None = None) -> str:
    """Add a last item to the list at `path`, or a last member to the object there."""
    root = jsonc.parse(text)
    node = _found(root, path)
    style = style_of(text, root)
    name = "" if key is None else json.dumps(key) + style.separators[1]
    if not node.items:
        return _fill(text, node, name, value, style)
    start, end = node.spans()[-1]
    comma = jsonc.skip(text, end)
    has_comma = text[comma] == ","
    anchor = comma + 1 if has_comma else end
    indent = _own_line(text, start)
    if indent is None:
        rendered = name + _compact(value, style)
        space = style.separators[0][1:]
        added = f"{space}{rendered}," if has_comma else f",{space}{rendered}"
        return text[:anchor] + added + text[anchor:]
    rendered = name + _render(value, indent, style)
    behind = _behind_comments(text, anchor)
    added = style.newline + indent + rendered + ("," if has_comma else "")
    return text[:end] + ("" if has_comma else ",") + text[end:behind] + added + text[behind:]


def remove(text: str, path: Steps) -> str:
    """Take out the item or member at `path`, with its comma and the white space before it."""
    root = jsonc.parse(text)
    node = _found(root, path[:-1])
    index = _index(node, path[-1])
    spans = node.spans()
    start, end = spans[index]
    comma = jsonc.skip(text, end)
    if text[comma] == ",":
        return _remove_with_comma(text, node, index, comma)
    if index == 0:
        return _cut(text, node.start + 1, start, end)
    before = jsonc.skip(text, spans[index - 1][1])
    shorter = _cut(text, before + 1, start, end)
    return shorter[:before] + shorter[before + 1 :]


def replace(text: str, path: Steps, new: str) -> str:
    """Put `new`, as it is, where the value at `path` stands."""
    node = _found(jsonc.parse(text), path)
    return text[: node.start] + new + text[node.end :]


def _remove_with_comma(text: str, node: Node, index: int, comma: int) -> str:
    spans = node.spans()
    start, end = spans[index]
    token_end = jsonc.skip(text, spans[index - 1][1]) + 1 if index else node.start + 1
    kept = "" if text[end:comma].isspace() else text[end:comma]  # a comment before the comma
    if "\n" not in text[token_end:start] and index + 1 < len(spans):
        following = spans[index + 1][0]
        if not text[comma + 1 : following].strip():
            return text[:start] + kept + text[following:]
    return _cut(text[:end] + kept + text[comma + 1 :], token_end, start, end)


def _cut(text: str, token_end: int, start: int, end: int) -> str:
    """Drop what stands at start..end and the white space before it, back to a comment or a token.

    What follows on the line must not end up inside a line comment.
    """
    found = jsonc.comments(text, token_end, start)
    gap = found[-1][1] if found else token_end
    behind_line_comment = bool(found) and text.startswith("//", found[-1][0])
    if behind_line_comment and text[end:].split("\n", 1)[0].strip():
        return text[:start] + text[end:]
    return text[:gap] + text[end:]


def _fill(text: str, node: Node, name: str, value: Any, style: Style) -> str:
    found = jsonc.comments(text, node.start + 1, node.end - 1)
    inner = text[node.start + 1 : found[-1][1]] if found else ""
    opening, closing = text[node.start], text[node.end - 1]
    if style.one_line:
        new = opening + inner + name + _compact(value, style) + closing
    else:
        outer = _line_indent(text, node.start)
        indent = outer + style.unit
        line = style.newline + indent + name + _render(value, indent, style)
        new = opening + inner + line + style.newline + outer + closing
    return text[: node.start] + new + text[node.end :]


def _render(value: Any, indent: str, style: Style) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=style.unit).split("\n")
    return (style.newline + indent).join(lines)


def _compact(value: Any, style: Style) -> str:
    return json.dumps(value, ensure_ascii=False, separators=style.separators)


def _behind_comments(text: str, at: int) -> int:
    """Behind the comments that stand on the rest of this line, else `at`."""
    line_end = text.find("\n", at)
    last = at
    for _, end in jsonc.comments(text, at, len(text) if line_end < 0 else line_end):
        if "\n" not in text[at:end]:
            last = end
    return last


def _own_line(text: str, at: int) -> str | None:
    """The indentation of what stands at `at`, None when something stands before it on the line."""
    indent = text[text.rfind("\n", 0, at) + 1 : at]
    return indent if not indent.strip() and "\n" in text[:at] else None


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _found(root: Node, path: Steps) -> Node:
    node = root.at(path)
    if node is None:
        raise KeyError(path)
    return node


def _index(node: Node, name: str | int) -> int:
    if isinstance(name, int):
        return name
    return [key.name for key in node.keys].index(name)
