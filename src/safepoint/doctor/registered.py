"""The hooks that stand in the files which the hosts read: Safepoint's, and those of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .. import embedded_hooks, hook_commands, hook_places, registration
from ..hook_files import Form
from ..hot.files import read_bytes
from ..hot.shapes import Host
from .findings import Site

PROJECT_FILES: dict[str, Host] = {
    ".cursor/hooks.json": "cursor",
    ".claude/settings.json": "claude_code",
    ".claude/settings.local.json": "claude_code",
}


class Entry(NamedTuple):
    """One command on one event of the project `root`. `file` as shown. `is_wide`: no matcher narrows it."""

    file: str
    host: Host
    event: str
    command: str
    root: Path
    is_wide: bool = True

    @property
    def is_ours(self) -> bool:
        return registration.is_ours(self.command)

    @property
    def is_embedded(self) -> bool:
        """A command line of a person's that runs ours."""
        return embedded_hooks.is_embedded(self.command, self.root)

    @property
    def is_in_doubt(self) -> bool:
        """A command line of a person's that may run ours, or not."""
        return embedded_hooks.is_in_doubt(self.command, self.root)

    @property
    def foreign(self) -> str:
        """The folder of the other project whose hook it names; "" for none."""
        return hook_places.foreign(self.command, self.root) if registration.runs(self.command) else ""


def in_project(site: Site) -> list[Entry]:
    """Every entry of the project's files. A file that cannot be read has none; `installation` tells of it."""
    return [
        entry
        for name, host in PROJECT_FILES.items()
        for entry in entries(site.project.file(name), name, host, site.project.root)
    ]


def of_user(site: Site) -> list[Entry]:
    """Every entry of the files that hold for all projects of this user."""
    claude = Path(site.environment.get("CLAUDE_CONFIG_DIR") or site.home / ".claude")
    root = site.project.root
    return [
        *entries(site.home / ".cursor/hooks.json", "~/.cursor/hooks.json", "cursor", root),
        *entries(claude / "settings.json", "~/.claude/settings.json", "claude_code", root),
    ]


def entries(path: Path, name: str, host: Host, root: Path) -> Iterator[Entry]:
    form: Form = "cursor" if host == "cursor" else "claude"
    for event, entry, command in hook_commands.commands(events(path), form):
        yield Entry(name, host, event, command, root, embedded_hooks.is_wide(entry.get("matcher")))


def events(path: Path) -> dict[str, object]:
    """The `hooks` object of a file; empty where there is none, or none that can be read."""
    try:
        return hook_commands.hooks_object(read_bytes(str(path)))
    except OSError:
        return {}
