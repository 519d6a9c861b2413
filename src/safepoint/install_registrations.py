"""Entries of ours in files of other people's: hooks, servers, git's exclude file; and out of them again."""

from __future__ import annotations

from typing import Any

from . import backups, hook_files, install_record, mcp_files, registration, text_block
from . import project as projects
from .changes import Change
from .hook_files import Form
from .install_draft import Draft
from .install_plan import CLAUDE_FILE, CLAUDE_LOCAL, CURSOR_FILE, EXCLUDE, HOOKS
from .install_record import Registration
from .project import Project


def shared_events(draft: Draft) -> dict[str, list[str]]:
    """Events on which other tools' hooks stand as well, as far as the project's files tell."""
    cursor = _others(draft, CURSOR_FILE, "cursor")
    claude = _others(draft, CLAUDE_FILE, "claude") | _others(draft, CLAUDE_LOCAL, "claude")
    mapped = {registration.CLAUDE_IN_CURSOR[event] for event in claude & set(registration.CLAUDE_IN_CURSOR)}
    return {
        "cursor": sorted((cursor | mapped) & set(registration.CURSOR_FULL)),
        "claude_code": sorted(claude & set(registration.CLAUDE)),
    }


def _others(draft: Draft, path: str, form: Form) -> set[str]:
    try:
        return hook_files.events_of_others(draft.project.read(path), path, form)
    except hook_files.HookFileError as error:
        draft.notes.append(str(error))  # refused below, if it is a file that we have to change
        return set()


def register(draft: Draft) -> None:
    wanted: list[tuple[str, Form, dict[str, Any]]] = []
    if "cursor" in draft.hosts:
        wanted.append((CURSOR_FILE, "cursor", registration.cursor_hooks(draft.events, draft.python)["hooks"]))
    if "claude_code" in draft.hosts:
        path = CLAUDE_LOCAL if draft.scope == "local" else CLAUDE_FILE
        wanted.append((path, "claude", registration.claude_settings(draft.python)["hooks"]))
    old = draft.old["registrations"] if draft.old else {}
    for path, form, events in wanted:
        before = draft.project.read(path)
        known = old.get(path)
        entries = {event: groups[0] for event, groups in events.items()}
        merged = hook_files.merge(before, path, form, entries, known["made"] if known else {})
        backup = known["backup"] if known else _back_up(draft, path, before, merged.content)
        draft.registrations[path] = {"form": form, "made": merged.made, "backup": backup}
        draft.change(path, merged.content)
    _register_servers(draft, old)
    for path, known in old.items():
        if path not in draft.registrations:
            withdraw(draft.project, path, known, draft.changes, draft.notes)


def _register_servers(draft: Draft, old: dict[str, Registration]) -> None:
    for host, path in draft.server_files().items():
        started, before, known = mcp_files.entry(host), draft.project.read(path), old.get(path)
        merged = mcp_files.merge(before, path, started, known["made"] if known else {})
        backup = known["backup"] if known else _back_up(draft, path, before, merged.content)
        draft.registrations[path] = {"form": "mcp", "made": merged.made, "backup": backup}
        draft.change(path, merged.content)
        if not mcp_files.is_portable(started):
            draft.notes.append(
                f"{path} names {started['command']}, since no `safepoint` is on the PATH here: "
                "it works on this machine only."
            )


def _back_up(draft: Draft, path: str, before: bytes | None, after: bytes | None) -> str | None:
    if before is None or before == after:
        return None
    backup = backups.of_users_file(path)
    draft.changes.append(backups.copy(draft.project, backup, before))
    return backup


def tell_move(draft: Draft) -> None:
    old = draft.old
    if old is None or old["scope"] == draft.scope:
        return
    gone = [path for path in old["registrations"] if path not in draft.registrations]
    came = [path for path in draft.registrations if path not in old["registrations"]]
    before, now = ("everybody", "you alone") if draft.scope == "local" else ("you alone", "everybody")
    text = f"It was installed for {before} and is now for {now}."
    if gone and came:
        text += f" The registration moves from {', '.join(gone)} to {', '.join(came)}."
    if draft.scope == "local" and any(projects.is_tracked(draft.project, path) for path in gone):
        text += " Once you commit that, colleagues have the hooks no more."
    draft.notes.append(text)


def add_exclude(draft: Draft) -> None:
    """A local installation is kept out of git without touching the shared .gitignore."""
    file = draft.project.exclude
    if file is None:
        return
    before = file.read_bytes() if file.is_file() else None
    after = text_block.take(before or b"")
    if draft.scope == "local":
        created = [path for path in draft.registrations if draft.registrations[path]["backup"] is None]
        own = [path for path in draft.files if "/_safepoint_" not in path]
        names = {*own, *created, install_record.PATH, f"{HOOKS}/{draft.package}/", f"{HOOKS}/backup/"}
        after = text_block.put(before, [_pattern(draft.project.prefix + name) for name in sorted(names)])
    if after != (before or b""):
        draft.changes.append(Change(EXCLUDE, file, before, after))


def _pattern(path: str) -> str:
    """A path as a line of git's exclude file."""
    return "/" + "".join("\\" + char if char in "*?[\\ #!" else char for char in path)


def withdraw(
    project: Project, path: str, known: Registration, changes: list[Change], notes: list[str]
) -> None:
    """Our entries out of a user's file, and the copy from before them away when it says the same."""
    before = project.read(path)
    after = None
    if before is not None:
        if known["form"] == "mcp":
            after = mcp_files.withdraw(before, path, known["made"]).content
        else:
            after = hook_files.withdraw(before, path, known["form"], known["made"]).content
    changes.append(Change(path, project.file(path), before, after))
    backup = known["backup"]
    if backup is None:
        return
    copy = project.read(backup)
    if copy == after:
        changes.append(Change(backup, project.file(backup), copy, None))
    elif copy is not None:
        notes.append(f"{path} was edited since the installation; as it was before, it is kept in {backup}.")
