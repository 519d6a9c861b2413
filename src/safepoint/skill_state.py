"""`safepoint checkpoint`: what a heavy skill keeps between its rounds, one entry for each worker."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

from .errors import SafepointError
from .hot import front_matter
from .hot.stores import project_file, skill_checkpoints
from .hot.utc import utc
from .place import Place, prepare
from .recovery import contract_of

LOCK_S = 10.0  # a person or an agent waits; a hook does not
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


def save(
    where: Place, *, skill: str, phase: str, worker: str, text: str, next_step: str, done: bool
) -> dict[str, Any]:
    """Put one worker's entry into the campaign's checkpoint, beside those of the others."""
    for what, word in (("--phase", phase), ("--worker", worker)):
        if not _WORD.fullmatch(word):
            raise SafepointError(f"{what} {word!r}: letters, digits and . _ - only, at most 40")
    known = skill_checkpoints.facts(where.paths, where.settings, where.slug)
    fields = _fields(where, skill or (known["skill"] if known else ""), phase, next_step, done)

    def edit(before: str) -> str:
        before = before or f"# Checkpoint: {where.slug}\n"
        after = front_matter.patch(before, fields)
        return skill_checkpoints.with_entry(after, phase, worker, text)

    prepare(where.paths)
    try:
        path = skill_checkpoints.change(where.paths, where.settings, where.slug, edit, LOCK_S)
    except OSError as error:
        raise SafepointError(f"the checkpoint was not written: {error.strerror or error}") from error
    return {"path": path, "phase": phase, "worker": worker, "status": fields["status"]}


def _fields(where: Place, skill: str, phase: str, next_step: str, done: bool) -> dict[str, str]:
    if not skill:
        raise SafepointError("the first save of a checkpoint says whose it is: --skill NAME")
    contract = contract_of(where.paths.project, skill) or {}
    fields = {
        "campaign": where.slug, "skill": skill, "phase": phase, "updated": utc(time.time()),
        "status": "complete" if done else "open",
    }  # fmt: skip
    if next_step:
        fields["next"] = next_step
    for name in ("update", "resume"):
        if contract.get(name):
            fields[name] = contract[name]
    return fields


def load(where: Place) -> dict[str, Any]:
    """The checkpoint with its entries. Raises where there is none."""
    facts = skill_checkpoints.facts(where.paths, where.settings, where.slug)
    if facts is None:
        name = skill_checkpoints.path_of(where.paths, where.settings, where.slug)
        raise SafepointError(f"{where.slug} has no checkpoint ({name})")
    path = project_file.regular(where.paths.project, facts["path"])
    text = project_file.decode(Path(path).read_bytes())
    entries = [
        {"phase": phase, "worker": worker, "text": body}
        for phase, worker, body in skill_checkpoints.entries(text)
    ]
    return {"campaign": where.slug, **facts, "entries": entries}
