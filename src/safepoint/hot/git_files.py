"""What the files of a git repository tell without a process: where HEAD is, and the default branch."""

from __future__ import annotations

import os

from .redact import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional


def head(project: str) -> Optional[dict[str, str]]:
    """{"branch", "sha", "root"} of the work tree around `project`; None outside one.

    branch is "" where HEAD is detached, sha is "" before the first commit. Worktrees and submodules have a
    `.git` file that points elsewhere, and share the refs of their common folder.
    """
    top = root(project)
    folder = _git_folder(top) if top else ""
    text = _read(folder + "/HEAD") if folder else ""
    if not text:
        return None
    if not text.startswith("ref: "):
        return {"branch": "", "sha": text[:64], "root": top}
    ref = text[5:]
    if ref == "refs/heads/.invalid":
        return None  # refs kept as reftables, which only git can read
    branch = ref[11:] if ref.startswith("refs/heads/") else ref
    return {"branch": shown_branch(branch), "sha": _resolve(folder, ref), "root": top}


def head_text(project: str) -> str:
    """What HEAD says, as it stands in its file; "" outside a work tree."""
    top = root(project)
    folder = _git_folder(top) if top else ""
    return _read(folder + "/HEAD") if folder else ""


def default_branch(project: str) -> Optional[str]:
    """The branch that work starts from: what the remote says, else `main` or `master` where it exists."""
    top = root(project)
    folder = _git_folder(top) if top else ""
    if not folder:
        return None
    common = _common(folder)
    text = _read(common + "/refs/remotes/origin/HEAD")
    if text.startswith("ref: refs/remotes/origin/"):
        return shown_branch(text[25:])
    for name in ("main", "master"):
        if _resolve(folder, "refs/heads/" + name):
            return name
    current = head(project)
    # before the first commit the branch that HEAD names is the only one there will be
    return current["branch"] if current and not current["sha"] else None


def root(project: str) -> str:
    """The top of the work tree around `project`; "" outside one."""
    return next((folder for folder in _upwards(project) if os.path.exists(folder + "/.git")), "")


def is_in_bare(project: str) -> bool:
    """Whether git would go by a repository that has no `.git`. A clone can carry one among its files, with
    settings that name programs; so git is not asked there."""
    for folder in _upwards(project):
        if os.path.exists(folder + "/.git"):
            return False
        if os.path.exists(folder + "/HEAD") and os.path.exists(folder + "/objects"):
            return True
    return False


def _upwards(folder: str) -> Iterator[str]:
    """It, and the folders that it is in."""
    while folder:
        yield folder
        above = os.path.dirname(folder)
        folder = above if above != folder else ""


def index_path(top: str) -> str:
    """The index of the work tree whose top is `top`; "" where there is no repository."""
    folder = _git_folder(top)
    return folder + "/index" if folder else ""


def _git_folder(root: str) -> str:
    path = root + "/.git"
    if os.path.isdir(path):
        return path
    text = _read(path)
    if not text.startswith("gitdir: "):
        return ""
    return os.path.normpath(os.path.join(root, text[8:]))


def _common(folder: str) -> str:
    text = _read(folder + "/commondir")
    return os.path.normpath(os.path.join(folder, text)) if text else folder


def _resolve(folder: str, ref: str) -> str:
    common = _common(folder)
    sha = _read(f"{folder}/{ref}") or _read(f"{common}/{ref}")
    if sha:
        return sha[:64]
    for line in _read(common + "/packed-refs", 8 * 1024 * 1024).split("\n"):
        if line.endswith(" " + ref):
            return line.split(" ", 1)[0]
    return ""


def _read(path: str, max_bytes: int = 4096) -> str:
    from .files import read_bytes

    try:
        return read_bytes(path, max_bytes).decode("utf-8", "surrogateescape").strip()
    except (OSError, ValueError):
        return ""


def shown_branch(name: str) -> str:
    """A branch as it is kept and compared: its name can hold a key that was pasted into it."""
    return capture(name, 1000)
