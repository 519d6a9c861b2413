"""The folder that Safepoint is to be installed in, and what stands in the way there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from .called_as import to_type
from .errors import SafepointError
from .hot.files import read_bytes
from .hot.gitfacts import call
from .shipped import HOOKS, source_root

GIT_S = 10.0


class Project(NamedTuple):
    root: Path
    git_root: Path | None  # None: not in a git repository
    prefix: str  # path of `root` below the git root, with a slash behind, or ""
    exclude: Path | None  # git's info/exclude

    def file(self, path: str) -> Path:
        return self.root / path

    def read(self, path: str) -> bytes | None:
        """A file's content; None where there is none.

        Raises SafepointError where something else is there, or nobody may read it. Waits at no pipe.
        """
        try:
            return read_bytes(str(self.file(path)))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise SafepointError(
                f"{path} cannot be read: {error.strerror}. It has to be a file that you may read and write: "
                "correct that, or move it away, and try again."
            ) from error


def find(path: str | os.PathLike[str]) -> Project:
    root = Path(path).expanduser()
    if not root.is_dir():
        raise SafepointError(f"{path}: there is no such folder")
    root = root.resolve()
    if root == Path.home().resolve():
        raise SafepointError(
            f"{path} is your home folder: its .claude and .cursor hold the settings of all your projects, "
            "not of one. Safepoint is installed in a project."
        )
    if root == source_root().resolve() or (root / "src/safepoint/hot").is_dir():
        raise SafepointError(
            f"{path} is Safepoint's own source. Its hooks run from there as they are; "
            f"to try an installation, use another folder or: {to_type('demo')}"
        )
    top, prefix, exclude = _ask_git(root)
    return Project(root, top, prefix, exclude)


def _ask_git(root: Path) -> tuple[Path | None, str, Path | None]:
    answers = []
    for question in (("--show-toplevel",), ("--show-prefix",), ("--git-path", "info/exclude")):
        answer = _git(root, "rev-parse", *question)  # one at a time: a folder's name may hold a line break
        if answer is None:
            return None, "", None
        answers.append(answer.removesuffix("\n"))
    top, prefix, exclude = answers
    return Path(top), prefix, (root / exclude).resolve()


def is_tracked(project: Project, path: str) -> bool:
    """Whether git has the file in its index."""
    return _git(project.root, "ls-files", "--error-unmatch", "--", path) is not None


def tracked(project: Project, folders: Iterable[str]) -> set[str]:
    """Every file below these folders that git has in its index."""
    if project.git_root is None:
        return set()
    answer = _git(project.root, "--literal-pathspecs", "ls-files", "-z", "--", *folders)
    if answer is None:
        raise SafepointError(f"git does not say which files it has in {project.root}; nothing was changed")
    return set(answer.split("\0")) - {""}


def ignored(project: Project, paths: Iterable[str]) -> dict[str, str]:
    """Files that git does not add, each with the rule that says so. What it has already is not among them."""
    answer = _git(project.root, "check-ignore", "-v", "-z", "--stdin", typed="\0".join(paths)) or ""
    fields = answer.split("\0")[:-1]
    rows = zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=True)
    return {path: f"{file}:{line}: {rule}" for file, line, rule, path in rows if not rule.startswith("!")}


def shown(project: Project, paths: Iterable[str]) -> list[str]:
    """Those that `git status` has something to say about."""
    command = ("--literal-pathspecs", "status", "--porcelain", "-z", "--no-renames", "-uall", "--", *paths)
    answer = _git(project.root, *command) or ""
    return [line[3:].removeprefix(project.prefix) for line in answer.split("\0") if line]


def _git(root: Path, *arguments: str, typed: str = "") -> str | None:
    """What git answers, None when it fails or is not there."""
    try:
        status, output, _ = call(str(root), list(arguments), GIT_S, data=os.fsencode(typed))
    except OSError:
        return None
    return os.fsdecode(output) if status == 0 else None


def check_links(project: Project, path: str, cursor_reads: bool) -> None:
    """Refuse a path that leaves the project, and for Cursor any link on the way."""
    here = project.root
    for part in Path(path).parts:
        here = here / part
        if not here.is_symlink():
            continue
        shown = here.relative_to(project.root)
        target = here.resolve()
        if cursor_reads:
            raise SafepointError(
                f"{shown} is a symbolic link (to {target}). Cursor refuses hook files that it reaches "
                "through a link in a project: put a real one there, or install with --host claude."
            )
        if not target.is_relative_to(project.root) and path.startswith(HOOKS):
            raise SafepointError(f"{shown} leads out of the project (to {target}); nothing is written there.")
