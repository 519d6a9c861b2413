"""`safepoint resume --plan`: the recovery table over the files of one campaign, the whole schema checked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from . import step_files
from .called_as import to_type
from .errors import SafepointError
from .hot import wire
from .hot.files import read_bytes
from .hot.policies.resume_plan import plan_resume
from .hot.shapes import Envelope, Plan, ResumePoint
from .hot.stores import envelope_facts, project_file, skill_checkpoints
from .place import Place
from .shipped import workflow_files

SKILL_FOLDERS = (".cursor/skills", ".claude/skills")
HOSTS = ("cursor", "claude_code")
_POINT = TypeAdapter(ResumePoint)


def point_of(where: Place) -> ResumePoint | None:
    """The campaign's newest resume point; None where it has none. Raises for one that is broken."""
    prefix = os.path.basename(where.paths.resume_point(where.slug))[:-5]
    found: list[ResumePoint] = []
    for name in _names(where.paths.session):
        if name.startswith((f"{prefix}.json", f"{prefix}.")) and name.endswith(".json"):
            found.append(_read_point(f"{where.paths.session}/{name}"))
    found = [point for point in found if point["campaign_slug"] == where.slug]  # a.b begins like a
    return max(found, key=lambda point: point["interrupted_at_unix"], default=None)


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _read_point(path: str) -> ResumePoint:
    try:
        return _POINT.validate_python(wire.loads(read_bytes(path)))
    except (OSError, ValueError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
        raise SafepointError(f"{path}: no resume point: {what}") from error


def plan(where: Place) -> Plan:
    """What an orchestrator does first."""
    steps, workers = envelope_facts.of_campaign(where.paths, where.settings, where.slug)
    skill = skill_checkpoints.facts(where.paths, where.settings, where.slug)
    return plan_resume(point_of(where), [_read(where, one) for one in steps], workers, skill)


def _read(where: Place, one: Envelope) -> Envelope:
    """The envelope by the whole of YAML; what is wrong with it, with its line."""
    path = project_file.regular(where.paths.project, one["path"])
    try:
        fields = step_files.parse(project_file.decode(Path(path).read_bytes()), one["path"])
    except SafepointError as error:
        return {**one, "problem": str(error)}
    return {
        **one, "phase": fields.get("phase", ""), "status": fields["status"], "problem": "",
        "reason": fields.get("reason", ""), "inputs": fields.get("inputs", []),
        "substeps": fields.get("substeps", []), "resume_from": fields.get("resume_from", ""),
        "updated": fields.get("updated", ""), "step": fields.get("step", one["step"]),
        "campaign": fields["campaign"],
    }  # fmt: skip


def find_skill(project: str, name: str) -> Path | None:
    """The SKILL.md of a skill of this project."""
    for folder in SKILL_FOLDERS:
        path = Path(project) / folder / name / "SKILL.md"
        if path.is_file():
            return path
    return None


def contract_of(project: str, name: str) -> dict[str, Any] | None:
    """The skill's checkpoint contract; None where it has none. Raises for a broken one."""
    path = find_skill(project, name)
    if path is None:
        known = ", ".join(f"{folder}/{name}/SKILL.md" for folder in SKILL_FOLDERS)
        shipped = any(f"{folder}/{name}/SKILL.md" in workflow_files("en", HOSTS) for folder in SKILL_FOLDERS)
        hint = f"; Safepoint brings it: {to_type('install', '.', '--with-workflow')}" if shipped else ""
        raise SafepointError(f"there is no skill {name!r} here ({known}){hint}")
    found = step_files.contract(path.read_text(encoding="utf-8"), str(path.relative_to(project)))
    return dict(found) if found else None
