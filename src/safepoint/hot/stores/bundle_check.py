"""A campaign's bundle from another machine, checked as data of a stranger: shapes, names, sizes, paths. Pure.

A hook checks it where there is no pydantic; a test holds this table against the shapes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NUMBER = (int, float)
OPTIONAL_INT = (int, type(None))
_TOOL = {"tool": str, "summary": str, "ok": bool, "at": NUMBER, "artifact_refs": [str], "exit?": OPTIONAL_INT}
POINT = {
    "schema_version": int, "campaign_slug": str, "orig_session_id": str, "host": str,
    "interrupted_at_unix": int, "trigger": str, "workflow_step": str, "orchestrator_phase": str, "level": str,
    "reading": {"tokens": OPTIONAL_INT, "measured": OPTIONAL_INT, "estimated": int, "window": OPTIONAL_INT,
                "source": str, "window_source": str, "margin?": int},
    "last_completed": (_TOOL, None),
    "next_action": {"description": str, "inputs_to_read": [str], "source": str},
    "git_snapshot": {"base_commit_sha?": str, "branch?": str, "changed_files?": [str], "changed_total?": int,
                     "untracked_total?": int, "truncated?": bool, "unavailable?": str,
                     "work_commit?": str, "work_skipped?": str, "work_left_out?": [str],
                     "work_left_out_total?": int},
    "todo_progress": {"done": int, "total": int, "current_item": str},
    "todos": [{"id": str, "content": str, "status": str, "active_form": str, "owner?": str}],
    "completed_work": [{"description": str, "known": str, "evidence": str, "at": NUMBER}],
    "recent_commands": [{"command": str, "exit": OPTIONAL_INT, "cwd": str, "at": NUMBER}],
    "open_errors": [{"key": str, "tool": str, "message": str, "at": NUMBER}],
    "files_read": [str], "files_changed": [str], "last_prompt": str, "subagents_running": [str],
    "substeps?": [{"text": str, "status": str}], "step_inputs?": [str],
}  # fmt: skip
CHECKPOINT = {
    "schema_version": int, "session_id": str, "host": str, "created_at_unix": int, "reason": str,
    "resume_point": POINT, "file_marks": [{"path": str, "size": int, "mtime_ns": int, "sha256?": str}],
    "handoff": str, "sha256": str,
}  # fmt: skip
BUNDLE = {
    "schema_version": int, "kind": str, "campaign": str, "created_at_unix": int, "by": str, "machine": str,
    "session_id": str, "host": str, "reason": str, "branch": str, "base_commit_sha": str, "work_sha": str,
    "left_out": [str], "in_work": [str], "report": str,
}  # fmt: skip
# Choices that other parts go by.
WORDS = {
    "host": ("cursor", "claude_code"), "level": ("green", "yellow", "red"), "known": ("verified", "carried"),
}  # fmt: skip
# Seconds since 1970, which other parts make a date of; to the year 2100.
TIMES = frozenset({"at", "created_at_unix", "interrupted_at_unix"})
LAST = 4_102_444_800


def problem(value: Any, shape: Any, where: str = "top") -> str:
    """What is wrong with `value`, and where; '' where it fits. Keys that the shape lacks may be there."""
    if isinstance(shape, dict):
        return _object(value, shape, where)
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{where}: no list"
        found = (problem(one, shape[0], f"{where}[{i}]") for i, one in enumerate(value))
        return next(filter(None, found), "")
    if isinstance(shape, tuple) and shape[1:] == (None,):
        return "" if value is None else problem(value, shape[0], where)
    if isinstance(value, bool) and shape is not bool:
        return f"{where}: true or false where there has to be something else"
    if not isinstance(value, shape):
        return f"{where}: {type(value).__name__} where there has to be another kind of value"
    name = where.rpartition(".")[2]
    if name in TIMES and not 0 <= value <= LAST:
        return f"{where}: {value!r:.40} is no time"
    allowed = WORDS.get(name)
    return f"{where}: {value!r:.40}" if allowed and value not in allowed else ""


def _object(value: Any, shape: dict[str, Any], where: str) -> str:
    if not isinstance(value, dict):
        return f"{where}: no object"
    for name, inner in shape.items():
        key = name.rstrip("?")
        if key in value:
            said = problem(value[key], inner, f"{where}.{key}")
            if said:
                return said
        elif name == key:
            return f"{where}.{key}: missing"
    return ""


def is_below(path: str) -> bool:
    """Whether `path` is one below the project by its spelling: relative, tidy, and without a way up."""
    parts = path.split("/")
    return bool(path) and not {"", ".", ".."} & set(parts) and "\\" not in path and "\0" not in path and (
        path[1:2] != ":" and path[0] != "~"
    )
