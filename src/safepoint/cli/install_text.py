"""What install and uninstall say: the user's own files first, Safepoint's as a summary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .. import changes as files
from .. import sharing
from ..counted import counted

if TYPE_CHECKING:
    from ..changes import Change
    from ..hot.shapes import Settings
    from ..install import Plan

HOSTS = {"cursor": "Cursor", "claude_code": "Claude Code"}


def summary(plan: Plan) -> list[str]:
    """One line a file, the user's own before ours; modules and files of sessions by folder."""
    return [str(plan.project.root), *_lines(_users(plan)), *_own_lines(plan)]


def notes(plan: Plan) -> list[str]:
    return [f"note: {note}" for note in plan.notes]


def dry_run(plan: Plan) -> str:
    """The user's own files as diffs, then a summary of ours."""
    theirs = _users(plan)
    lines = [str(plan.project.root)]
    if theirs:
        lines += ["Your own files:", *_lines(theirs), "", "".join(files.diff(change) for change in theirs)]
    return "\n".join([*lines, "Safepoint's files:", *_own_lines(plan), "", "Nothing was written."])


def closing(command: str, plan: Plan) -> list[str]:
    record = plan.record
    if command == "uninstall" or record is None or plan.settings is None:
        return ["Safepoint is out of this repository."]
    hosts = " and ".join(HOSTS[host] for host in record["hosts"])
    return [
        f"Safepoint {record['version']} is on for {hosts}.",
        *_at_green(plan.settings),
        *sharing.lines(plan.project, record),
        "Settings: .cursor/hooks/manifest.yaml. What each hook does: .cursor/hooks/README.md",
    ]


def _at_green(settings: Settings) -> list[str]:
    """What is to be seen of it before a context fills up."""
    if settings["mode"] == "off":
        return ["The manifest says mode: off, so the hooks do nothing."]
    kept = []
    if settings["todo"]["mode"] != "off":
        kept.append("rules (todo.mode: off ends them)")
    if settings["reminders"]["mode"] != "off":
        kept.append("reminders (reminders.mode: off)")
    first = "About the context it says nothing until that fills up."
    todo = f"The agent's todo list has {' and '.join(kept)} from the start: Safepoint's docs/todo.md."
    return [first, todo] if kept else [first]


def _users(plan: Plan) -> list[Change]:
    """Changes in what somebody else wrote; a file that comes or goes as a whole is ours."""
    return [change for change in plan.changes if change.path in plan.yours and change.action == "change"]


def _own_lines(plan: Plan) -> list[str]:
    theirs = _users(plan)
    own = [change for change in plan.changes if change not in theirs]
    modules = [change for change in own if "/_safepoint_" in change.path]
    lines = []
    for folder in sorted({"/".join(change.path.split("/")[:3]) for change in modules}):
        inside = [change for change in modules if change.path.startswith(f"{folder}/")]
        lines.append(f"  {inside[0].action:7} {folder}/ ({_count(inside)})")
    lines += _lines(change for change in own if change not in modules)
    by_folder: dict[str, list[str]] = {}
    for path in plan.clearing.state:
        by_folder.setdefault(path.rsplit("/", 1)[0], []).append(path)
    lines += [f"  remove  {folder}/ ({_count(paths)} of sessions)" for folder, paths in by_folder.items()]
    return lines + [f"  remove  {ref.name}" for ref in plan.clearing.refs]


def _lines(changes: Iterable[Change]) -> list[str]:
    return [f"  {change.action:7} {change.path}" for change in changes]


def _count(found: list[Change] | list[str]) -> str:
    return counted(len(found), "file")
