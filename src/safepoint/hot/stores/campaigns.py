"""Which campaign a session works on, and which task report tells of it."""

from __future__ import annotations

import os

from ..redact import redact
from ..slugs import slugify
from . import tracker_file, unnamed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..shapes import Settings
    from .paths import Paths

ENV_NAME = "SAFEPOINT_CAMPAIGN"
OVER = frozenset({"done", "finished", "complete", "completed", "closed", "archived"})
GOING_ON = frozenset({"open", "in_progress", "in-progress", "in progress", "active", "ongoing"})
NO_REPORTS = frozenset({"readme", "index", "template"})  # what else lies in a folder of reports
MAX_REPORTS = 200
MAX_ENTRIES = 2000


class Campaign(tuple):  # type: ignore[type-arg]
    """`(slug, by, report)`: `by` names the rule that found it, `report` is '' or a path below the project.

    A tuple of its own: `collections` costs a hook 2 ms.
    """

    __slots__ = ()

    def __new__(cls, slug: str, by: str, report: str) -> Campaign:
        return tuple.__new__(cls, (slug, by, report))

    @property
    def slug(self) -> str:
        return str(self[0])

    @property
    def by(self) -> str:
        return str(self[1])

    @property
    def report(self) -> str:
        return str(self[2])


def resolve(
    paths: Paths, session_key: str, session_id: str, env: Mapping[str, str], settings: Settings
) -> Campaign:
    """The session's campaign by the first rule that names one: env, tracker, report, branch, session.

    One that a claimed handoff put into the tracker is known by "handoff".

    Never raises for what it finds on disk: what cannot be read names no campaign.
    """
    report_dir = reports_folder(paths.project, settings["campaign"]["report_dir"])
    pointer = tracker_file.pointers(paths, session_key)
    name, by, report = _first(paths, session_id, env, pointer, report_dir)
    slug = slugify(redact(name))
    return Campaign(slug, by, report or _report_of(paths.project, report_dir, slug, name, pointer))


def reports_folder(project: str, name: str) -> str:
    """The folder of reports below the project; '' where there is none, which costs no import."""
    if not os.path.isdir(os.path.join(project, name)):
        return ""
    from . import project_file

    return project_file.relative(project, name)


def _first(
    paths: Paths, session_id: str, env: Mapping[str, str], pointer: dict[str, str], report_dir: str
) -> tuple[str, str, str]:
    """`(name, by, report)` of the first rule that names a campaign."""
    name = env.get(ENV_NAME, "").strip()
    if name:
        return name, "env", ""
    if pointer.get("campaign") or pointer.get("report"):
        report = pointer.get("report", "")
        by = pointer.get("campaign_by", "tracker")
        return pointer.get("campaign") or stem_of(report), by, _existing(paths.project, report)
    report = open_report(paths.project, report_dir)
    if report:
        return stem_of(report), "report", report
    name, by = unnamed.name(paths.project, session_id)
    return name, by, ""


def _report_of(project: str, report_dir: str, slug: str, name: str, pointer: dict[str, str]) -> str:
    """The report that belongs to `slug`: the tracker's, when it means the same campaign, or by its name."""
    report = pointer.get("report", "")
    if report and slugify(pointer.get("campaign") or stem_of(report)) == slug and _existing(project, report):
        return report
    if not report_dir:
        return ""
    for stem in (slug, name):
        if "/" not in stem and "\\" not in stem and not stem.startswith("."):
            found = _existing(project, f"{report_dir}/{stem}.md")
            if found:
                return found
    return ""


def open_report(project: str, report_dir: str) -> str:
    """The one open task report directly in `report_dir`, '' when there is none or more than one."""
    found = open_reports(project, report_dir, 2)
    return found[0] if len(found) == 1 else ""


def open_reports(project: str, report_dir: str, most: int = MAX_REPORTS) -> list[str]:
    """The open task reports directly in `report_dir`, the newest first, `most` of them."""
    found: list[str] = []
    if not report_dir:
        return found
    from . import project_file

    for name in _report_names(project_file.folder(project, report_dir)):
        report = f"{report_dir}/{name}"
        path = project_file.regular(project, report)
        if path and is_open(project_file.head(path)):
            found.append(report)
            if len(found) == most:
                break
    return found


def _report_names(folder: str) -> list[str]:
    """The newest Markdown files of `folder`. None at all in a folder too large to be one of reports."""
    found: list[tuple[int, str]] = []
    try:
        with os.scandir(folder or "\0") as entries:
            for count, entry in enumerate(entries):
                if count >= MAX_ENTRIES:
                    return []
                if may_be_report(entry.name):
                    found.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.name))
    except (OSError, ValueError):
        return []
    return [name for _, name in sorted(found, reverse=True)[:MAX_REPORTS]]


def may_be_report(name: str) -> bool:
    return name.endswith(".md") and name[0] not in "._" and name[:-3].lower() not in NO_REPORTS


def is_open(text: str) -> bool:
    """By the status in its front matter; a report without one is over when its boxes are all ticked."""
    from ..markdown import has_open_box
    from . import task_report

    status = status_of(text)
    if status in OVER or status in GOING_ON:
        return status in GOING_ON
    return has_open_box(task_report.without_section(text)) is not False


def status_of(text: str) -> str:
    """The status in a report's front matter, in small letters; '' without one."""
    from .. import front_matter

    return front_matter.read(text).get("status", "").strip().lower()


def _existing(project: str, report: str) -> str:
    """`report` as it is, if it names a Markdown file inside the project."""
    if not report or not os.path.lexists(f"{project}/{report}"):
        return ""
    from . import project_file, task_report

    return report if task_report.is_report_name(report) and project_file.regular(project, report) else ""


def stem_of(report: str) -> str:
    name = report.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] or name
