"""Does the work tree still look as it did when a handoff was written?"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import FileMark, RedCheckpoint


def compare(hook: Hook, checkpoint: RedCheckpoint) -> tuple[str, str]:
    """(`fresh` | `stale` | `unknown` | `foreign`, what changed): foreign is another repository."""
    from .gitfacts import has_commit, head

    project = hook.event.project
    then = checkpoint["resume_point"]["git_snapshot"]
    sha = then.get("base_commit_sha", "")
    now = head(project)
    if not sha or now is None:
        return ("unknown", then.get("unavailable", "") or "no git")
    changes = [mark["path"] for mark in checkpoint["file_marks"] if _changed(project, mark)]
    if now["sha"] != sha:
        if not has_commit(project, sha, hook.settings["deadlines"]["git_s"]):
            return ("foreign", "")
        changes.insert(0, f"HEAD {sha[:8]} -> {now['sha'][:8] or '-'}")
    if then.get("branch", "") != now["branch"]:
        changes.insert(0, f"{then.get('branch') or '-'} -> {now['branch'] or '-'}")
    return ("stale", ", ".join(changes[:10])) if changes else ("fresh", "")


def _changed(project: str, mark: FileMark) -> bool:
    try:
        info = os.stat(mark["path"] if os.path.isabs(mark["path"]) else f"{project}/{mark['path']}")
    except (OSError, ValueError):
        return mark["size"] != -1
    return (info.st_size, info.st_mtime_ns) != (mark["size"], mark["mtime_ns"])
