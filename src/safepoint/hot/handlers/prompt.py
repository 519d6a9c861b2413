"""A prompt: a `safepoint` word is answered here; the first prompt claims what the session was offered."""

from __future__ import annotations

import os

from ..session import NOTIFICATION, was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..hook import Hook

LINK_PHRASE = "safepoint handoff "  # what `new_chat_link` types in before the id


def handle(hook: Hook) -> Decision | None:
    """The answer to a prompt word, or what this prompt makes known."""
    word = _word(hook) if hook.is_main else None
    with hook.store.locked(hook.lock_s):
        state = hook.store.load()
        if was_seen(state, hook.key):
            return _swallow_again(hook) if word is not None else None
        if word is not None:
            from ..prompt_words import RECORD, answer

            hook.store.write(hook.record(RECORD, key=hook.key, name=word[0]))
            decision: Decision | None = answer(hook, *word)
        else:
            decision = _person_asks(hook)
        hook.store.save()
    return decision


def _swallow_again(hook: Hook) -> Decision:
    """A word delivered twice is done once; neither delivery may let it through to the model."""
    from ..decisions import SWALLOW, Decision

    return Decision(SWALLOW, hook.say("reply_done"))


def _word(hook: Hook) -> tuple[str, str] | None:
    """A prompt that is meant for Safepoint; the others do not load what tells."""
    if hook.event.prompt.lstrip()[:9].lower() != "safepoint":
        return None
    from ..prompt_words import sent

    return sent(hook)


def _person_asks(hook: Hook) -> Decision | None:
    from .. import places
    from ..records import TEXT_BYTES
    from ..redact import capture
    from ..stores import projections

    event, store = hook.event, hook.store
    record = hook.observe(store.state)
    notification = event.prompt.lstrip().startswith("<task-notification>")
    if notification:  # a background agent's report comes as a prompt (Claude Code)
        record["reason"] = NOTIFICATION
    store.write(record)
    if notification or not hook.is_main:
        return None
    places.update(hook)
    projections.append_turn(
        hook.paths, hook.session_key, "user", capture(event.prompt, TEXT_BYTES), event.now
    )
    _follow_link(hook)
    _goes_on(hook)
    return _answer(hook)


def _goes_on(hook: Hook) -> None:
    """A session that was over, and handed over, has been taken up again by a person."""
    if hook.store.state["latch"] is None and os.path.exists(hook.paths.offer(hook.session_key)):
        from ..stores import pending

        pending.withdraw(hook.paths, hook.session_key)


def _answer(hook: Hook) -> Decision | None:
    user = lost = _claim(hook)
    context = [("note", lost)] if lost else []
    latch = hook.store.state["latch"]
    if latch is not None and latch["phase"] == "saved" and not hook.store.state["paused"]:
        from ..notes import new_chat_link

        user = hook.say("red_stop_user", handoff=latch["handoff"], link=new_chat_link(hook))
    if _may_be_worth_a_list(hook):
        from ..todo_notes import remind

        reminder = remind(hook, at_prompt=True)
        context += reminder.context if reminder else []
    if not user and not context:
        return None
    from ..decisions import Decision

    decision = Decision(user=user)
    decision.context = context
    return decision


def _claim(hook: Hook) -> str:
    """'' or the line that says who was first with what the start has offered."""
    if hook.store.state["offer"] is None:
        return ""
    from ..handover import claim

    return claim(hook)


def _may_be_worth_a_list(hook: Hook) -> bool:
    """A cheap no to most prompts: `reminders` decides."""
    state, worth = hook.store.state, hook.settings["reminders"]["worth"]
    log, prompt = state["todo_log"], hook.event.prompt
    own = [item for item in state["todos"] if item["id"]] or state["todos"]
    if not state["known_origin"] or any(item["status"] != "completed" for item in own):
        return False
    if state["tool_calls"] - log["tool_calls"] >= worth["tool_calls"] or len(log["files"]) >= worth["files"]:
        return True
    return f"{worth['steps']}" in prompt or prompt.count("\n") + 1 >= worth["steps"]


def _follow_link(hook: Hook) -> None:
    """The prompt of a prefilled link names its handoff, and wins over what the start has offered.

    Only in the first line of the first prompt: a log with these words that is pasted later on is a log.
    A handoff that another chat has taken stays with it; `safepoint pick` is the word for taking it over.
    """
    state = hook.store.state
    if LINK_PHRASE not in hook.event.prompt or state["tool_calls"] or state["prompts"] > 1:
        return
    from ..new_chat_link import handoff_id_in

    key, offer = handoff_id_in(hook.event.prompt.strip().split("\n", 1)[0]), state["offer"]
    if key and key != hook.session_key and (offer is None or offer["session_id"] != key):
        from ..handover import pick
        from ..stores import pending

        for item in pending.listed(hook.paths):
            if item.key == key and item.claim is None:
                pick(hook, item)
