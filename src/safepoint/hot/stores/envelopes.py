"""Step envelopes: `{artifact_dir}/{slug}--step{N}.md`, one for each step of a campaign.

An agent or the workflow writes them. Safepoint looks for the open one, and marks it where a session ends
in the middle of the step.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Settings
    from .paths import Paths

OVER = ("complete", "blocked", "fatal")  # nothing goes on from these by itself
MAX_READ = 200
_MAX_DIGITS = 9


class OpenStep(tuple):  # type: ignore[type-arg]
    """`(path, step, phase, status)`: absolute path, "step3", and what the front matter says ('' if nothing).

    A tuple of its own: `collections` costs a hook 2 ms.
    """

    __slots__ = ()

    def __new__(cls, path: str, step: str, phase: str, status: str) -> OpenStep:
        return tuple.__new__(cls, (path, step, phase, status))

    @property
    def path(self) -> str:
        return str(self[0])

    @property
    def step(self) -> str:
        return str(self[1])

    @property
    def phase(self) -> str:
        return str(self[2])

    @property
    def status(self) -> str:
        return str(self[3])


def open_step(paths: Paths, settings: Settings, slug: str) -> OpenStep | None:
    """The campaign's highest step that is not over; None where there is none.

    Links are passed over, and so is an artifact folder outside of the project.
    """
    name = settings["campaign"]["artifact_dir"]
    if not _numbered(os.path.join(paths.project, name), slug):
        return None
    from . import project_file

    folder = project_file.relative(paths.project, name)
    for number, name in _numbered(project_file.folder(paths.project, folder), slug)[:MAX_READ]:
        path = f"{paths.project}/{folder}/{name}"
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        from .. import front_matter

        fields = front_matter.read(project_file.head(path))
        status = fields.get("status", "").strip().lower()
        if status not in OVER:
            return OpenStep(path, f"step{number}", fields.get("phase", ""), status)
    return None


def mark_incomplete(path: str, resume_from: str, session_id: str, at_iso: str) -> None:
    """Say in the envelope that its step was broken off: where to go on, by whom and when it was written.

    Raises OSError where the file is gone, is no regular file, or cannot be written.
    """
    from .. import front_matter
    from . import project_file

    def mark(text: str) -> str:
        where = resume_from or front_matter.read(text).get("resume_from", "")  # what it says itself stands
        fields = {"status": "incomplete", "resume_from": where, "updated": at_iso, "session": session_id}
        return front_matter.patch(text, fields)

    project_file.rewrite(path, mark)


def _numbered(folder: str, slug: str) -> list[tuple[int, str]]:
    """`(step number, file name)` of the slug's envelopes, the highest number first."""
    prefix, found = f"{slug}--step", []
    try:
        names = os.listdir(folder) if folder else []
    except (OSError, ValueError):
        return []
    for name in names:
        if name.startswith(prefix) and name.endswith(".md"):
            digits = name[len(prefix) : -3]
            if digits.isdigit() and digits.isascii() and len(digits) <= _MAX_DIGITS:
                found.append((int(digits), name))
    return sorted(found, reverse=True)
