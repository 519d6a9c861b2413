"""`manifest.yaml` read, checked line by line, and compiled to what a hook reads (`shapes.Settings`)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path as FilePath
from typing import Any, NamedTuple, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError

from . import manifest_rules, shape_text, yaml_lines
from .errors import SafepointError
from .hot.shapes import Settings
from .yaml_lines import Document, Path

COMPILED = ("manifest_sha256", "shared_events")  # in Settings, but not for a person to write
# pydantic takes a configuration for a TypedDict only from outside, so the settings stand in a list of one.
_SETTINGS = TypeAdapter[list[Settings]](list[Settings], config=ConfigDict(extra="forbid", strict=True))


class Problem(NamedTuple):
    """One thing that is wrong with a manifest. `allowed` may be empty."""

    line: int
    key: str
    message: str
    allowed: str


class ManifestError(SafepointError):
    """Everything that is wrong with one manifest."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self.file = file
        self.problems = sorted(set(problems))
        super().__init__("\n".join(self._line(problem) for problem in self.problems))

    def _line(self, problem: Problem) -> str:
        key = f" {problem.key}:" if problem.key else ""
        allowed = f"; allowed: {problem.allowed}" if problem.allowed else ""
        return f"{self.file}:{problem.line}:{key} {problem.message}{allowed}"


class Manifest(NamedTuple):
    """A manifest without a fault. `settings` has empty `shared_events`."""

    settings: Settings
    sha256: str


def load(file: FilePath, shown_as: str | None = None) -> Manifest:
    name = shown_as or str(file)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise SafepointError(f"{name}: cannot be read: {error.strerror}") from error
    return parse(content, name)


def parse(content: bytes, name: str) -> Manifest:
    """Check a manifest's bytes. Raises ManifestError with every fault that could be found."""
    try:
        document = yaml_lines.parse(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ManifestError(name, [Problem(line, "", "a byte that is not UTF-8", "UTF-8 text")]) from error
    except yaml_lines.YamlError as error:
        problem = Problem(error.line, shape_text.dotted(error.path), error.message, error.allowed)
        raise ManifestError(name, [problem]) from error
    problems = _check_top(document)
    if problems:
        raise ManifestError(name, problems)
    digest = hashlib.sha256(content).hexdigest()
    settings = _assemble(document.data, digest)
    problems = _check(document, settings)
    if problems:
        raise ManifestError(name, problems)
    return Manifest(cast(Settings, settings), digest)


def compiled(content: bytes) -> Manifest | None:
    """What a manifest was compiled to, as it was; None where that cannot be used."""
    try:
        settings = json.loads(content)
        _SETTINGS.validate_python([settings])
        return Manifest(cast(Settings, settings), settings["manifest_sha256"])
    except (ValueError, RecursionError):
        return None


def _check_top(document: Document) -> list[Problem]:
    """The frame around the settings: `schema_version` and `framework`, nothing else."""
    data = document.data
    if not isinstance(data, dict):
        return [Problem(1, "", "the file holds no mapping", "the keys schema_version and framework")]
    problems = [
        Problem(document.line_of((key,)), key, "unknown key", "schema_version, framework")
        for key in data
        if key not in ("schema_version", "framework")
    ]
    framework = data.get("framework")
    if "schema_version" not in data:
        problems.append(Problem(1, "schema_version", "is missing", "1"))
    if not isinstance(framework, dict):
        line = document.line_of(("framework",))
        message = "holds no mapping" if "framework" in data else "is missing"
        problems.append(Problem(line, "framework", message, "a mapping with the settings"))
        return problems
    for key in ("schema_version", *COMPILED):
        if key in framework:
            at = ("framework", key)
            problems.append(Problem(document.line_of(at), shape_text.dotted(at), "unknown key", ""))
    return problems


def _assemble(data: dict[str, Any], digest: str) -> dict[str, Any]:
    framework = dict(data["framework"])
    handoff = framework.get("handoff")
    if isinstance(handoff, dict) and handoff.get("open_link") in ("on", "off"):
        framework["handoff"] = {**handoff, "open_link": handoff["open_link"] == "on"}
    settings: dict[str, Any] = {"schema_version": data["schema_version"], "manifest_sha256": digest}
    settings.update(framework)
    settings["shared_events"] = {"cursor": [], "claude_code": []}
    return settings


def _check(document: Document, settings: dict[str, Any]) -> list[Problem]:
    problems = []
    sound = set(settings)
    try:
        _SETTINGS.validate_python([settings])
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_context=True):
            path = fault["loc"][1:]
            message, allowed = shape_text.explain(dict(fault), path)
            path = path[:-1] if path[-1:] == ("[key]",) else path
            problems.append(_problem(document, path, message, allowed))
            sound.discard(str(path[0]) if path else "")
    for path, message, allowed in manifest_rules.check(settings, sound):
        problems.append(_problem(document, path, message, allowed))
    return problems


def _problem(document: Document, path: Path, message: str, allowed: str) -> Problem:
    """Settings are flat where the manifest has them under `framework`."""
    full: Path = path if path[:1] == ("schema_version",) else ("framework", *path)
    return Problem(document.line_of(full), shape_text.dotted(full), message, allowed)
