"""All calls of one model message are done (Claude Code): count the request; end a turn that only knocks."""

from __future__ import annotations

from .. import records
from ..policies import budget
from ..session import was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..hook import Hook


def handle(hook: Hook) -> Decision | None:
    """None, or the halt after the third message in a row whose calls were all denied."""
    state = hook.store.load()
    if was_seen(state, hook.key):
        return None
    record = records.make(hook.event, hook.key)
    if state["latch"] is None:
        hook.store.append(record)
        return None
    with hook.store.locked(hook.lock_s):
        hook.store.load()
        hook.store.write(record)
        decision = None
        if budget.must_halt(hook.store.state):
            from ..notes import halted

            decision = halted(hook)
        hook.store.save()
    return decision
