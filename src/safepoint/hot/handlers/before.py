"""Before a tool: measure. A Green call takes no lock: it appends one line and says nothing.

What happens above Green is in `intervene`, which a Green call does not load.
"""

from __future__ import annotations

from .. import events as ev
from ..session import apply, was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..hook import Hook
    from ..shapes import Level, Record, SessionState


def handle(hook: Hook) -> Decision | None:
    """The decision on this call; None lets it run without a word."""
    state = hook.store.load()
    if was_seen(state, hook.key):
        if state["latch"] is None:
            return None
        from .intervene import repeat

        return repeat(hook)
    try:
        decision = _ask_budget(hook, state)
    except OSError as error:
        decision = _when_nothing_can_be_written(hook, error)
    if hook.event.tool in ev.TODO_TOOLS and hook.event.kind == ev.BEFORE_TOOL:
        from ..todo_guard import check

        return check(hook, decision)
    return decision


def _when_nothing_can_be_written(hook: Hook, error: OSError) -> Decision:
    """What was saved stays saved: a full disk turns no deny into a yes. Without that, the failure stands."""
    from ..faults import log
    from .intervene import repeat

    decision = repeat(hook)
    if decision is None:
        raise error
    log(hook, "disk", error)
    return decision


def _ask_budget(hook: Hook, state: SessionState) -> Decision | None:
    record = hook.observe(state)
    apply(state, record)  # here only to measure; what counts is the line in the journal
    level = _measure(hook, state, record)
    if event_is_only_told(hook) or _is_quiet(hook, state, level):
        hook.store.append(record)
        return None
    from .intervene import intervene

    return intervene(hook, record)


def event_is_only_told(hook: Hook) -> bool:
    """Claude Code tells of a subagent's start but cannot be told to refuse it: its tool call was asked."""
    return hook.event.kind == ev.SUBAGENT_START and hook.event.host == "claude_code"


def _measure(hook: Hook, state: SessionState, record: Record) -> Level:
    record["reading"], record["level"] = hook.read(state)
    state["reading"], state["level"] = record["reading"], record["level"]
    return state["level"]


def _is_quiet(hook: Hook, state: SessionState, level: Level) -> bool:
    """True when nothing has to be said, saved or settled."""
    offer = state["offer"]
    if state["latch"] is not None or (offer is not None and not offer["settled"]):
        return False
    if level == "green":
        return not state["yellow_told"]
    from .intervene import may_go

    return may_go(hook, level)
