"""`safepoint doctor`: is the installation of a project whole, and do its hooks do what they are for?

One function for each kind of finding, in `CHECKS`. They look and change nothing; `repair` does what is safe.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .. import install, install_record, manifest, shipped
from .. import project as projects
from ..carry_out import carry_out
from ..counted import counted
from ..errors import SafepointError
from ..hook_process import find_project
from ..hot import runtime
from ..hot.files import read_bytes
from ..hot.shapes import Settings
from . import commands, hosts, installation, interpreter, others, sessions, settings
from .findings import Check, Finding, Fix, Site

__all__ = ["CHECKS", "Finding", "Site", "examine", "repair", "site_of"]


def _events(site: Site) -> Iterator[Finding]:
    newest = sessions.cursor_version(site) or hosts.versions(site).get("Cursor", "")
    return others.unknown_events(site, newest)


def _hosts(site: Site) -> Iterator[Finding]:
    return hosts.hosts(site, sessions.cursor_version(site))


CHECKS: tuple[Check, ...] = (
    installation.record, installation.files, commands.foreign_link, settings.settings, settings.switched,
    installation.registrations, installation.status_line, interpreter.interpreter, interpreter.bytecode,
    commands.commands, commands.deny, others.twice, others.of_another_project, others.shared, _events,
    installation.privacy, sessions.size, sessions.errors, sessions.windows, _hosts,
)  # fmt: skip


def site_of(path: str) -> Site:
    project = projects.find(find_project(path))
    record = install_record.read(project) or install_record.guess(project)
    environment = dict(os.environ)
    return Site(project, record, _settings(project), Path.home(), environment)


def _settings(project: projects.Project) -> Settings | None:
    """What the hooks go by; None where it cannot be read, or is not what the compiler makes."""
    hooks = project.file(shipped.HOOKS)
    try:
        found = manifest.compiled(read_bytes(str(hooks / "settings.json")))
        return runtime.read_settings(str(hooks)) if found else None
    except (OSError, ValueError):
        return None


def examine(site: Site) -> list[Finding]:
    """What there is to say, in the order in which one thing rests on another."""
    first = list(installation.record(site))
    if site.record is None:
        return [*first, *interpreter.interpreter(site), *_hosts(site)]
    return [*first, *(finding for check in CHECKS[1:] for finding in _found(check, site))]


def _found(check: Check, site: Site) -> Iterator[Finding]:
    """What a check finds; where a file kept it from looking, that."""
    try:
        yield from check(site)
    except SafepointError as error:
        yield Finding("files", "problem", str(error), "Then run this again: not all could be looked at.")


def _install_again(project: projects.Project, only_compile: bool) -> str:
    """What came of it. A mistake in the manifest keeps the files from coming back no more than it must."""
    wish = install.Wish(keep_settings=not only_compile)
    try:
        plan = carry_out(lambda: install.plan_install(project, wish, only_compile), project)
    except SafepointError as error:
        return f"{'not compiled' if only_compile else 'not installed again'}: {error}"
    changed = len(plan.changes) if plan else 0
    what = "compiled the manifest" if only_compile else "installed again"
    return f"{what}: {counted(changed, 'file')} changed"


def repair(site: Site, findings: list[Finding]) -> list[str]:
    """Do what the findings offer; what was done."""
    wanted: set[Fix] = {finding.fix for finding in findings if finding.fix}
    done = []
    if wanted & {"install", "generate"} and site.record is not None:
        done.append(_install_again(site.project, only_compile="install" not in wanted))
    if "modes" in wanted:
        for name in installation.open_to_others(site):
            path = site.project.file(name)
            path.chmod(path.stat().st_mode & 0o700)
            done.append(f"made private: {name}")
    return done
