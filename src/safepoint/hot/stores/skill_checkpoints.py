"""`{artifact_dir}/{slug}--checkpoint.md`: how far a heavy skill has come, written by several hands.

Each worker's result is an entry between two marks of its own, so that two who write at once both stay. What
hooks know of subagents stands in Safepoint's section at the end; all else belongs to people and agents.
"""

from __future__ import annotations

import os

from .. import front_matter
from ..files import write_atomic
from . import project_file, task_report
from .folders import make_private_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..shapes import Settings, SkillCheckpoint
    from .paths import Paths

ENTRY, ENTRY_END = "<!-- safepoint:entry", "<!-- safepoint:entry-end -->"
SEEN_LINES = 40


class CheckpointBusyError(OSError):
    """Somebody else had the checkpoint for all the time that could be waited."""


def path_of(paths: Paths, settings: Settings, slug: str) -> str:
    """The checkpoint's path below the project; '' where the artifact folder lies outside."""
    from ..files import safe_name

    folder = project_file.relative(paths.project, settings["campaign"]["artifact_dir"])
    return f"{folder}/{safe_name(slug)}--checkpoint.md" if folder else ""


def facts(paths: Paths, settings: Settings, slug: str) -> SkillCheckpoint | None:
    """What the campaign's checkpoint says; None where it has none."""
    name = path_of(paths, settings, slug)
    path = project_file.regular(paths.project, name)
    if not path:
        return None
    fields = front_matter.read(project_file.head(path))
    return {
        "path": name, "skill": fields.get("skill", ""), "phase": fields.get("phase", ""),
        "status": fields.get("status", "open").strip().lower(), "next": fields.get("next", ""),
        "update": fields.get("update", ""), "resume": fields.get("resume", ""),
    }  # fmt: skip


def change(paths: Paths, settings: Settings, slug: str, edit: Callable[[str], str], lock_s: float) -> str:
    """Put `edit(text)` in place of the checkpoint's text ('' where there is none yet); its path.

    One at a time, across processes. Raises OSError, CheckpointBusyError where another has it too long.
    """
    from ..flock import Lock

    name = path_of(paths, settings, slug)
    if not name:
        raise OSError(f"campaign.artifact_dir lies outside of the project: {name!r}")
    path = f"{paths.project}/{name}"
    make_private_dir(paths.session)
    with Lock(paths.campaign_lock(f"{slug}.checkpoint"), lock_s) as lock:
        if not lock.held and not lock.broken:
            raise CheckpointBusyError(f"{name} is being written by somebody else")
        if os.path.lexists(path):
            project_file.rewrite(path, edit)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write_atomic(path, project_file.encode(edit("")))
    return name


def with_entry(text: str, phase: str, worker: str, body: str) -> str:
    """`text` with this entry: in place of the one of the same phase and worker, else behind the last."""
    begin = f"{ENTRY} {phase} {worker} -->"
    clean = body.replace(ENTRY, "<!-- entry").replace(task_report.BEGIN, "").replace(task_report.END, "")
    entry = f"{begin}\n## {phase} / {worker}\n\n{clean.strip()}\n{ENTRY_END}\n"
    at = text.find(begin + "\n")
    end = text.find(ENTRY_END + "\n", at) if at >= 0 else -1
    if end >= 0:
        return text[:at] + entry + text[end + len(ENTRY_END) + 1 :]
    last = text.rfind(ENTRY_END + "\n")
    place = last + len(ENTRY_END) + 1 if last >= 0 else _before_section(text)
    gap = "" if text[:place].endswith("\n\n") or not text[:place] else "\n"
    return text[:place] + gap + entry + text[place:]


def entries(text: str) -> list[tuple[str, str, str]]:
    """(phase, worker, body) of each entry, in order."""
    found, at = [], text.find(ENTRY + " ")
    while at >= 0:
        line_end = text.find("\n", at)
        end = text.find(ENTRY_END, line_end)
        words = text[at + len(ENTRY) : line_end].replace("-->", "").split()
        if line_end < 0 or end < 0:
            break
        if len(words) == 2:
            body = text[line_end + 1 : end].split("\n", 1)[-1]
            found.append((words[0], words[1], body.strip()))
        at = text.find(ENTRY + " ", end)
    return found


def _before_section(text: str) -> int:
    at = text.rfind(task_report.BEGIN)
    return at if at >= 0 else len(text)


def with_seen(text: str, line: str) -> str:
    """`text` with one more line of what hooks saw; the very same where it is there already."""
    at, end = text.rfind(task_report.BEGIN), text.rfind(task_report.END)
    known = text[at + len(task_report.BEGIN) : end].strip("\n").split("\n") if 0 <= at < end else []
    known = [one for one in known if one]
    if line in known:
        return text
    return task_report.update_section(text, "\n".join([*known, line][-SEEN_LINES:]))
