"""The host is about to compact: save; hand over instead of going on where the repository wants that."""

from __future__ import annotations

from ..decisions import Decision
from ..policies import resume_point
from ..session import was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..hook import Hook

PRE_COMPACT_BYTES = 8192


def handle(hook: Hook) -> Decision | None:
    """A line to the user on Cursor; Claude Code would give any output to its summariser."""
    with hook.store.locked(hook.lock_s):
        state = hook.store.load()
        if was_seen(state, hook.key):
            return None
        record = hook.observe(state)
        hook.store.write(record)
        hook.store.state["reading"], hook.store.state["level"] = hook.read(hook.store.state)
        if "window" in record:
            from ..stores.learned import remember

            remember(hook.paths, hook.event.host, hook.store.state["model"], record["window"])
        hook.store.save()
    hands_over = _hands_over(hook)
    saved = False
    if hands_over:
        from ..safepoint import save

        saved = save(hook, "compacted")
    elif hook.store.state["latch"] is None:
        _snapshot(hook)
    _write_pre_compact(hook)
    if not (saved and hook.event.host == "cursor"):
        return None
    path = hook.paths.relative(hook.paths.handoff(hook.session_key))
    return Decision(user=hook.say("compact_saved_user", path=path))


def _hands_over(hook: Hook) -> bool:
    state, settings = hook.store.state, hook.settings
    return (
        settings["handoff"]["on_compact"].get(hook.event.host) == "handoff"
        and settings["mode"] == "enforce"
        and not state["paused"]
        and hook.is_main
        and (state["latch"] is None or state["latch"]["cause"] != "compacted")
    )


def _snapshot(hook: Hook) -> None:
    """The handoff as of now, listed but not pending."""
    from ..safepoint_files import write_handoff

    point = resume_point.build(hook.store.state, "pre_compact", int(hook.event.now))
    write_handoff(hook, point, "draft")


def _write_pre_compact(hook: Hook) -> None:
    """What the handoff says, in the size that can be injected whole."""
    from ..files import read_bytes, write_atomic
    from ..redact import clip_bytes

    text = read_bytes(hook.paths.handoff(hook.session_key)).decode("utf-8", "replace")
    clipped = clip_bytes(text, PRE_COMPACT_BYTES)
    write_atomic(hook.paths.pre_compact(hook.session_key), clipped.encode("utf-8", "replace"))
