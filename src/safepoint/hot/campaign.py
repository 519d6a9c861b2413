"""Which campaign and step a session belongs to: looked up at starts, prompts and safepoints."""

from __future__ import annotations

import os

from .session import CAMPAIGN, STEP
from .stores import campaigns, envelopes, tracker_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .hook import Hook
    from .shapes import ResumePoint

MAX_PARTS, PART_BYTES = 50, 300


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
    parts = _parts(hook, step.path) if step and step.step == name else {"substeps": [], "inputs": []}
    known = {"substeps": state["substeps"], "inputs": state["step_inputs"]}
    if (name, phase, parts) != (state["workflow_step"], state["orchestrator_phase"], known):
        hook.store.write(hook.record(STEP, name=name, text=phase, value=parts))
    return hook.paths.relative(step.path) if step else ""


def _parts(hook: Hook, path: str) -> dict[str, Any]:
    """Sub-steps and inputs of the open step; its envelope is a person's text, so redacted and bounded."""
    from .redact import capture
    from .stores import envelope_facts, project_file

    facts = envelope_facts.read(project_file.head(path), hook.paths.relative(path))
    substeps = [{**part, "text": capture(part["text"], PART_BYTES)} for part in facts["substeps"][:MAX_PARTS]]
    inputs = [capture(name, PART_BYTES) for name in facts["inputs"][:MAX_PARTS]]
    return {"substeps": substeps, "inputs": inputs}


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
