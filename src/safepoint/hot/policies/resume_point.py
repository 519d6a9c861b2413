"""The resume point: the last safe place of a session, built from its state. Pure."""

from __future__ import annotations

from . import todos, work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import ResumePoint, SessionState

PROJECTED_WORK = 40


def build(state: SessionState, trigger: str, at_unix: int, slug: str = "") -> ResumePoint:
    """The resume point of `state` as of `at_unix` (seconds); `trigger` says what wrote it."""
    return {
        "schema_version": 1,
        "campaign_slug": slug or state["campaign_slug"],
        "orig_session_id": state["session_id"],
        "host": state["host"],
        "interrupted_at_unix": at_unix,
        "trigger": trigger,
        "workflow_step": state["workflow_step"],
        "orchestrator_phase": state["orchestrator_phase"],
        "level": state["level"],
        "reading": state["reading"],
        "last_completed": state["last_completed"],
        "next_action": work.next_action(state),
        "git_snapshot": state["git"],
        "todo_progress": todos.progress(state["todos"] or todos.of_substeps(state["substeps"])),
        "todos": state["todos"],
        "completed_work": state["completed_work"][-PROJECTED_WORK:],
        "recent_commands": state["recent_commands"],
        "open_errors": state["open_errors"],
        "files_read": state["files_read"][-50:],
        "files_changed": state["files_changed"],
        "last_prompt": state["last_prompt"],
        "subagents_running": [
            call["agent_type"] or call["subject"] or name
            for name, call in state["open_calls"].items()
            if call["tool"] == "Subagent"
        ],
        "substeps": state["substeps"],
        "step_inputs": state["step_inputs"],
    }
