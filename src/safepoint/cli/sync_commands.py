"""push, pull, fetch, restore and open: a campaign on another machine, work that comes back, the next chat."""

from __future__ import annotations

import time
from typing import Any

import click

from ..counted import counted
from ..errors import SafepointError
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
    lines += _left_out(result["left_out"])
    lines.append(f"On the other machine: safepoint pull {result['campaign']}")
    show(result, "\n".join(lines), as_json)


def _left_out(names: list[str], total: int = 0) -> list[str]:
    return _names("left out", names, total)


def _names(words: str, names: list[str], total: int = 0) -> list[str]:
    """A line with the first of them; none where there are none. `total`: where `names` are only some."""
    if not names:
        return []
    more = max(total, len(names)) - len(names[:8])
    return [f"{words}: {', '.join(map(_shown, names[:8]))}{f' and {more} more' if more else ''}"]


def _shown(name: str) -> str:
    """A name that another machine gave, without what a terminal would obey."""
    from ..hot.quoting import safe

    return safe(name, 300)


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
    show(result, "\n".join(_pulled(result)), as_json)


def _pulled(result: dict[str, Any]) -> list[str]:
    slug = result["campaign"]
    lines = [f"{slug}: pushed by {result['who']}, on branch {_shown(result['branch']) or '-'}"]
    if not result["new"]:
        return [*lines, "It was pulled before, and there is nothing newer. To offer it again: --again"]
    if result["pending"]:
        lines.append("A new chat in this folder is shown its handoff with its first message.")
    else:
        lines.append("Its chat began in this clone: its handoff here is newer, and stays as it is.")
    lines += [f"set aside in .cursor/.session/pruned: {name}" for name in result["moved"]]
    lines += [f"left as it is here: {name}" for name in result["kept"]]
    if not result["at_base"] and result["base"]:
        lines.append(f"It stands on commit {result['base'][:12]}; HEAD here is another one.")
    if result["has_work"]:
        lines.append(f"Its uncommitted files: safepoint restore {slug} [--worktree PATH]")
    return [*lines, *_left_out(result["left_out"])]


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
            branch = _shown(meta["branch"]) or "-"
            lines.append(f"{one.standing:<9}  {meta['campaign']}  {who(one.content)}  branch {branch}")
        rows.append(row)
    text = "\n".join(lines) or f"{remote.name} has no campaign."
    show({"remote": remote.name, "campaigns": rows}, text, as_json)


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
    show(result, "\n".join(_restored(result)), as_json)
    return 1 if result["conflicts"] else 0


def _list_local(path: str, local: bool, as_json: bool) -> int:
    from ..hook_process import known_project
    from ..sync.local_refs import listed

    if not local:
        raise SafepointError("--list goes with --local; campaigns of the remote: safepoint fetch")
    kept = listed(known_project(path))
    lines = [
        f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(one.at_unix))}  {one.name}  {one.subject}"
        for one in kept
    ]
    show({"kept": [one._asdict() for one in kept]}, "\n".join(lines) or "Nothing.", as_json)
    return 0


def _restored(result: dict[str, Any]) -> list[str]:
    lines = [f"{counted(len(result['files']), 'file')} restored in {result['folder']}, not staged."]
    if result["merged"]:
        lines.append(f"HEAD is another commit than the work's ({result['base'][:12] or 'none'}): merged.")
    lines += [f"conflict: {_shown(name)}" for name in result["conflicts"]]
    if result["pending_in"]:
        lines.append(f"A new chat in {result['pending_in']} is shown the handoff.")
    gone = [one["path"] for one in result["not_laid_out"] if one["why"] == "outside_sparse"]
    inner = [f"{one['path']} ({one['commit'][:12] or 'removed'})" for one in result["not_laid_out"]
             if one["why"] == "submodule"]  # fmt: skip
    passed = [f"{one['path']} ({one['filter']})" for one in result["filtered"]]
    return [
        *lines,
        *_names("there already, as in the work", result["there_already"]),
        *_names("written although outside of the sparse checkout", result["outside_sparse"]),
        *_names("not removed, since git would not show it outside of the sparse checkout", gone),
        *_names("not laid out, since it is a submodule's commit", inner),
        *_names("as its filter gives it back, which may be less than there was", passed),
        *_left_out(result["left_out"], result["left_out_total"]),
    ]


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
        raise SafepointError(f"no free handoff waits in {project}; safepoint resume shows all that wait")
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
