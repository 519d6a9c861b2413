"""Handing over to a new chat: offer at its start, claim at its first prompt, settle at its first tool."""

from __future__ import annotations

import os

from . import resume_text
from .resume_parts import MALFORMED, resume_parts
from .session import CAMPAIGN, INHERIT, OFFER, WAITING
from .stores import checkpoints, pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import RedCheckpoint, Settings
    from .stores.pending import Offered

DAY_S = 86400


class Found:
    """What a new session is shown: one handoff as context parts, and lines about others.

    `unread` are paths of files that may be handoffs and cannot be read.
    """

    __slots__ = ("chosen", "lines", "parts", "unread")

    def __init__(
        self, chosen: str, parts: list[tuple[str, str]], lines: list[str], unread: list[str]
    ) -> None:
        self.chosen, self.parts, self.lines, self.unread = chosen, parts, lines, unread


def look(hook: Hook) -> Found | None:
    """What is pending here for a new session; None where nothing is. Takes no lock."""
    unread: list[str] = []
    offers = [item for item in pending.listed(hook.paths, unread) if item.key != hook.session_key]
    if not offers and not unread:
        return None
    chosen, parts = _choose(hook, in_order(offers, hook.settings, hook.event.project, hook.event.now), unread)
    lines = [_line(hook, item) for item in offers if item.key != chosen][:5]
    return Found(chosen, parts, lines, unread)


def in_order(offers: list[Offered], settings: Settings, project: str, now: float) -> list[Offered]:
    """Those of `offers`, which are newest first, that a new chat may be shown; it is shown the first one.

    That is the one a person picked, else the freshest of this branch, else the freshest at all. Where its
    campaign has a fresher one of another branch, as a pull brings it, that one stands for the campaign.
    """
    ready = [item for item in offers if _may_inject(item, settings, now)]
    picked = [item for item in ready if item.handoff.get("picked")]
    if picked or len(ready) < 2:
        return picked or ready
    from .git_files import head

    here = head(project)
    branch = here["branch"] if here else ""
    ready.sort(key=lambda item: item.handoff.get("branch") != branch)
    slugs = [item.handoff["campaign_slug"] for item in ready]
    return sorted(
        ready, key=lambda item: (slugs.index(item.handoff["campaign_slug"]), -item.handoff["created_at_unix"])
    )


def _may_inject(item: Offered, settings: Settings, now: float) -> bool:
    if _is_of_another(item):
        return False
    if item.handoff.get("picked"):
        return item.claim is None
    age = now - item.handoff.get("created_at_unix", 0)
    fresh = age <= settings["handoff"]["max_age_days"] * DAY_S
    return item.claim is None and fresh and item.handoff.get("inject", True)


def _choose(hook: Hook, ready: list[Offered], unread: list[str]) -> tuple[str, list[tuple[str, str]]]:
    """The first that can be shown: not of another repository, and with a checkpoint that can be read."""
    for item in ready:
        parts = resume_parts(hook, item, unread)
        if parts:
            return item.key, parts
    return "", []


def _line(hook: Hook, item: Offered) -> str:
    claim = item.claim
    if claim:
        why = hook.say("why_claimed", session=claim["session_id"][:8])
    elif _is_of_another(item):
        why = hook.say("why_other")
    else:
        why = hook.say("why_older" if item.handoff.get("inject", True) else "why_unknown")
    return resume_text.offer_line(
        item.handoff.get("campaign_slug", ""), item.key, _when(item.handoff.get("created_at_unix", 0)), why,
        hook.settings["language"],
    )  # fmt: skip


def _is_of_another(item: Offered) -> bool:
    """Whether the environment names a campaign, and the handoff is of another one."""
    from .stores.campaigns import ENV_NAME

    name = os.environ.get(ENV_NAME, "").strip()
    if not name:
        return False
    from .redact import redact
    from .slugs import slugify

    return item.handoff["campaign_slug"] != slugify(redact(name))


def _when(at: float) -> str:
    import time

    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def show(hook: Hook, found: Found) -> list[tuple[str, str]]:
    """Record the offer; the context parts to show. The session's lock is held."""
    parts = list(found.parts)
    if found.lines:
        parts.append(("others", hook.say("offered_others", list="\n".join(found.lines))))
    if found.chosen:
        hook.store.write(
            hook.record(
                OFFER,
                value={"session_id": found.chosen, "shown": False, "claimed": False, "settled": False},
            )
        )
    return parts


def claim(hook: Hook) -> str:
    """Claim the handoff this session was offered; '' or the line that says who was first. Lock held."""
    offer = hook.store.state["offer"]
    if offer is None or offer["claimed"]:
        return ""
    event = hook.event
    first = pending.claim(
        hook.paths, offer["session_id"],
        {"session_id": event.session_id, "host": event.host, "at": event.now},
    )  # fmt: skip
    if first is not None:
        waiting = [part for part in hook.store.state["waiting"] if part[0] not in ("resume", "rest")]
        hook.store.write(hook.record(WAITING, value=waiting))
        hook.store.write(hook.record(OFFER, value=None))
        return hook.say(
            "claim_lost", session=first["session_id"][:8], host=first["host"],
            when=_when(first["at"]), id=offer["session_id"],
        )  # fmt: skip
    hook.store.write(hook.record(OFFER, value={**offer, "claimed": True}))
    _inherit(hook, offer["session_id"])
    return ""


def _inherit(hook: Hook, key: str) -> None:
    """What the other session did and planned is known to this one as well, so a second Red keeps it."""
    for item in pending.listed(hook.paths):
        if item.key == key:
            try:
                checkpoint = checkpoints.read(hook.paths.absolute(item.handoff["checkpoint"]))
            except checkpoints.CheckpointError:
                return
            _take_over(hook, checkpoint)


def _take_over(hook: Hook, checkpoint: RedCheckpoint) -> None:
    from .resume_state import inherited

    try:
        point = inherited(hook, checkpoint)
    except MALFORMED:
        point = checkpoint["resume_point"]
    kept = {name: point[name] for name in ("completed_work", "todos", "files_changed", "open_errors")}  # type: ignore[literal-required]
    hook.store.write(hook.record(INHERIT, value=kept, text=point["last_prompt"]))
    hook.store.write(
        hook.record(CAMPAIGN, name=point["campaign_slug"], reason="handoff",
                    text=hook.store.state["report"])
    )  # fmt: skip
    from .stores import tracker_file

    tracker_file.write(hook.paths, hook.session_key, hook.store.state)


def settle(hook: Hook) -> None:
    """The session works on: what it was shown is its own now. The session's lock is held.

    Where the host sent no prompt, this first tool claims as well.
    """
    if not hook.store.state["known_origin"]:
        return
    lost = claim(hook)
    if lost:
        hook.store.write(hook.record(WAITING, value=[*hook.store.state["waiting"], ("note", lost)]))
    offer = hook.store.state["offer"]
    if offer is not None and offer["shown"] and not offer["settled"]:
        hook.store.write(hook.record(OFFER, value={**offer, "settled": True}))
        pending.settle(hook.paths, offer["session_id"])


def pick(hook: Hook, item: pending.Offered) -> bool:
    """Take a waiting handoff, from a session that has only looked at it too. The session's lock is held.

    Its text follows with the next event. False where it cannot be read, or another session was first.
    """
    if item.claim is not None:  # a person's word takes it
        pending.unclaim(hook.paths, item.key)
    parts = resume_parts(hook, item)
    if not parts:
        return False
    hook.store.write(
        hook.record(
            OFFER, value={"session_id": item.key, "shown": False, "claimed": False, "settled": False}
        )
    )
    if claim(hook):
        return False
    waiting = [part for part in hook.store.state["waiting"] if part[0] not in ("resume", "rest")]
    hook.store.write(hook.record(WAITING, value=[*parts, *waiting]))
    return True
