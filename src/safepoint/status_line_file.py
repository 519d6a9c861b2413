"""Safepoint's status line in the users' own `.claude/settings*.json`: put in and taken out.

Where one stands already, only its `command` is changed: ours names it and runs it. `made` keeps the text that
stood there ("statusLine.command", or "statusLine" where that was none that can be run; None: there was none).
"""

from __future__ import annotations

import json
from typing import Any

from . import json_edit, jsonc, registration
from .hook_files import HookFileError, Made, Merged, decode
from .jsonc import JsoncError, Node

NAME = "statusLine"
WHOLE, COMMAND = NAME, f"{NAME}.command"


def merge(content: bytes | None, file: str, python: str, made: Made) -> Merged:
    """The file, which holds an object already, with our status line in it."""
    text, bom = decode(content, file)
    made = dict(made)
    try:
        present = jsonc.parse(text).child(NAME)
        if present is None:
            made = {WHOLE: None}
            text = json_edit.append(text, [], _entry(python, ""), NAME)
        elif not _is_ours(present):
            made, text = _take_over(text, present, python)
        else:
            command = registration.status_line(python, registration.wrapped(_command(present.value)))
            if present.value["command"] != command:
                text = json_edit.replace(text, [NAME, "command"], _literal(command))
    except JsoncError as error:
        raise HookFileError(file, error.line, error.column, error.message) from error
    return Merged((bom + text).encode(), made)


def withdraw(content: bytes, file: str, made: Made) -> Merged:
    """The file with what stood there before; one that a person has put there since stays."""
    text, bom = decode(content, file)
    try:
        present = jsonc.parse(text).child(NAME) if text.strip() else None
        if present is not None and _is_ours(present):
            text = _put_back(text, present, made)
    except JsoncError as error:
        raise HookFileError(file, error.line, error.column, error.message) from error
    return Merged((bom + text).encode(), {})


def is_registered(content: bytes | None) -> bool:
    """Whether a file that may be anything shows our status line."""
    return registration.is_ours(command_in(content))


def command_in(content: bytes | None) -> str:
    """The command of a file's status line; '' where it has none."""
    try:
        text, _ = decode(content, "")
        present = jsonc.parse(text).child(NAME) if text.strip() else None
    except (HookFileError, JsoncError):
        return ""
    return _command(present.value) if present is not None else ""


def _take_over(text: str, present: Node, python: str) -> tuple[Made, str]:
    theirs = _command(present.value)
    command = present.child("command")
    if theirs and command is not None:
        ours = _literal(registration.status_line(python, theirs))
        return {COMMAND: text[command.start : command.end]}, json_edit.replace(text, [NAME, "command"], ours)
    ours = json.dumps(_entry(python, ""), ensure_ascii=False)
    return {WHOLE: text[present.start : present.end]}, json_edit.replace(text, [NAME], ours)


def _put_back(text: str, present: Node, made: Made) -> str:
    theirs = registration.wrapped(_command(present.value))
    kept = str(made[COMMAND]) if made.get(COMMAND) is not None else ""
    if theirs:  # what stands there now, which a person may have edited, and which a lost record leaves
        literal = kept if kept and json.loads(kept) == theirs else _literal(theirs)
        return json_edit.replace(text, [NAME, "command"], literal)
    if kept:
        return json_edit.replace(text, [NAME, "command"], kept)
    if made.get(WHOLE) is not None:
        return json_edit.replace(text, [NAME], str(made[WHOLE]))
    return json_edit.remove(text, [NAME])


def _entry(python: str, theirs: str) -> dict[str, Any]:
    return {"type": "command", "command": registration.status_line(python, theirs)}


def _is_ours(present: Node) -> bool:
    return registration.is_ours(_command(present.value))


def _command(value: Any) -> str:
    command = value.get("command") if isinstance(value, dict) and value.get("type") == "command" else None
    return command if isinstance(command, str) else ""


def _literal(text: str) -> str:
    """As JSON, readable; half a surrogate pair, which no file can hold as it is, stays escaped."""
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
