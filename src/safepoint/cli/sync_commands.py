"""push, pull, fetch, restore and open: a campaign on another machine, work that comes back, the next chat."""

from __future__ import annotations

import time
from typing import Any

import click

from ..called_as import to_type
from ..errors import SafepointError
from . import sync_text as text
from .numbers import Number
from .render import show

REMOTE_S = 120.0
SHOWN = ("campaign", "by", "machine", "created_at_unix", "branch", "base_commit_sha", "work_sha",
         "session_id", "host")  # fmt: skip
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
PROJECT = click.option("--project", "path", type=click.Path(), default=".", help="Default: this folder.")
TIMEOUT = click.option(
    "--timeout", "timeout_s", type=Number(1), default=REMOTE_S, metavar="SECONDS",
    help="For one exchange with the remote (120).",
)  # fmt: skip


def _open(path: str) -> tuple[str, Any]:
    from ..hook_process import known_project, settings_of

    project = known_project(path)
    return project, settings_of(project)


@click.command()
@click.argument("campaign", default="")
@click.option("--allow", multiple=True, metavar="PATH", help="Send it although it looks like a secret.")
@click.option("--leave-out", multiple=True, metavar="PATH", help="Send the work without this file.")
@click.option("--force", is_flag=True, help="In place of what another machine has pushed since.")
@TIMEOUT
@PROJECT
@JSON
def push(
    campaign: str, allow: tuple[str, ...], leave_out: tuple[str, ...], force: bool, timeout_s: float,
    path: str, as_json: bool,
) -> None:  # fmt: skip
    """Send CAMPAIGN (default: the one that is open here) to the remote that the settings name.

    Sent are the handoff and the files that are not committed, as a commit on top of HEAD. Your index,
    branches and stash stay as they are. What looks like a secret stops it.

    On the other machine, in a clone of this repository with Safepoint installed and the same remote in its
    settings: "safepoint pull CAMPAIGN" has the handoff wait there, "safepoint restore CAMPAIGN" lays the
    uncommitted files into a clean work tree, and a new chat in that folder is shown the handoff with its
    first message.
    """
    from ..sync.push import push as send

    project, settings = _open(path)
    result = send(
        project, settings, campaign, allow=allow, leave_out=leave_out, force=force, timeout_s=timeout_s
    )
    work = "with the uncommitted work" if result["has_work"] else "nothing is uncommitted"
    if result["left_out"]:
        work = f"{work}, but for what is left out" if result["has_work"] else "without uncommitted work"
    where = f"{result['remote']}: {result['ref']} {result['commit'][:12]}"
    lines = [f"{result['campaign']} is on {where} ({work})"]
    if not result["new"]:
        lines = [f"nothing new: {result['campaign']} is on {where} as it stands here"]
    lines += [f"--allow {one}: nothing that was sent now has this path" for one in result["unused_allow"]]
    lines += text.left_out(result["left_out"])
    lines += text.on_the_other_machine(result["campaign"], result["has_work"])
    show(result, "\n".join(lines), as_json)


@click.command()
@click.argument("campaign", default="")
@click.option("--again", is_flag=True, help="Offer its handoff although it was pulled before.")
@TIMEOUT
@PROJECT
@JSON
def pull(campaign: str, again: bool, timeout_s: float, path: str, as_json: bool) -> None:
    """Fetch CAMPAIGN, so that the next new chat here is shown its handoff. No file of the work changes."""
    from ..sync.pull import pull as get

    project, settings = _open(path)
    result = get(project, settings, campaign, again=again, timeout_s=timeout_s)
    show(result, "\n".join(text.pulled(result)), as_json)


@click.command()
@TIMEOUT
@PROJECT
@JSON
def fetch(timeout_s: float, path: str, as_json: bool) -> None:
    """Look which campaigns the remote has. Nothing is made pending, and no file changes."""
    show_remote(path, timeout_s, as_json)


def show_remote(path: str, timeout_s: float, as_json: bool) -> None:
    """The campaigns of the remote, for `fetch` and for `campaign list --remote`."""
    from ..sync.remote import configured, listing, who

    project, settings = _open(path)
    remote = configured(project, settings, timeout_s)
    rows, lines = [], []
    for one in listing(remote):
        row: dict[str, Any] = {"ref": one.name, "commit": one.sha, "standing": one.standing,
                               "problem": one.problem}  # fmt: skip
        if one.content is None:
            lines.append(f"no bundle  {one.name}  {one.problem}")
        else:
            meta = one.content.meta
            row.update({key: value for key, value in meta.items() if key in SHOWN})
            branch = text.shown(meta["branch"]) or "-"
            lines.append(f"{one.standing:<9}  {meta['campaign']}  {who(one.content)}  branch {branch}")
        rows.append(row)
    told = "\n".join(lines) or f"{remote.name} has no campaign."
    show({"remote": remote.name, "campaigns": rows}, told, as_json)


@click.command()
@click.argument("campaign", default="")
@click.option("--local", is_flag=True, help="What a hook put aside here at Red; CAMPAIGN or a session's id.")
@click.option("--worktree", default="", metavar="PATH", help="Into a new work tree at PATH.")
@click.option("--list", "listing", is_flag=True, help="With --local: show what there is.")
@PROJECT
@JSON
def restore(campaign: str, local: bool, worktree: str, listing: bool, path: str, as_json: bool) -> int:
    """Lay the uncommitted work of CAMPAIGN into this work tree, which has to be clean.

    Where HEAD is another commit than the work stands on, the two are merged. Files in conflict are named, and
    the exit status is 1 then.
    """
    from ..sync import work_source

    if listing:
        return _list_local(path, local, as_json)
    if local:
        from ..hook_process import known_project

        result = work_source.restore_local(known_project(path), campaign, worktree)
    else:
        project, settings = _open(path)
        result = work_source.restore_campaign(project, settings, campaign, worktree)
    show(result, "\n".join(text.restored(result)), as_json)
    return 1 if result["conflicts"] else 0


def _list_local(path: str, local: bool, as_json: bool) -> int:
    from ..hook_process import known_project
    from ..sync.local_refs import listed, none_yet

    if not local:
        raise SafepointError(f"--list goes with --local; campaigns of the remote: {to_type('fetch')}")
    project = known_project(path)
    kept = listed(project)
    lines = [
        f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(one.at_unix))}  {one.name}  {one.subject}"
        for one in kept
    ]
    if not kept:
        why = none_yet(project)
        lines = [f"{why[0].upper()}{why[1:]}."]
    show({"kept": [one._asdict() for one in kept]}, "\n".join(lines), as_json)
    return 0


@click.command("open")
@click.option("--print", "only_print", is_flag=True, help="Print the link, and open nothing.")
@PROJECT
@JSON
def open_(only_print: bool, path: str, as_json: bool) -> None:
    """Open a new chat for the newest handoff that waits, with its first message typed in."""
    from ..hot.new_chat_link import link
    from ..hot.opener import open_address
    from ..hot.stores import pending
    from ..hot.stores.paths import Paths

    project, settings = _open(path)
    free = [item for item in pending.listed(Paths(project)) if item.claim is None]
    free.sort(key=lambda item: not item.handoff.get("picked", False))
    if not free:
        all_that_wait = to_type("resume", "--project", project)
        raise SafepointError(f"no free handoff waits in {project}; all that wait: {all_that_wait}")
    item = free[0]
    address = link(
        item.handoff["host"], project, item.key, item.handoff["campaign_slug"], settings["language"]
    )
    if not address:
        raise SafepointError(f"no link can be made for {item.key}; open a new chat in {project}")
    if not only_print and not open_address(address):
        raise SafepointError(f"the system's opener did not start; the link: {address}")
    result = {"id": item.key, "link": address, "opened": not only_print}
    show(result, address if only_print else f"{item.key}: {address}", as_json)


open = open_  # as it is called
