"""Is everything there, is it what was installed, and is it registered?"""

from __future__ import annotations

import os
from collections.abc import Iterator

from .. import hook_files, jsonc, project, registration, shipped, status_line_file
from ..called_as import to_type
from ..errors import SafepointError
from ..hot.stores.paths import ROOT
from ..install_plan import CLAUDE_FILE, CLAUDE_LOCAL
from ..install_record import PATH as RECORD
from ..install_record import digest
from . import registered
from .findings import Finding, Site, listed

PRIVATE = (".session", ".tracking")
EDITABLE = ("manifest.yaml", "README.md", "SAFEPOINT.md", "settings.json")


def record(site: Site) -> Iterator[Finding]:
    """What was installed, of which version."""
    again = to_type("install", str(site.path))
    if site.record is None or not site.record["files"]:
        yield Finding("installed", "problem", "Safepoint is not installed here.", again)
        return
    if site.project.read(RECORD) is None:
        text = f"{RECORD} is gone; what was installed is told from the files."
        yield Finding("installed", "problem", text, "Restore it from git, or install again.", "install")
    here, ours = site.record["version"], shipped.version()
    hosts = " and ".join(site.record["hosts"])
    if here and here != ours:
        text = f"Version {here} is installed for {hosts}; this command is {ours}."
        yield Finding("installed", "note", text, again)
    else:
        yield Finding(
            "installed", "ok", f"Version {here or ours} for {hosts}, {site.record['events']} events."
        )


def files(site: Site) -> Iterator[Finding]:
    """Every file of the record, by its digest. Those that are yours to edit only have to be there."""
    gone, changed = [], []
    for path, sha256 in (site.record["files"] if site.record else {}).items():
        content = site.project.read(path)
        if content is None:
            gone.append(path)
        elif digest(content) != sha256 and path.startswith(shipped.HOOKS) and not path.endswith(EDITABLE):
            changed.append(path)
    remedy = "Install again, or restore them from git."
    if gone:
        yield Finding("files", "problem", f"{len(gone)} missing: {listed(gone)}", remedy, "install")
    if changed:
        text = f"{len(changed)} not as installed: {listed(changed)}"
        yield Finding("files", "problem", text, remedy, "install")
    if site.record and not (gone or changed):
        yield Finding("files", "ok", f"{len(site.record['files'])} files are as they were installed.")


def registrations(site: Site) -> Iterator[Finding]:
    """Every event of this installation is registered, with its command line, in a file that can be read."""
    if site.record is None:
        return
    found = [entry for entry in registered.in_project(site) if entry.is_ours or entry.is_embedded]
    wanted = {
        "cursor": registration.CURSOR[site.record["events"]],
        "claude_code": registration.CLAUDE,
    }
    for path, how in site.record["registrations"].items():
        if "mcp" in how["parts"]:
            continue
        trouble = _unreadable(site, path)
        if trouble:
            remedy = "Correct the file: a host that cannot read it runs none of its hooks."
            yield Finding("registered", "problem", trouble, remedy)
            continue
        host = "cursor" if "cursor" in how["parts"] else "claude_code"
        there = {entry.event: entry.command for entry in found if entry.file == path}
        lacking = sorted(event for event in wanted[host] if event not in there)
        wrong = sorted(
            event
            for event, name in wanted[host].items()
            if event in there and f"import {name} as h" not in there[event]
        )
        if lacking or wrong:
            text = (
                f"{path}: {listed(lacking or wrong)} {'not registered' if lacking else 'of another version'}"
            )
            yield Finding("registered", "problem", text, "Install again.", "install")
        else:
            yield Finding("registered", "ok", f"{path}: {len(there)} events.")


def status_line(site: Site) -> Iterator[Finding]:
    """Where it was asked for, the status line is ours and no nearer settings file hides it."""
    known = site.record["registrations"] if site.record else {}
    for path in [path for path, how in known.items() if "status_line" in how["parts"]]:
        if not status_line_file.is_registered(site.project.read(path)):
            text = f"{path}: the status line is not Safepoint's any more."
            yield Finding("registered", "problem", text, "Install again; it runs yours beside.", "install")
        elif path == CLAUDE_FILE and status_line_file.command_in(site.project.read(CLAUDE_LOCAL)):
            text = f"{CLAUDE_LOCAL} has a status line of its own, which hides Safepoint's."
            yield Finding("registered", "note", text, "Take one of the two out.")


def _unreadable(site: Site, path: str) -> str:
    try:
        project.check_links(site.project, path, cursor_reads=path.startswith(".cursor"))
        text, _ = hook_files.decode(site.project.read(path), path)
        jsonc.parse(text or "{}")
    except SafepointError as error:
        return str(error)
    except jsonc.JsoncError as error:
        return f"{path}:{error.line}:{error.column}: {error.message}"
    return ""


def privacy(site: Site) -> Iterator[Finding]:
    """What sessions left is for its owner alone."""
    readable = open_to_others(site)
    if readable:
        text = f"Others on this machine can look into {listed(readable)}."
        yield Finding("privacy", "problem", text, "chmod go= on these.", "modes")


def open_to_others(site: Site) -> list[str]:
    """State folders with a bit set for group or world; in a private one the modes of files do not matter."""
    if os.name == "nt":
        return []
    folders = (f"{ROOT}/{name}" for name in PRIVATE)
    found = []
    for name in folders:
        path = site.project.file(name)
        if path.is_dir() and not path.is_symlink() and path.stat().st_mode & 0o077:
            found.append(name)
    return found
