"""Copies of files that an installation changes: for their owner alone, and never shown by git."""

from __future__ import annotations

import re
from collections.abc import Iterable

from . import install_record, shipped
from .changes import Change
from .project import Project

FOLDER = f"{shipped.HOOKS}/backup"
IGNORE, IGNORED = f"{FOLDER}/.gitignore", b"*\n"
EDITED = "edited-"
_PACKAGE = re.compile(rb"_safepoint_\w+")


def of_users_file(path: str) -> str:
    """Where the copy of a user's file lies while entries of ours are in it."""
    return f"{FOLDER}/{path.lstrip('.').replace('/', '_')}"


def of_edited_file(project: Project, path: str, content: bytes) -> str:
    """A place for an edited file of ours that is replaced: a new one, or the one that holds it already."""
    name, number = path.rsplit("/", 1)[-1], 1
    while True:
        place = f"{FOLDER}/{EDITED}{'' if number == 1 else f'{number}-'}{name}"
        if project.read(place) in (None, content):
            return place
        number += 1


def is_edited(present: bytes | None, installed: str | None, content: bytes) -> bool:
    """Whether a person changed one of our files. `installed`: the digest that it had, '' if nobody knows."""
    if (
        present is None
        or installed is None
        or install_record.digest(present) == install_record.digest(content)
    ):
        return False
    if installed:
        return install_record.digest(present) != installed
    return _PACKAGE.sub(b"", present) != _PACKAGE.sub(b"", content)


def copy(project: Project, place: str, content: bytes) -> Change:
    return Change(place, project.file(place), project.read(place), content, private=True)


def edited_copies(project: Project) -> list[str]:
    folder = project.file(FOLDER)
    found = sorted(folder.glob(f"{EDITED}*")) if folder.is_dir() else []
    return [f"{FOLDER}/{file.name}" for file in found if file.is_file()]


def guard(project: Project, changes: list[Change]) -> None:
    """Have git ignore the folder by a file of its own for as long as anything is in it."""
    folder = project.file(FOLDER)
    there = {f"{FOLDER}/{file.name}" for file in folder.iterdir()} if folder.is_dir() else set()
    there = (there | _paths(changes, kept=True)) - _paths(changes, kept=False) - {IGNORE}
    before = project.read(IGNORE)
    change = Change(IGNORE, project.file(IGNORE), before, IGNORED if there else None, private=True)
    changes.insert(0 if there else len(changes), change)


def _paths(changes: Iterable[Change], kept: bool) -> set[str]:
    inside = [change for change in changes if change.path.startswith(f"{FOLDER}/")]
    return {change.path for change in inside if (change.after is not None) == kept}
