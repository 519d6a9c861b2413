"""`safepoint pull`: a campaign of another machine, so that a new chat here is shown its handoff."""

from __future__ import annotations

import time
from typing import Any

from ..called_as import to_type
from ..errors import SafepointError
from ..hot import campaign_refs as refs
from ..hot import handover
from ..hot.shapes import Settings
from ..hot.slugs import slugify
from ..hot.stores import bundle_take, pending
from ..hot.stores.bundles import BundleError, Content
from ..hot.stores.paths import Paths
from ..place import place
from ..unknown_name import instead_of, listed
from .git import Git
from .remote import Remote, configured, who


def pull(
    project: str, settings: Settings, campaign: str, *, again: bool = False, timeout_s: float = 120.0
) -> dict[str, Any]:
    """Fetch one campaign and make its handoff pending here. Raises SafepointError."""
    remote = configured(project, settings, timeout_s)
    there = remote.there()
    name = chosen(project, settings, remote, list(there), campaign)
    before = remote.known(refs.BASE).get(name)
    if remote.known(refs.FETCHED).get(name) != there[name]:
        remote.fetch([name])
    sha = remote.known(refs.FETCHED).get(name, "")
    content = checked(remote, name, sha)
    result = told(content, remote, name)
    if before == sha and not again:
        return {**result, "new": False, "pending": False, "shown_first": "", "written": [], "moved": [],
                "kept": []}  # fmt: skip
    try:
        taken = bundle_take.take(Paths(project), content, settings, time.time())
    except OSError as error:
        raise SafepointError(f"{error.filename}: {error.strerror}; nothing is pending yet") from error
    remote.point(refs.BASE, name, sha)
    return {
        **result, "new": True, "pending": taken.pending, "id": taken.key,
        "shown_first": _shown_first(project, settings), "written": taken.written,
        "moved": taken.moved, "kept": taken.kept,
    }  # fmt: skip


def _shown_first(project: str, settings: Settings) -> str:
    """The id of the handoff that a new chat here is shown; "" for none."""
    ready = handover.in_order(pending.listed(Paths(project)), settings, project, time.time())
    return ready[0].key if ready else ""


def chosen(project: str, settings: Settings, remote: Remote, names: list[str], campaign: str) -> str:
    """The name of the campaign meant: the one given, that of this folder, or the only one there."""
    known = sorted(names)
    if campaign:
        found = refs.choose(names, [campaign, slugify(campaign)]) if names else ""
        if found in (campaign, refs.name_of(campaign), refs.name_of(slugify(campaign))):
            return found
        raise SafepointError(f"{remote.name} has no campaign {campaign!r}{instead_of(campaign, known)}")
    try:
        here = place(project, settings).slug
    except SafepointError:  # no campaign is open in this folder
        here = ""
    found = refs.choose(names, [here])
    if not found:
        hint = f"name one: {to_type('pull', 'CAMPAIGN')}" if names else f"one is sent by: {to_type('push')}"
        raise SafepointError(f"which campaign? {remote.name} has: {listed(known) or 'none'}; {hint}")
    return found


def checked(remote: Remote, name: str, sha: str) -> Content:
    """The bundle, which has to be of the campaign whose ref it was under."""
    try:
        content = remote.read(sha)
    except BundleError as error:
        raise SafepointError(
            f"{refs.ROOT}{name} on {remote.name} was not taken over: {error}. It stays as fetched:"
            f" git show {refs.of(refs.FETCHED, remote.name, name)}"
        ) from error
    if refs.name_of(content.meta["campaign"]) != name:
        raise SafepointError(
            f"{refs.ROOT}{name} on {remote.name} was not taken over: it holds {content.meta['campaign']}"
        )
    return content


def told(content: Content, remote: Remote, name: str) -> dict[str, Any]:
    """What a bundle says of itself, and how this clone stands to its commit."""
    meta, git = content.meta, Git(remote.project)
    base = meta["base_commit_sha"]
    return {
        "campaign": meta["campaign"], "remote": remote.name, "ref": refs.ROOT + name, "commit": content.sha,
        "by": meta["by"], "machine": meta["machine"], "created_at_unix": meta["created_at_unix"],
        "who": who(content), "session_id": meta["session_id"], "host": meta["host"],
        "branch": meta["branch"], "base": base, "work": meta["work_sha"],
        "has_work": meta["work_sha"] not in ("", base), "left_out": meta["left_out"],
        "at_base": git.commit_of("HEAD") == base,
    }  # fmt: skip
