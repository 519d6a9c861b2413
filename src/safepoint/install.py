"""Installing Safepoint in a repository: a plan made of what is there; `carry_out` does it."""

from __future__ import annotations

from . import backups, install_record, shipped, state_files
from . import changes as files
from . import install_checks as checks
from . import install_own_files as own_files
from . import install_registrations as registrations
from .changes import Change
from .install_draft import Draft
from .install_plan import EXCLUDE, HOOKS, Plan, Wish, clear_packages, language_of_locale
from .install_record import InstallRecord
from .project import Project

__all__ = ["Plan", "Wish", "language_of_locale", "plan_install"]


def plan_install(project: Project, wish: Wish, recompile_only: bool = False) -> Plan:
    """`recompile_only`: what follows from the manifest and the registrations; the code stays as it is."""
    draft = Draft(project, wish, recompile_only)
    checks.check(draft)
    own_files.add(draft)
    registrations.register(draft)
    registrations.tell_move(draft)
    registrations.tell_status_line(draft)
    registrations.add_exclude(draft)
    own_files.drop_old(draft)  # last: hooks that are running may still import these
    backups.guard(project, draft.changes)
    return _finish(draft)


def _finish(draft: Draft) -> Plan:
    old = draft.old
    old_files = old["files"] if old else {}
    changes = files.needed(draft.changes)
    made = files.missing_folders(changes, draft.project.root)
    made = [path for path in made if not path.startswith((f"{HOOKS}/_safepoint_", f"{HOOKS}/backup"))]
    record: InstallRecord = {
        "schema_version": 1,
        "version": old["version"] if draft.recompile_only and old else shipped.version(),
        "package": draft.package,
        "hosts": draft.hosts,
        "events": draft.events,
        "scope": draft.scope,
        "files": dict(sorted(draft.files.items())),
        "created_folders": sorted({*(old["created_folders"] if old else ()), *made}),
        "registrations": draft.registrations,
        "workflow": draft.workflow,
        "python": draft.python,
        "found": _found(draft),
        "blocks": draft.blocks,
    }
    interim: InstallRecord = {**record, "files": {**old_files, **record["files"]}}
    final_change = _record_change(draft, record)
    changes += files.needed([final_change])
    first = _record_change(draft, interim) if len(changes) > 1 else None
    clearing = clear_packages([path for path in old_files if path not in draft.files])
    language = draft.language or "en"
    yours = frozenset(
        [*draft.registrations, *(old["registrations"] if old else ()), *draft.blocks, *draft.edited, EXCLUDE]
    )
    return Plan(draft.project, changes, record, first, language, draft.notes, clearing, draft.settings, yours)


def _found(draft: Draft) -> list[str]:
    """Users' files where sessions will write, as they were before the first one."""
    assert draft.settings is not None
    old, now = draft.old, draft.settings["campaign"]["artifact_dir"]
    if old is not None and now in (state_files.ARTIFACTS, state_files.told_folder(draft.project)):
        return old.get("found", [])
    new = state_files.found_before(draft.project, now, is_first=old is None)
    return sorted({*(old.get("found", []) if old else ()), *new})


def _record_change(draft: Draft, record: InstallRecord) -> Change:
    path = install_record.PATH
    return Change(path, draft.project.file(path), draft.project.read(path), install_record.render(record))
