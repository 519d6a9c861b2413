"""A safepoint: everything a new chat needs is on disk and has been read back.

The order is the promise. Latch, resume point, red checkpoint, handoff, report, envelope, pending;
only then may a tool be denied. Git runs outside the lock.
"""

from __future__ import annotations

import os
import time

from . import beside
from .session import LATCH, RELEASE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import GitSnapshot

WAIT_SHARE = 0.8  # of the process's deadline: how long a guard waits for another that saves
RUN_NAME = "SAFEPOINT_RUN"  # set for the sessions of `safepoint run`: it opens the next chat itself


def save(hook: Hook, cause: str) -> bool:
    """Latch the session and save its state; False (and a failed latch) where that did not work.

    One guard saves while the others wait for it. Its lock falls with it, so a guard that finds the session
    "saving" under a free lock knows that the one before it has died, and saves.
    """
    from .flock import Lock

    wait_s, began = hook.settings["deadlines"]["hook_s"] * WAIT_SHARE, time.monotonic()
    with Lock(hook.paths.saving_lock(hook.session_key), wait_s) as lock:
        if not lock.held and not lock.broken:
            return False
        latch = hook.store.load()["latch"]
        if latch is not None and latch["cause"] == cause and latch["phase"] == "saved":
            return True
        git, status = _latch(hook, cause)
        from . import keep_work

        until = began + hook.settings["deadlines"]["git_s"]
        work = keep_work.begin(hook, git, status, until)
        try:
            saved = _write(hook, cause, git)
        except BaseException:
            work()  # whatever git still does has to be over before the process is
            raise
    keep_work.finish(hook, work, until, saved)
    if saved and hook.settings["handoff"]["open_link"] and hook.is_main and not os.environ.get(RUN_NAME):
        from .notes import new_chat_link
        from .opener import open_address

        open_address(new_chat_link(hook))
    return saved


def _latch(hook: Hook, cause: str) -> tuple[GitSnapshot, bytes]:
    """Latch the session as "saving"; what git says meanwhile."""
    status = beside.begin(lambda: _asked(hook))
    try:
        with hook.store.locked(hook.lock_s):
            hook.store.load()
            hook.store.write(hook.record(LATCH, status="saving", reason=cause))
            hook.store.save()
        _load()
    finally:
        told = status()
    return told


def _load() -> None:
    """What is needed next is loaded while git works: some forty modules, which take as long as its status."""
    from . import answer, campaign, handoff_text, keep_work, notes, safepoint_files  # noqa: F401
    from .hosts import render  # noqa: F401
    from .policies import simple_command, workflow  # noqa: F401
    from .stores import pending, task_report, tracker_edit  # noqa: F401


def _write(hook: Hook, cause: str, git: GitSnapshot) -> bool:
    """Write the safepoint's files, and latch the session as "saved" or as "failed"."""
    from .safepoint_files import write_all
    from .stores import checkpoints

    with hook.store.locked(hook.lock_s):
        hook.store.load()
        try:
            checkpoint, handoff = write_all(hook, cause, git)
        except (OSError, checkpoints.CheckpointError) as error:
            from .faults import log
            from .stores import pending

            log(hook, "save", error)
            pending.withdraw(hook.paths, hook.session_key)  # the session goes on
            hook.store.write(hook.record(LATCH, status="failed", reason=cause))
            hook.store.save()
            return False
        hook.store.write(
            hook.record(LATCH, status="saved", reason=cause, checkpoint=checkpoint, handoff=handoff)
        )
        hook.store.save()
    return True


def hand_over(hook: Hook) -> None:
    """Save a session that is over, however it ended, and make its handoff pending. Nothing is latched.

    Raises OSError or CheckpointError where that could not be written.
    """
    from .safepoint_files import write_all

    git = git_snapshot(hook)
    with hook.store.locked(hook.lock_s):
        hook.store.load()
        write_all(hook, "over", git)
        hook.store.save()


def release(hook: Hook, reason: str) -> None:
    """Open the latch: the session goes on, so its handoff is taken back. The session's lock is held."""
    from .stores import pending

    if hook.store.state["latch"] is not None:
        reading, level = hook.read(hook.store.state)
        hook.store.write(hook.record(RELEASE, reason=reason, reading=reading, level=level))
        pending.withdraw(hook.paths, hook.session_key)


def git_snapshot(hook: Hook, ending: bool = False) -> GitSnapshot:
    """What git says of the work tree, within its deadline."""
    return _asked(hook, ending)[0]


def _asked(hook: Hook, ending: bool = False) -> tuple[GitSnapshot, bytes]:
    from .gitfacts import asked

    deadlines = hook.settings["deadlines"]
    return asked(hook.event.project, deadlines["git_end_s" if ending else "git_s"])
