"""Which work `safepoint restore` lays out: a campaign's that was fetched, or what a hook put aside at Red."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..called_as import to_type
from ..errors import SafepointError
from ..hot import campaign_refs as refs
from ..hot.shapes import Settings
from ..hot.stores import bundle_take, pending
from ..hot.stores.bundles import Content
from ..hot.stores.paths import Paths, session_key
from . import local_refs, restore
from .git import Git
from .pull import checked, chosen
from .remote import Remote, configured


def restore_local(project: str, wanted: str, worktree: str) -> dict[str, Any]:
    """The work of a session of this clone, as it was at Red."""
    kept = local_refs.find(project, wanted)
    names, total = local_refs.left_out(project, kept.commit, kept.base)
    made = _lay_out(project, kept.commit, kept.base, worktree)
    return {"from": refs.local(kept.name), "commit": kept.commit, "base": kept.base, "at_unix": kept.at_unix,
            "left_out": names, "left_out_total": total, "pending_in": None, **made}  # fmt: skip


def restore_campaign(project: str, settings: Settings, campaign: str, worktree: str) -> dict[str, Any]:
    """The work of a campaign as it was last pulled or fetched; the remote is not asked."""
    remote = configured(project, settings, 0.0, is_asked=False)
    names = list(remote.known(refs.FETCHED))
    if not names:
        raise SafepointError(f"nothing of {remote.name} is here yet: {to_type('pull')}")
    name = chosen(project, settings, remote, names, campaign)
    content = checked(remote, name, remote.known(refs.FETCHED)[name])
    meta = content.meta
    _check_parent(remote, content)
    base = meta["base_commit_sha"]
    names = meta["left_out"]
    total = max(len(names), local_refs.left_out(project, meta["work_sha"], base)[1])
    made = _lay_out(project, meta["work_sha"], base, worktree)
    offered = _offer_there(project, settings, content, made["folder"]) if worktree else None
    return {"from": refs.of(refs.FETCHED, remote.name, name), "commit": meta["work_sha"], "base": base,
            "at_unix": meta["created_at_unix"], "left_out": names, "left_out_total": total,
            "pending_in": offered, **made}  # fmt: skip


def _lay_out(project: str, work: str, base: str, worktree: str) -> dict[str, Any]:
    if worktree:
        return restore.into_worktree(project, work, base, worktree)
    if work == base:
        raise SafepointError(
            f"that machine had no changes that were not committed; its commit is {base[:12]}:"
            f" git switch --detach {base[:12]}, or add --worktree PATH to the command"
        )
    return restore.into_tree(project, work, base)


def _check_parent(remote: Remote, content: Content) -> None:
    """What a bundle calls its work has to be what it was fetched with."""
    git, meta = Git(remote.project), content.meta
    parents = git.run(["rev-list", "--parents", "-n", "1", content.sha]).text.split()[1:]
    work = meta["work_sha"]
    if not refs.is_id(work) or work not in parents:
        raise SafepointError(f"{content.sha} is no sound bundle: its work is not its parent")
    base = meta["base_commit_sha"]
    above = git.run(["rev-list", "--parents", "-n", "1", work]).text.split()[1:]
    if work != base and above != ([base] if base else []):
        raise SafepointError(f"{content.sha} is no sound bundle: its work does not stand on its base")


def _offer_there(project: str, settings: Settings, content: Content, folder: str) -> str | None:
    """A chat in the new work tree is shown the handoff, and one here no more: it is to be taken once."""
    top = Path(Git(project).top).resolve()
    below = Path(project).resolve().relative_to(top)
    target = Path(folder) / below
    if not target.is_dir():
        return None
    try:
        taken = bundle_take.take(Paths(str(target)), content, settings, time.time())
    except OSError as error:
        raise SafepointError(
            f"the work is in {folder}, but its handoff could not be offered there ({error.filename}:"
            f" {error.strerror}). To try once more:"
            f" {to_type('pull', content.meta['campaign'], '--again', '--project', str(target))}"
        ) from error
    here, key = Paths(project), session_key(content.meta["session_id"])
    if taken.pending:
        for item in pending.listed(here):
            if item.key == key and item.claim is None:
                pending.settle(here, key)
    return str(target) if taken.pending else None
