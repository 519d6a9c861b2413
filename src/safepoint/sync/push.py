"""`safepoint push`: the campaign's handoff and the work in progress, to the remote, over nothing unseen."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..called_as import to_type
from ..errors import SafepointError
from ..hot import campaign_refs as refs
from ..hot import wire, work_commit
from ..hot.shapes import Bundle, Settings
from ..hot.stores import bundles
from ..hot.stores.paths import Paths, session_key
from ..place import Place, place
from . import outgoing, pack
from .git import LOCAL_S, Git
from .remote import Remote, configured, state_folders, who
from .secrets_scan import Finding


def push(
    project: str, settings: Settings, campaign: str, *, allow: Sequence[str] = (),
    leave_out: Sequence[str] = (), force: bool = False, timeout_s: float = 120.0,
) -> dict[str, Any]:  # fmt: skip
    """Send the campaign. Raises SafepointError: no remote, a secret, somebody else was first, a refusal."""
    remote = configured(project, settings, timeout_s)
    git, where = Git(project), place(project, settings, campaign, to_type("push", "SLUG"))
    state_folders(project)
    name, every = refs.name_of(where.slug), remote.every_ref()
    made = _work(where, leave_out)
    there = every.get(refs.ROOT + name, "")
    before = _pushed(remote, name, there)
    if before and (same := _unchanged(where, git, made, before)):
        return _result(remote, where, name, there, same, made)
    bundle = _bundle(where, git, made.sha, made, int(time.time()))
    sha = pack.commit(git, bundle.tree, made.sha, f"Safepoint campaign {where.slug}")
    _check_own(remote, sha)
    expected = _expected(remote, where, name, there, force)
    found, unused = outgoing.secrets(git, sha, remote.name, every, allow)
    if found:
        raise SafepointError(_secrets_text(found))
    if not remote.push(sha, name, expected):
        raise SafepointError(_told(remote, where, name))
    for kind in (refs.FETCHED, refs.BASE):
        remote.point(kind, name, sha)
    sent = _result(remote, where, name, sha, bundle, made)
    return {**sent, "new": True, "replaced": expected or None, "unused_allow": unused}


class _Bundle(NamedTuple):
    """What is sent of a campaign: `tree` holds its files. `work` is the commit of its work."""

    tree: str
    work: str
    source: pack.Source
    meta: Bundle


def _bundle(where: Place, git: Git, work: str, made: work_commit.WorkCommit, now: int) -> _Bundle:
    source = pack.source_of(where, now)
    files = pack.files_of(where, source)
    meta = pack.meta_of(where, source, git, work, made.base, made.left_out, now)
    meta["in_work"] = pack.in_work(where, git, work, list(files))
    files = {bundles.META: wire.dumps(meta, indent=2).encode("ascii"), **files}
    return _Bundle(pack.tree_of(git, files), work, source, meta)


def _pushed(remote: Remote, name: str, there: str) -> bundles.Content | None:
    """The bundle on the remote, where it is the one that this clone has pushed or pulled last."""
    if not there or there != remote.known(refs.BASE).get(name):
        return None
    try:
        return remote.read(there)
    except bundles.BundleError:
        return None


def _unchanged(
    where: Place, git: Git, made: work_commit.WorkCommit, before: bundles.Content
) -> _Bundle | None:
    """What would be sent, made as of that time, if that is what is there already; else None."""
    work = before.meta["work_sha"]
    trees = [git.try_run(["rev-parse", "--verify", "-q", f"{one}^{{tree}}"]).text for one in (work, made.sha)]
    if made.base != before.meta["base_commit_sha"] or trees[0] != trees[1]:
        return None
    again = _bundle(where, git, work, made, before.meta["created_at_unix"])
    return again if again.tree == git.run(["rev-parse", f"{before.sha}^{{tree}}"]).text else None


def _result(
    remote: Remote, where: Place, name: str, sha: str, bundle: _Bundle, made: work_commit.WorkCommit
) -> dict[str, Any]:
    return {
        "campaign": where.slug, "remote": remote.name, "ref": refs.ROOT + name, "commit": sha,
        "session_id": bundle.source.session_id, "reason": bundle.meta["reason"], "work": bundle.work,
        "base": made.base, "has_work": bundle.work != made.base, "left_out": bundle.meta["left_out"],
        "new": False, "replaced": None, "unused_allow": [],
    }  # fmt: skip


def _work(where: Place, leave_out: Sequence[str]) -> work_commit.WorkCommit:
    message = f"Work in progress of {where.slug}"
    try:
        made = work_commit.make(
            where.paths.project, where.paths.session, message, LOCAL_S, work_commit.BY_COMMAND
        )
    except work_commit.WorkCommitError as error:
        raise SafepointError(f"the work in progress could not be put into a commit: {error}") from error
    if leave_out:
        git = Git(where.paths.project)
        made.sha = outgoing.without(git, made, leave_out, message)
        made.left_out += leave_out
    return made


def _check_own(remote: Remote, sha: str) -> None:
    """What the other machine would refuse is not sent."""
    try:
        remote.read(sha)
    except bundles.BundleError as error:
        raise SafepointError(f"this bundle would be refused on the other machine: {error}") from error


def _expected(remote: Remote, where: Place, name: str, there: str, force: bool) -> str:
    """What the ref has to be still when the push arrives: what is there, if that was seen and taken here."""
    if force or not there or there == remote.known(refs.BASE).get(name):
        return there
    if there == remote.known(refs.TAKEN).get(name) and _was_gone_on_from(remote, where.paths, there):
        return there
    raise SafepointError(_told(remote, where, name))


def _was_gone_on_from(remote: Remote, paths: Paths, sha: str) -> bool:
    """Whether a chat here has taken over the handoff of that bundle."""
    try:
        key = session_key(remote.read(sha).meta["session_id"])
    except bundles.BundleError:
        return False
    settled = os.path.splitext(paths.settled(key))[0] + ".claim"
    return os.path.exists(paths.claim(key)) or os.path.exists(settled)


def _told(remote: Remote, where: Place, name: str) -> str:
    """Who was first, and what can be done."""
    remote.fetch([name])
    sha = remote.known(refs.FETCHED).get(name, "")
    slug = where.slug
    try:
        content = remote.read(sha)
    except bundles.BundleError as error:
        return (
            f"{refs.ROOT}{name} on {remote.name} is no bundle of Safepoint's ({error}), so nothing was sent."
            f" If it may go: {to_type('push', slug, '--force')}"
        )
    meta = content.meta
    return (
        f"{slug} on {remote.name} was pushed by {who(content)} (chat {meta['session_id'][:13]},"
        f" {meta['host']}), and this clone has not taken that over. Nothing was sent.\n"
        f"To go on from it: {to_type('pull', slug)} (its handoff waits here then, beside yours)\n"
        f"To put yours in its place: {to_type('push', slug, '--force')} (theirs is {sha[:12]} in this clone)"
    )


def _secrets_text(found: Sequence[Finding]) -> str:
    lines = [f"  {one.path}: {one.why}" for one in found[:20]]
    more = [f"  and {len(found) - 20} more"] if len(found) > 20 else []
    first = found[0].path
    return "\n".join([
        "nothing was sent: these look like they hold secrets", *lines, *more,
        f"To send all but such a file: {to_type('push', '--leave-out', first)} (or have git ignore it).",
        f"If it is none: {to_type('push', '--allow', first)}",
        "One in a commit that was never pushed goes with that commit: take it out there.",
    ])  # fmt: skip
