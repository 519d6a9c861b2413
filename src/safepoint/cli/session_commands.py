"""status, explain, resume, extend and validate: look at sessions and handoffs, and help on."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..called_as import to_type
from ..errors import SafepointError
from ..unknown_name import instead_of, listed
from .render import show

if TYPE_CHECKING:
    from ..hot.stores.pending import Offered

JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
PATH = click.argument("path", type=click.Path(), default=".")
PROJECT = click.option("--project", "path", type=click.Path(), default=".", help="Default: this folder.")


@click.command()
@PATH
@JSON
def status(path: str, as_json: bool) -> None:
    """Show the sessions of the project at PATH, the newest first, and the handoffs that wait."""
    from .. import installed, sessions
    from ..hook_process import find_project, settings_of
    from ..hot.stores.paths import Paths
    from ..run import journal
    from .run_command import runs_text

    project = find_project(path)
    state = installed.describe(project)
    runs = journal.listed(Paths(project))
    result = {"installation": state, **sessions.status(project, settings_of(project)), "runs": runs}
    text = "\n".join([installed.line(state, project), _status_text(result), *runs_text(runs)])
    show(result, text, as_json)


def _status_text(result: dict[str, Any]) -> str:
    lines = [] if result["sessions"] else [f"No session has been seen in {result['project']} yet."]
    for one in result["sessions"]:
        reading = one["reading"]
        size = "?" if reading["tokens"] is None else f"{reading['tokens'] / 1000:.0f}k"
        window = "?" if reading["window"] is None else f"{reading['window'] / 1000:.0f}k"
        progress = one["todo_progress"]
        marks = [name for name in ("stopped", "paused", "handoff_pending", "ended") if one[name]]
        who = one["session_id"][:13] + (f" / {one['agent_id'][:8]}" if one["agent_id"] else "")
        lines.append(
            f"{one['level']:<6}  {size:>5}/{window:<5} {reading['source']:<10}  {one['host']:<11}  {who:<24}"
            f"  {one['campaign_slug'] or '-'}  todo {progress['done']}/{progress['total']}"
            f"  {_ago(one['last_at_unix'])}{'  ' + ', '.join(marks) if marks else ''}"
        )
    for item in result["pending"]:
        claimed = f", shown to {item['claimed_by'][:13]}" if item["claimed_by"] else ""
        lines.append(f"waiting: {item['id']}  {item['campaign_slug']}  {item['handoff']}{claimed}")
    return "\n".join(lines)


def _ago(at: float) -> str:
    seconds = max(0, int(time.time() - at))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit} ago"
    return f"{seconds} s ago"


@click.command()
@PROJECT
@click.option("--session", default="", help="Id, or its beginning. Default: the newest session.")
@JSON
def explain(path: str, session: str, as_json: bool) -> None:
    """Say why the last decision was taken: the reading, its sources, the thresholds, the level."""
    from .. import sessions
    from ..hook_process import known_project, settings_of

    project = known_project(path)
    result = sessions.explain(project, sessions.find(project, session), settings_of(project))
    head = f"{result['session_id']} ({result['host']}): {result['level']}"
    if result["tool"]:
        head += f", at {result['tool']}"
    show(result, "\n".join([head, *(f"  {reason}" for reason in result["reasons"])]), as_json)


@click.command()
@PROJECT
@click.option("--list", "listing", is_flag=True, help="List the handoffs that wait (the default).")
@click.option("--pick", default="", metavar="ID", help="Let the next new chat be shown this one.")
@click.option("--dismiss", default="", metavar="ID", help="Offer this one no more; its files stay.")
@click.option("--plan", "planning", is_flag=True, help="Say how a campaign goes on (the recovery table).")
@click.option("--campaign", default="", metavar="SLUG", help="With --plan. Default: the open one.")
@JSON
def resume(
    path: str, listing: bool, pick: str, dismiss: str, planning: bool, campaign: str, as_json: bool
) -> None:
    """List, pick or dismiss the handoffs that wait for a new chat, or plan how a campaign goes on."""
    from ..hook_process import known_project
    from ..hot.stores import pending
    from ..hot.stores.paths import Paths

    if sum((listing, bool(pick), bool(dismiss), planning)) > 1:
        raise SafepointError("--list, --pick, --dismiss and --plan exclude each other")
    if campaign and not planning:
        planned = to_type("resume", "--plan", "--campaign", campaign)
        raise SafepointError(f"--campaign goes with --plan: {planned}")
    if planning:
        _show_plan(path, campaign, as_json)
        return
    paths = Paths(known_project(path))
    done = ""
    if pick or dismiss:
        key = _one_offer(pending.listed(paths), pick or dismiss)
        if pick:
            pending.prefer(paths, key)
            done = f"The next new chat is shown {key}."
        else:
            pending.settle(paths, key)
            done = f"{key} is not offered any more; its files stay."
    offers = pending.listed(paths)
    result = {
        "handoffs": [
            {"id": item.key, **item.handoff, "claimed_by": item.claim["session_id"] if item.claim else None}
            for item in offers
        ]
    }
    lines = [f"{item.key}  {item.handoff['campaign_slug']}  {item.handoff['handoff']}" for item in offers]
    show(result, "\n".join([done] if done else lines or [f"No handoff waits in {paths.project}."]), as_json)


def _show_plan(path: str, campaign: str, as_json: bool) -> None:
    from .. import recovery
    from ..hook_process import find_project, settings_of
    from ..hot.resume_state import plan_line
    from ..place import place

    project = find_project(path)
    settings = settings_of(project)
    plan = recovery.plan(place(project, settings, campaign))
    show({"plan": plan}, plan_line(plan, settings["language"]), as_json)


def _one_offer(offers: list[Offered], wanted: str) -> str:
    from ..hot.stores import pending

    found = [item.key for item in pending.named(offers, wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise SafepointError(f"more than one handoff begins with {wanted!r}; say which: {listed(found)}")
    if not offers:
        raise SafepointError(f"there is no handoff {wanted!r}, since none waits here")
    known = [item.key for item in offers]
    raise SafepointError(f"no handoff {wanted!r} waits here{instead_of(wanted, known)}")


@click.command()
@click.argument("tokens", required=False)
@PROJECT
@click.option("--session", default="", help="Id, or its beginning. Default: the newest session.")
@JSON
def extend(tokens: str | None, path: str, session: str, as_json: bool) -> None:
    """Raise Red by TOKENS (20000, 20k) for one session, so that it can go on.

    Without TOKENS by what the manifest says.
    """
    from .. import sessions
    from ..hook_process import hook_for, known_project, settings_of
    from ..hot import prompt_words

    for name in ("CLAUDECODE", "CURSOR_AGENT"):
        if os.environ.get(name):
            raise SafepointError(
                f"{name} is set, so an agent is asking. Only a person can extend a session:"
                " send `safepoint extend` as a prompt in it, or run this in a terminal of your own."
            )
    project = known_project(path)
    settings = settings_of(project)
    chosen = sessions.find(project, session)
    added = prompt_words.tokens_of(tokens) if tokens else settings["budget_thresholds"]["extend_tokens"]
    if added is None:
        raise SafepointError(f"{tokens!r} is no number of tokens; examples: 20000, 20k")
    hook = hook_for(project, chosen, settings)
    with hook.store.locked(2.0) as lock:
        if not lock.held and not lock.broken:
            raise SafepointError("the session is busy; try again")
        hook.store.load()
        try:
            done = prompt_words.extend(hook, added)
        except prompt_words.FullError as error:
            raise SafepointError(f"nothing was changed: {error}. Open a new chat.") from error
        hook.store.save()
    state = hook.store.state
    result = {
        "session_id": state["session_id"], "extended_tokens": state["extended"], "red_tokens": done.red,
        "handoff_withdrawn": done.withdrew,
    }  # fmt: skip
    show(result, f"{state['session_id']}\n{done.text(hook)}", as_json)


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@JSON
def validate(files: tuple[str, ...], as_json: bool) -> int:
    """Check files that Safepoint reads or writes: manifests, resume points, checkpoints, handoffs, …"""
    from ..validation import check_file

    reports = [check_file(Path(name)) for name in files]
    lines = []
    for report in reports:
        lines += [f"{report.path}: {report.kind}: well" if not report.problems else ""]
        lines += list(report.problems)
    result = {"files": [{"path": r.path, "kind": r.kind, "problems": list(r.problems)} for r in reports]}
    show(result, "\n".join(line for line in lines if line), as_json)
    return 1 if any(report.problems for report in reports) else 0
