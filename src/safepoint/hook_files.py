"""Safepoint's entries in the users' own `.cursor/hooks.json` and `.claude/settings*.json`.

Every change is an insertion into their text or its undoing: their formatting, comments and order stay.
`made` remembers the containers that an installation had to create or fill, so that uninstalling can put
back what stood there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from . import json_edit, jsonc, registration
from .errors import SafepointError
from .json_edit import Steps
from .jsonc import JsoncError, Node

Form = Literal["cursor", "claude", "mcp", "status_line"]  # the last two: see `registered_parts`
BOM = "\ufeff"
MAX_BYTES = 1_000_000  # each edit reads the whole text again: a larger one would take minutes


# Containers that were absent (None) or empty (their text) before Safepoint came, by dotted path: "" is the
# outermost object, then "version", "hooks", "hooks.stop". Where there was no object, "" is the white space.
Made = dict[str, "str | None"]


class Merged(NamedTuple):
    content: bytes | None  # None: the file need not exist
    made: Made


class HookFileError(SafepointError):
    """A user's file that cannot be merged into; nothing was changed."""

    def __init__(self, file: str, line: int, column: int, message: str) -> None:
        self.file, self.line, self.column, self.message = file, line, column, message
        super().__init__(f"{file}:{line}:{column}: {message}. The file was left as it is.")


def merge(content: bytes | None, file: str, form: Form, entries: dict[str, Any], made: Made) -> Merged:
    """The file with exactly one Safepoint entry on each event of `entries` and on no other."""
    text, bom = decode(content, file)
    made = dict(made)
    try:
        if not text.strip():
            made.setdefault("", None if content is None else text)
            text = "{" + ("\r\n" if "\r\n" in text else "\n") + "}\n"
        _check(text, file, form)
        root = jsonc.parse(text)
        if not root.items:
            made.setdefault("", text[root.start : root.end])
        if form == "cursor" and _node(text, ["version"]) is None:
            text = json_edit.append(text, [], 1, "version")
            made["version"] = None
        text = _drop_unwanted(text, form, entries)
        for event, entry in entries.items():
            text = _place(text, form, event, entry, made)
        text = restore(text, made, keep=set(entries))
    except JsoncError as error:
        raise HookFileError(file, error.line, error.column, error.message) from error
    return Merged((bom + text).encode(), made)


def withdraw(content: bytes, file: str, form: Form, made: Made) -> Merged:
    """The file without Safepoint; content None where it was Safepoint's whole."""
    text, bom = decode(content, file)
    made = dict(made)
    try:
        if not text.strip():
            return Merged(content, {})
        _check(text, file, form)
        text = _drop_unwanted(text, form, {})
        text = restore(text, made, keep=set())
        if "" in made:
            return withdraw_root(text, bom, made)
    except JsoncError as error:
        raise HookFileError(file, error.line, error.column, error.message) from error
    return Merged((bom + text).encode(), made)


def withdraw_root(text: str, bom: str, made: Made) -> Merged:
    """A file that had no object, or an empty one, gets that back when nothing else is in it now."""
    root, was = jsonc.parse(text), made[""]
    if root.items:
        return Merged((bom + text).encode(), made)
    if was and was.strip():
        return Merged((bom + _put_back(text, root, [], was)).encode(), {})
    if "".join(text.split()) != "{}":
        return Merged((bom + text).encode(), {})
    return Merged(None if was is None else (bom + was).encode(), {})


def decode(content: bytes | None, file: str) -> tuple[str, str]:
    """The text of a user's file, and the byte order mark before it. Raises HookFileError."""
    if content and len(content) > MAX_BYTES:
        raise HookFileError(file, 1, 1, f"a file of {len(content):,} bytes; at most {MAX_BYTES:,} are edited")
    try:
        text = (content or b"").decode()
    except UnicodeDecodeError as error:
        before = (content or b"")[: error.start]
        line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
        raise HookFileError(file, line, column, "a byte that is not UTF-8") from error
    return (text[1:], BOM) if text.startswith(BOM) else (text, "")


def _node(text: str, path: Steps) -> Node | None:
    return jsonc.parse(text).at(path)


def _check(text: str, file: str, form: Form) -> None:
    """Refuse what a merge could only guess about."""
    root = jsonc.parse(text)
    if not isinstance(root.value, dict):
        raise JsoncError(text, root.start, "an object {…} is expected here")
    version = root.child("version")
    if form == "cursor" and version and version.value != 1:
        raise JsoncError(text, version.start, f"version {version.value!r} is not known, only 1")
    hooks = root.child("hooks")
    if hooks is None:
        return
    if not isinstance(hooks.value, dict):
        raise JsoncError(text, hooks.start, "an object {…} with the hooks is expected here")
    for key, entries in zip(hooks.keys, hooks.items, strict=True):
        if not isinstance(entries.value, list):
            raise JsoncError(text, entries.start, f"a list […] is expected for {key.name}")


def _ours(text: str, form: Form) -> Iterator[tuple[str, Steps]]:
    """(event, path of the hook) of every entry that is Safepoint's."""
    hooks = _node(text, ["hooks"])
    for event, entries in hooks.value.items() if hooks else ():
        for i, entry in enumerate(entries):
            if form == "cursor":
                if isinstance(entry, dict) and registration.is_ours(entry.get("command")):
                    yield event, ["hooks", event, i]
                continue
            inner = entry.get("hooks") if isinstance(entry, dict) else None
            for j, hook in enumerate(inner if isinstance(inner, list) else ()):
                if isinstance(hook, dict) and registration.is_ours(hook.get("command")):
                    yield event, ["hooks", event, i, "hooks", j]


def _drop_unwanted(text: str, form: Form, entries: dict[str, Any]) -> str:
    """Without Safepoint's entries on events that are not wanted, and without second ones."""
    while True:
        seen: set[str] = set()
        for event, path in _ours(text, form):
            if event not in entries or event in seen:
                text = _remove_entry(text, path)
                break
            seen.add(event)
        else:
            return text


def _remove_entry(text: str, path: Steps) -> str:
    """Take a hook out; in Claude's file its group as well, when nothing else is in it."""
    if len(path) == 5:
        group = _node(text, path[:3])
        if group and len(group.value["hooks"]) == 1:
            path = path[:3]
    return json_edit.remove(text, path)


def _place(text: str, form: Form, event: str, entry: Any, made: Made) -> str:
    wanted = entry["command"] if form == "cursor" else entry["hooks"][0]["command"]
    for at, path in _ours(text, form):
        if at == event:
            here: Steps = [*path, "command"]
            node = _node(text, here)
            if node is None or node.value == wanted:
                return text
            return json_edit.replace(text, here, json.dumps(wanted))
    text = ensure(text, [], "hooks", {}, made)
    text = ensure(text, ["hooks"], event, [], made)
    return json_edit.append(text, ["hooks", event], entry)


def ensure(text: str, path: list[str], name: str, empty: Any, made: Made) -> str:
    """Make sure that a container is there, and remember how it was if it was absent or empty."""
    full: Steps = [*path, name]
    node = _node(text, full)
    if node is not None and node.items:
        return text
    made.setdefault(".".join([*path, name]), None if node is None else text[node.start : node.end])
    return json_edit.append(text, list(path), empty, name) if node is None else text


def restore(text: str, made: Made, keep: set[str]) -> str:
    """Put containers that are empty again back to what they were; `made` forgets them."""
    for name in sorted(made, key=lambda name: -name.count(".")):
        path: Steps = list(name.split("."))
        if not name or (path[-1] in keep if len(path) == 2 else keep):
            continue
        node = _node(text, path)
        if node is not None and node.items:
            continue
        was = made.pop(name)
        if node is None or (name == "version" and node.value != 1):
            continue
        text = json_edit.remove(text, path) if was is None else _put_back(text, node, path, was)
    return text


def _put_back(text: str, node: Node, path: Steps, was: str) -> str:
    """The empty container as it was, unless somebody has written a comment into it since."""
    now = text[node.start : node.end]
    if _comments(now) != _comments(was):
        return text
    return json_edit.replace(text, path, was)


def _comments(container: str) -> list[str]:
    found = jsonc.comments(container, 1, len(container) - 1)
    return [container[start:end] for start, end in found]


def is_registered(content: bytes | None, form: Form) -> bool:
    """Whether a file that may be anything holds an entry of Safepoint's."""
    try:
        text, _ = decode(content, "")
        return bool(text.strip()) and next(_ours(text, form), None) is not None
    except (SafepointError, JsoncError, AttributeError, TypeError):
        return False
