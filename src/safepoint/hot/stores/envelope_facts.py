"""What the envelopes of a campaign say, as the hooks read them: steps, and workers beside them."""

from __future__ import annotations

import os

from .. import front_lists, front_matter
from . import project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Envelope, Settings, Substep
    from .paths import Paths

STATUSES = ("incomplete", "complete", "blocked", "fatal")
DONE = ("done", "complete", "completed", "x")
MAX_READ = 100


def of_campaign(paths: Paths, settings: Settings, slug: str) -> tuple[list[Envelope], list[Envelope]]:
    """(steps by number, workers by name) of the campaign; links are passed over."""
    folder = project_file.relative(paths.project, settings["campaign"]["artifact_dir"])
    steps: list[Envelope] = []
    workers: list[Envelope] = []
    for name in _names(project_file.folder(paths.project, folder), slug):
        path = f"{paths.project}/{folder}/{name}"
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        facts = read(project_file.head(path), f"{folder}/{name}")
        (workers if is_worker(name) else steps).append(facts)
    steps.sort(key=lambda one: one["step"])
    return steps, workers


def _names(folder: str, slug: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder)) if folder else []
    except OSError:
        return []
    return [name for name in names if name.endswith(".md") and belongs(name, slug)][:MAX_READ]


def belongs(name: str, slug: str) -> bool:
    """True for the file name of an envelope of the campaign, a worker's included."""
    rest = name[len(slug) :] if name.startswith(f"{slug}--") else ""
    return rest.startswith("--worker-") or (rest.startswith("--step") and step_in_name(name) > 0)


def is_worker(name: str) -> bool:
    """True for the file name of a worker's envelope."""
    return ".worker-" in name or "--worker-" in name


def step_in_name(name: str) -> int:
    """The step that an envelope's file name speaks of; 0 for none."""
    digits = name.rsplit("--step", 1)[-1].split(".", 1)[0] if "--step" in name else ""
    return int(digits) if digits.isdigit() and digits.isascii() and len(digits) <= 9 else 0


def read(text: str, path: str) -> Envelope:
    """The envelope with this text. What is wrong with it is its `problem`; nothing raises."""
    fields, lists = front_matter.read(text), front_lists.read(text)
    name = path.rsplit("/", 1)[-1]
    named, said = step_in_name(name), _number(fields.get("step", ""))
    status = fields.get("status", "").strip().lower()
    return {
        "path": path, "campaign": fields.get("campaign", ""), "step": named or said,
        "phase": fields.get("phase", ""), "status": status, "reason": fields.get("reason", ""),
        "inputs": [item for item in lists.get("inputs", []) if isinstance(item, str)],
        "substeps": _substeps(lists.get("substeps", [])),
        "resume_from": fields.get("resume_from", ""), "updated": fields.get("updated", ""),
        "worker": fields.get("worker", ""), "agent_type": fields.get("agent_type", ""),
        "problem": _problem(fields, status, named, said, name),
    }  # fmt: skip


def _problem(fields: dict[str, str], status: str, named: int, said: int, name: str) -> str:
    if not fields:
        return "no front matter"
    if status not in STATUSES:
        return f"status: {status or 'missing'}"
    if status in ("blocked", "fatal") and not fields.get("reason"):
        return f"status {status} without a reason"
    if named and said and named != said:
        return f"step: {said} in a file of step {named}"
    campaign = fields.get("campaign", "")
    if campaign and not name.startswith(f"{campaign}--"):
        return f"campaign: {campaign} in a file of another"
    return ""


def _number(text: str) -> int:
    """2 of "2" and of "step2"."""
    digits = text.strip().lower().replace("step", "", 1).strip()
    return int(digits) if digits.isdigit() and digits.isascii() and len(digits) <= 9 else 0


def _substeps(items: list[str | dict[str, str]]) -> list[Substep]:
    found: list[Substep] = []
    for item in items:
        text = item if isinstance(item, str) else item.get("text", "")
        status = "open" if isinstance(item, str) else item.get("status", "open")
        if text:
            found.append({"text": text, "status": "done" if status.strip().lower() in DONE else "open"})
    return found
