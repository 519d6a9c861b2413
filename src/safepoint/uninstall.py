"""Taking Safepoint out again: its own entries and files, nothing else."""

from __future__ import annotations

from . import backups, install_record, kept_refs, registration, state_files, text_block
from . import changes as files
from .called_as import to_type
from .changes import Change
from .counted import counted
from .install_plan import EXCLUDE, HOOKS, Clearing, Plan, clear_packages
from .install_record import InstallRecord
from .install_registrations import withdraw
from .project import Project


def plan_uninstall(project: Project, purge: bool) -> Plan | None:
    """None when Safepoint is not installed there and nothing is to be purged."""
    record = install_record.read(project) or install_record.guess(project)
    state = state_files.survey(project, record.get("found", []) if record else [])
    refs = tuple(kept_refs.of_project(project))
    if record is None and not (purge and (state.ours or refs)):
        return None
    notes: list[str] = []
    changes: list[Change] = []
    clearing = Clearing([], [], [])
    if record is not None:
        for path, known in record["registrations"].items():
            withdraw(project, path, known, changes, notes)
        _remove_files(project, record, purge, changes, notes)
        _remove_blocks(project, record, changes)
        clearing = _clearing(record)
        file = project.file(install_record.PATH)
        changes.append(Change(install_record.PATH, file, project.read(install_record.PATH), None))
        _remove_copies(project, purge, changes, notes)
    if purge:
        local = f"{HOOKS}/settings.local.json"
        changes.append(Change(local, project.file(local), project.read(local), None))
        clearing = Clearing(clearing.compiled, [*state.folders, *clearing.empty], state.ours, refs)
        notes += state.notes()
    else:
        notes += _kept(project, refs)
    if state.ours and not purge:
        folders = sorted({path.rsplit("/", 1)[0] for path in state.ours})
        notes.append(f"Files of sessions stay in {', '.join(folders)}; --purge removes them.")
        memory = state_files.remember(project, record.get("found", []) if record else [])
        changes += [memory] if memory else []
    yours = frozenset(
        [EXCLUDE, *(record["registrations"] if record else ()), *(record["blocks"] if record else ())]
    )
    return Plan(project, files.needed(changes), record, None, "en", notes, clearing, None, yours)


def nothing_text(project: Project) -> str:
    """What is said where `plan_uninstall` has no plan."""
    said = f"Nothing is installed in {project.root}, so nothing was changed."
    if not state_files.survey(project).ours:
        return said
    return (
        f"{said} Files of sessions are there, of a plugin's hooks or an installation that is out:"
        " --purge removes them. A plugin is taken out in its host."
    )


def installed_above(project: Project) -> str:
    """The folder above `project` with an installation, where `project` has none itself; "" else."""
    for folder in (project.root, *project.root.parents):
        if (folder / install_record.PATH).is_file():
            return "" if folder == project.root else str(folder)
    return ""


def _kept(project: Project, refs: tuple[kept_refs.Ref, ...]) -> list[str]:
    if not refs:
        return []
    purge = to_type("uninstall", "--purge", str(project.root))
    return [
        f"Uncommitted work and campaigns stay in git: {counted(len(refs), 'ref')} below refs/safepoint/ (git"
        f" for-each-ref refs/safepoint/ lists them). To remove them: {purge}"
    ]


def _remove_files(
    project: Project, record: InstallRecord, purge: bool, changes: list[Change], notes: list[str]
) -> None:
    entrypoints = {f"{HOOKS}/{name}.py" for name in registration.entrypoints()}
    kept = []
    for path in sorted(record["files"], key=lambda path: path not in entrypoints):
        present = project.read(path)
        if present is None:
            continue
        if purge or install_record.digest(present) == record["files"][path]:
            changes.append(Change(path, project.file(path), present, None))
        else:
            kept.append(path)
    if kept:
        notes.append(f"Edited since the installation, so left in place: {', '.join(kept)}")


def _remove_copies(project: Project, purge: bool, changes: list[Change], notes: list[str]) -> None:
    copies = backups.edited_copies(project)
    if purge:
        changes += [Change(path, project.file(path), project.read(path), None) for path in copies]
    elif copies:
        notes.append(
            f"Files of ours as you had edited them stay in {', '.join(copies)}; --purge removes them."
        )
    backups.guard(project, changes)


def _remove_blocks(project: Project, record: InstallRecord, changes: list[Change]) -> None:
    for path in record["blocks"]:
        present = project.read(path)
        if present is not None:
            changes.append(Change(path, project.file(path), present, text_block.take(present)))
    if project.exclude is not None and project.exclude.is_file():
        present = project.exclude.read_bytes()
        changes.append(Change(EXCLUDE, project.exclude, present, text_block.take(present)))


def _clearing(record: InstallRecord) -> Clearing:
    packages = clear_packages(list(record["files"]))
    cache = f"{HOOKS}/__pycache__"
    compiled = [f"{cache}/{name}.*.pyc" for name in registration.entrypoints()]
    created = sorted(record["created_folders"], key=len, reverse=True)
    return Clearing(packages.compiled + compiled, [*packages.empty, f"{HOOKS}/backup", cache, *created], [])
