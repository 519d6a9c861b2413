"""At Red, after the state is saved: the work in progress as a commit of its own, which no branch names.

A later reset or checkout then loses nothing. It is done within what is left of git's deadline. A failure is
told and changes nothing else: the tool is denied all the same.
"""

from __future__ import annotations

import time

from . import work_commit
from .campaign_refs import local
from .deadline import left_s
from .redact import capture
from .session import GIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import GitSnapshot, SessionState

SPARE_S = 0.4  # of the process's own deadline: the answer has to come as well
POINT_S = 0.1
SHOWN = 8  # names that are told


def keep(hook: Hook, until: float) -> None:
    """Have `refs/safepoint/local/SESSION` name the work, where there is any; `until` is monotonic."""
    git = hook.store.state["git"]
    if "unavailable" in git or not git.get("changed_total"):
        return
    left = min(until - time.monotonic(), left_s() - SPARE_S) - POINT_S
    sha, why, left_out = _commit(hook, left) if left > 0 else ("", "timeout", [])
    if not sha and not why:
        return
    with hook.store.locked(hook.lock_s):
        state = hook.store.load()
        told: GitSnapshot = {"work_commit": sha} if sha else {"work_skipped": why}
        if left_out:
            told["work_left_out"] = [capture(name, 300) for name in left_out[:SHOWN]]
            told["work_left_out_total"] = len(left_out)
        hook.store.write(hook.record(GIT, git={**state["git"], **told}))
        hook.store.save()


def _commit(hook: Hook, left: float) -> tuple[str, str, list[str]]:
    """(commit, why there is none, names that it does not hold); all empty where git would keep nothing."""
    git, slug = hook.store.state["git"], hook.store.state["campaign_slug"]
    limits = work_commit.AT_RED
    if git.get("changed_total", 0) > limits.entries:
        return "", "large", []
    try:
        made = work_commit.make(
            hook.event.project, hook.paths.session, f"Work in progress at Red: {slug}", left, limits
        )
    except work_commit.WorkCommitError as error:
        return "", error.why, []
    except OSError as error:
        from .faults import log

        log(hook, "work", error)
        return "", "failed", []
    if made.sha == made.base:
        return "", "failed" if made.left_out else "", made.left_out
    if not work_commit.point(hook.event.project, local(hook.session_key), made.sha, POINT_S):
        return "", "failed", []
    return made.sha, "", made.left_out


def line(hook: Hook, state: SessionState) -> str:
    """What became of the work, for the user; "" where there was none."""
    git = state["git"]
    names = git.get("work_left_out", [])
    more = git.get("work_left_out_total", 0) - len(names)
    shown = ", ".join(names) + (f" (+{more})" if more > 0 else "")
    if git.get("work_commit"):
        return hook.say("work_kept_but_user", names=shown) if names else hook.say("work_kept_user")
    why = git.get("work_skipped")
    if not why:
        return ""
    if names:
        return hook.say("work_none_user", names=shown)
    words = {"large": "work_large", "timeout": "work_late"}
    return hook.say("work_skipped_user", why=hook.say(words.get(why, "work_failed")))
