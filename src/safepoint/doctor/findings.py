"""What a check has found: how it stands, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..hot.shapes import Settings
from ..install_record import InstallRecord
from ..project import Project

Level = Literal["ok", "note", "problem"]
Fix = Literal["", "install", "generate", "modes"]  # what `--fix` does about it; "": nothing that is safe


@dataclass(frozen=True)
class Finding:
    """`problem`: something does not work or will not. `note`: good to know. Both say what to do."""

    check: str
    level: Level
    text: str
    remedy: str = ""
    fix: Fix = ""


@dataclass(frozen=True)
class Site:
    """What is looked at. `home` is where the hosts keep what belongs to the user."""

    project: Project
    record: InstallRecord | None
    settings: Settings | None  # None: cannot be read
    home: Path
    environment: Mapping[str, str]

    @property
    def path(self) -> str:
        return str(self.project.root)


Check = Callable[[Site], Iterator[Finding]]


def listed(names: list[str], most: int = 5) -> str:
    """`names` for a sentence, shortened where they are many."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
