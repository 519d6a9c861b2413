"""What stands in the way of an installation, or has to be said of the place."""

from __future__ import annotations

from . import install_record, shipped
from . import project as projects
from .called_as import to_type
from .errors import SafepointError
from .install_draft import Draft
from .install_plan import CLAUDE_LOCAL, CURSOR_FILE, HOOKS


def check(draft: Draft) -> None:
    """Raise SafepointError where it cannot go on."""
    _check_links(draft)
    _check_foreign(draft)
    if draft.scope == "local":
        _check_alone(draft)
    _tell_place(draft)


def _check_links(draft: Draft) -> None:
    projects.check_links(draft.project, HOOKS, cursor_reads=False)
    if "cursor" in draft.hosts:
        projects.check_links(draft.project, CURSOR_FILE, cursor_reads=True)
        projects.check_links(draft.project, shipped.RULE, cursor_reads=True)
    for path in draft.server_files().values():
        projects.check_links(draft.project, path, cursor_reads=path.startswith(".cursor"))


def _check_alone(draft: Draft) -> None:
    """What is for one person goes into no file that git has."""
    for path in draft.server_files().values():
        if projects.is_tracked(draft.project, path):
            raise SafepointError(
                f"--local: {path} is in git, and there is no second such file for one person only. "
                "Add the server to your own settings, or install without --local."
            )
    if "cursor" in draft.hosts and projects.is_tracked(draft.project, CURSOR_FILE):
        raise SafepointError(
            f"--local: {CURSOR_FILE} is in git, and Cursor has no second hooks file for one person only. "
            f"Install with --local --host claude: Cursor reads {CLAUDE_LOCAL} as well."
        )


def _tell_place(draft: Draft) -> None:
    if draft.project.git_root is None:
        draft.notes.append(
            "This folder is in no git repository. Safepoint works, but handoffs cannot tell what changed "
            "in between, and the command-line agents look for hooks in a git root."
        )
    elif draft.project.prefix:
        draft.notes.append(
            f"This folder lies inside the git repository {draft.project.git_root}. An editor reads the "
            "hooks of the folder that is opened in it; command-line agents read those of the git root. "
            f"For these, install there too: {to_type('install', str(draft.project.git_root))}"
        )


def _check_foreign(draft: Draft) -> None:
    """Files of somebody else's where ours have to go."""
    optional = ("README.md", ".gitignore", "SAFEPOINT.md")
    taken = []
    for path in install_record.own_paths():
        content = draft.project.read(path)
        known = draft.old is not None and path in draft.old["files"]
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
