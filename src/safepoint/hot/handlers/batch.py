"""All calls of one model message are done (Claude Code): count the request; end a turn that only knocks."""

from __future__ import annotations

from .. import records
from ..session import apply, was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..hook import Hook
    from ..shapes import Record


def handle(hook: Hook) -> Decision | None:
    """None, or the halt after the third message in a row whose calls were all denied."""
    state = hook.store.load()
    if was_seen(state, hook.key):
        return None
    record = records.make(hook.event, hook.key)
    if state["latch"] is None:
        if hook.may_remind(state["meter"].get("requests", 0) + 1) and _is_reminder_due(hook, record):
            from ..todo_notes import after_batch

            return after_batch(hook, record)
        hook.store.append(record)
        return None
    from ..policies import budget

    with hook.store.locked(hook.lock_s):
        hook.store.load()
        hook.store.write(record)
        decision = None
        if budget.must_halt(hook.store.state):
            from ..notes import halted

            decision = halted(hook)
        hook.store.save()
    if decision is not None and not hook.is_main:
        _tell_parent(hook)
    return decision


def _is_reminder_due(hook: Hook, record: Record) -> bool:
    """Judged over the state as it will be; under the lock it is judged again."""
    import os

    from ..policies import reminders

    state = apply(hook.store.state, record)
    return bool(reminders.due(state, hook.settings, os.environ, at_prompt=False))


def _tell_parent(hook: Hook) -> None:
    """The client sends no SubagentStop for a subagent that a hook has ended, and shows an empty report."""
    from ..events import SUBAGENT_STOP
    from ..session import WAITING
    from ..stores.paths import session_key
    from ..stores.session_store import SessionStore

    event, latch = hook.event, hook.store.state["latch"]
    handoff = latch["handoff"] if latch else ""
    note = hook.say("subagent_halted", agent=event.agent_id, handoff=handoff)
    work = {"files": hook.store.state["files_changed"]}
    record = hook.record(SUBAGENT_STOP, child=event.agent_id, status="halted", value=work)
    parent = SessionStore(hook.paths, session_key(event.session_id), event.session_id, "", event.host)
    with parent.locked(hook.lock_s):
        state = parent.load()
        parent.write(record)
        parent.write(hook.record(WAITING, value=[*state["waiting"], ("note", note)]))
        parent.save()
