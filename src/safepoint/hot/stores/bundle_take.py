"""A checked bundle laid into this project: its handoff is pending, as one of this clone's own would be.

What lay in its place is moved to today's folder of pruned files, and `safepoint prune --undo` brings it back.
"""

from __future__ import annotations

import os

from ..files import read_bytes, write_atomic
from ..redact import capture
from . import checkpoints, pending, project_file, projections
from .bundle_check import is_below
from .bundles import HANDOFF, MAX_BYTES, NOTES, REPORT
from .folders import make_private_dir, prepare
from .paths import ROOT, Paths, session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import FileMark, RedCheckpoint, Settings
    from .bundles import Content

LOCK_S = 0.5


class Taken:
    """`pending` is False for a session of this clone's own. `written`, `moved` and `kept` are paths below the
    project: new here, set aside for what is new, and left alone although the bundle has another version."""

    __slots__ = ("kept", "key", "moved", "pending", "written")

    def __init__(self, key: str) -> None:
        self.key, self.pending = key, False
        self.written: list[str] = []
        self.moved: list[str] = []
        self.kept: list[str] = []


def take(paths: Paths, content: Content, settings: Settings, now: float) -> Taken:
    """Write what the bundle holds and offer its handoff. Raises OSError."""
    meta, key = content.meta, session_key(content.meta["session_id"])
    taken = Taken(key)
    if os.path.exists(paths.journal(key)) or os.path.exists(paths.state(key)):
        return taken  # it began here, and its files here are the newer ones
    prepare(paths)
    checkpoint = _checkpoint(paths, key, _sealed_anew(content.checkpoint, paths.handoff(key), paths))
    _put(paths, taken, paths.handoff(key), content.files[HANDOFF], now)
    if NOTES in content.files:
        _put(paths, taken, paths.notes(key), content.files[NOTES], now)
    projections.write_pulled(paths, content.point, LOCK_S)
    _put_artifacts(paths, taken, content, settings, now)
    has_report = REPORT in content.files and REPORT not in meta["in_work"]
    if has_report and _is_report(paths, settings, meta["report"]):
        _put_project_file(paths, taken, meta["report"], content.files[REPORT])
    pending.offer(
        paths, key,
        {
            "schema_version": 1, "session_id": meta["session_id"], "host": meta["host"],
            "created_at_unix": min(meta["created_at_unix"], int(now)), "reason": meta["reason"],
            "campaign_slug": meta["campaign"], "branch": capture(meta["branch"], 1000),
            "base_commit_sha": meta["base_commit_sha"][:64], "checkpoint": paths.relative(checkpoint),
            "handoff": paths.relative(paths.handoff(key)), "inject": True,
        },
    )  # fmt: skip
    taken.pending = True
    return taken


def _sealed_anew(checkpoint: RedCheckpoint, handoff: str, paths: Paths) -> RedCheckpoint:
    """With marks of files below the project alone: no path of another machine is looked at on this one."""
    marks: list[FileMark] = [mark for mark in checkpoint["file_marks"] if is_below(mark["path"])]
    return {**checkpoint, "file_marks": marks, "handoff": paths.relative(handoff)}


def _checkpoint(paths: Paths, key: str, checkpoint: RedCheckpoint) -> str:
    """Where it lies: written under the next free number, unless it is there already."""
    wanted = checkpoints.digest({**checkpoint})
    number = 1
    while os.path.exists(paths.red_checkpoint(key, number)):
        try:
            if checkpoints.read(paths.red_checkpoint(key, number))["sha256"] == wanted:
                return paths.red_checkpoint(key, number)
        except checkpoints.CheckpointError:
            pass
        number += 1
    return checkpoints.write(paths, key, checkpoint)


def _put(paths: Paths, taken: Taken, path: str, data: bytes, now: float) -> None:
    """Write one of Safepoint's own files; another version of it is set aside first."""
    if os.path.lexists(path):
        try:
            if read_bytes(path, MAX_BYTES + 1) == data:
                return
        except OSError:
            pass  # a link, or no file: out of the way as well
        _set_aside(paths, path, now)
        taken.moved.append(paths.relative(path))
    write_atomic(path, data)
    taken.written.append(paths.relative(path))


def _set_aside(paths: Paths, path: str, now: float) -> None:
    from .pruning import FOLDER, day_of, have_folder

    target = f"{paths.project}/{ROOT}/{FOLDER}/{day_of(now)}/{paths.relative(path)[len(ROOT) + 1 :]}"
    have_folder(os.path.dirname(target), set())
    stem, ending = os.path.splitext(target)
    number = 2
    while os.path.lexists(target):
        target, number = f"{stem}.{number}{ending}", number + 1
    os.rename(path, target)


def _put_artifacts(paths: Paths, taken: Taken, content: Content, settings: Settings, now: float) -> None:
    """Envelopes that do not come with the work: into the state folder, or beside what is there already."""
    folder = project_file.relative(paths.project, settings["campaign"]["artifact_dir"])
    slug = content.meta["campaign"]
    for name, data in content.artifacts.items():
        if not folder or f"artifacts/{name}" in content.meta["in_work"]:
            continue
        if not name.startswith(f"{slug}--"):
            continue  # of another campaign
        if folder.startswith(f"{ROOT}/."):
            make_private_dir(f"{paths.project}/{folder}")
            _put(paths, taken, f"{paths.project}/{folder}/{name}", data, now)
        else:
            _put_project_file(paths, taken, f"{folder}/{name}", data)


def _is_report(paths: Paths, settings: Settings, name: str) -> bool:
    """Whether a task report of this project could lie there: a bundle has nothing else written."""
    folder = project_file.relative(paths.project, settings["campaign"]["report_dir"])
    below = name[len(folder) + 1 :] if folder and name.startswith(f"{folder}/") else ""
    return below.endswith(".md") and not any(part[:1] in ("", ".") for part in below.split("/"))


def _put_project_file(paths: Paths, taken: Taken, name: str, data: bytes) -> None:
    """A file of the user's project is written where there is none, through no link."""
    path = f"{paths.project}/{name}"
    if os.path.lexists(path):
        taken.kept.append(name)
        return
    folder = os.path.dirname(path)
    straight = os.path.join(os.path.realpath(paths.project), os.path.dirname(name)).rstrip("/")
    if os.path.realpath(folder) != straight:
        taken.kept.append(name)
        return
    os.makedirs(folder, exist_ok=True)
    write_atomic(path, data, 0o644)
    taken.written.append(name)
