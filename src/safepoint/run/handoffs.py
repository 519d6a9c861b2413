"""Which handoff the next session goes on from, and how it comes to be shown that one."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..called_as import to_type
from ..errors import SafepointError
from ..hook_process import hook_for
from ..hot import safepoint
from ..hot.stores import checkpoints, pending
from ..hot.stores.paths import session_key
from ..hot.texts import say
from ..sessions import Session, load
from . import journal, processes
from .plan import Plan


class NotSavedError(SafepointError):
    """A session is over, and its state could not be written."""


class TakenError(SafepointError):
    """A chat that is none of the run's has taken a handoff, and goes on with the work."""

    def __init__(self, key: str, by: str) -> None:
        super().__init__(
            f"chat {by} has taken the handoff {key} and goes on from it; two at once would do the work twice."
            f" To let a run have it, before that chat has done anything: {to_type('resume', '--pick', key)}"
        )


class Waiting(NamedTuple):
    """A pending handoff: the key of its session, and its campaign."""

    key: str
    slug: str


def first(plan: Plan) -> Waiting | None:
    """The handoff that waits when the run begins: the last run's, else one of its campaign; nobody's yet."""
    run = journal.newest(plan.paths, plan.slug, besides=plan.key)
    left = _left_by(plan, run) if run is not None else None
    if left is not None:
        return left
    for item in pending.listed(plan.paths):
        if item.claim is None and plan.slug and item.handoff["campaign_slug"] == plan.slug:
            return Waiting(item.key, plan.slug)
    return None


def _left_by(plan: Plan, run: dict[str, Any]) -> Waiting | None:
    """What the last run on this campaign left, also where it was killed, or its machine went down.

    The campaign's lock is ours, so that run is over; an agent of its own that is still at work is ended.
    """
    if run["handoff"] and not pending.taker(plan.paths, run["handoff"]):
        return _pending(plan, run["handoff"])
    if run["state"] not in ("running", "broken_off"):
        return None
    processes.end_marked(run["run"])
    key = session_key(run["session_id"]) if run["session_id"] else ""
    if not key or pending.taker(plan.paths, key):
        return None  # another chat has gone on from there
    given = _pending(plan, run["given"]) if run["given"] else None
    return after(plan, Session(key, load(plan.paths, key)), given)


def after(plan: Plan, session: Session, before: Waiting | None) -> Waiting | None:
    """The handoff for the session that comes after this one.

    A session that saved itself has one. For one that worked and did not (it crashed, or ended too early) it
    is made here. One that did not work leaves the handoff that it was given to the next. Raises
    NotSavedError and TakenError.
    """
    other = pending.taker(plan.paths, session.key)
    if other:  # no session of ours has begun since
        raise TakenError(session.key, other)
    own = _pending(plan, session.key)
    if own is None and session.state["tool_calls"] > 0:
        try:
            safepoint.hand_over(hook_for(plan.project, session, plan.settings))
        except (OSError, checkpoints.CheckpointError) as error:
            raise NotSavedError(
                f"the state of session {session.key} could not be saved: {error}. Its resume point is as its"
                " last hook wrote it."
            ) from error
        own = _pending(plan, session.key)
    return own or (_pending(plan, before.key) if before else None)


def _pending(plan: Plan, key: str) -> Waiting | None:
    for item in pending.listed(plan.paths):
        if item.key == key:
            return Waiting(key, item.handoff["campaign_slug"])
    return None


def prompt(plan: Plan, waiting: Waiting | None) -> str:
    """The first prompt of a session. It names the handoff, as a prefilled link does."""
    if waiting is None:
        return plan.task
    head = say(plan.settings["language"], "link_prompt", slug=waiting.slug, id=waiting.key)
    return f"{head}\n\n{plan.task}"


def point_to(plan: Plan, waiting: Waiting | None) -> None:
    """Let the next session's start show this handoff, whatever else waits (as `resume --pick`)."""
    if waiting is not None:
        pending.prefer(plan.paths, waiting.key)
