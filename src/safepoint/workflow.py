"""The steps of a campaign, as people and agents change them by command."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import step_files
from .called_as import to_type
from .errors import SafepointError
from .hot import front_matter
from .hot.files import write_atomic
from .hot.quoting import safe
from .hot.shapes import StepEnvelope, Substep
from .hot.stores import envelope_facts, project_file, task_report
from .hot.stores.folders import make_private_dir
from .hot.stores.paths import session_key
from .hot.texts import say
from .hot.utc import utc
from .place import Place, prepare

OPEN = "incomplete"


def read_step(where: Place, number: int) -> tuple[str, StepEnvelope]:
    """The text and the fields of a step's envelope. Raises where there is none, or it is broken."""
    name = where.envelope(number)
    path = project_file.regular(where.paths.project, name)
    if not path:
        raise SafepointError(
            f"{where.slug} has no step {number} ({name}); begin it: {to_type('step', 'start', str(number))}"
        )
    text = project_file.decode(Path(path).read_bytes())
    return text, step_files.parse(text, name)


def start_step(
    where: Place, number: int, phase: str, inputs: Sequence[str], substeps: Sequence[str]
) -> dict[str, Any]:
    """Open a step, or open it again; what is given replaces what the envelope said."""
    name = where.envelope(number)
    now = utc(time.time())
    parts: list[Substep] = [{"text": text, "status": "open"} for text in substeps]
    if not where.file(name).exists():
        fields: StepEnvelope = {
            "campaign": where.slug, "step": number, "phase": phase, "status": "incomplete", "started": now,
            "updated": now, "resume_from": "", "inputs": list(inputs), "outputs": [], "substeps": parts,
            "sessions": [where.session] if where.session else [],
        }  # fmt: skip
        _create(where, name, step_files.create(_with_point(where, number, fields, inputs, substeps)))
        return _told(where, number)
    _, known = read_step(where, number)
    scalars = {"status": OPEN, "updated": now, **({"phase": phase} if phase else {})}
    if known.get("reason"):  # that of a block or a failure, which is over
        scalars["reason"] = ""
    lists: dict[str, Any] = {"sessions": _sessions(where, known)}
    if inputs:
        lists["inputs"] = list(inputs)
    if parts:
        lists["substeps"] = _merged(known.get("substeps", []), parts)
    return _changed(where, number, scalars, lists)


def _with_point(
    where: Place, number: int, fields: StepEnvelope, inputs: Sequence[str], substeps: Sequence[str]
) -> StepEnvelope:
    """An envelope that comes after its step was broken off takes over what the resume point knows of it."""
    from .recovery import point_of

    point = point_of(where)
    if point is None or point["workflow_step"] != f"step{number}":
        return fields
    if not inputs:
        fields["inputs"] = point.get("step_inputs", []) or point["next_action"]["inputs_to_read"]
    if not substeps:
        fields["substeps"] = list(point.get("substeps", [])) or _of_todos(point["todos"])
    fields["phase"] = fields.get("phase") or point["orchestrator_phase"]
    return fields


def _of_todos(todos: Sequence[Any]) -> list[Substep]:
    return [
        {"text": item["content"], "status": "done" if item["status"] == "completed" else "open"}
        for item in todos
        if item["content"]
    ]


def _merged(known: Sequence[Substep], wanted: list[Substep]) -> list[Substep]:
    """The wanted sub-steps; one that was done already stays so."""
    done = {part["text"] for part in known if part["status"] == "done"}
    return [{**part, "status": "done"} if part["text"] in done else part for part in wanted]


def progress(where: Place, number: int, done: int) -> dict[str, Any]:
    """The first `done` sub-steps are done, the others are not."""
    _, known = read_step(where, number)
    parts = known.get("substeps", [])
    if not 0 <= done <= len(parts):
        total = len(parts)
        hint = f"; name them: {to_type('step', 'start', 'N', '--substep', 'TEXT')}" if not total else ""
        raise SafepointError(f"step {number} has {total} sub-steps, {done} of them cannot be done{hint}")
    parts = [{**part, "status": "done" if at < done else "open"} for at, part in enumerate(parts)]
    left = f"sub-step {done + 1}/{len(parts)}" if done < len(parts) else ""
    scalars = {"resume_from": left, "updated": utc(time.time())}
    return _changed(where, number, scalars, {"substeps": parts, "sessions": _sessions(where, known)})


def end_step(where: Place, number: int, status: str, reason: str, outputs: Sequence[str]) -> dict[str, Any]:
    """Close a step. A blocked or fatal one needs its reason; a complete one has all its sub-steps done."""
    _, known = read_step(where, number)
    if status != "complete" and not reason.strip():
        raise SafepointError(f"a step that is {status} needs a reason: --reason TEXT")
    scalars = {"status": status, "updated": utc(time.time())}
    if reason or known.get("reason"):
        scalars["reason"] = reason
    lists: dict[str, Any] = {"sessions": _sessions(where, known)}
    if outputs:
        lists["outputs"] = [*known.get("outputs", []), *outputs]
    if status == "complete":
        scalars["resume_from"] = ""
        if known.get("substeps"):
            lists["substeps"] = [{**part, "status": "done"} for part in known["substeps"]]
        close_workers(where, number)
    result = _changed(where, number, scalars, lists)
    tell_report(where)
    return result


def advice(where: Place) -> str:
    """A word before a long step in a context that is filling up; '' where there is none to give."""
    if not where.session:
        return ""
    from .sessions import load

    state = load(where.paths, session_key(where.session))
    if state["level"] == "green":
        return ""
    return say(where.settings["language"], "step_start_advice", level=state["level"])


def close_workers(where: Place, number: int = 0, name: str = "") -> list[str]:
    """What a subagent left unfinished has been taken over: its envelope is complete."""
    _, workers = envelope_facts.of_campaign(where.paths, where.settings, where.slug)
    mine = [one for one in workers if (one["worker"] == name if name else one["step"] == number)]
    for one in mine:
        fields = {"status": "complete", "updated": utc(time.time())}
        rewrite(where, one["path"], lambda text, fields=fields: front_matter.patch(text, fields))
    return [one["path"] for one in mine]


def _sessions(where: Place, known: StepEnvelope) -> list[str]:
    named = [*known.get("sessions", []), known.get("session", ""), where.session]
    return list(dict.fromkeys(name for name in named if name))


def _create(where: Place, name: str, text: str) -> None:
    path = str(where.file(name))
    prepare(where.paths)
    make_private_dir(os.path.dirname(path))
    write_atomic(path, project_file.encode(text))


def _changed(where: Place, number: int, scalars: dict[str, str], lists: dict[str, Any]) -> dict[str, Any]:
    rewrite(where, where.envelope(number), lambda text: step_files.change(text, scalars, lists))
    return _told(where, number)


def rewrite(where: Place, name: str, edit: Any) -> None:
    path = project_file.regular(where.paths.project, name)
    try:
        project_file.rewrite(path, edit)
    except OSError as error:
        raise SafepointError(f"{name}: cannot be written: {error.strerror or error}") from error


def _told(where: Place, number: int) -> dict[str, Any]:
    _, fields = read_step(where, number)
    return {"path": where.envelope(number), **fields}


def tell_report(where: Place) -> None:
    """Safepoint's own section of the task report: where each step stands."""
    if not where.report:
        return
    steps, _ = envelope_facts.of_campaign(where.paths, where.settings, where.slug)
    lines = [say(where.settings["language"], "report_steps"), ""]
    for one in steps:
        done = sum(part["status"] == "done" for part in one["substeps"])
        parts = f" ({done}/{len(one['substeps'])})" if one["substeps"] else ""
        why = f": {safe(one['reason'], 200)}" if one["reason"] and one["status"] != "complete" else ""
        phase = f" {safe(one['phase'], 80)}" if one["phase"] else ""
        lines.append(f"- {one['step']}.{phase}: {one['status']}{parts}{why}")
    try:
        task_report.write_section(where.paths.project, where.report, "\n".join(lines))
    except OSError as error:
        raise SafepointError(f"{where.report}: cannot be written: {error.strerror or error}") from error
