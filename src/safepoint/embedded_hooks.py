"""Command lines of a person's that run a hook of the project: behind a `cd`, with a variable, in a pipe.

They are theirs and stay as they are. Where one does the work of an entry of ours, ours is not put beside it.
In doubt it is: an event that comes twice counts once, and one that comes to nobody stops nothing.
A line that runs the hook of another project (`hook_places`) is none of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from . import hook_commands, hook_places, registration
from .hook_files import Form

_EVERY_TOOL = (None, "", "*", ".*")


class Line(NamedTuple):
    """One such line. `is_wide`: no matcher keeps it from a part of the tools."""

    event: str
    entrypoint: str
    is_wide: bool


def is_embedded(command: object, root: Path) -> bool:
    """Whether it is a person's command line and runs a hook of the project `root`, without a doubt."""
    is_theirs = bool(registration.surely_runs(command)) and not registration.is_ours(command)
    return is_theirs and not hook_places.foreign(command, root)


def is_in_doubt(command: object, root: Path) -> bool:
    """Whether it is a person's command line that names a hook of the project, and may run it or not."""
    is_doubtful = bool(registration.runs(command)) and not registration.is_certain(command)
    return is_doubtful and not hook_places.foreign(command, root)


def is_wide(matcher: object) -> bool:
    return matcher in _EVERY_TOOL


def lines(content: bytes | None, form: Form, root: Path, in_doubt: bool = False) -> Iterator[Line]:
    """Every such line of a hooks file. One that cannot be read has none. `in_doubt`: those that are."""
    for event, entry, command in hook_commands.commands(hook_commands.hooks_object(content), form):
        if (is_in_doubt if in_doubt else is_embedded)(command, root):
            name = registration.surely_runs(command) or registration.runs(command)
            yield Line(event, name, is_wide(entry.get("matcher")))


def doing(content: bytes | None, form: Form, entries: dict[str, Any], root: Path) -> list[str]:
    """The events of `entries` on which such a line does all that the entry would."""
    wanted = {
        event: registration.runs(hook["command"])
        for event, entry in entries.items()
        for hook in hook_commands.hooks_of(entry, form)
    }
    wide = [line for line in lines(content, form, root) if line.is_wide]
    return sorted({line.event for line in wide if wanted.get(line.event) == line.entrypoint})


def kept(path: str, events: list[str]) -> str:
    """What an installation says of them."""
    return (
        f"{path}: a command line of yours runs Safepoint on {', '.join(events)}. It stays, and Safepoint "
        "adds none of its own there. To have Safepoint's own instead, take that line out and install again."
    )


def left_in_doubt(path: str, events: list[str]) -> str:
    """What an uninstallation says of those that may run it or not."""
    return (
        f"{path}: a command line of yours on {', '.join(events)} names a hook of Safepoint's, which is gone. "
        "Take it out if it runs that: `python3` ends with 2 where a file is missing, which denies every tool."
    )


def left(path: str, events: list[str]) -> str:
    """What an uninstallation says of them."""
    return (
        f"{path}: a command line of yours still runs Safepoint on {', '.join(events)}. Take it out: what "
        "it runs is gone."
    )
