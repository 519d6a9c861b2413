"""Campaigns, as people and agents begin, look at and finish them by command."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .called_as import to_type
from .errors import SafepointError
from .hot import front_matter
from .hot.files import write_atomic
from .hot.markdown import has_open_box
from .hot.quoting import safe
from .hot.shapes import Settings
from .hot.slugs import slugify
from .hot.stores import campaigns, envelope_facts, project_file, skill_checkpoints, task_report, tracker_file
from .hot.stores.paths import Paths, session_key
from .place import Place, begun, prepare, session_of
from .shipped import template
from .workflow import read_step, rewrite, tell_report


def start_campaign(project: str, settings: Settings, name: str, report: str) -> dict[str, Any]:
    """Make the task report, where there is none, and point this chat's tracker to it.

    A report that was named has to be there. `notes` say what else a person should know of the outcome.
    """
    paths, session = Paths(project), session_of(dict(os.environ))
    slug = slugify(name)
    folder = project_file.relative(project, settings["campaign"]["report_dir"])
    named = report
    report = project_file.relative(project, report) if report else f"{folder}/{slug}.md"
    if not report or not task_report.is_report_name(report):
        raise SafepointError("a task report is a Markdown file inside the project")
    path = Path(project) / report
    made = not path.exists()
    if made and named:
        raise SafepointError(f"{report} is not there; without --report a new task report is made")
    if made:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = template(f"workflow/report.{settings['language']}.md").decode()
        path.write_text(text.replace("{slug}", slug).replace("{name}", safe(name, 200)), encoding="utf-8")
    if session:
        _point_tracker(paths, session, slug, report)
    is_found = bool(session) or report == f"{folder}/{slug}.md"
    return {
        "campaign": slug, "report": report, "created": made, "session": session or None,
        "notes": _notes(name, slug, report, project_file.head(str(path)), is_found),
    }  # fmt: skip


def _notes(name: str, slug: str, report: str, text: str, is_found: bool) -> list[str]:
    notes = []
    if slug != name:
        notes.append(f"{safe(name, 80)!r} is no slug (a-z 0-9 - _ .), so the campaign is called {slug}")
    if campaigns.status_of(text) in campaigns.OVER:
        notes.append(
            f"{report} says `status: {campaigns.status_of(text)}`, so the campaign is not open:"
            " write `status: open` there to go on with it"
        )
    if not is_found:
        notes.append(
            f"no chat runs this, and {report} is no task report of that name in the folder of reports:"
            f" set {campaigns.ENV_NAME}={slug} for the chats and commands that work on it"
        )
    return notes


def _point_tracker(paths: Paths, session: str, slug: str, report: str) -> None:
    """As a person would: the pointers in the tracker file win at the next look-up."""
    prepare(paths)
    path = paths.tracker(session_key(session))
    fields = {"campaign": slug, "report": report}
    if os.path.exists(path):
        project_file.rewrite(path, lambda text: front_matter.patch(text, fields))
    else:
        write_atomic(path, project_file.encode(front_matter.patch("# Session tracker\n", fields)))
    assert tracker_file.pointers(paths, session_key(session))["campaign"] == slug


def show_campaign(where: Place) -> dict[str, Any]:
    """Its steps, workers and checkpoint, broken files among them with what is wrong."""
    steps, workers = envelope_facts.of_campaign(where.paths, where.settings, where.slug)
    return {
        "campaign": where.slug, "report": where.report, "steps": [_checked(where, one) for one in steps],
        "workers": workers,
        "checkpoint": skill_checkpoints.facts(where.paths, where.settings, where.slug),
    }  # fmt: skip


def _checked(where: Place, one: Any) -> Any:
    """With what only the whole schema can find."""
    try:
        read_step(where, one["step"])
    except SafepointError as error:
        return {**one, "problem": str(error)}
    return one


def list_campaigns(project: str, settings: Settings) -> list[dict[str, Any]]:
    """Every campaign that has a report, an envelope, a checkpoint or a resume point, by name.

    `standing`: open; finished, as its report says; complete, as nothing of it is left to do; or "-" where a
    chat's own campaign has nothing that could be any of it.
    """
    paths, found = Paths(project), []
    for slug, report in sorted(begun(paths, settings).items()):
        steps, _ = envelope_facts.of_campaign(paths, settings, slug)
        text = project_file.head(project_file.regular(project, report)) if report else ""
        done = sum(one["status"] == "complete" for one in steps)
        if report and campaigns.status_of(text) in campaigns.OVER:
            standing = "finished"
        elif (report and campaigns.is_open(text)) or done < len(steps):
            standing = "open"
        else:
            standing = "complete" if report or steps else "-"
        found.append({
            "campaign": slug, "report": report, "open": standing == "open", "standing": standing,
            "steps": len(steps), "complete": done,
        })  # fmt: skip
    return found


def finish_campaign(where: Place, force: bool) -> dict[str, Any]:
    """Say in the report that it is over. Open steps and boxes stay as they are; they need `force`."""
    steps, _ = envelope_facts.of_campaign(where.paths, where.settings, where.slug)
    is_open = [f"step {one['step']}" for one in steps if one["status"] not in ("complete",)]
    path = project_file.regular(where.paths.project, where.report) if where.report else ""
    if not path:
        begin = to_type("campaign", "start", "SLUG")
        raise SafepointError(f"{where.slug} has no task report; begin one: {begin}")
    head = project_file.head(path)
    if campaigns.status_of(head) in campaigns.OVER:
        return {"campaign": where.slug, "report": where.report, "left_open": is_open, "was_finished": True}
    if has_open_box(task_report.without_section(head)):
        is_open.append(f"unticked boxes in {where.report}")
    if is_open and not force:
        raise SafepointError(
            f"{where.slug} is not done: {', '.join(is_open)}. To finish it as it is: --force"
        )
    tell_report(where)
    rewrite(where, where.report, lambda text: front_matter.patch(text, {"status": "finished"}))
    return {"campaign": where.slug, "report": where.report, "left_open": is_open, "was_finished": False}
