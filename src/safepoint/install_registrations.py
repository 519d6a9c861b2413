"""Parts of ours in files of other people's: hooks, servers, git's exclude file; and out of them again."""

from __future__ import annotations

import json
import shlex

from . import (
    backups,
    embedded_hooks,
    hook_commands,
    hook_files,
    install_record,
    mcp_files,
    registered_parts,
    registration,
    status_line_file,
    text_block,
)
from . import project as projects
from .changes import Change
from .hook_files import Form
from .install_draft import Draft
from .install_plan import CLAUDE_FILE, CLAUDE_LOCAL, CURSOR_FILE, EXCLUDE, HOOKS
from .install_record import Registration
from .project import Project
from .registered_parts import Wanted

_HOOKS: tuple[Form, ...] = ("cursor", "claude")


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
        return hook_commands.events_of_others(draft.project.read(path), path, form, draft.project.root)
    except hook_files.HookFileError as error:
        draft.notes.append(str(error))  # refused below, if it is a file that we have to change
        return set()


def register(draft: Draft) -> None:
    old = draft.old["registrations"] if draft.old else {}
    for path, wanted in _wanted(draft).items():
        before, known = draft.project.read(path), old.get(path)
        _leave_to_users_lines(draft, path, before, wanted)
        content, made = registered_parts.merge(before, path, wanted, known["parts"] if known else {})
        backup = known["backup"] if known else _back_up(draft, path, before, content)
        draft.registrations[path] = {"parts": made, "backup": backup}
        draft.change(path, content)
    for path, known in old.items():
        if path not in draft.registrations:
            withdraw(draft.project, path, known, draft.changes, draft.notes)


def _wanted(draft: Draft) -> dict[str, Wanted]:
    """What has to stand in which file."""
    wanted: dict[str, Wanted] = {}
    if "cursor" in draft.hosts:
        hooks = registration.cursor_hooks(draft.events, draft.python)["hooks"]
        wanted[CURSOR_FILE] = {"cursor": {event: groups[0] for event, groups in hooks.items()}}
    if "claude_code" in draft.hosts:
        hooks = registration.claude_settings(draft.python)["hooks"]
        path = CLAUDE_LOCAL if draft.scope == "local" else CLAUDE_FILE
        wanted[path] = {"claude": {event: groups[0] for event, groups in hooks.items()}}
        if draft.status_line:
            wanted[path]["status_line"] = draft.python
    for host, path in draft.server_files().items():
        started = mcp_files.entry(host)
        wanted[path] = {"mcp": started}
        if not mcp_files.is_portable(started):
            draft.notes.append(
                f"{path} names {started['command']}, since no `safepoint` is on the PATH here: "
                "it works on this machine only."
            )
    return wanted


def _leave_to_users_lines(draft: Draft, path: str, before: bytes | None, wanted: Wanted) -> None:
    """Take out of `wanted` what a command line of the user's own does already, and say so."""
    for form in set(wanted) & set(_HOOKS):
        found = embedded_hooks.doing(before, form, wanted[form], draft.project.root)
        if found:
            wanted[form] = {event: entry for event, entry in wanted[form].items() if event not in found}
            draft.notes.append(embedded_hooks.kept(path, found))


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


def tell_status_line(draft: Draft) -> None:
    """What a person has to know of a status line that is new here."""
    old = draft.old["registrations"] if draft.old else {}
    paths = [path for path, known in draft.registrations.items() if "status_line" in known["parts"]]
    if not draft.status_line or any("status_line" in known["parts"] for known in old.values()):
        return
    if not paths:
        draft.notes.append("--with-statusline: only Claude Code has a status line in a project's settings.")
    if CLAUDE_FILE in paths and status_line_file.command_in(draft.project.read(CLAUDE_LOCAL)):
        draft.notes.append(f"{CLAUDE_LOCAL} has a status line of its own, which hides Safepoint's.")
    if "cursor" in draft.hosts:
        entry = {"type": "command", "command": shlex.join([*mcp_files.launcher(), "statusline"])}
        draft.notes.append(
            "Cursor's command line reads a status line from ~/.cursor/cli-config.json alone, which is yours "
            f'and holds for every project. To have it there, add "statusLine": {json.dumps(entry)}'
        )


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
    after = registered_parts.withdraw(before, path, known["parts"]) if before is not None else None
    changes.append(Change(path, project.file(path), before, after))
    for form in set(known["parts"]) & set(_HOOKS):
        events = sorted({line.event for line in embedded_hooks.lines(after, form, project.root)})
        notes += [embedded_hooks.left(path, events)] if events else []
        in_doubt = embedded_hooks.lines(after, form, project.root, in_doubt=True)
        doubtful = sorted({line.event for line in in_doubt})
        notes += [embedded_hooks.left_in_doubt(path, doubtful)] if doubtful else []
    backup = known["backup"]
    if backup is None:
        return
    copy = project.read(backup)
    if copy == after:
        changes.append(Change(backup, project.file(backup), copy, None))
    elif copy is not None:
        notes.append(f"{path} was edited since the installation; as it was before, it is kept in {backup}.")
