"""Does the work tree still look as it did when a handoff was written, and does the work done then hold?"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import FileMark, RedCheckpoint, Standing

HASHED_BYTES = 1024 * 1024


class Comparison:
    """What was found. `kind` is fresh, stale, unknown or foreign: foreign is another repository.

    `files` says of each marked path how it stands. `moved` are paths that commits since then touched, None
    where that is not known; `reachable` is False where HEAD has left the commit of the handoff behind.
    """

    __slots__ = ("detail", "files", "kind", "moved", "reachable")

    def __init__(self, kind: str, detail: str, files: dict[str, Standing]) -> None:
        self.kind, self.detail, self.files = kind, detail, files
        self.moved: list[str] | None = []
        self.reachable = True

    @property
    def told(self) -> tuple[str, str]:
        return self.kind, self.detail


def compare(hook: Hook, checkpoint: RedCheckpoint) -> Comparison:
    """Compare with git and the marked files."""
    from .git_files import head
    from .gitfacts import has_commit

    project = hook.event.project
    then = checkpoint["resume_point"]["git_snapshot"]
    sha = then.get("base_commit_sha", "")
    files = {mark["path"]: standing(project, mark) for mark in checkpoint["file_marks"]}
    now = head(project)
    if not sha or now is None:
        return Comparison("unknown", then.get("unavailable", "") or "no git", files)
    changes = [path for path, stands in files.items() if stands != "holds"]
    found = Comparison("fresh", "", files)
    if now["sha"] != sha:
        if not has_commit(project, sha, hook.settings["deadlines"]["git_s"]):
            return Comparison("foreign", "", files)
        changes.insert(0, f"HEAD {sha[:8]} -> {now['sha'][:8] or '-'}")
        _look_at_commits(hook, found, sha)
    if then.get("branch", "") != now["branch"]:
        changes.insert(0, f"{then.get('branch') or '-'} -> {now['branch'] or '-'}")
    if changes:
        found.kind, found.detail = "stale", ", ".join(changes[:10])
    return found


def _look_at_commits(hook: Hook, found: Comparison, sha: str) -> None:
    """What commits since the handoff touched, and whether its own commit is still part of HEAD."""
    from .gitfacts import run

    project, deadline_s = hook.event.project, hook.settings["deadlines"]["git_s"]
    base, why = run(project, ["merge-base", sha, "HEAD"], deadline_s)
    found.reachable = why in ("timeout", "no git") or base.decode("ascii", "replace").strip() == sha
    names, why = run(project, ["diff", "--name-only", "--no-renames", "-z", sha, "HEAD"], deadline_s)
    text = names.decode("utf-8", "surrogateescape")
    found.moved = None if why else [name for name in text.split("\0") if name]


def standing(project: str, mark: FileMark) -> Standing:
    """How a marked file stands. Touched but with the same content, it holds."""
    path = mark["path"] if os.path.isabs(mark["path"]) else f"{project}/{mark['path']}"
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return "holds" if mark["size"] == -1 else "gone"
    if (info.st_size, info.st_mtime_ns) == (mark["size"], mark["mtime_ns"]):
        return "holds"
    if info.st_size != mark["size"] or not mark.get("sha256") or not stat.S_ISREG(info.st_mode):
        return "changed since"
    from .digest import sha256_hex
    from .files import read_bytes

    try:
        same = sha256_hex(read_bytes(path, HASHED_BYTES)) == mark["sha256"]
    except OSError:
        same = False
    return "holds" if same else "changed since"
