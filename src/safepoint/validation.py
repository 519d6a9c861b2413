"""`safepoint validate`: what kind of file is this, and is it what it should be?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from .hot import front_matter
from .hot.shapes import PendingHandoff, Record, RedCheckpoint, ResumePoint, Settings
from .hot.stores import checkpoints
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
        return _journal(path, data)
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
    for key, (kind, shape) in _JSON_KINDS.items():
        if isinstance(value, dict) and key in value:
            problems = _shape_problems(path, shape, value)
            if kind == "red checkpoint" and not problems and value["sha256"] != checkpoints.digest(value):
                problems = (f"{path}: sha256: the content is not what was written",)
            return Report(str(path), kind, problems)
    known = ", ".join(kind for kind, _ in _JSON_KINDS.values())
    return Report(str(path), "unknown", (f"{path}: none of the files Safepoint knows ({known})",))


def _shape_problems(path: Path, shape: Any, value: Any) -> tuple[str, ...]:
    try:
        TypeAdapter(shape).validate_python(value, strict=False)
    except ValidationError as error:
        return tuple(
            f"{path}: {'.'.join(str(part) for part in one['loc']) or 'top'}: {one['msg']}"
            for one in error.errors()
        )
    return ()


def _journal(path: Path, data: bytes) -> Report:
    """Every whole line is a record; a last line without its newline is still being written."""
    adapter = TypeAdapter(Record)
    problems = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        if not line:
            continue
        try:
            record = json.loads(line)
            if record.get("kind") != "snapshot" and "role" not in record:
                adapter.validate_python(record)
        except (ValueError, AttributeError) as error:
            problems.append(f"{path}:{number}: {str(error).splitlines()[0]}")
    return Report(str(path), "journal", tuple(problems[:50]))


_HANDOFF_KEYS = ("session_id", "campaign", "kind")
_ENVELOPE_STATUS = ("incomplete", "complete", "blocked", "fatal")


def _markdown(path: Path, data: bytes) -> Report:
    text = data.decode("utf-8", "replace")
    fields = front_matter.read(text)
    if "status" in fields and "step" in fields and "kind" not in fields:
        return Report(str(path), "step envelope", _envelope_problems(path, fields))
    missing = [key for key in _HANDOFF_KEYS if not fields.get(key)]
    problems = [f"{path}:1: {key}: missing in the front matter" for key in missing]
    return Report(str(path), "handoff", tuple(problems))


def _envelope_problems(path: Path, fields: dict[str, str]) -> tuple[str, ...]:
    problems = [f"{path}:1: {key}: missing" for key in ("campaign", "step") if not fields.get(key)]
    if fields["status"] not in _ENVELOPE_STATUS:
        allowed = ", ".join(_ENVELOPE_STATUS)
        problems.append(f"{path}:1: status: {fields['status']!r}; allowed: {allowed}")
    return tuple(problems)
