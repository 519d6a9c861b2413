"""Installing Safepoint in a repository: a plan made of what is there, then its execution under a lock."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal, NamedTuple

from . import (
    backups,
    generate,
    hook_files,
    install_record,
    interpreters,
    manifest,
    mcp_files,
    registration,
    shipped,
    state_files,
    text_block,
)
from . import changes as files
from . import project as projects
from .changes import Change
from .errors import SafepointError
from .hook_files import Form
from .hot.shapes import Host, Settings
from .install_record import InstallRecord, Registration
from .project import Project
from .registration import EventSet

HOOKS = shipped.HOOKS
CURSOR_FILE = ".cursor/hooks.json"
CLAUDE_FILE, CLAUDE_LOCAL = ".claude/settings.json", ".claude/settings.local.json"
EXCLUDE = ".git/info/exclude"
Scope = Literal["shared", "local"]


class Wish(NamedTuple):
    """What was asked for. None: as it is installed already, else the default."""

    hosts: tuple[Host, ...] | None = None
    events: EventSet | None = None
    scope: Scope | None = None
    language: str | None = None
    workflow: bool | None = None
    todo_tool: bool | None = None
    python: str | None = None  # path of an interpreter; only for one person


class Plan(NamedTuple):
    """What will be done. `interim` is the record that stands while the changes are carried out."""

    project: Project
    changes: list[Change]
    record: InstallRecord | None
    interim: Change | None
    language: str
    notes: list[str]
    clearing: Clearing
    settings: Settings | None  # as compiled from the manifest; None when uninstalling
    yours: frozenset[str]  # paths among the changes that are not Safepoint's own files


class Clearing(NamedTuple):
    """What goes after the changes: compiled modules, files of sessions, folders left empty, inner first."""

    compiled: list[str]  # glob patterns
    empty: list[str]
    state: list[str]


def language_of_locale(environment: dict[str, str] | None = None) -> str:
    values = os.environ if environment is None else environment
    chosen = next((values[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if values.get(name)), "")
    return "ja" if chosen.startswith("ja") else "en"


def plan_install(project: Project, wish: Wish, recompile_only: bool = False) -> Plan:
    """`recompile_only`: what follows from the manifest and the registrations; the code stays as it is."""
    return _Planner(project, wish, recompile_only).plan()


class _Planner:
    def __init__(self, project: Project, wish: Wish, recompile_only: bool) -> None:
        self.project = project
        self.recompile_only = recompile_only
        self.old = install_record.read(project) or install_record.guess(project)
        old = self.old
        known: set[Host] = {*(old["hosts"] if old else ()), *(wish.hosts or ())}
        both: tuple[Host, ...] = ("cursor", "claude_code")
        self.hosts: list[Host] = [host for host in both if not known or host in known]
        self.events: EventSet = wish.events or (old["events"] if old else "base")
        self.scope: Scope = wish.scope or (old["scope"] if old else "shared")
        self.language = wish.language
        known_workflow = self.old.get("workflow", False) if self.old else False
        self.workflow = known_workflow if wish.workflow is None else wish.workflow
        had_tool = old is not None and any(r["form"] == "mcp" for r in old["registrations"].values())
        self.todo_tool = had_tool if wish.todo_tool is None else wish.todo_tool
        self.python = registration.PYTHON
        if self.scope == "local":
            known_python = old.get("python", self.python) if old else self.python
            self.python = interpreters.pinned(wish.python) if wish.python else known_python
        elif wish.python:
            raise SafepointError("--python names a path of this machine: it needs --local")
        self.notes: list[str] = []
        self.changes: list[Change] = []
        self.files: dict[str, str] = {}
        self.blocks: list[str] = []
        self.edited: list[str] = []
        self.registrations: dict[str, Registration] = {}
        self.package = old["package"] if old else ""
        self.settings: Settings | None = None
        self.artifact_dir = ""
        self.pristine = ""  # digest of the manifest as it came, where the user's is kept

    def plan(self) -> Plan:
        self._check()
        content, checked = self._manifest()
        self.settings = checked.settings
        self.artifact_dir = checked.settings["campaign"]["artifact_dir"]
        settings = generate.compile_settings(checked.settings, self._shared_events())
        self._add_package()
        self._change(f"{HOOKS}/manifest.yaml", content)
        self.files[f"{HOOKS}/manifest.yaml"] = self.pristine or install_record.digest(content)
        self._own("settings.json", settings)
        self._add_gitignore()
        self._add_readme()
        self._add_entrypoints()
        if "cursor" in self.hosts:
            self._file(shipped.RULE, shipped.template(f"rule.{self.language}.mdc"))
        if self.workflow:
            self._add_workflow()
        self._register()
        self._tell_move()
        self._add_exclude()
        self._drop_old()
        backups.guard(self.project, self.changes)
        return self._finish()

    # --- what stands in the way ---------------------------------------------------------------------

    def _check(self) -> None:
        projects.check_links(self.project, HOOKS, cursor_reads=False)
        if "cursor" in self.hosts:
            projects.check_links(self.project, CURSOR_FILE, cursor_reads=True)
            projects.check_links(self.project, shipped.RULE, cursor_reads=True)
        for path in self._server_files().values():
            projects.check_links(self.project, path, cursor_reads=path.startswith(".cursor"))
            if self.scope == "local" and projects.is_tracked(self.project, path):
                raise SafepointError(
                    f"--local: {path} is in git, and there is no second such file for one person only. "
                    "Add the server to your own settings, or install without --local."
                )
        self._check_foreign()
        if (
            self.scope == "local"
            and "cursor" in self.hosts
            and projects.is_tracked(self.project, CURSOR_FILE)
        ):
            raise SafepointError(
                f"--local: {CURSOR_FILE} is in git, and Cursor has no second hooks file for one person only. "
                f"Install with --local --host claude: Cursor reads {CLAUDE_LOCAL} as well."
            )
        if self.project.git_root is None:
            self.notes.append(
                "This folder is in no git repository. Safepoint works, but handoffs cannot tell what changed "
                "in between, and the command-line agents look for hooks in a git root."
            )
        elif self.project.prefix:
            self.notes.append(
                f"This folder lies inside the git repository {self.project.git_root}. An editor reads the "
                "hooks of the folder that is opened in it; command-line agents read those of the git root. "
                f"For these, install there too: safepoint install {self.project.git_root}"
            )

    def _check_foreign(self) -> None:
        """Files of somebody else's where ours have to go."""
        optional = ("README.md", ".gitignore", "SAFEPOINT.md")
        taken = []
        for path in install_record.own_paths():
            content = self.project.read(path)
            known = self.old is not None and path in self.old["files"]
            if content is None or known or path.endswith(optional):
                continue
            if not install_record.is_recognised(path, content):
                taken.append(path)
        if taken:
            verb = "is" if len(taken) == 1 else "are"
            raise SafepointError(
                f"{', '.join(taken)} {verb} there already and not Safepoint's. "
                "Move or rename, then install again."
            )

    # --- our own files --------------------------------------------------------------------------------

    def _manifest(self) -> tuple[bytes, manifest.Manifest]:
        """The user's manifest if it was ever edited, else the one of this release."""
        path = f"{HOOKS}/manifest.yaml"
        present = self.project.read(path)
        installed = self.old["files"].get(path) if self.old else None
        if present is None or (installed == install_record.digest(present) and not self.recompile_only):
            if self.language is None and present is not None:
                self.language = manifest.parse(present, path).settings["language"]
            self.language = self.language or language_of_locale()
            content = shipped.manifest_template(self.language)
            return content, manifest.parse(content, path)
        edited = present
        if self.language:
            present = shipped.set_language(present, self.language)
        checked = manifest.parse(present, path)
        self.language = checked.settings["language"]
        # The record keeps what Safepoint wrote, so that the edit is seen by every later installation as well.
        self.pristine = installed or install_record.digest(shipped.manifest_template(self.language))
        if not self.recompile_only and install_record.digest(edited) != self.pristine:
            self.notes.append(
                f"{path} was edited and is kept as it is. "
                f"Compare it with this release's: {shipped.source_root() / 'manifest.yaml'}"
            )
        return present, checked

    def _shared_events(self) -> dict[str, list[str]]:
        """Events on which other tools' hooks stand as well, as far as the project's files tell."""
        cursor = self._others(CURSOR_FILE, "cursor")
        claude = self._others(CLAUDE_FILE, "claude") | self._others(CLAUDE_LOCAL, "claude")
        mapped = {
            registration.CLAUDE_IN_CURSOR[event] for event in claude & set(registration.CLAUDE_IN_CURSOR)
        }
        return {
            "cursor": sorted((cursor | mapped) & set(registration.CURSOR_FULL)),
            "claude_code": sorted(claude & set(registration.CLAUDE)),
        }

    def _others(self, path: str, form: Form) -> set[str]:
        try:
            return hook_files.events_of_others(self.project.read(path), path, form)
        except hook_files.HookFileError as error:
            self.notes.append(str(error))  # refused below, if it is a file that we have to change
            return set()

    def _add_package(self) -> None:
        if self.recompile_only and self.old:
            for path, sha256 in self.old["files"].items():
                if f"{HOOKS}/_safepoint_" in path:
                    self.files[path] = sha256
            return
        modules = shipped.hot_package()
        if not (self.package and self._modules_in(self.package) == modules):
            name = shipped.package_name(modules)
            self.package = shipped.package_name(modules, self._modules_in(name))
        for path, content in modules.items():
            self._own(f"{self.package}/{path}", content)

    def _modules_in(self, package: str) -> dict[str, bytes]:
        folder = self.project.file(HOOKS) / package
        found = sorted(folder.rglob("*.py"))
        return {file.relative_to(folder).as_posix(): file.read_bytes() for file in found}

    def _add_gitignore(self) -> None:
        path = f"{HOOKS}/.gitignore"
        present = self.project.read(path)
        known = self.old is not None and path in self.old["files"]
        if present is not None and present != install_record.gitignore() and not known:
            self.blocks.append(path)
            self._change(path, text_block.put(present, list(shipped.IGNORED)))
        else:
            self._file(path, install_record.gitignore())

    def _add_readme(self) -> None:
        path = f"{HOOKS}/README.md"
        present = self.project.read(path)
        known = self.old is not None and path in self.old["files"]
        name = "README.md"
        if present is not None and not known and not install_record.is_recognised(path, present):
            name = "SAFEPOINT.md"
            self.notes.append(f"{path} is yours and stays; Safepoint's page is {HOOKS}/SAFEPOINT.md.")
        self._own(name, shipped.template(f"README.{self.language}.md"))

    def _add_entrypoints(self) -> None:
        for name, content in shipped.entrypoints(self.package).items():
            if self.recompile_only and self.old:
                path = f"{HOOKS}/{name}"
                if path in self.old["files"]:
                    self.files[path] = self.old["files"][path]
                continue
            self._own(name, content, executable=True)

    def _add_workflow(self) -> None:
        """Skills and pages that people may make their own: what they edited stays, and that is said."""
        for path, content in shipped.workflow_files(self.language or "en", self.hosts).items():
            present = self.project.read(path)
            known = self.old["files"].get(path) if self.old else None
            if not self.project.file(path).resolve().is_relative_to(self.project.root.resolve()):
                self.notes.append(f"{path} leads out of the project: nothing is written there.")
            elif present is None or known == install_record.digest(present):
                self._file(path, content)
            elif known is None:
                if present != content:
                    self.notes.append(f"{path} is there already and not Safepoint's: it stays as it is.")
            else:
                self.files[path] = known
                if present != content:
                    self.notes.append(f"{path} was edited and is kept as it is.")

    def _own(self, name: str, content: bytes, executable: bool = False) -> None:
        self._file(f"{HOOKS}/{name}", content, executable)

    def _file(self, path: str, content: bytes, executable: bool = False) -> None:
        self.files[path] = install_record.digest(content)
        self._keep_edit(path, content)
        self._change(path, content, executable)

    def _keep_edit(self, path: str, content: bytes) -> None:
        """An edited file of ours that is replaced is kept, and that is said."""
        present, old = self.project.read(path), self.old
        installed = old["files"].get(path) if old else None
        if old and not old["version"]:
            installed = "" if installed is not None else None  # the record is lost: nobody knows
        if present is None or not backups.is_edited(present, installed, content):
            return
        place = backups.of_edited_file(self.project, path, present)
        self.changes.append(backups.copy(self.project, place, present))
        self.edited.append(path)
        self.notes.append(f"{path} was edited and is replaced; the edited one is kept in {place}.")

    def _change(self, path: str, content: bytes | None, executable: bool = False) -> None:
        before = self.project.read(path)
        self.changes.append(Change(path, self.project.file(path), before, content, executable))

    # --- files of others --------------------------------------------------------------------------------

    def _register(self) -> None:
        wanted: list[tuple[str, Form, dict[str, Any]]] = []
        if "cursor" in self.hosts:
            wanted.append(
                (CURSOR_FILE, "cursor", registration.cursor_hooks(self.events, self.python)["hooks"])
            )
        if "claude_code" in self.hosts:
            path = CLAUDE_LOCAL if self.scope == "local" else CLAUDE_FILE
            wanted.append((path, "claude", registration.claude_settings(self.python)["hooks"]))
        old = self.old["registrations"] if self.old else {}
        for path, form, events in wanted:
            before = self.project.read(path)
            known = old.get(path)
            entries = {event: groups[0] for event, groups in events.items()}
            merged = hook_files.merge(before, path, form, entries, known["made"] if known else {})
            backup = known["backup"] if known else self._back_up(path, before, merged.content)
            self.registrations[path] = {"form": form, "made": merged.made, "backup": backup}
            self._change(path, merged.content)
        self._register_servers(old)
        for path, known in old.items():
            if path not in self.registrations:
                withdraw(self.project, path, known, self.changes, self.notes)

    def _server_files(self) -> dict[Host, str]:
        return {host: mcp_files.FILES[host] for host in self.hosts} if self.todo_tool else {}

    def _register_servers(self, old: dict[str, Registration]) -> None:
        for host, path in self._server_files().items():
            started, before, known = mcp_files.entry(host), self.project.read(path), old.get(path)
            merged = mcp_files.merge(before, path, started, known["made"] if known else {})
            backup = known["backup"] if known else self._back_up(path, before, merged.content)
            self.registrations[path] = {"form": "mcp", "made": merged.made, "backup": backup}
            self._change(path, merged.content)
            if not mcp_files.is_portable(started):
                self.notes.append(
                    f"{path} names {started['command']}, since no `safepoint` is on the PATH here: "
                    "it works on this machine only."
                )

    def _back_up(self, path: str, before: bytes | None, after: bytes | None) -> str | None:
        if before is None or before == after:
            return None
        backup = backups.of_users_file(path)
        self.changes.append(backups.copy(self.project, backup, before))
        return backup

    def _tell_move(self) -> None:
        old = self.old
        if old is None or old["scope"] == self.scope:
            return
        gone = [path for path in old["registrations"] if path not in self.registrations]
        came = [path for path in self.registrations if path not in old["registrations"]]
        before, now = ("everybody", "you alone") if self.scope == "local" else ("you alone", "everybody")
        text = f"It was installed for {before} and is now for {now}."
        if gone and came:
            text += f" The registration moves from {', '.join(gone)} to {', '.join(came)}."
        if self.scope == "local" and any(projects.is_tracked(self.project, path) for path in gone):
            text += " Once you commit that, colleagues have the hooks no more."
        self.notes.append(text)

    def _add_exclude(self) -> None:
        """A local installation is kept out of git without touching the shared .gitignore."""
        file = self.project.exclude
        if file is None:
            return
        before = file.read_bytes() if file.is_file() else None
        after = text_block.take(before or b"")
        if self.scope == "local":
            created = [path for path in self.registrations if self.registrations[path]["backup"] is None]
            own = [path for path in self.files if "/_safepoint_" not in path]
            names = {*own, *created, install_record.PATH, f"{HOOKS}/{self.package}/", f"{HOOKS}/backup/"}
            after = text_block.put(before, [_pattern(self.project.prefix + name) for name in sorted(names)])
        if after != (before or b""):
            self.changes.append(Change(EXCLUDE, file, before, after))

    def _drop_old(self) -> None:
        """Files of an earlier version, last: hooks that are running may still import them."""
        for path, sha256 in (self.old["files"] if self.old else {}).items():
            present = self.project.read(path)
            if path in self.files or present is None:
                continue
            if install_record.digest(present) == sha256:
                self._change(path, None)
            else:
                self.notes.append(f"{path} is of an earlier version, but was edited: it stays.")

    def _finish(self) -> Plan:
        old = self.old
        old_files = old["files"] if old else {}
        changes = files.needed(self.changes)
        made = files.missing_folders(changes, self.project.root)
        made = [path for path in made if not path.startswith((f"{HOOKS}/_safepoint_", f"{HOOKS}/backup"))]
        record: InstallRecord = {
            "schema_version": 1,
            "version": old["version"] if self.recompile_only and old else shipped.version(),
            "package": self.package,
            "hosts": self.hosts,
            "events": self.events,
            "scope": self.scope,
            "files": dict(sorted(self.files.items())),
            "created_folders": sorted({*(old["created_folders"] if old else ()), *made}),
            "registrations": self.registrations,
            "workflow": self.workflow,
            "python": self.python,
            "found": self._found(),
            "blocks": self.blocks,
        }
        interim: InstallRecord = {**record, "files": {**old_files, **record["files"]}}
        final_change = self._record_change(record)
        changes += files.needed([final_change])
        first = self._record_change(interim) if len(changes) > 1 else None
        clearing = clear_packages([path for path in old_files if path not in self.files])
        language = self.language or "en"
        yours = frozenset(
            [*self.registrations, *(old["registrations"] if old else ()), *self.blocks, *self.edited, EXCLUDE]
        )
        return Plan(
            self.project, changes, record, first, language, self.notes, clearing, self.settings, yours
        )

    def _found(self) -> list[str]:
        """Users' files where sessions will write, as they were before the first one."""
        old, now = self.old, self.artifact_dir
        if old is not None and now in (state_files.ARTIFACTS, state_files.told_folder(self.project)):
            return old.get("found", [])
        new = state_files.found_before(self.project, now, is_first=old is None)
        return sorted({*(old.get("found", []) if old else ()), *new})

    def _record_change(self, record: InstallRecord) -> Change:
        path = install_record.PATH
        return Change(path, self.project.file(path), self.project.read(path), install_record.render(record))


def _pattern(path: str) -> str:
    """A path as a line of git's exclude file."""
    return "/" + "".join("\\" + char if char in "*?[\\ #!" else char for char in path)


def clear_packages(paths: list[str]) -> Clearing:
    """What is left of the package folders that held `paths`."""
    folders = set()
    for path in paths:
        parent = Path(path).parent
        while f"{HOOKS}/_safepoint_" in parent.as_posix():
            folders |= {parent.as_posix(), f"{parent.as_posix()}/__pycache__"}
            parent = parent.parent
    compiled = [f"{folder}/*.pyc" for folder in folders if folder.endswith("/__pycache__")]
    return Clearing(sorted(compiled), sorted(folders, key=len, reverse=True), [])


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
