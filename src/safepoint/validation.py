"""`safepoint validate`: what kind of file is this, and is it what it should be?"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from . import step_files, validation_lines
from .hot import front_matter
from .hot.events import short_key
from .hot.session import new_state
from .hot.shapes import PendingHandoff, RedCheckpoint, ResumePoint, SessionState, Settings
from .hot.stores import checkpoints, envelope_facts
from .hot.stores.session_store import state_text
from .hot.stores.skill_checkpoints import ENTRY, ENTRY_END
from .manifest import ManifestError
from .manifest import load as load_manifest


@dataclass(frozen=True)
class Report:
    """What was found in one file; no problems means it is well."""

    path: str
    kind: str
    problems: tuple[str, ...]


# A JSON file is told by a key that only its kind has.
_JSON_KINDS: dict[str, tuple[str, Any]] = {
    "resume_point": ("red checkpoint", RedCheckpoint),
    "orig_session_id": ("resume point", ResumePoint),
    "manifest_sha256": ("compiled settings", Settings),
    "inject": ("pending handoff", PendingHandoff),
}


def check_file(path: Path) -> Report:
    """Read one file and check it by its kind."""
    try:
        data = path.read_bytes()
    except OSError as error:
        return Report(str(path), "unreadable", (f"{path}: {error.strerror or error}",))
    if path.suffix in (".yaml", ".yml"):
        return _manifest(path)
    if path.name.endswith(".jsonl"):
        kind, problems = validation_lines.check(str(path), data)
        return Report(str(path), kind, tuple(problems))
    if path.suffix == ".md":
        return _markdown(path, data)
    return _json(path, data)


def _manifest(path: Path) -> Report:
    try:
        load_manifest(path)
    except ManifestError as error:
        return Report(str(path), "manifest", tuple(str(error).splitlines()))
    return Report(str(path), "manifest", ())


def _json(path: Path, data: bytes) -> Report:
    try:
        value = json.loads(data)
    except ValueError as error:
        return Report(str(path), "JSON", (f"{path}: no JSON: {error}",))
    if isinstance(value, dict) and {"journal", "check", "state"} <= set(value):
        return Report(str(path), "session state", _state_problems(path, data, value))
    if path.name == "learned.json" and isinstance(value, dict):
        return Report(str(path), "learned windows", ())
    for key, (kind, shape) in _JSON_KINDS.items():
        if isinstance(value, dict) and key in value:
            problems = _shape_problems(path, shape, value)
            if kind == "red checkpoint" and not problems and value["sha256"] != checkpoints.digest(value):
                problems = (f"{path}: sha256: the content is not what was written",)
            return Report(str(path), kind, problems)
    known = ", ".join(["session state", *(kind for kind, _ in _JSON_KINDS.values())])
    return Report(str(path), "unknown", (f"{path}: none of the files Safepoint knows ({known})",))


def _state_problems(path: Path, data: bytes, value: dict[str, Any]) -> tuple[str, ...]:
    """The state as its store would read it: what another release added is as a new session has it."""
    if value["check"] != short_key(state_text(data)):
        return (f"{path}: check: the state is not what was written; the journal beside it says the same",)
    if not isinstance(value["state"], dict):
        return (f"{path}: state: no object",)
    return _shape_problems(path, SessionState, {**new_state("", "", "claude_code"), **value["state"]})


def _shape_problems(path: Path, shape: Any, value: Any) -> tuple[str, ...]:
    try:
        TypeAdapter(shape).validate_python(value, strict=False)
    except ValidationError as error:
        return tuple(
            f"{path}: {'.'.join(str(part) for part in one['loc']) or 'top'}: {one['msg']}"
            for one in error.errors()
        )
    return ()


_POINTER = re.compile(r"\[[^\n]*\]\((?P<file>[^/\n]+)\)\n\n[^\n]+\n")
_HANDOFF_KEYS = ("session_id", "campaign", "kind")


def _markdown(path: Path, data: bytes) -> Report:
    text = data.decode("utf-8", "replace")
    if path.name == "HANDOFF.md":
        return Report(str(path), "pointer to a handoff", _pointer_problems(path, text))
    if path.name.endswith(".notes.md"):
        return Report(str(path), "notes of a handoff", ())
    if path.name.startswith("tracker-"):
        return Report(str(path), "tracker", ())
    fields = front_matter.read(text)
    if path.name == "SKILL.md":
        return _front_matter(path, "skill", lambda: step_files.contract(text, str(path)))
    if _is_envelope(path.name, fields):
        return _front_matter(path, "step envelope", lambda: step_files.parse(text, str(path)))
    if path.name.endswith("--checkpoint.md") or "skill" in fields:
        return Report(str(path), "skill checkpoint", _checkpoint_problems(path, text, fields))
    if "campaign" in fields and "kind" not in fields and "session_id" not in fields:
        return _front_matter(path, "task report", lambda: step_files.front_document(text, str(path)))
    missing = [key for key in _HANDOFF_KEYS if not fields.get(key)]
    problems = [f"{path}:1: {key}: missing in the front matter" for key in missing]
    return Report(str(path), "handoff", tuple(problems))


def _pointer_problems(path: Path, text: str) -> tuple[str, ...]:
    found = _POINTER.fullmatch(text)
    if found is None:
        return (f"{path}:1: no line that links to a handoff",)
    named = path.parent / found["file"]
    return () if named.is_file() else (f"{path}:1: {named} is not there",)


def _is_envelope(name: str, fields: dict[str, str]) -> bool:
    named = envelope_facts.step_in_name(name) > 0 or envelope_facts.is_worker(name)
    return named or ("status" in fields and "step" in fields and "kind" not in fields)


def _front_matter(path: Path, kind: str, check: Callable[[], object]) -> Report:
    try:
        check()
    except step_files.FrontMatterError as error:
        return Report(str(path), kind, tuple(str(error).splitlines()))
    return Report(str(path), kind, ())


def _checkpoint_problems(path: Path, text: str, fields: dict[str, str]) -> tuple[str, ...]:
    """The fields that a resume needs, and every entry closed."""
    try:
        document = step_files.front_document(text, str(path))
    except step_files.FrontMatterError as error:
        return tuple(str(error).splitlines())
    problems = [f"{path}:1: {key}: missing" for key in ("campaign", "skill", "phase") if not fields.get(key)]
    status = fields.get("status", "open")
    if status not in ("open", "complete"):
        line = document.line_of(("status",))
        problems.append(f"{path}:{line}: status: {status!r}; allowed: open, complete")
    begun = [at for at, line in enumerate(text.split("\n"), 1) if line.startswith(f"{ENTRY} ")]
    ended = text.count(ENTRY_END)
    if len(begun) != ended:
        at = begun[-1] if begun else 1
        problems.append(f"{path}:{at}: {len(begun)} entries begin, {ended} end with {ENTRY_END}")
    return tuple(problems)
