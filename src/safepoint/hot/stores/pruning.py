"""Taking old sessions out of the way: moved to a dated folder first, deleted from there days later."""

from __future__ import annotations

import os
import sys
import time

from .. import detached
from ..files import is_folder
from . import retention
from .folders import make_private_dir
from .paths import ROOT, Paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Housekeeping
    from .retention import Group, Plan

BUDGET_S = 0.012  # at a session's start; what is left over is for a process that nobody waits for
REST_S = 60.0  # of that process
ERRORS_BYTES = 1_000_000
FOLDER = ".session/pruned"


def daily(paths: Paths, limits: Housekeeping, now: float) -> None:
    """At a session's start, once a day. Says nothing, and what goes wrong waits for tomorrow."""
    mark(paths)
    try:
        if not _prune(paths, limits, now, time.monotonic() + BUDGET_S):
            _leave_the_rest(paths, limits, now)
    except OSError:
        pass


def _prune(paths: Paths, limits: Housekeeping, now: float, until: float) -> bool:
    plan = retention.plan(paths, limits, now, until)
    return plan is not None and carry_out(paths, plan, now, until) and expire(paths, limits, now, until)


def _leave_the_rest(paths: Paths, limits: Housekeeping, now: float) -> None:
    if not sys.executable or not hasattr(os, "posix_spawnp"):
        return  # `safepoint prune` does it
    root = __file__
    for _ in __name__.split("."):
        root = os.path.dirname(root)
    code = f"import sys;sys.path.insert(0,{root!r});from {__name__} import rest;"
    code += f"rest({paths.project!r},{limits!r},{now!r})"
    detached.start([sys.executable, "-I", "-S", "-c", code])


def rest(project: str, limits: Housekeeping, now: float) -> None:
    """What a start had no time for, in a process of its own."""
    try:
        _prune(Paths(project), limits, now, time.monotonic() + REST_S)
    except OSError:
        pass


def mark(paths: Paths) -> None:
    """Remember that it was done today."""
    try:
        os.close(os.open(paths.prune_mark(), os.O_WRONLY | os.O_CREAT, 0o600))
        os.utime(paths.prune_mark())
    except OSError:
        pass


def carry_out(paths: Paths, plan: Plan, now: float, until: float = float("inf")) -> bool:
    """Move what the plan names. False when there was no time for all of it; a session goes whole or stays."""
    root = f"{paths.project}/{ROOT}"
    for path in plan.temps:
        _remove(f"{root}/{path}")
    day = f"{root}/{FOLDER}/{day_of(now)}"
    made: set[str] = set()
    for group, _ in plan.sessions:
        if time.monotonic() > until:
            return False
        if not _is_used(root, group):
            for path in group.files:
                _move(root, path, day, made)
    for path in plan.segments:
        if time.monotonic() > until:
            return False
        _move(root, path, day, made)
        # Segments are counted from the first one on, so the name stays.
        os.close(os.open(f"{root}/{path}", os.O_WRONLY | os.O_CREAT, 0o600))
    _trim_errors(paths, root, day, made)
    return True


def _is_used(root: str, group: Group) -> bool:
    """Whether somebody went on with it, or it became pending, since it was looked at."""
    if os.path.lexists(f"{root}/.session/pending/{group.key}.json"):
        return True
    for path in group.files:
        try:
            if os.stat(f"{root}/{path}", follow_symlinks=False).st_mtime > group.newest:
                return True
        except FileNotFoundError:
            pass
    return False


def _trim_errors(paths: Paths, root: str, day: str, made: set[str]) -> None:
    try:
        if os.stat(paths.errors()).st_size > ERRORS_BYTES:
            _move(root, ".session/errors.jsonl", day, made)
    except FileNotFoundError:
        pass


def day_of(now: float) -> str:
    """The name of the dated folder for what goes now."""
    return time.strftime("%Y-%m-%d", time.gmtime(now))


def oldest_day(limits: Housekeeping, now: float) -> str:
    """The first day whose folder is still kept."""
    return day_of(now - limits["keep_days"] * retention.DAY_S)


def have_folder(folder: str, made: set[str]) -> None:
    """Have a folder at or below FOLDER: each of them is looked at, for none may be a link."""
    if folder in made:
        return
    if not folder.endswith(FOLDER):
        have_folder(os.path.dirname(folder), made)
    make_private_dir(folder)
    made.add(folder)


def _move(root: str, path: str, day: str, made: set[str]) -> None:
    target = f"{day}/{path}"
    have_folder(os.path.dirname(target), made)
    try:
        os.rename(f"{root}/{path}", target)
    except FileNotFoundError:
        pass  # another start has moved it


def expire(paths: Paths, limits: Housekeeping, now: float, until: float = float("inf")) -> bool:
    """Delete the dated folders that have waited long enough; False when there was no time for all."""
    folder = f"{paths.project}/{ROOT}/{FOLDER}"
    oldest = oldest_day(limits, now)
    return all(_delete(f"{folder}/{day}", until) for day in days(paths) if day < oldest)


def days(paths: Paths) -> list[str]:
    """The dated folders, oldest first. A link is none: what it leads to is somebody else's."""
    folder = f"{paths.project}/{ROOT}/{FOLDER}"
    if not is_folder(folder):
        return []
    names = [name for name in os.listdir(folder) if len(name) == 10 and name[:4].isdecimal()]
    return sorted(name for name in names if is_folder(f"{folder}/{name}"))


def _delete(folder: str, until: float) -> bool:
    for where, folders, files in os.walk(folder, topdown=False):
        for name in files:
            if time.monotonic() > until:
                return False
            _remove(f"{where}/{name}")
        for name in folders:
            _remove_folder(f"{where}/{name}")
    _remove_folder(folder)
    return True


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _remove_folder(path: str) -> None:
    try:
        os.rmdir(path)
    except OSError:
        _remove(path)  # a link to a folder
