"""Which campaign and step a session belongs to: looked up at starts, prompts and safepoints."""

from __future__ import annotations

import os

from .session import CAMPAIGN, STEP
from .stores import campaigns, envelopes, tracker_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import ResumePoint


def refresh(hook: Hook) -> str:
    """Record campaign and open step where they changed; the open envelope's relative path, or ''.

    The session's lock is held.
    """
    state = hook.store.state
    found = campaigns.resolve(
        hook.paths, hook.session_key, hook.event.session_id, os.environ, hook.settings
    )
    if (found.slug, found.by, found.report) != (
        state["campaign_slug"], state["campaign_by"], state["report"],
    ):  # fmt: skip
        hook.store.write(
            hook.record(CAMPAIGN, name=found.slug, reason=found.by, text=found.report)
        )
    step = envelopes.open_step(hook.paths, hook.settings, found.slug)
    name, phase = (step.step, step.phase) if step else ("", "")
    name = tracker_file.pointers(hook.paths, hook.session_key).get("step") or name  # a person's edit wins
    if (name, phase) != (state["workflow_step"], state["orchestrator_phase"]):
        hook.store.write(hook.record(STEP, name=name, text=phase))
    return hook.paths.relative(step.path) if step else ""


def report_section(hook: Hook, point: ResumePoint, handoff: str) -> str:
    """What Safepoint writes between its marks in the task report."""
    from .quoting import safe

    progress = point["todo_progress"]
    return hook.say(
        "report_section",
        session=safe(point["orig_session_id"], 80),
        step=safe(point["workflow_step"] or "-", 80),
        done=progress["done"],
        total=progress["total"],
        next=safe(point["next_action"]["description"] or "-", 300),
        handoff=handoff,
    )
