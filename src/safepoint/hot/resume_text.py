"""What a new chat is told of the handoff it goes on from, packed into a budget of bytes. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .shapes import Bilingual, Language, ResumePoint


class Item:
    """One part that is shown whole or not at all. `label` and `where` name it when it is not."""

    __slots__ = ("label", "priority", "text", "where")

    def __init__(self, priority: int, text: str, label: str = "", where: str = "") -> None:
        self.priority, self.text, self.label, self.where = priority, text, label, where


def build(
    point: ResumePoint,
    *,
    language: Language,
    constraints: list[Bilingual],
    handoff: str,
    checkpoint: str,
    resume_point_path: str,
    report: str,
    envelope: str,
    notes_text: str,
    freshness: tuple[str, str],
    plan_line: str = "",
    others: Sequence[str] = (),
) -> list[Item]:
    """The parts, best first."""
    raise NotImplementedError


def pack(items: Sequence[Item], max_bytes: int) -> tuple[str, str]:
    """What fits now, and what follows with the next event ('' when nothing is left)."""
    raise NotImplementedError


def brief(
    point: ResumePoint,
    *,
    language: Language,
    constraints: list[Bilingual],
    path: str,
) -> str:
    """What a compacted chat that goes on is told (at most 2 kB)."""
    raise NotImplementedError


def offer_line(slug: str, id: str, when: str, why: str, language: str = "en") -> str:
    """One line for a handoff that is only listed."""
    raise NotImplementedError
