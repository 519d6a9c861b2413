"""`safepoint prune`: what would go and what went, and the way back."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Any

from .errors import SafepointError
from .hot.shapes import Housekeeping, Settings
from .hot.stores import pruning, retention
from .hot.stores.folders import make_private_dir
from .hot.stores.paths import ROOT, Paths
from .sync import local_refs


def limits_of(settings: Settings, max_age_days: int | None, max_mb: int | None) -> Housekeeping:
    limits: Housekeeping = {**retention.DEFAULTS, **settings.get("housekeeping", retention.DEFAULTS)}
    if max_age_days is not None:
        limits["max_age_days"] = max_age_days
    if max_mb is not None:
        limits["max_mb"] = max_mb
    return limits


def prune(project: str, limits: Housekeeping, dry_run: bool) -> dict[str, Any]:
    """Move old sessions to today's folder and delete folders that have waited; or only say it."""
    paths, now = Paths(project), time.time()
    plan = retention.plan(paths, limits, now)
    assert plan is not None  # no limit of time was given
    oldest = pruning.oldest_day(limits, now)
    expired = [day for day in pruning.days(paths) if day < oldest]
    today = pruning.day_of(now)
    works = local_refs.old(project, limits, now)
    if not dry_run:
        local_refs.put_away(project, works, now)
        expired += local_refs.expire(project, limits, now)
        try:
            pruning.carry_out(paths, plan, now)
            pruning.expire(paths, limits, now)
        except OSError as error:
            raise SafepointError(
                f"{error.filename}: {error.strerror}; what was moved, stays moved"
            ) from error
        pruning.mark(paths)
    moved_to = f"{ROOT}/{pruning.FOLDER}/{today}" if plan.sessions or plan.segments or works else None
    return {
        "project": project, "dry_run": dry_run,
        "sessions": [
            {"session": group.key, "reason": reason, "files": len(group.files), "bytes": group.bytes,
             "last_at_unix": int(group.newest)} for group, reason in plan.sessions
        ],
        "works": [one.name for one in works], "segments": plan.segments, "leftovers": plan.temps,
        "expired": expired,
        "moved_to": moved_to,
    }  # fmt: skip


def undo(project: str) -> dict[str, Any]:
    """Move the newest dated folder back. Where a file is there again meanwhile, both stay where they are."""
    paths = Paths(project)
    days = sorted({*pruning.days(paths), *local_refs.days(project)})
    if not days:
        where = f"{ROOT}/{pruning.FOLDER}"
        raise SafepointError(f"{project}: nothing is there to bring back; prune moves files to {where}")
    folder = Path(project) / ROOT / pruning.FOLDER / days[-1]
    back, left = [], []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        target = Path(project) / ROOT / name
        if target.exists() and target.stat().st_size:  # an empty one only keeps a segment's place
            left.append(name)
            continue
        try:
            make_private_dir(str(target.parent))
        except OSError:  # a link, or a file
            left.append(name)
            continue
        os.replace(file, target)
        back.append(name)
    for where, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(where)
    works = local_refs.bring_back(project, days[-1])
    return {"project": project, "day": days[-1], "restored": back, "left": left, "works": works}
