"""What a new chat is told of the handoff it goes on from, in parts that fit into a few kilobytes. Pure.

All of it is worded as facts: a text full of orders looks like an injection to the model that reads it.
"""

from __future__ import annotations

from . import work_lines
from .quoting import clip_bytes, quote, safe
from .resume_packing import Item, byte_size
from .texts import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .shapes import Bilingual, CompletedWork, Language, ResumePoint

HEADER = "[CONTEXT_BUDGET_RESUME]"
BRIEF_BYTES = 2048
NOTES_CHUNK_BYTES, NOTES_CHARS = 900, 4096


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
    doubtful: Sequence[tuple[CompletedWork, str, str]] = (),
    others: Sequence[str] = (),
) -> list[Item]:
    """The parts, best first. A path that does not exist is ''."""
    reads = [path for path in (handoff, resume_point_path, envelope, report) if path]
    next_lines = work_lines.next_action(point, language)
    lead = [_reads(language, reads or [checkpoint]), say(language, "resume_done")]
    parts: list[tuple[str, str]] = [
        ("label_position", header(point) + "\n" + "\n".join(lead)),
        ("label_fresh", _fresh(language, freshness, plan_line)),
        ("label_next_action", _section(language, "label_next_action", next_lines)),
        ("label_constraints", _section(language, "label_constraints", _bullets(constraints, language))),
    ]
    parts += _facts(point, language, handoff)
    if doubtful:
        lines = _bounded(language, work_lines.doubtful(doubtful, language), -1200, handoff)
        parts.insert(-1, ("label_doubtful", _section(language, "label_doubtful", lines)))
    parts += [("label_notes", text) for text in _notes(notes_text, language)]
    if others:
        parts.append(("label_others", "\n" + say(language, "offered_others", list=list(others))))
    return [
        Item(priority, text, say(language, name), handoff, language)
        for priority, (name, text) in enumerate(parts)
        if text
    ]


def header(point: ResumePoint) -> str:
    """The line that a resumed chat begins with."""
    slug = clip_bytes(_field(point["campaign_slug"]), 120) or "-"
    step = clip_bytes(_field(point["workflow_step"]), 90) or "-"
    progress = point["todo_progress"]
    if progress["done"] >= progress["total"]:
        return f"{HEADER} campaign={slug}, step={step}."
    at = f"{progress['done'] + 1}/{progress['total']}"
    return f"{HEADER} campaign={slug}, step={step}, resume from todo {at}."


def _field(text: str) -> str:
    """One field of the header, which commas part."""
    return safe(text, 80).replace(",", ";")


def _reads(language: str, paths: list[str]) -> str:
    """Whole paths only: a cut one names nothing."""
    room, shown = 360, []
    for path in [safe(path, 2000) for path in paths]:
        room -= len(path.encode("utf-8", "replace")) + 2
        if room >= 0:
            shown.append(path)
    return say(language, "resume_reads", paths=", ".join(shown) or "-")


def _fresh(language: str, freshness: tuple[str, str], plan_line: str) -> str:
    kind, detail = freshness
    key = f"fresh_{kind}" if kind in ("fresh", "stale", "foreign") else "fresh_unknown"
    lines = [say(language, key, changes=safe(detail, 600) or "-")]
    return "\n".join(["", *lines, *([safe(plan_line, 600)] if plan_line else [])])


def _bullets(constraints: list[Bilingual], language: Language) -> list[str]:
    return [f"- {safe(constraint[language], 600)}" for constraint in constraints]


def _facts(point: ResumePoint, language: str, handoff: str) -> list[tuple[str, str]]:
    """The sections that have something to say, each bounded so that it can fit beside others.

    Of what grows at its end (errors, work, commands) the newest entries are kept.
    """
    sections = [
        ("label_open_errors", work_lines.open_errors, 6, -1400),
        ("label_todo", _todos, 100, 1800),
        ("label_completed", work_lines.completed, 40, -2200),
        ("label_files", work_lines.files, 12, 1100),
        ("label_commands", work_lines.commands, 8, -1200),
        ("label_subagents", work_lines.subagents, 5, 600),
    ]
    parts = []
    for name, lines_of, keep, room in sections:
        lines = _bounded(language, lines_of(point, language, keep, handoff), room, handoff)
        if lines and name == "label_completed":
            lines.insert(0, say(language, "completed_about"))
        if lines:
            parts.append((name, _section(language, name, lines)))
    return parts


def _todos(point: ResumePoint, language: str, keep: int, where: str) -> list[str]:
    """The whole list where it is short, else what is open of it."""
    lines = work_lines.todos(point, language, keep, where)
    if byte_size("\n".join(lines)) <= 1800:
        return lines
    return [line for line in lines if not line.startswith("- [x]")]


def _section(language: str, name: str, lines: list[str]) -> str:
    return "\n".join(["", f"## {say(language, name)}", *lines]) if lines else ""


def _bounded(language: str, lines: list[str], max_bytes: int, where: str) -> list[str]:
    """The first lines that fit (of a negative bound: the last), and how many do not."""
    room, kept = abs(max_bytes), 0
    for line in lines if max_bytes > 0 else reversed(lines):
        room -= byte_size(line) + 1
        if room < 0:
            break
        kept += 1
    more = work_lines.more(language, len(lines) - kept, where)
    return lines[:kept] + more if max_bytes > 0 else more + lines[len(lines) - kept :]


def _notes(text: str, language: str) -> list[str]:
    """The agent's own words in quoted chunks, each under its heading."""
    chunks: list[list[str]] = []
    room = 0
    for line in quote(text, NOTES_CHARS):
        line = clip_bytes(line, NOTES_CHUNK_BYTES)
        room -= byte_size(line) + 1
        if room < 0 or not chunks:
            chunks.append([])
            room = NOTES_CHUNK_BYTES - byte_size(line)
        chunks[-1].append(line)
    return [_section(language, "label_notes", chunk) for chunk in chunks]


def brief(point: ResumePoint, *, language: Language, constraints: list[Bilingual], path: str) -> str:
    """What a compacted chat that goes on is told (at most 2 kB). `path` is where the rest stands."""
    head = say(
        language, "compact_brief_head", slug=safe(point["campaign_slug"], 80) or "-",
        step=safe(point["workflow_step"], 80) or "-",
    )  # fmt: skip
    tail = say(language, "compact_brief_more", path=safe(path, 300)) if path else ""
    room = BRIEF_BYTES - byte_size(head) - byte_size(tail) - 3
    blocks = [
        _section(language, "label_next_action", work_lines.next_action(point, language)),
        _section(language, "label_position", work_lines.position(point, language)),
        _section(language, "label_constraints", _bullets(constraints, language)),
        _section(language, "label_open_errors", work_lines.open_errors(point, language, 2, "")),
    ]
    shown = []
    for block in blocks:
        if block and byte_size(block) + 1 <= room:
            room -= byte_size(block) + 1
            shown.append(block)
    return "\n".join([head, *shown, *(["", tail] if tail else [])])


def offer_line(slug: str, id: str, when: str, why: str, language: str = "en") -> str:
    """One line for a handoff that is only listed; `when` and `why` are words."""
    return say(
        language, "offer_line", slug=safe(slug, 80) or "-", id=safe(id, 120), when=safe(when, 40),
        why=safe(why, 120),
    )  # fmt: skip
