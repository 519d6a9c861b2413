"""The session's tracker: a small Markdown file of pointers, for people and agents to read and to correct.

Safepoint writes what it found out. Who changes `campaign`, `report` or `step` in it overrules Safepoint
from then on; the `written` field, a short digest of each value as Safepoint wrote it, tells the two apart.
"""

from __future__ import annotations

import os
import time

from ..events import short_key
from ..files import write_atomic
from ..slugs import slugify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Optional

    from ..shapes import SessionState
    from .paths import Paths

EDITABLE = ("campaign", "report", "step")
MARK = "written"
MAX_LABEL = 400
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789./-")
TAKEN_OVER = "handoff"  # how a campaign is known that a claimed handoff brought
_TITLE = "# Session tracker"
_BEGIN, _END = "<!-- safepoint:begin -->", "<!-- safepoint:end -->"  # as in `task_report`


def pointers(paths: Paths, key: str) -> dict[str, str]:
    """What a person or an agent set in the session's tracker: any of `campaign`, `report` and `step`.

    A campaign that came with a handoff is set as well, and `campaign_by` then says so. `report` is a path
    below the project; one that leads out of it is left out.
    """
    if not os.path.lexists(paths.tracker(key)):
        return {}
    from .tracker_edit import pointers as read

    return read(paths, key)


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
        from . import project_file
        from .tracker_edit import text_after

        project_file.rewrite(path, lambda old: text_after(old, paths, key, state, git_head, envelope))
        return
    if os.path.islink(paths.tracking) or not os.path.isdir(paths.tracking):
        from .folders import make_private_dir

        make_private_dir(paths.tracking)
    text = fresh_text(paths, key, state, git_head, envelope)
    write_atomic(path, text.encode("utf-8", "surrogateescape"))


def fresh_text(
    paths: Paths, key: str, state: SessionState, git_head: Optional[Mapping[str, str]], envelope: str
) -> str:
    """A new tracker: what `tracker_edit` would make of its title, without loading what can read one."""
    from ..scalars import quote

    fields = fields_of(state, git_head)
    fields[MARK] = " ".join([digest(fields[name]) for name in EDITABLE])
    section = links(paths, key, fields, envelope)
    if not section.replace("\n", "").isprintable() or _BEGIN in section or _END in section:
        from .tracker_edit import text_after

        return text_after(f"{_TITLE}\n\n", paths, key, state, git_head, envelope)
    section = section and section + "\n"
    fields["updated"] = iso(state["last_at"])
    lines = "".join([f"{name}: {quote(value)}\n" for name, value in fields.items()])
    return f"---\n{lines}---\n{_TITLE}\n\n{_BEGIN}\n{section}{_END}\n"


def fields_of(state: SessionState, git_head: Optional[Mapping[str, str]]) -> dict[str, str]:
    branch = (git_head or {}).get("branch") or state["git"].get("branch", "")
    fields = {
        "session_id": state["session_id"],
        "host": state["host"],
        "campaign": state["campaign_slug"],
        "campaign_by": state["campaign_by"],
        "report": state["report"],
        "step": state["workflow_step"],
        "phase": state["orchestrator_phase"],
        "started": iso(state["started_at"]),
    }
    if branch:
        fields["branch"] = branch
    return fields


def digest(value: str) -> str:
    return short_key(value) or "-"


def links(paths: Paths, key: str, fields: dict[str, str], envelope: str) -> str:
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
    if _PLAIN.issuperset(name) and len(name) <= MAX_LABEL:
        return f"[{name}](<../../{name}>)"
    from ..quoting import safe

    label = safe(name, MAX_LABEL)
    for sign in "\\[]`":
        label = label.replace(sign, "\\" + sign)
    target = name.replace("<", "%3C").replace(">", "%3E").replace("\n", "%0A").replace("\r", "%0D")
    return f"[{label}](<../../{target}>)"


def iso(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
