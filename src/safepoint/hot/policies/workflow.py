"""What a session belongs to, what it was offered and what it took over. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Record, SessionState, TodoItem


def apply(state: SessionState, record: Record) -> None:
    """Fold a record of what the session belongs to, was offered or was told."""
    kind = record["kind"]
    if kind == "campaign":
        state["campaign_slug"] = record.get("name", "")
        state["campaign_by"] = record.get("reason", "")
        state["report"] = record.get("text", "")
    elif kind == "step":
        state["workflow_step"] = record.get("name", "")
        state["orchestrator_phase"] = record.get("text", "")
        given = record.get("value") or {}
        state["substeps"], state["step_inputs"] = given.get("substeps", []), given.get("inputs", [])
    elif kind == "offer":
        state["offer"] = record.get("value")
    elif kind == "git":
        state["git"] = record.get("git", {})
    elif kind == "waiting":
        state["waiting"] = [(str(name), str(text)) for name, text in record.get("value") or []]
    elif kind == "places":
        state["places"] = record.get("name", "")
    elif kind == "inherit":
        _inherit(state, record)
    else:
        _told(state, record.get("name", ""))


def _told(state: SessionState, name: str) -> None:
    from .budget import RED_TOLD

    if name not in state["told"]:
        state["told"].append(name)
    if name == RED_TOLD:  # who knows of Red need not hear of Yellow
        state["yellow_told"] = True


def _inherit(state: SessionState, record: Record) -> None:
    """What the session that handed over did and planned stands before what this one does."""
    from . import work

    given = record.get("value") or {}
    known = {item["description"] for item in state["completed_work"]}
    earlier = [item for item in given.get("completed_work", []) if item["description"] not in known]
    state["completed_work"] = (earlier + state["completed_work"])[-work.KEEP_WORK:]
    todos: list[TodoItem] = given.get("todos", [])
    todos = [{**item, "id": ""} for item in todos]  # its ids are the other session's
    state["todos"] = state["todos"] or todos
    changed = [path for path in given.get("files_changed", []) if path not in state["files_changed"]]
    state["files_changed"] = (changed + state["files_changed"])[-work.KEEP_FILES:]
    open_here = {error["key"] for error in state["open_errors"]}
    errors = [error for error in given.get("open_errors", []) if error["key"] not in open_here]
    state["open_errors"] = (errors + state["open_errors"])[-work.KEEP_ERRORS:]
