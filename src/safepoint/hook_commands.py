"""The command lines that a host's hooks file holds, whosever they are. Nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import hook_files, hook_places, jsonc, registration
from .hook_files import Form
from .jsonc import JsoncError


def events_of_others(content: bytes | None, file: str, form: Form, root: Path) -> set[str]:
    """Events on which a hook stands that does not run the Safepoint of the project `root`, or in doubt.

    Raises HookFileError.
    """
    found = set()
    for event, entries in _hooks(content, file).items():
        for entry in entries if isinstance(entries, list) else ():
            commands = [hook.get("command") for hook in hooks_of(entry, form)]
            own = [
                one for one in commands if registration.is_certain(one) and not hook_places.foreign(one, root)
            ]
            if not commands or own != commands:
                found.add(event)
    return found


def hooks_object(content: bytes | None) -> dict[str, object]:
    """The `hooks` object of a file; empty where there is none, or none that can be read."""
    try:
        return _hooks(content, "")
    except hook_files.HookFileError:
        return {}


def _hooks(content: bytes | None, file: str) -> dict[str, object]:
    """The same; raises HookFileError for a file that cannot be read."""
    text, _ = hook_files.decode(content, file)
    try:
        value = jsonc.parse(text).value if text.strip() else {}
    except JsoncError as error:
        raise hook_files.HookFileError(file, error.line, error.column, error.message) from error
    hooks = value.get("hooks") if isinstance(value, dict) else None
    return hooks if isinstance(hooks, dict) else {}


def commands(hooks: dict[str, object], form: Form) -> Iterator[tuple[str, dict[str, Any], str]]:
    """(event, entry, command line) of every command in a `hooks` object."""
    for event, entries in hooks.items():
        for entry in entries if isinstance(entries, list) else ():
            for hook in hooks_of(entry, form):
                if isinstance(hook.get("command"), str):
                    yield event, entry, hook["command"]


def hooks_of(entry: object, form: Form) -> list[dict[str, Any]]:
    if not isinstance(entry, dict):
        return []
    hooks = [entry] if form == "cursor" else entry.get("hooks", [])
    return [hook for hook in hooks if isinstance(hook, dict)] if isinstance(hooks, list) else []
