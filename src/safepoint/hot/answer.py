"""From a decision to the bytes the host reads; what an answer cannot carry waits for the next one."""

from __future__ import annotations

from .decisions import ALLOW, Decision
from .session import OFFER, WAITING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .hook import Hook

RESUME = "resume"  # name of the context part that carries a handoff
WAIT_BYTES = 8192  # what waits is kept in the state, so it is bounded


def answer(hook: Hook, decision: Decision | None) -> bytes:
    """The one JSON object (or the silence) that answers this event."""
    decision = decision or Decision()
    adapter = _adapter(hook.event.host)
    event, state = hook.event, hook.store.state
    if decision.user and _must_pass_on(hook, decision):
        decision.context.append(("note", decision.user))
    before = [(name, text) for name, text in state["waiting"]]
    decision.context = before + decision.context
    data: bytes
    data, delivered = adapter.render(event, decision, _max_bytes(hook))
    parts = decision.context
    left = [part for number, part in enumerate(parts) if number not in delivered]
    shown = [parts[number][0] for number in delivered]
    if left != before or RESUME in shown:
        _keep(hook, left, RESUME in shown)
    return data


def _must_pass_on(hook: Hook, decision: Decision) -> bool:
    """Cursor shows a user's line only beside a deny; the model can pass it on.

    One that acts for another model cannot, and where the origin is not known nothing is added at all. What
    the model is told anyway is not said twice.
    """
    if hook.event.host != "cursor" or hook.event.kind == "compact":
        return False
    if any(name == "yellow" for name, _ in decision.context):
        return False
    return decision.verdict == ALLOW and hook.store.state["known_origin"]


def _adapter(host: str) -> Any:
    if host == "cursor":
        from .hosts import cursor

        return cursor
    from .hosts import claude_code

    return claude_code


def _max_bytes(hook: Hook) -> int:
    inject = hook.settings["inject"]
    shared = hook.settings["shared_events"].get(hook.event.host, [])
    return inject["shared_max_bytes" if hook.event.host_event in shared else "max_bytes"]


def _keep(hook: Hook, left: list[tuple[str, str]], resume_shown: bool) -> None:
    """Remember what waits, and that the handoff was shown."""
    room = WAIT_BYTES
    kept = []
    for name, text in left:
        room -= len(text.encode("utf-8", "replace"))
        if room >= 0:
            kept.append((name, text))
    with hook.store.locked(hook.lock_s):
        hook.store.load()
        hook.store.write(hook.record(WAITING, value=kept))
        offer = hook.store.state["offer"]
        if resume_shown and offer is not None and not offer["shown"]:
            hook.store.write(hook.record(OFFER, value={**offer, "shown": True}))
        hook.store.save()
