"""Campaign, step and tracker are looked up anew only when something has changed that they are made from."""

from __future__ import annotations

import os

from .events import short_key
from .git_files import head_text
from .session import CAMPAIGN, PLACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook

MAX_ENTRIES = 2000
ENV_NAME = "SAFEPOINT_CAMPAIGN"


def update(hook: Hook) -> None:
    """Have the session's campaign, step and tracker as the project's files say. Its lock is held."""
    known = hook.store.state["places"]
    if known and _key(hook) == known:
        return
    from .stores import tracker_file

    if not known and _nothing_names_one(hook):
        _go_by_branch(hook)
    else:
        from .campaign import refresh

        refresh(hook)
    tracker_file.write(hook.paths, hook.session_key, hook.store.state)
    hook.store.write(hook.record(PLACES, name=_key(hook)))


def _nothing_names_one(hook: Hook) -> bool:
    """True for a new session where neither variable, tracker, report nor envelope could name its campaign."""
    paths, campaign = hook.paths, hook.settings["campaign"]
    return (
        not os.environ.get(ENV_NAME, "").strip()
        and not hook.store.state["campaign_slug"]
        and not os.path.lexists(paths.tracker(hook.session_key))
        and not _entries(f"{paths.project}/{campaign['report_dir']}")
        and not _entries(f"{paths.project}/{campaign['artifact_dir']}")
    )


def _go_by_branch(hook: Hook) -> None:
    """What `campaign.refresh` would find there, without loading what reads all the others."""
    from .redact import redact
    from .slugs import slugify
    from .stores import unnamed

    name, by = unnamed.name(hook.paths.project, hook.event.session_id)
    hook.store.write(hook.record(CAMPAIGN, name=slugify(redact(name)), reason=by, text=""))


def _key(hook: Hook) -> str:
    """Another one for every change that could matter: of a variable, HEAD, a file's time or size."""
    paths, state, campaign = hook.paths, hook.store.state, hook.settings["campaign"]
    slug = state["campaign_slug"]
    parts = [
        os.environ.get(ENV_NAME, ""), head_text(paths.project), str(state["git"].get("branch")),
        slug, state["campaign_by"], state["report"], state["workflow_step"], state["orchestrator_phase"],
        _mark(paths.tracker(hook.session_key)), str(os.path.exists(paths.handoff(hook.session_key))),
        str(bool(slug) and os.path.exists(paths.resume_point(slug, state["session_id"]))),
        _mark(f"{paths.project}/{state['report']}") if state["report"] else "",
    ]  # fmt: skip
    for name in (campaign["report_dir"], campaign["artifact_dir"]):
        parts += _entries(f"{paths.project}/{name}")
    return short_key("\n".join(parts))


def _mark(path: str) -> str:
    try:
        info = os.lstat(path)
    except (OSError, ValueError):
        return "-"
    return f"{info.st_mtime_ns} {info.st_size} {info.st_ino}"


def _entries(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))[:MAX_ENTRIES]
    except (OSError, ValueError):
        return []
    return [f"{name} {_mark(f'{folder}/{name}')}" for name in names if name.endswith(".md")]
