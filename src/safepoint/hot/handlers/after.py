"""After a tool: fold it into the session and write the resume point. Says nothing."""

from __future__ import annotations

from .. import events as ev
from ..policies import resume_point
from ..session import was_seen
from ..stores import projections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..hook import Hook
    from ..shapes import Record, TodoItem


def handle(hook: Hook) -> Decision | None:
    """Record what ended. None, but for a heavy skill's checkpoint."""
    with hook.store.locked(hook.lock_s):
        state = hook.store.load()
        if was_seen(state, hook.key):
            return None
        record = hook.observe(state)
        if hook.event.kind == ev.SUBAGENT_STOP:
            _subagent_stopped(hook, record)
        before = state["todos"]
        hook.store.write(record)
        if record.get("tool") == ev.SHELL and "safepoint" in record.get("command", ""):
            _steps_may_have_moved(hook)
        state = hook.store.state
        state["reading"], state["level"] = hook.read(state)
        if "window" in record:
            _learn(hook, record)
        decision = _about_todos(hook, record, before)
        hook.store.save()
        if state["known_origin"] and hook.is_main:
            write_point(hook, "after_tool")
    if not _ends_subagent(hook) or not hook.is_main:
        return decision
    from ..skill_reminder import after_subagent

    return after_subagent(hook, record)


def _about_todos(hook: Hook, record: Record, before: list[TodoItem]) -> Decision | None:
    """The mirror of a list that has changed; on Cursor, which has no event for a request, a reminder."""
    if "todo" in record:
        from ..todo_notes import mirror

        return mirror(hook, before)
    event = hook.event
    on_cursor = event.host == "cursor" and event.kind == ev.AFTER_TOOL and event.tool != ev.SUBAGENT
    if on_cursor and hook.may_remind(hook.store.state["meter"].get("requests", 0)):
        from ..todo_notes import remind

        return remind(hook)
    return None


def _ends_subagent(hook: Hook) -> bool:
    """Cursor tells of a subagent's stop only with the full set of events; its tool call always ends."""
    event = hook.event
    if event.kind == ev.SUBAGENT_STOP:
        return True
    return event.host == "cursor" and event.tool == ev.SUBAGENT and not event.background


def _steps_may_have_moved(hook: Hook) -> None:
    """A command of ours may have changed the open step, and the resume point is to say so."""
    if hook.is_main and hook.store.state["known_origin"]:
        from ..campaign import refresh

        refresh(hook)


def write_point(hook: Hook, trigger: str) -> None:
    """The campaign's resume point as of now. Behind a latch it stays what the latch has made of it."""
    latch = hook.store.state["latch"]
    if latch is not None and trigger != "session_end":
        from ..safepoint_files import TRIGGERS

        trigger = TRIGGERS[latch["cause"]]
    point = resume_point.build(hook.store.state, trigger, int(hook.event.now))
    if point["campaign_slug"]:
        projections.write_resume_point(hook.paths, point, hook.lock_s)


def _subagent_stopped(hook: Hook, record: Record) -> None:
    """A Claude subagent has a state of its own beside its parent's: its changes are the parent's too.

    One that was broken off gets an envelope; where that cannot be written, it is logged.
    """
    event, child = hook.event, None
    if event.host == "claude_code" and event.child_id:
        from ..stores.paths import session_key
        from ..stores.session_store import SessionStore

        key = session_key(event.session_id, event.child_id)
        child = SessionStore(hook.paths, key, event.session_id, event.child_id, event.host).load()
        files = (record.get("value") or {}).get("files", [])
        record["value"] = {"files": files + child["files_changed"]}
    from .. import workers

    try:
        workers.at_stop(hook, record, child, hook.store.state)
    except OSError as error:
        from ..faults import log

        log(hook, "campaign", error)


def _learn(hook: Hook, record: Record) -> None:
    from ..stores.learned import remember

    remember(hook.paths, hook.event.host, hook.store.state["model"], record["window"])
