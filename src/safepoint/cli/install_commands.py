"""install, uninstall and generate: find out what would be done, say it, do it, say that."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..called_as import to_type
from .render import show

if TYPE_CHECKING:
    from ..install import Plan
    from ..project import Project

JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
YES = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
PATH = click.argument("path", type=click.Path(), default=".")


@dataclass(frozen=True)
class Outcome:
    """What a command did, or with `dry_run` would do."""

    project: str
    dry_run: bool
    done: bool
    version: str = ""
    hosts: list[str] = field(default_factory=list)
    events: str = ""
    scope: str = ""
    language: str = ""
    changes: list[dict[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@click.command()
@PATH
@click.option("--host", type=click.Choice(["cursor", "claude", "all"]), help="Default: all.")
@click.option(
    "--events",
    type=click.Choice(["base", "full"]),
    help="Cursor events: base (default) is what every version with preToolUse knows; full needs a new one.",
)
@click.option("--local", is_flag=True, help="For you alone: nothing that git would show to others.")
@click.option("--python", metavar="PATH", help="With --local: the interpreter that runs the hooks here.")
@click.option("--language", type=click.Choice(["en", "ja"]), help="Default: as the locale says.")
@click.option(
    "--with-workflow/--without-workflow",
    "workflow",
    default=None,
    help="Also skills, a rule and pages for work in steps. Default: as it is installed, else without.",
)
@click.option(
    "--with-todo-tool/--without-todo-tool",
    "todo_tool",
    default=None,
    help="Register Safepoint's own todo tool (an MCP server). Default: as it is, at first without.",
)
@click.option(
    "--with-statusline/--without-statusline",
    "status_line",
    default=None,
    help="Show in Claude Code's status line how full the context is, below your own. Default: as it is.",
)
@click.option(
    "--dry-run", is_flag=True, help="Show your own files' changes as diffs, list ours, and write nothing."
)
@YES
@JSON
def install(
    path: str,
    host: str | None,
    events: str | None,
    local: bool,
    python: str | None,
    language: str | None,
    workflow: bool | None,
    todo_tool: bool | None,
    status_line: bool | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Put the hooks into the repository at PATH, or bring them up to date.

    Your own hooks and settings stay as they are, to the byte; `safepoint uninstall` puts everything back.
    """
    from .. import install as installing
    from .. import project as projects

    hosts = {"cursor": ("cursor",), "claude": ("claude_code",), "all": ("cursor", "claude_code"), None: None}
    scope = "local" if local else None
    wish = installing.Wish(
        hosts[host], events, scope, language, workflow, todo_tool, status_line, python,  # type: ignore[arg-type]
    )  # fmt: skip
    ask = sys.stdin.isatty() and not (yes or as_json or dry_run)
    project = projects.find(path)
    if ask and project.prefix and project.git_root:
        project = _choose_root(project, project.git_root)
    _run("install", project, lambda: installing.plan_install(project, wish), dry_run, ask, as_json)


@click.command()
@PATH
@click.option(
    "--purge",
    is_flag=True,
    help="Also delete handoffs, session records, work put aside at Red, step envelopes, checkpoints, and"
    " edited files of ours.",
)
@click.option(
    "--dry-run", is_flag=True, help="Show your own files' changes as diffs, list ours, and write nothing."
)
@YES
@JSON
def uninstall(path: str, purge: bool, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Take Safepoint's entries and files out of the repository at PATH, and nothing else."""
    from .. import project as projects
    from .. import uninstall as uninstalling
    from ..errors import SafepointError

    project = projects.find(path)
    above = uninstalling.installed_above(project)
    if above and uninstalling.plan_uninstall(project, purge) is None:
        raise SafepointError(
            f"{project.root}: Safepoint is not installed there, but in {above}."
            f" To take it out there: {to_type('uninstall', above)}"
        )
    ask = sys.stdin.isatty() and not (yes or as_json or dry_run)
    if purge and not (ask or yes or dry_run):
        raise SafepointError("--purge deletes handoffs, and work put aside at Red, for good: add --yes")
    _run("uninstall", project, lambda: uninstalling.plan_uninstall(project, purge), dry_run, ask, as_json)


@click.command()
@click.argument("path", type=click.Path(), default=".")
@click.option("--check", is_flag=True, help="Write nothing; fail when a generated file is not up to date.")
@JSON
def generate(path: str, check: bool, as_json: bool) -> None:
    """Compile manifest.yaml: PATH is a repository with Safepoint installed, or Safepoint's own source."""
    from .. import generate as generating
    from .. import shipped
    from ..carry_out import carry_out
    from ..hook_process import settings_of

    root = Path(path).resolve()
    if root == shipped.source_root().resolve():
        files, notes = generating.for_source(root), []
        if not check:
            generating.write(files, root)
    else:
        plan = _recompile_plan(path)
        files, notes = generating.from_changes(plan.changes), plan.notes
        if not check:
            carry_out(lambda: _recompile_plan(path), plan.project)
        root = plan.project.root
        notes = [*notes, *generating.remote_notes(str(root), settings_of(str(root)))]
    if check:
        generating.check(files, to_type("generate", path))
    written = [one for one in files if one.state != "same"]
    listed = [{"action": one.action, "path": one.path} for one in written]
    outcome = Outcome(str(root), check, not check, changes=listed, notes=notes)
    lines = [f"wrote {one.path}" for one in written] or ["Everything generated is up to date."]
    show(outcome, "\n".join([*lines, *(f"note: {note}" for note in notes)]), as_json)


def _recompile_plan(path: str) -> Plan:
    from .. import install, install_record, project
    from ..errors import SafepointError
    from ..hook_process import known_project

    found = project.find(known_project(path))
    if install_record.read(found) is None:
        raise SafepointError(
            f"{found.root}: Safepoint is not installed there (no {install_record.PATH}), so no manifest is."
            f" Install it: {to_type('install', str(found.root))}"
        )
    return install.plan_install(found, install.Wish(), recompile_only=True)


def _choose_root(project: Project, git_root: Path) -> Project:
    from .. import project as projects

    click.echo(f"{project.root} lies inside the git repository {git_root}.")
    click.echo("An editor reads the hooks of the folder that is opened in it,")
    click.echo("command-line agents read those of the git root.")
    click.echo(f"  1  install in {project.root}\n  2  install in {git_root}")
    answer = click.prompt("Which", type=click.Choice(["1", "2"]), default="1")
    return projects.find(git_root) if answer == "2" else project


def _run(
    command: str,
    project: Project,
    make_plan: Callable[[], Plan | None],
    dry_run: bool,
    ask: bool,
    as_json: bool,
) -> None:
    from ..carry_out import carry_out
    from . import install_text as text

    plan = make_plan()
    if plan is None:
        from ..uninstall import nothing_text

        show(Outcome(str(project.root), dry_run, False), nothing_text(project), as_json)
        return
    nothing = not (plan.changes or plan.clearing.state or plan.clearing.refs)
    if dry_run or nothing:
        first = "Nothing to do: everything is up to date." if nothing else text.dry_run(plan)
        show(_outcome(plan, dry_run, False), "\n".join([first, *text.notes(plan)]), as_json)
        return
    if ask:
        click.echo("\n".join([*text.summary(plan), *text.notes(plan)]))
        click.confirm(f"\n{command.capitalize()}?", default=True, abort=True)
    done = carry_out(make_plan, project) or plan
    lines = [] if ask else [*text.summary(done), *text.notes(done)]
    show(_outcome(done, False, True), "\n".join([*lines, "", *text.closing(command, done)]), as_json)


def _outcome(plan: Plan, dry_run: bool, done: bool) -> Outcome:
    record: Any = plan.record or {}
    return Outcome(
        str(plan.project.root),
        dry_run,
        done,
        record.get("version", ""),
        list(record.get("hosts", [])),
        record.get("events", ""),
        record.get("scope", ""),
        plan.language,
        [{"action": change.action, "path": change.path} for change in plan.changes]
        + [{"action": "remove", "path": path} for path in plan.clearing.state]
        + [{"action": "remove", "path": ref.name} for ref in plan.clearing.refs],
        plan.notes,
    )
