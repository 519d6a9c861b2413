"""What an installation is asked for, and the plan of it, as values."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, NamedTuple

from . import shipped
from .changes import Change
from .hot.shapes import Host, Settings
from .install_record import InstallRecord
from .kept_refs import Ref
from .project import Project
from .registration import EventSet

HOOKS = shipped.HOOKS
CURSOR_FILE = ".cursor/hooks.json"
CLAUDE_FILE, CLAUDE_LOCAL = ".claude/settings.json", ".claude/settings.local.json"
EXCLUDE = ".git/info/exclude"
Scope = Literal["shared", "local"]


class Wish(NamedTuple):
    """What was asked for. None: as it is installed already, else the default."""

    hosts: tuple[Host, ...] | None = None
    events: EventSet | None = None
    scope: Scope | None = None
    language: str | None = None
    workflow: bool | None = None
    todo_tool: bool | None = None
    status_line: bool | None = None
    python: str | None = None  # path of an interpreter; only for one person
    keep_settings: bool = False  # where the manifest has a mistake, what was compiled before stays


class Plan(NamedTuple):
    """What will be done. `interim` is the record that stands while the changes are carried out."""

    project: Project
    changes: list[Change]
    record: InstallRecord | None
    interim: Change | None
    language: str
    notes: list[str]
    clearing: Clearing
    settings: Settings | None  # as compiled from the manifest; None when uninstalling
    yours: frozenset[str]  # paths among the changes that are not Safepoint's own files


class Clearing(NamedTuple):
    """What goes after the changes: compiled modules, what sessions left, folders then empty, inner first."""

    compiled: list[str]  # glob patterns
    empty: list[str]
    state: list[str]
    refs: tuple[Ref, ...] = ()


def language_of_locale(environment: dict[str, str] | None = None) -> str:
    values = os.environ if environment is None else environment
    chosen = next((values[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if values.get(name)), "")
    return "ja" if chosen.startswith("ja") else "en"


def clear_packages(paths: list[str]) -> Clearing:
    """What is left of the package folders that held `paths`."""
    folders = set()
    for path in paths:
        parent = Path(path).parent
        while f"{HOOKS}/_safepoint_" in parent.as_posix():
            folders |= {parent.as_posix(), f"{parent.as_posix()}/__pycache__"}
            parent = parent.parent
    compiled = [f"{folder}/*.pyc" for folder in folders if folder.endswith("/__pycache__")]
    return Clearing(sorted(compiled), sorted(folders, key=len, reverse=True), [])
