"""A call that is not simply let through: note Yellow; at Red save the state, and only then deny."""

from __future__ import annotations

from .. import events as ev
from ..policies import budget
from ..session import DENY, GRACE, YELLOW, was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..hook import Hook
    from ..shapes import Level, Record

RETRY_S = 30.0  # after a failed save the next attempt waits so long


def may_go(hook: Hook, level: Level) -> bool:
    """True where the policy has nothing to say to this call that it has not said."""
    return _verdict(hook, level) == budget.GO


def repeat(hook: Hook) -> Decision | None:
    """The answer to a call asked about before: nothing is recorded twice, and no deny becomes a yes.

    A hook registered twice (a plugin beside an installation) asks twice, the first process may have been
    killed before it could answer, or a provider gives its ids again. Which of the answers is shown, the
    host decides: the one that gives the whole reason gives it each time.
    """
    state = hook.store.state
    latch, call = state["latch"], _call(hook)
    if latch is None or latch["phase"] != "saved" or call in state["granted"]:
        return None
    verdict = _verdict(hook, state["level"])
    if verdict not in (budget.DENY, budget.DENY_BRIEF):
        return None
    from ..notes import denied

    return denied(hook, brief=verdict == budget.DENY_BRIEF and state["deny"]["calls"][:1] != [call])


def intervene(hook: Hook, record: Record) -> Decision | None:
    """The decision on this call, after its record is in the journal."""
    with hook.store.locked(hook.lock_s):
        state = hook.store.load()
        if was_seen(state, hook.key):
            return repeat(hook)
        hook.store.write(record)
        _catch_up(hook)
        verdict = _verdict(hook, hook.store.state["level"])
        decision = _act(hook, verdict)
        hook.store.save()
    if verdict == budget.SAVE and _may_save(hook):
        return _save_then_deny(hook)
    return decision


def _catch_up(hook: Hook) -> None:
    """What has changed since the last call: an offer is taken, the context shrank."""
    state, level = hook.store.state, hook.store.state["level"]
    if hook.event.kind == ev.BEFORE_TOOL:
        _settle_offer(hook)
    if budget.may_release(state, level):
        from ..safepoint import release

        release(hook, "shrunk")
    if level == "green" and state["yellow_told"]:
        hook.store.write(hook.record(YELLOW, value=False))


def _act(hook: Hook, verdict: str) -> Decision | None:
    """Carry out a verdict that needs nothing saved first. The session's lock is held."""
    if verdict == budget.GRACE:
        hook.store.write(hook.record(GRACE, call=_call(hook)))
    elif verdict in (budget.YELLOW, budget.WARN):
        return _tell(hook, verdict)
    elif verdict in (budget.DENY, budget.DENY_BRIEF):
        return _deny(hook, verdict)
    return None


def _verdict(hook: Hook, level: Level) -> str:
    """The policy's word on this call; handoff, notes and task report stay open to the agent at Red."""
    state, paths, key = hook.store.state, hook.paths, hook.session_key
    own = budget.OwnFiles(
        paths.relative(paths.handoff(key)), paths.relative(paths.notes(key)), state["report"]
    )
    return budget.judge(state, hook.event, level, hook.settings, own)


def _call(hook: Hook) -> str:
    from ..records import call_id

    return call_id(hook.event)


def _settle_offer(hook: Hook) -> None:
    offer = hook.store.state["offer"]
    if offer is not None and not offer["settled"]:
        from ..handover import settle

        settle(hook)


def _tell(hook: Hook, verdict: str) -> Decision | None:
    if hook.event.kind != ev.BEFORE_TOOL:
        return None  # its sibling event carries text to the model; this one may not
    from ..notes import tell_level

    return tell_level(hook, "red" if verdict == budget.WARN else "yellow")


def _may_save(hook: Hook) -> bool:
    """False while a failed save is too fresh to be tried again: the tool goes on meanwhile."""
    latch = hook.store.state["latch"]
    if latch is None or latch["phase"] != "failed":
        return True
    return not 0 <= hook.event.now - latch["at"] <= RETRY_S  # a clock moved back tells nothing


def _save_then_deny(hook: Hook) -> Decision | None:
    from ..safepoint import save

    if not save(hook, "full"):
        from ..notes import save_failed

        return save_failed(hook)
    with hook.store.locked(hook.lock_s):
        hook.store.load()
        decision = _act(hook, _verdict(hook, "red"))
        hook.store.save()
    if "unavailable" in hook.store.state["git"]:
        from ..faults import tell_git

        return tell_git(hook, decision)
    return decision


def _deny(hook: Hook, verdict: str) -> Decision:
    """Record the deny, then word it. The session's lock is held."""
    from ..notes import denied

    state = hook.store.state
    hook.store.write(hook.record(DENY, call=_call(hook), name=budget.message_key(state), verdict=verdict))
    return denied(hook, brief=verdict == budget.DENY_BRIEF)
