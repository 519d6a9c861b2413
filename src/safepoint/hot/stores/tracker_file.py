"""The session's tracker: a small Markdown file of pointers, for people and agents to read and to correct.

Safepoint writes what it found out. Who changes `campaign`, `report` or `step` in it overrules Safepoint
from then on; the `written` field, a short digest of each value as Safepoint wrote it, tells the two apart.
"""

from __future__ import annotations

import os
import time

from .. import front_matter
from ..digest import sha256_hex
from ..files import write_atomic
from ..slugs import slugify
from . import project_file, task_report
from .folders import make_private_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Optional

    from ..shapes import SessionState
    from .paths import Paths

EDITABLE = ("campaign", "report", "step")
MARK = "written"
TAKEN_OVER = "handoff"  # how a campaign is known that a claimed handoff brought
_EMPTY = ("", "~", "null")
_TITLE = "# Session tracker"


def pointers(paths: Paths, key: str) -> dict[str, str]:
    """What a person or an agent set in the session's tracker: any of `campaign`, `report` and `step`.

    A campaign that came with a handoff is set as well, and `campaign_by` then says so. `report` is a path
    below the project; one that leads out of it is left out.
    """
    known = front_matter.read(project_file.head(paths.tracker(key)))
    fields = _edited(known)
    if "campaign" not in fields and known.get("campaign_by") == TAKEN_OVER:
        fields["campaign"], fields["campaign_by"] = known.get("campaign", ""), TAKEN_OVER
    if "report" in fields:
        fields["report"] = project_file.relative(paths.project, fields["report"])
    return {name: value for name, value in fields.items() if value}


def write(
    paths: Paths,
    key: str,
    state: SessionState,
    git_head: Optional[Mapping[str, str]] = None,
    envelope: str = "",
) -> None:
    """Bring the session's tracker up to date; it is only rewritten when a pointer has changed.

    `envelope` is the open step's file, relative to the project, where it is not at its usual place. What
    others put into the file stays. Raises OSError when the file system refuses.
    """
    path = paths.tracker(key)
    if os.path.isfile(path) and not os.path.islink(path):
        project_file.rewrite(path, lambda old: _text(old, paths, key, state, git_head, envelope))
        return
    make_private_dir(paths.tracking)
    new = _text(f"{_TITLE}\n\n", paths, key, state, git_head, envelope)
    write_atomic(path, project_file.encode(new))


def _text(
    old: str,
    paths: Paths,
    key: str,
    state: SessionState,
    git_head: Optional[Mapping[str, str]],
    envelope: str,
) -> str:
    """The tracker after `old`: the very same where nothing but the time has passed."""
    known = front_matter.read(old)
    fields, marks = _fields(state, git_head), _marks(known)
    kept = _edited(known)
    for name in EDITABLE:
        if name not in kept:
            marks[name] = _digest(fields[name])
    fields.update(kept)
    fields[MARK] = " ".join([marks[name] for name in EDITABLE])
    text = front_matter.patch(old, fields)
    text = task_report.update_section(text, _links(paths, key, fields, envelope))
    return text if text == old else front_matter.patch(text, {"updated": _iso(state["last_at"])})


def _fields(state: SessionState, git_head: Optional[Mapping[str, str]]) -> dict[str, str]:
    branch = (git_head or {}).get("branch") or state["git"].get("branch", "")
    fields = {
        "session_id": state["session_id"],
        "host": state["host"],
        "campaign": state["campaign_slug"],
        "campaign_by": state["campaign_by"],
        "report": state["report"],
        "step": state["workflow_step"],
        "phase": state["orchestrator_phase"],
        "started": _iso(state["started_at"]),
    }
    if branch:
        fields["branch"] = branch
    return fields


def _edited(fields: dict[str, str]) -> dict[str, str]:
    """Those of the editable fields that hold another value than Safepoint wrote."""
    marks = _marks(fields)
    return {
        name: fields[name]
        for name in EDITABLE
        if fields.get(name, "").strip().lower() not in _EMPTY and _digest(fields[name]) != marks[name]
    }


def _marks(fields: dict[str, str]) -> dict[str, str]:
    marks = fields.get(MARK, "").split()
    return dict(zip(EDITABLE, marks if len(marks) == len(EDITABLE) else ["-"] * len(EDITABLE)))


def _digest(value: str) -> str:
    return sha256_hex(value.encode("utf-8", "surrogatepass"))[:6]


def _links(paths: Paths, key: str, fields: dict[str, str], envelope: str) -> str:
    """The tracker's body: one line for each thing that it points to."""
    slug = slugify(fields["campaign"]) if fields["campaign"] else ""
    usual = paths.envelope(slug, fields["step"]) if slug and fields["step"] else ""
    handoff = paths.handoff(key)
    targets = [
        ("Resume point", paths.relative(_resume_point(paths, slug, fields["session_id"])) if slug else ""),
        ("Handoff", paths.relative(handoff) if os.path.exists(handoff) else ""),
        ("Task report", fields["report"]),
        ("Step envelope", envelope or (paths.relative(usual) if usual and os.path.exists(usual) else "")),
    ]
    return "\n".join([f"- {label}: {_link(name)}" for label, name in targets if name])


def _resume_point(paths: Paths, slug: str, session_id: str) -> str:
    second = paths.resume_point(slug, session_id)
    return second if os.path.exists(second) else paths.resume_point(slug)


def _link(name: str) -> str:
    """A Markdown link from the tracking folder, which is two below the project, to `name`."""
    label = name.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("`", "\\`")
    target = name.replace("<", "%3C").replace(">", "%3E").replace("\n", "%0A").replace("\r", "%0D")
    return f"[{' '.join(label.split())}](<../../{target}>)"


def _iso(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
