"""Taking old sessions out of the way: moved to a dated folder first, deleted from there days later."""

from __future__ import annotations

import os
import time

from . import retention
from .folders import make_private_dir
from .paths import ROOT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Housekeeping
    from .paths import Paths
    from .retention import Plan

BUDGET_S = 0.012  # at a session's start; what is left over follows at the next one
ERRORS_BYTES = 1_000_000
FOLDER = ".session/pruned"


def daily(paths: Paths, limits: Housekeeping, now: float) -> None:
    """At a session's start, once a day. Says nothing, and what goes wrong waits for tomorrow."""
    try:
        until = time.monotonic() + BUDGET_S
        plan = retention.plan(paths, limits, now, until)
        done = plan is None or (carry_out(paths, plan, now, until) and expire(paths, limits, now, until))
        if done:  # too much to look at is for `safepoint prune`: it is not tried at every start
            mark(paths)
    except OSError:
        mark(paths)


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
    day = f"{root}/{FOLDER}/{time.strftime('%Y-%m-%d', time.gmtime(now))}"
    for group, _ in plan.sessions:
        if time.monotonic() > until:
            return False
        for path in group.files:
            _move(root, path, day)
    for path in plan.segments:
        if time.monotonic() > until:
            return False
        _move(root, path, day)
        # Segments are counted from the first one on, so the name stays.
        os.close(os.open(f"{root}/{path}", os.O_WRONLY | os.O_CREAT, 0o600))
    _trim_errors(paths, root, day)
    return True


def _trim_errors(paths: Paths, root: str, day: str) -> None:
    try:
        if os.stat(paths.errors()).st_size > ERRORS_BYTES:
            _move(root, ".session/errors.jsonl", day)
    except FileNotFoundError:
        pass


def _move(root: str, path: str, day: str) -> None:
    target = f"{day}/{path}"
    try:
        os.rename(f"{root}/{path}", target)
    except FileNotFoundError:
        if os.path.lexists(f"{root}/{path}"):  # else another start has moved it
            make_private_dir(os.path.dirname(target))
            os.rename(f"{root}/{path}", target)


def expire(paths: Paths, limits: Housekeeping, now: float, until: float = float("inf")) -> bool:
    """Delete the dated folders that have waited long enough; False when there was no time for all."""
    folder = f"{paths.project}/{ROOT}/{FOLDER}"
    oldest = time.strftime("%Y-%m-%d", time.gmtime(now - limits["keep_days"] * retention.DAY_S))
    return all(_delete(f"{folder}/{day}", until) for day in days(paths) if day < oldest)


def days(paths: Paths) -> list[str]:
    """The dated folders, oldest first."""
    try:
        names = os.listdir(f"{paths.project}/{ROOT}/{FOLDER}")
    except OSError:
        return []
    return sorted(name for name in names if len(name) == 10 and name[:4].isdecimal())


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
