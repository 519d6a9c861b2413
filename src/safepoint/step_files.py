"""Step envelopes on the cold path: the whole schema, errors with their line, changes that keep the rest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ConfigDict, TypeAdapter, ValidationError

from . import yaml_lines
from .errors import SafepointError
from .hot import front_lists, front_matter
from .hot.shapes import Contract, StepEnvelope, Substep
from .hot.stores import envelope_facts
from .yaml_lines import Document

_ENVELOPE = TypeAdapter[list[StepEnvelope]](list[StepEnvelope], config=ConfigDict(extra="ignore"))
_CONTRACT = TypeAdapter[list[Contract]](list[Contract], config=ConfigDict(extra="forbid", strict=True))
_NAME = re.compile(r"(?P<campaign>.+?)--(?:step(?P<step>\d+))?[.-]?(?:worker-.+)?\.md")
_FENCE = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)
# How agents and people spell what the schema calls by one name.
_DONE = frozenset(envelope_facts.DONE)


class Problem(NamedTuple):
    line: int
    message: str


class FrontMatterError(SafepointError):
    """Everything that is wrong with one file's front matter. Nothing was changed."""

    def __init__(self, file: str, problems: list[Problem]) -> None:
        self.file, self.problems = file, sorted(set(problems))
        super().__init__("\n".join(f"{file}:{line}: {message}" for line, message in self.problems))


def front_document(text: str, file: str) -> Document:
    """The YAML between the fences, its lines counted as in the file."""
    found = _FENCE.match(text)
    if found is None:
        where = "has no end (---)" if text.lstrip("\ufeff").startswith("---") else "is missing"
        raise FrontMatterError(file, [Problem(1, f"the front matter {where}")])
    try:
        document = yaml_lines.parse(found[1])
    except yaml_lines.YamlError as error:
        raise FrontMatterError(file, [Problem(error.line + 1, error.message)]) from error
    if not isinstance(document.data, dict):
        raise FrontMatterError(file, [Problem(1, "the front matter holds no mapping")])
    return Document(document.data, {path: line + 1 for path, line in document.lines.items()})


def parse(text: str, file: str) -> StepEnvelope:
    """The envelope with this text. Raises FrontMatterError with every fault, each with its line."""
    document = front_document(text, file)
    data = _normal(document.data)
    problems = _schema_problems(document, data) or _rule_problems(document, data, Path(file).name)
    if problems:
        raise FrontMatterError(file, problems)
    return _ENVELOPE.validate_python([data])[0]


def _normal(data: dict[str, Any]) -> dict[str, Any]:
    """One spelling: `step: step3` is 3, `None` is absent, a bare text is an open sub-step."""
    out = {key: value for key, value in data.items() if value is not None and key != "substeps"}
    step = str(out.get("step", "")).strip().lower().removeprefix("step").strip()
    if step.isascii() and step.isdigit():
        out["step"] = int(step)
    if isinstance(out.get("status"), str):
        out["status"] = out["status"].strip().lower()
    for key in ("phase", "reason", "resume_from", "started", "updated", "session", "campaign"):
        if isinstance(out.get(key), (int, float)):  # `phase: 2` is text to everybody who writes it
            out[key] = str(out[key])
    parts = data.get("substeps")
    if parts is not None:
        out["substeps"] = [_normal_part(part) for part in parts] if isinstance(parts, list) else parts
    return out


def _normal_part(part: Any) -> Any:
    if isinstance(part, str):
        return {"text": part, "status": "open"}
    if not isinstance(part, dict):
        return part
    status = str(part.get("status", "open")).strip().lower()
    return {**part, "status": "done" if status in _DONE else status}


def _schema_problems(document: Document, data: dict[str, Any]) -> list[Problem]:
    try:
        _ENVELOPE.validate_python([data])
    except ValidationError as error:
        return [_problem(document, fault) for fault in error.errors(include_url=False)]
    return []


def _problem(document: Document, fault: Any) -> Problem:
    path = tuple(fault["loc"][1:])
    name = ".".join(str(part) for part in path)
    return Problem(document.line_of(path), f"{name}: {fault['msg'].lower()}")


def _rule_problems(document: Document, data: dict[str, Any], name: str) -> list[Problem]:
    """What the schema cannot say."""
    problems = []

    def wrong(key: str, message: str) -> None:
        problems.append(Problem(document.line_of((key,)), f"{key}: {message}"))

    if data["status"] in ("blocked", "fatal") and not str(data.get("reason", "")).strip():
        wrong("reason" if "reason" in data else "status", f"{data['status']} needs a reason")
    if "step" not in data and "worker" not in data:
        problems.append(Problem(1, "step: is missing; allowed: a number from 1"))
    named = _NAME.fullmatch(name)
    if named and data["campaign"] != named["campaign"]:
        wrong("campaign", f"{data['campaign']!r} in a file of {named['campaign']!r}")
    if named and named["step"] and data.get("step", int(named["step"])) != int(named["step"]):
        wrong("step", f"{data['step']} in the file of step {int(named['step'])}")
    return problems


def create(fields: StepEnvelope) -> str:
    """The text of a new envelope."""
    step = fields.get("step", 0)
    scalars = {
        "campaign": fields["campaign"], "phase": fields.get("phase", ""), "status": fields["status"],
        "resume_from": fields.get("resume_from", ""), "started": fields.get("started", ""),
        "updated": fields.get("updated", ""),
    }  # fmt: skip
    text = f"---\nstep: {step}\n---\n# Step {step}{': ' + scalars['phase'] if scalars['phase'] else ''}\n"
    text = front_matter.patch(text, scalars)
    return change(text, {}, fields)


def change(text: str, scalars: dict[str, str], lists: Any) -> str:
    """`text` with these fields; comments, unknown fields and the body stay to the byte."""
    text = front_matter.patch(text, scalars)
    wanted: dict[str, list[Any]] = {}
    for key in ("inputs", "outputs", "sessions"):
        if key in lists:
            wanted[key] = list(lists[key])
    if "substeps" in lists:
        wanted["substeps"] = [_written(part) for part in lists["substeps"]]
    return front_lists.patch(text, wanted)


def _written(part: Substep) -> dict[str, str]:
    return {"text": part["text"], "status": part["status"]}


def contract(text: str, file: str) -> Contract | None:
    """The `checkpoint:` contract of a SKILL.md; None where it declares none."""
    document = front_document(text, file)
    declared = document.data.get("checkpoint")
    if declared is None:
        return None
    try:
        found = _CONTRACT.validate_python([declared])[0]
    except ValidationError as error:
        problems = []
        for fault in error.errors(include_url=False):
            path = ("checkpoint", *fault["loc"][1:])
            name = ".".join(str(part) for part in path)
            problems.append(Problem(document.line_of(path), f"{name}: {fault['msg'].lower()}"))
        raise FrontMatterError(file, problems) from error
    if "{slug}" not in found["artifact"]:
        line = document.line_of(("checkpoint", "artifact"))
        raise FrontMatterError(file, [Problem(line, "checkpoint.artifact: holds no {slug}")])
    return found
