"""After a heavy skill's subagent: what hooks know goes into its checkpoint, its parent hears of the rest."""

from __future__ import annotations

from .stores import skill_checkpoints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .decisions import Decision
    from .hook import Hook
    from .shapes import Record

SEEN_CHARS = 200


def after_subagent(hook: Hook, record: Record) -> Decision | None:
    """The reminder; None where the campaign has no open checkpoint. No lock may be held."""
    from .faults import log

    slug = hook.store.state["campaign_slug"]
    found = skill_checkpoints.facts(hook.paths, hook.settings, slug) if slug else None
    if found is None or found["status"] == "complete":
        return None
    line = _line(hook, record)
    try:
        skill_checkpoints.change(
            hook.paths, hook.settings, slug, lambda text: skill_checkpoints.with_seen(text, line), hook.lock_s
        )
    except OSError as error:
        log(hook, "checkpoint", error)
    from .decisions import Decision

    decision = Decision()
    text = hook.say(
        "checkpoint_remind", path=found["path"], skill=found["skill"] or "-", phase=found["phase"] or "-",
        update=found["update"] or "-",
    )  # fmt: skip
    decision.context.append(("checkpoint", text))
    return decision


def _line(hook: Hook, record: Record) -> str:
    """One subagent as hooks saw it."""
    from .quoting import safe

    event = hook.event
    who = safe(event.agent_type or "subagent", 80)
    number = safe(event.child_id[:12], 20)
    status = safe(event.status or "ended", 20)
    files = (record.get("value") or {}).get("files", [])
    shown = f"; {', '.join([safe(path, 80) for path in files[-5:]])}" if files else ""
    return f"- {who} {number} ({status}): {safe(record.get('summary', ''), SEEN_CHARS) or '-'}{shown}"
