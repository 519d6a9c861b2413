"""Who has an installation: what git would carry to colleagues, and what it would not."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from . import install_record, mcp_files, shipped
from . import project as projects
from .install_record import InstallRecord
from .project import Project
from .state_files import shortened


def lines(project: Project, record: InstallRecord) -> list[str]:
    """What is true once the files are there."""
    if project.git_root is None:
        return ["It is in this folder alone: there is no git repository to share it with."]
    if record["scope"] == "local":
        return [_alone(project, record)]
    bound = _of_this_machine(record)
    ignored = projects.ignored(project, [path for path in _paths(record) if path not in bound])
    said = [f"Leave {path} out: it names a path of this machine." for path in bound]
    if not ignored:
        return ["Commit these files, and colleagues have it too:", f"  {_add(project, record, bound)}", *said]
    rules = ", ".join(sorted(set(ignored.values())))
    return [
        f"Only you have it: git ignores {shortened(sorted(ignored))} ({rules}).",
        "For colleagues to have it too, change that, or add the files all the same:",
        f"  {_add(project, record, bound, '-f')}",
        *said,
    ]


def _alone(project: Project, record: InstallRecord) -> str:
    shown = projects.shown(project, [*record["files"], *record["registrations"], install_record.PATH])
    if shown:
        return f"Only you use it, but git shows {shortened(shown)}, since it has these files already."
    return "Only you have it: git does not show these files."


def _paths(record: InstallRecord) -> list[str]:
    """Every file that has to be shared, each package's modules by their first."""
    modules = [path for path in record["files"] if "/_safepoint_" in path]
    own = [path for path in record["files"] if path not in modules]
    return [*own, *modules[:1], *record["registrations"], *record["blocks"], install_record.PATH]


def _of_this_machine(record: InstallRecord) -> list[str]:
    hosts = {path: host for host, path in mcp_files.FILES.items()}
    servers = [path for path, known in record["registrations"].items() if "mcp" in known["parts"]]
    return [path for path in servers if not mcp_files.is_portable(mcp_files.entry(hosts[path]))]


def _add(project: Project, record: InstallRecord, without: list[str], option: str = "") -> str:
    """The `git add` line. With -f no folder is named: it would add what the folder's own rules keep out."""
    hooks_are_ours = shipped.HOOKS in record["created_folders"]
    named = set()
    for path in _paths(record):
        folder = "/".join(path.split("/")[:3]) if "/_safepoint_" in path else ""
        if hooks_are_ours and path.startswith(f"{shipped.HOOKS}/"):
            folder = shipped.HOOKS
        if option and folder:
            path = f"{folder}/*.py" if path.endswith(".py") else path
        named.add(path if option else folder or path)
    place = [] if Path(os.getcwd()) == project.root else ["-C", str(project.root)]
    words = ["git", *place, "add", *([option] if option else []), *sorted(named - set(without))]
    return " ".join(shlex.quote(word) for word in words)
