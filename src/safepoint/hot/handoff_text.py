"""The handoff manifest as Markdown. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shapes import Bilingual, Language, ResumePoint, Section


def render(
    point: ResumePoint,
    *,
    language: Language,
    sections: list[Section],
    constraints: list[Bilingual],
    kind: str,
    checkpoint: str,
    resume_point_path: str,
    notes: str,
    report: str,
    envelope: str,
    session_id: str,
) -> str:
    """The manifest. `kind`: draft, red, compact or end. A path that does not exist is ''."""
    raise NotImplementedError
