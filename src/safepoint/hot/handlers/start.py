"""A session begins (or its model changed): offer what is pending; after a compaction, a short brief."""

from __future__ import annotations

import os

from .. import events as ev
from ..session import was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..decisions import Decision
    from ..handover import Found
    from ..hook import Hook
    from ..shapes import Record

NEW = ("startup", "clear", "")  # sources that begin a chat; Cursor gives none


def handle(hook: Hook) -> Decision | None:
    """What the new session is shown, if anything."""
    from ..stores.paths import pending_exist

    event, found = hook.event, None
    is_new = event.kind == ev.SESSION_START and event.source in NEW and hook.is_main
    came = _look_at_remote(hook) if is_new else []
    if is_new and pending_exist(hook.paths):
        from ..handover import look

        found = look(hook)
    with hook.store.locked(hook.lock_s):
        state = hook.store.load()
        if was_seen(state, hook.key):
            return None
        record = hook.observe(state)
        _recall_window(hook, record)
        hook.store.write(record)
        if event.kind == ev.SESSION_START and hook.is_main:
            _place(hook)
        decision = _decide(hook, found, came)
        hook.store.save()
    _tidy(hook)
    return decision


def _tidy(hook: Hook) -> None:
    """Once a day: sessions that are long over out of the way. The lock is free by now."""
    from ..stores.paths import prune_is_due

    limits = hook.settings.get("housekeeping")
    is_off = limits is not None and limits["mode"] == "off"
    if is_off or not hook.is_main or not prune_is_due(hook.paths, hook.event.now):
        return
    from ..stores import pruning, retention

    pruning.daily(hook.paths, limits or retention.DEFAULTS, hook.event.now)


def _recall_window(hook: Hook, record: Record) -> None:
    """The window that this host has stated for this model before, where it says nothing now."""
    if "window" not in record and hook.event.model and os.path.exists(hook.paths.learned()):
        from ..stores.learned import window

        known = window(hook.paths, hook.event.host, hook.event.model)
        if known:
            record["learned"] = known


def _place(hook: Hook) -> None:
    """Campaign, step and the tracker file that points to them."""
    from .. import places

    places.update(hook)


def _look_at_remote(hook: Hook) -> list[str]:
    """Where campaigns travel by git and the settings say so: what the user is told of it."""
    sync = hook.settings.get("sync")
    if sync is None or sync["auto"] != "fetch":
        return []
    from ..sync_start import look

    return look(hook)


def _decide(hook: Hook, found: Found | None, came: list[str]) -> Decision | None:
    context: list[tuple[str, str]] = []
    lines = [*came]
    if found is not None:
        from ..handover import show

        context = show(hook, found)
        if found.unread:
            lines.append(hook.say("unread_handoffs_user", list=found.unread[:5]))
    if hook.event.source == "compact" and hook.is_main:
        brief = _brief(hook)
        if brief:
            context.append(("brief", brief))
    if hook.event.kind == ev.SESSION_START and hook.is_main:
        lines += _settings_trouble(hook)
    if not context and not lines:
        return None
    from ..decisions import Decision

    decision = Decision(user="\n".join(lines))
    decision.context = context
    return decision


def _settings_trouble(hook: Hook) -> list[str]:
    """What people have set and the hooks do not go by."""
    lines = []
    if os.environ.get("SAFEPOINT") or os.path.lexists(hook.hooks_dir + "/settings.local.json"):
        from ..switches import complaints

        for key, facts in complaints(hook.hooks_dir, os.environ):
            lines.append(hook.say(key, **{**facts, "where": hook.paths.relative(facts["where"])}))
    if _manifest_has_changed(hook):
        name = hook.paths.relative(hook.hooks_dir + "/manifest.yaml")
        lines.append(hook.say("manifest_changed_user", manifest=name))
    return lines


def _manifest_has_changed(hook: Hook) -> bool:
    """Whether somebody has edited the manifest and not compiled it; none at all is no change."""
    manifest = hook.hooks_dir + "/manifest.yaml"
    try:
        if os.stat(manifest).st_mtime_ns <= os.stat(hook.hooks_dir + "/settings.json").st_mtime_ns:
            return False  # compiled since: seen without loading what tells by the content
    except OSError:
        return False
    from ..digest import sha256_hex
    from ..files import read_bytes

    try:
        data = read_bytes(manifest)
    except OSError:
        return False
    return sha256_hex(data) != hook.settings["manifest_sha256"]


def _brief(hook: Hook) -> str:
    """After a compaction: where the work stands. Nothing where this repository hands over instead."""
    from ..policies import resume_point
    from ..resume_text import brief

    state = hook.store.state
    if state["latch"] is not None or not state["tool_calls"]:
        return ""
    point = resume_point.build(state, "compact", int(hook.event.now))
    key = hook.session_key
    return brief(
        point,
        language=hook.settings["language"],
        constraints=hook.settings["handoff"]["recovery_constraints"],
        path=hook.paths.relative(hook.paths.pre_compact(key)),
    )
