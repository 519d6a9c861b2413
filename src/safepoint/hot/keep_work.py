"""At Red, beside the saving of the state: the work in progress as a commit of its own, which no branch names.

A later reset or checkout then loses nothing. It is done within what is left of git's deadline, and named once
the state is saved. A failure is told and changes nothing else: the tool is denied all the same.
"""

from __future__ import annotations

import time

from . import beside, work_commit
from .campaign_refs import local
from .deadline import left_s
from .redact import capture
from .session import GIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .hook import Hook
    from .shapes import GitSnapshot, SessionState

    # (commit, why there is none, names that it does not hold); all empty where git would keep nothing
    Kept = tuple[str, str, list[str]]

SPARE_S = 0.4  # of the process's own deadline: the answer has to come as well
POINT_S = 0.1  # the least that is left for the ref, however long the commit has taken
SHOWN = 8  # names that are told

NOTHING: Kept = ("", "", [])


def begin(hook: Hook, git: GitSnapshot, status: bytes, until: float) -> Callable[[], Kept]:
    """Start on the commit beside the saving of the state. `until` is monotonic.

    `git` is what git says of the work tree, and `status` its answer in full.

    What comes back waits for it, and has to be called. A subagent's work is its parent's.
    """
    left = _left(until) - POINT_S
    # a status fails as a whole on one file that a filter fails on, and that file can be left out
    is_unknown = git.get("unavailable") == "failed"
    if not hook.is_main or not (is_unknown or git.get("changed_total")):
        return lambda: NOTHING
    slug, folder = hook.store.state["campaign_slug"], hook.paths.session
    return beside.begin(lambda: _commit(hook.event.project, folder, slug, status, left))


def finish(hook: Hook, work: Callable[[], Kept], until: float, is_saved: bool) -> None:
    """Have `refs/safepoint/local/SESSION` name the commit, where there is one, if the state is saved.

    `until` is monotonic, as for `begin`. Whatever goes wrong here is no reason not to stop: it is logged.
    """
    try:
        kept = work()
    except Exception as error:
        _log(hook, error)
        kept = "", "failed", []
    try:
        if is_saved:
            _record(hook, *kept, max(POINT_S, _left(until)))
    except Exception as error:
        _log(hook, error)


def _log(hook: Hook, error: Exception) -> None:
    from .faults import log

    log(hook, "work", error)


def _left(until: float) -> float:
    return min(until - time.monotonic(), left_s() - SPARE_S)


def _record(hook: Hook, sha: str, why: str, left_out: list[str], left: float) -> None:
    if sha and not work_commit.point(hook.event.project, local(hook.session_key), sha, left):
        sha, why, left_out = "", "failed", []
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


def _commit(project: str, folder: str, slug: str, status: bytes, left: float) -> Kept:
    """It touches nothing of the session, since it runs in a thread. Raises OSError."""
    if left <= 0:
        return "", "timeout", []
    subject = f"Work in progress at Red: {slug}"
    try:
        made = work_commit.make(project, folder, subject, left, work_commit.AT_RED, status)
    except work_commit.WorkCommitError as error:
        return "", error.why, []
    if made.sha == made.base:
        return "", "failed" if made.left_out else "", made.left_out
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
