"""Carrying a plan out: under a lock, in order, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import filelock

from . import changes as files
from . import install_record, kept_refs
from .errors import SafepointError
from .install import Plan
from .project import Project


def carry_out(make_plan: Callable[[], Plan | None], project: Project) -> Plan | None:
    """Plan again under the lock, since somebody else may have been at work, and do it."""
    lock = filelock.FileLock(_lock_file(project), timeout=10)
    try:
        with lock:
            plan = make_plan()
            if plan is not None:
                _perform(plan)
            return plan
    except filelock.Timeout as error:
        raise SafepointError(f"another installation in {project.root} is still running") from error


def _perform(plan: Plan) -> None:
    first = [plan.interim] if plan.interim else []
    paths = [install_record.PATH, *(plan.record["files"] if plan.record else ())]
    paths += [change.path for change in plan.changes]
    # Git's folder is shared with installations in other folders, and one of them may be at work.
    for folder in {plan.project.file(path).parent for path in paths if not path.startswith(".git/")}:
        files.drop_unfinished(folder)
    try:
        files.perform([*first, *plan.changes])
    except OSError as error:
        at = error.filename or plan.project.root
        raise SafepointError(f"{at}: {error.strerror}. Nothing was changed.") from error
    clearing = plan.clearing
    files.clear(plan.project.root, clearing.compiled, clearing.empty, clearing.state)
    kept_refs.delete(plan.project, clearing.refs)


def _lock_file(project: Project) -> Path:
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "safepoint"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder}: {error.strerror}; set XDG_CACHE_HOME to a folder that can be written"
        raise SafepointError(message) from error
    return folder / f"install-{install_record.digest(str(project.root).encode())[:16]}.lock"
