"""campaign and checkpoint: work that spans chats, and how far a heavy skill has come in it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..called_as import to_type
from ..errors import SafepointError
from .groups import Group
from .render import columns, show
from .workflow_commands import CAMPAIGN, JSON, PROJECT, open_place


@click.group(cls=Group)
def campaign() -> None:
    """Work that spans several chats, and its task report."""


@campaign.command("start")
@click.argument("slug")
@click.option("--report", default="", metavar="PATH", help="A task report that is there already.")
@PROJECT
@JSON
def start_campaign(slug: str, report: str, path: str, as_json: bool) -> None:
    """Begin campaign SLUG: a task report, and this chat's tracker pointing to it."""
    from .. import campaign_files
    from ..hook_process import find_project, settings_of

    project = find_project(path)
    result = campaign_files.start_campaign(project, settings_of(project), slug, report)
    verb = "made" if result["created"] else "is there"
    lines = [f"{result['campaign']}: {result['report']} {verb}", *result["notes"]]
    show(result, "\n".join(lines), as_json)


@campaign.command("show")
@click.argument("slug", default="")
@PROJECT
@JSON
def show_campaign(slug: str, path: str, as_json: bool) -> None:
    """Steps, workers and checkpoint of a campaign (default: the one that is open here)."""
    from .. import campaign_files
    from ..run import journal
    from .run_command import run_lines

    where = open_place(path, slug, to_type("campaign", "show", "SLUG"))
    result = campaign_files.show_campaign(where)
    result["run"] = journal.newest(where.paths, where.slug)
    lines = [f"{result['campaign']}  {result['report'] or 'no task report'}"]
    for one in [*result["steps"], *result["workers"]]:
        done = sum(part["status"] == "done" for part in one["substeps"])
        parts = f" {done}/{len(one['substeps'])}" if one["substeps"] else ""
        lines.append(f"  {one['status'] or '?':<10}{parts} {one['path']}")
        lines += [f"    {one['problem']}"] if one["problem"] else []
    if result["checkpoint"]:
        found = result["checkpoint"]
        lines.append(f"  {found['skill']}: {found['phase']} ({found['status']}) {found['path']}")
    lines += [f"  {line}" for line in run_lines(result["run"])] if result["run"] else []
    show(result, "\n".join(lines), as_json)


@campaign.command("list")
@click.option("--remote", is_flag=True, help="Those on the remote that the settings name.")
@PROJECT
@JSON
def list_campaigns(remote: bool, path: str, as_json: bool) -> None:
    """Every campaign of the project."""
    if remote:
        from .sync_commands import REMOTE_S, show_remote

        show_remote(path, REMOTE_S, as_json)
        return
    from .. import campaign_files
    from ..hook_process import find_project, settings_of

    project = find_project(path)
    found = campaign_files.list_campaigns(project, settings_of(project))
    lines = columns([
        [one["standing"], one["campaign"], f"steps {one['complete']}/{one['steps']}", one["report"] or "-"]
        for one in found
    ])  # fmt: skip
    show({"campaigns": found}, "\n".join(lines) or "No campaign yet.", as_json)


@campaign.command()
@click.argument("slug", default="")
@click.option("--force", is_flag=True, help="Although steps or boxes are open; they stay as they are.")
@PROJECT
@JSON
def finish(slug: str, force: bool, path: str, as_json: bool) -> None:
    """Say in the task report that the campaign is over."""
    from .. import campaign_files

    where = open_place(path, slug, to_type("campaign", "finish", "SLUG"))
    result = campaign_files.finish_campaign(where, force)
    already = " already" if result["was_finished"] else ""
    show(result, f"{result['campaign']} is finished{already}: {result['report']}", as_json)


# --- checkpoint -------------------------------------------------------------------------------------------


@click.group(cls=Group)
def checkpoint() -> None:
    """How far a heavy skill has come, between its rounds."""


@checkpoint.command()
@click.option("--skill", default="", help="Whose checkpoint it is; the first save says so.")
@click.option("--phase", required=True, help="The round or phase: round-0, …")
@click.option("--worker", default="parent", help="Who found it: A, B, … (default: parent)")
@click.option("--text", default="", help="The entry; or --file; or on stdin.")
@click.option("--file", "file", type=click.Path(exists=True, dir_okay=False), help="The entry, in a file.")
@click.option("--next", "next_step", default="", metavar="TEXT", help="What comes after this phase.")
@click.option("--done", is_flag=True, help="The skill has ended.")
@CAMPAIGN
@PROJECT
@JSON
def save(
    skill: str, phase: str, worker: str, text: str, file: str | None, next_step: str, done: bool,
    campaign: str, path: str, as_json: bool,
) -> None:  # fmt: skip
    """Put one entry into the checkpoint; those of other workers and phases stay."""
    from .. import skill_state

    if file:
        text = Path(file).read_text(encoding="utf-8")
    elif not text and not sys.stdin.isatty():
        text = sys.stdin.read()
    if not text.strip():
        raise SafepointError("an entry needs a text: --text TEXT, --file PATH, or on stdin")
    result = skill_state.save(
        open_place(path, campaign), skill=skill, phase=phase, worker=worker, text=text, next_step=next_step,
        done=done,
    )  # fmt: skip
    show(result, f"{phase} / {worker}: {result['path']}", as_json)


@checkpoint.command("show")
@CAMPAIGN
@PROJECT
@JSON
def show_checkpoint(campaign: str, path: str, as_json: bool) -> None:
    """What the checkpoint holds, by phase and worker."""
    from .. import skill_state

    result = skill_state.load(open_place(path, campaign))
    lines = [f"{result['skill']}: {result['phase']} ({result['status']})  {result['path']}"]
    lines += [f"  next: {result['next']}"] if result["next"] else []
    lines += [f"  {one['phase']} / {one['worker']}: {one['text'][:100]}" for one in result["entries"]]
    show(result, "\n".join(lines), as_json)
