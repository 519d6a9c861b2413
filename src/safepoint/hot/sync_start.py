"""A chat begins where campaigns travel by git: is there one on the remote that it would go on with?

Within the deadline of git: what the remote has not told by then is left for `safepoint pull`.
"""

from __future__ import annotations

import os
import time

from . import campaign_refs as refs
from .deadline import left_s
from .quoting import safe
from .slugs import slugify
from .stores import bundles
from .work_commit import point

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook

SPARE_S = 0.5  # of the process's own deadline: what comes after this needs time as well
READ_S = 0.3


def look(hook: Hook) -> list[str]:
    """Make the campaign's handoff pending here, if it is a new one. Lines for the user; never raises."""
    settings = hook.settings.get("sync")
    if settings is None or not settings["remote"]:
        return []
    until = time.monotonic() + min(hook.settings["deadlines"]["git_s"], left_s() - SPARE_S)
    remote = settings["remote"]
    try:
        return _look(hook, remote, until)
    except (refs.RemoteError, bundles.BundleError, OSError) as error:
        from .faults import log

        log(hook, "sync", error)
        return [hook.say("sync_trouble_user", remote=remote, why=str(error).split("\n")[0][:200])]


def _look(hook: Hook, remote: str, until: float) -> list[str]:
    project = hook.event.project
    if not refs.has_remote(project, remote):
        raise refs.RemoteError(f"this clone has no remote {remote}")
    there = refs.on_remote(project, remote, _left(until))
    name = _chosen(hook, sorted(there))
    if not name or there[name] in _known(project, remote, name, until):
        return []
    refs.fetch(project, remote, [name], _left(until) - READ_S)
    sha = refs.known(project, refs.of(refs.FETCHED, remote), _left(until)).get(name, "")
    from .stores import bundle_take
    from .stores.folders import prepare

    prepare(hook.paths)
    content = bundles.read(project, sha, _left(until))
    taken = bundle_take.take(hook.paths, content, hook.settings, hook.event.now)
    point(project, refs.of(refs.TAKEN, remote, name), sha, READ_S)
    return _lines(hook, content, remote) if taken.pending else []


def _known(project: str, remote: str, name: str, until: float) -> list[str]:
    """What was pushed, pulled or taken here before."""
    found = [refs.known(project, refs.of(kind, remote), _left(until)) for kind in (refs.BASE, refs.TAKEN)]
    return [kind[name] for kind in found if name in kind]


def _lines(hook: Hook, content: bundles.Content, remote: str) -> list[str]:
    meta = content.meta
    slug, by, machine = meta["campaign"], safe(meta["by"], 80), safe(meta["machine"], 80)
    lines = [hook.say("sync_came_user", slug=slug, by=by, machine=machine, remote=remote)]
    if meta["work_sha"] not in ("", meta["base_commit_sha"]):
        lines.append(hook.say("sync_work_user", slug=slug))
    return lines


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0.05:
        raise refs.RemoteError("no time is left in this hook")
    return left


def _chosen(hook: Hook, names: list[str]) -> str:
    """That of the environment or the branch; in a clone where no chat ever was, the only one as well."""
    from .stores import unnamed

    named = os.environ.get("SAFEPOINT_CAMPAIGN", "").strip()
    branch, by = unnamed.name(hook.event.project, hook.event.session_id)
    wanted = [slugify(named) if named else None, slugify(branch) if by != "session" else None]
    found = refs.choose(names, [*wanted])
    if found in [refs.name_of(slug) for slug in wanted if slug] or not _was_used(hook):
        return found
    return ""


def _was_used(hook: Hook) -> bool:
    try:
        return any(name.endswith(".journal.jsonl") for name in os.listdir(hook.paths.session))
    except OSError:
        return False
