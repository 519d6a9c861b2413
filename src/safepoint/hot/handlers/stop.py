"""A turn ends: keep its last words, look at git, and at Red say what was saved."""

from __future__ import annotations

from ..session import GIT, was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..hook import Hook


def handle(hook: Hook) -> Decision | None:
    """The notice of a Red turn, else None."""
    state = hook.store.load()
    if was_seen(state, hook.key):
        return None
    git = _git(hook) if state["known_origin"] and hook.is_main and state["files_changed"] else None
    with hook.store.locked(hook.lock_s):
        state = hook.store.load()
        if was_seen(state, hook.key):
            return None
        hook.store.write(hook.observe(state))
        if git is not None and "unavailable" not in git:
            hook.store.write(hook.record(GIT, git=git))
        state = hook.store.state
        state["reading"], state["level"] = hook.read(state)
        _keep_words(hook)
        decision = None
        if hook.is_main and not state["paused"] and state["latch"] is not None:
            from ..notes import red_turn_ended

            decision = red_turn_ended(hook)
        hook.store.save()
        if state["known_origin"] and hook.is_main:
            from .after import write_point

            write_point(hook, "turn_end")
    return decision


def _git(hook: Hook) -> dict[str, object] | None:
    from ..safepoint import git_snapshot

    return git_snapshot(hook, ending=True)  # type: ignore[return-value]


def _keep_words(hook: Hook) -> None:
    text = hook.event.text or hook.event.summary
    if text and hook.is_main:
        from ..records import TEXT_BYTES
        from ..redact import capture
        from ..stores import projections

        words = capture(text, TEXT_BYTES)
        projections.append_turn(hook.paths, hook.session_key, "assistant", words, hook.event.now)
