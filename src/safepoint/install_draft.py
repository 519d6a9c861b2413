"""A plan in the making: what is wished for, what was there before, and what has come together so far."""

from __future__ import annotations

from . import backups, install_record, interpreters, mcp_files, registration
from .changes import Change
from .errors import SafepointError
from .hot.shapes import Host, Settings
from .install_plan import HOOKS, Scope, Wish
from .install_record import Registration
from .project import Project
from .registration import EventSet


class Draft:
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
        self.keep_settings = wish.keep_settings
        known_workflow = self.old.get("workflow", False) if self.old else False
        self.workflow = known_workflow if wish.workflow is None else wish.workflow
        had = {form for known in old["registrations"].values() for form in known["parts"]} if old else set()
        self.todo_tool = "mcp" in had if wish.todo_tool is None else wish.todo_tool
        self.status_line = "status_line" in had if wish.status_line is None else wish.status_line
        self.python = self._python(wish.python)
        self.notes: list[str] = []
        self.changes: list[Change] = []
        self.files: dict[str, str] = {}
        self.blocks: list[str] = []
        self.edited: list[str] = []
        self.registrations: dict[str, Registration] = {}
        self.package = old["package"] if old else ""
        self.settings: Settings | None = None
        self.pristine = ""  # digest of the manifest as it came, where the user's is kept

    def _python(self, wished: str | None) -> str:
        """How the command lines name the interpreter."""
        if self.scope == "local":
            known = self.old.get("python", registration.PYTHON) if self.old else registration.PYTHON
            return interpreters.pinned(wished) if wished else known
        if wished:
            raise SafepointError("--python names a path of this machine: it needs --local")
        return registration.PYTHON

    def server_files(self) -> dict[Host, str]:
        return {host: mcp_files.FILES[host] for host in self.hosts} if self.todo_tool else {}

    def own(self, name: str, content: bytes, executable: bool = False) -> None:
        self.file(f"{HOOKS}/{name}", content, executable)

    def file(self, path: str, content: bytes, executable: bool = False) -> None:
        self.files[path] = install_record.digest(content)
        self._keep_edit(path, content)
        self.change(path, content, executable)

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

    def change(self, path: str, content: bytes | None, executable: bool = False) -> None:
        before = self.project.read(path)
        self.changes.append(Change(path, self.project.file(path), before, content, executable))
