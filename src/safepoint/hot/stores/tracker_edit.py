"""A tracker that exists: what others changed in it, and its text after a change of ours."""

from __future__ import annotations

from .. import front_matter
from . import project_file, task_report
from .tracker_file import EDITABLE, MARK, TAKEN_OVER, digest, fields_of, iso, links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Optional

    from ..shapes import SessionState
    from .paths import Paths

_EMPTY = ("", "~", "null")


def pointers(paths: Paths, key: str) -> dict[str, str]:
    """As `tracker_file.pointers` promises."""
    known = front_matter.read(project_file.head(paths.tracker(key)))
    fields = _edited(known)
    if "campaign" not in fields and known.get("campaign_by") == TAKEN_OVER:
        fields["campaign"], fields["campaign_by"] = known.get("campaign", ""), TAKEN_OVER
    if "report" in fields:
        fields["report"] = project_file.relative(paths.project, fields["report"])
    return {name: value for name, value in fields.items() if value}


def text_after(
    old: str,
    paths: Paths,
    key: str,
    state: SessionState,
    git_head: Optional[Mapping[str, str]],
    envelope: str,
) -> str:
    """The tracker after `old`: the very same where nothing but the time has passed."""
    known = front_matter.read(old)
    fields, marks = fields_of(state, git_head), _marks(known)
    kept = _edited(known)
    for name in EDITABLE:
        if name not in kept:
            marks[name] = digest(fields[name])
    fields.update(kept)
    fields[MARK] = " ".join([marks[name] for name in EDITABLE])
    text = front_matter.patch(old, fields)
    text = task_report.update_section(text, links(paths, key, fields, envelope))
    return text if text == old else front_matter.patch(text, {"updated": iso(state["last_at"])})


def _edited(fields: dict[str, str]) -> dict[str, str]:
    """Those of the editable fields that hold another value than Safepoint wrote."""
    marks = _marks(fields)
    return {
        name: fields[name]
        for name in EDITABLE
        if fields.get(name, "").strip().lower() not in _EMPTY and digest(fields[name]) != marks[name]
    }


def _marks(fields: dict[str, str]) -> dict[str, str]:
    marks = fields.get(MARK, "").split()
    return dict(zip(EDITABLE, marks if len(marks) == len(EDITABLE) else ["-"] * len(EDITABLE)))
