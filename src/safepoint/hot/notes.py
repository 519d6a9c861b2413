"""The words that go with a decision of the budget policy."""

from __future__ import annotations

from .decisions import ALLOW, DENY, HALT, Decision
from .meters.reading import thresholds
from .session import TOLD, YELLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook


def _level_facts(hook: Hook) -> dict[str, object]:
    state = hook.store.state
    reading = state["reading"]
    tokens, window = reading["tokens"] or 0, reading["window"] or 0
    yellow, red = thresholds(reading, hook.settings, state["extended"])
    return {
        "tokens": f"{tokens:,}", "window": f"{window:,}",
        "percent": round(100 * tokens / window) if window else 0,
        "yellow": f"{yellow:,}", "red": f"{red:,}", "source": reading["source"],
    }  # fmt: skip


def tell_level(hook: Hook, level: str) -> Decision:
    """Once per crossing: a line to the user, a note to the model, a draft on disk. The lock is held."""
    from .policies import resume_point
    from .safepoint_files import write_handoff

    state = hook.store.state
    hook.store.write(
        hook.record(TOLD, name="red") if level == "red" else hook.record(YELLOW, value=True)
    )
    point = resume_point.build(state, level, int(hook.event.now))
    try:
        write_handoff(hook, point, "draft")
    except OSError as error:
        from .faults import log

        log(hook, "draft", error)
    facts = _level_facts(hook)
    facts["handoff"] = hook.paths.relative(hook.paths.handoff(hook.session_key))
    name = "yellow" if level == "yellow" else "red_warn"
    decision = Decision(ALLOW, user=hook.say(f"{name}_user", **facts))
    if state["known_origin"]:
        decision.context.append(("yellow", hook.say(f"{name}_model", **facts)))
    return decision


def denied(hook: Hook, brief: bool) -> Decision:
    """The deny of one call: the whole reason once per model message, one line for its other calls."""
    state, paths, key = hook.store.state, hook.paths, hook.session_key
    latch = state["latch"]
    handoff = latch["handoff"] if latch else ""
    if brief:
        return Decision(DENY, hook.say("deny_brief", handoff=handoff))
    from .stores import projections

    facts = _level_facts(hook)
    facts.update(
        handoff=handoff,
        checkpoint=latch["checkpoint"] if latch else "",
        resume_point=paths.relative(
            projections.resume_point_of(paths, state["campaign_slug"], state["session_id"])
        ),
        notes=paths.relative(paths.notes(key)),
        grace_calls=max(0, hook.settings["grace"]["calls"] - state["grace_used"]),
        grace_commands=", ".join(hook.settings["grace"]["commands"]),
        link=new_chat_link(hook) if hook.is_main else "",
    )
    if not hook.is_main:
        return Decision(DENY, hook.say("deny_subagent", **facts))
    if not state["known_origin"]:
        return Decision(DENY, hook.say("deny_unlisted", **facts))
    name = "deny_compacted" if latch and latch["cause"] == "compacted" else "deny_full"
    return Decision(DENY, hook.say(name, **facts))  # the user is told once, when the turn ends


def new_chat_link(hook: Hook) -> str:
    """A link that opens a new chat with this handoff's id typed in."""
    from .new_chat_link import link

    state = hook.store.state
    return link(
        hook.event.host, hook.event.project, hook.session_key, state["campaign_slug"],
        hook.settings["language"],
    )  # fmt: skip


def halted(hook: Hook) -> Decision:
    """The turn ends: the model has read the reason three messages in a row."""
    latch = hook.store.state["latch"]
    handoff = latch["handoff"] if latch else ""
    return Decision(HALT, hook.say("halt", handoff=handoff, link=new_chat_link(hook)))


def red_turn_ended(hook: Hook) -> Decision | None:
    """At the end of a Red turn: what was saved and how to go on, once per turn.

    Cursor has no line to the user here, so it gets a message to pass on, unless a deny told it.
    """
    state, event = hook.store.state, hook.event
    latch = state["latch"]
    if latch is None or latch["phase"] != "saved":
        return None
    decision = Decision()
    facts = {"handoff": latch["handoff"], "link": new_chat_link(hook)}
    if event.host == "cursor":
        if state["told_generation"] == (event.generation_id or state["generation"]):
            return None
        if event.stop_hook_active:
            return None
        decision.followup = hook.say("red_followup", **facts) + _of_work(hook)
    else:
        decision.user = hook.say("red_stop_user", **facts) + _of_work(hook)
    return decision


def _of_work(hook: Hook) -> str:
    if not {"work_commit", "work_skipped"} & set(hook.store.state["git"]):
        return ""
    from .keep_work import line

    return "\n" + line(hook, hook.store.state)


def save_failed(hook: Hook) -> Decision | None:
    """The state could not be saved, so the tool goes on; the user is told once."""
    from .faults import tell_once

    text = hook.say("save_failed_user", error=hook.paths.relative(hook.paths.errors()))
    return Decision(ALLOW, user=text) if tell_once(hook, "save") else None
