"""The handoff manifest as Markdown: facts that hooks have seen, nothing left for a model to fill in. Pure."""

from __future__ import annotations

from . import work_lines
from .quoting import safe
from .texts import say
from .utc import utc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .shapes import Bilingual, Language, ResumePoint, Section

REQUIRED = ("position", "completed", "next_action", "resume_point")
KEEP_WORK, KEEP_TODOS, KEEP_COMMANDS, KEEP_FILES, KEEP_ERRORS = 60, 50, 12, 30, 10


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
    paths = [
        ("path_point", resume_point_path), ("path_checkpoint", checkpoint), ("path_envelope", envelope),
        ("path_report", report), ("path_notes", notes),
    ]  # fmt: skip
    where = checkpoint or resume_point_path
    bodies = {
        "position": work_lines.position(point, language),
        "completed": _completed(point, language, where),
        "next_action": work_lines.next_action(point, language),
        "resume_point": [
            say(language, "line_path", what=say(language, name), path=path or say(language, "path_none"))
            for name, path in paths
        ],
    }
    blocks = [_front_matter(point, kind, session_id), _title(point, language, kind)]
    blocks += [_section(title, bodies[name], language) for name, title in _titles(sections, language)]
    blocks.append(
        _section(
            say(language, "label_constraints"),
            [f"- {safe(constraint[language], 600)}" for constraint in constraints],
            language,
        )
    )
    blocks += _further(point, language, where)
    return "\n".join(blocks)


def _titles(sections: list[Section], language: Language) -> list[tuple[str, str]]:
    """(id, title) of each required section once, in the order of the settings."""
    titles = {section["id"]: safe(section[language], 120) for section in sections}
    named: list[tuple[str, str]] = [(name, title) for name, title in titles.items() if name in REQUIRED]
    return named + [(name, say(language, f"label_{name}")) for name in REQUIRED if name not in titles]


def _completed(point: ResumePoint, language: str, where: str) -> list[str]:
    lines = work_lines.completed(point, language, KEEP_WORK, where)
    about = [say(language, "completed_done"), say(language, "completed_about"), ""]
    return [*about, *lines] if lines else []


def _further(point: ResumePoint, language: str, where: str) -> list[str]:
    bodies = (
        ("label_open_errors", work_lines.open_errors(point, language, KEEP_ERRORS, where)),
        ("label_commands", work_lines.commands(point, language, KEEP_COMMANDS, where)),
        ("label_files", work_lines.files(point, language, KEEP_FILES, where)),
        ("label_todo", work_lines.todos(point, language, KEEP_TODOS, where)),
        ("label_git", work_lines.git(point, language, KEEP_FILES)),
        ("label_subagents", work_lines.subagents(point, language, KEEP_ERRORS, where)),
    )
    return [_section(say(language, name), lines, language) for name, lines in bodies]


def _section(title: str, lines: list[str], language: str) -> str:
    return "\n".join([f"## {title}", "", *(lines or [say(language, "line_none")]), ""])


def _title(point: ResumePoint, language: str, kind: str) -> str:
    lines = ["# " + say(language, "handoff_title", slug=safe(point["campaign_slug"], 80)), ""]
    lines.append(say(language, f"written_{kind}"))
    if point["last_prompt"]:
        lines += ["", say(language, "line_prompt", text=safe(point["last_prompt"], 400))]
    return "\n".join([*lines, ""])


def _front_matter(point: ResumePoint, kind: str, session_id: str) -> str:
    reading = point["reading"]
    fields = [
        ("session_id", _quoted(session_id)),
        ("campaign", _quoted(point["campaign_slug"])),
        ("kind", kind),
        ("created", _quoted(utc(point["interrupted_at_unix"]))),
        ("host", point["host"]),
        ("level", point["level"]),
        ("tokens", _number(reading["tokens"])),
        ("window", _number(reading["window"])),
        ("tokens_source", reading["source"]),
    ]
    return "\n".join(["---", *[f"{name}: {value}" for name, value in fields], "---", ""])


def _quoted(text: str) -> str:
    """A YAML string, so that an id of digits stays a string."""
    line = safe(text, 120).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{line}"'


def _number(value: int | None) -> str:
    return "null" if value is None else str(value)
