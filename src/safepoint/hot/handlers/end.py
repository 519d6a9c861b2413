"""A session ends: its last resume point and a handoff that can be looked at (not pending)."""

from __future__ import annotations

from ..policies import resume_point
from ..session import GIT, was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..hook import Hook


def handle(hook: Hook) -> Decision | None:
    """Saves; the host reads no answer here."""
    from ..safepoint import git_snapshot
    from ..safepoint_files import write_handoff
    from .after import write_point

    worked = hook.store.load()["tool_calls"] > 0
    git = git_snapshot(hook, ending=True) if worked and hook.is_main else None
    with hook.store.locked(hook.lock_s):
        state = hook.store.load()
        if was_seen(state, hook.key):
            return None
        hook.store.write(hook.observe(state))
        if git is not None and "unavailable" not in git:
            hook.store.write(hook.record(GIT, git=git))
        hook.store.save()
        if worked and hook.is_main and state["known_origin"]:
            write_point(hook, "session_end")
            if hook.store.state["latch"] is None:
                point = resume_point.build(hook.store.state, "session_end", int(hook.event.now))
                write_handoff(hook, point, "end")
    return None
