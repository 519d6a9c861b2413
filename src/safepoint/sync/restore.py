"""`safepoint restore`: the work in progress of another machine, or of before a reset, laid into a work tree.

The user's index stays byte for byte as it is: what is restored shows as changes that are not staged. Nothing
is laid over a file that git does not have.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import SafepointError
from ..hot.work_commit import copy_of_index
from .git import Git
from .lying import Lying

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 8


def into_tree(project: str, work: str, base: str) -> dict[str, Any]:
    """Onto the clean tree around `project`: as it is where HEAD is `base`, else by a three-way merge."""
    git = Git(project)
    _refuse_dirty(git)
    head = git.commit_of("HEAD")
    target, conflicts = (work, []) if head == base else _merged(git, head, base, work)
    with _copied_index(git) as copy:
        _take_in_untracked(git, copy, head, target)
        before = head or _empty_tree(git)
        done = copy.try_run(["read-tree", "-m", "-u", before, target])
        if done.status:
            raise SafepointError(f"nothing was restored: {done.errors}")
    changed = _changed(git, head, target)
    return {"folder": git.top, "onto": head, "merged": head != base, "files": changed, "conflicts": conflicts}


def into_worktree(project: str, work: str, base: str, path: str) -> dict[str, Any]:
    """Into a new work tree at `path`, with HEAD detached at `base` and the work as changes."""
    git = Git(project)
    folder = Path(path).expanduser().resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SafepointError(f"{path} is there already; name a folder that is not")
    onto = base or work
    git.run(["worktree", "add", "--detach", "--no-checkout", "--", str(folder), onto])
    there = Git(str(folder))
    there.run(["read-tree", "--reset", "-u", work])
    there.run(["reset", "-q", "--mixed", onto])
    files = _changed(there, onto, work)
    return {"folder": str(folder), "onto": onto, "merged": False, "files": files, "conflicts": []}


def _refuse_dirty(git: Git) -> None:
    status = ["status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=dirty"]
    changed = [line[3:] for line in git.names([*status, "--no-renames"])]
    if changed:
        raise SafepointError(
            f"{git.top} has changes that are not committed ({_some(changed)}), and nothing is laid over them."
            " Commit them or put them aside (git stash), or: safepoint restore --worktree PATH"
        )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


@contextmanager
def _copied_index(git: Git) -> Iterator[Git]:
    """Git with a copy of the user's index, which knows the files of the tree as they are."""
    with tempfile.TemporaryDirectory(prefix="safepoint-index-") as folder:
        yield Git(git.top, copy_of_index(git.top, folder))


def _take_in_untracked(git: Git, copy: Git, head: str, target: str) -> None:
    """Files that lie there untracked, just as the work has them, are no obstacle; all others are named."""
    added = ["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AT", head or _empty_tree(git), target]
    fields = git.names(added)
    lying = Lying(git)
    same, in_the_way = b"", []
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        before, mode, _, sha = facts[1:].split()[:4]
        obstacle = lying.above(path)
        if not obstacle and lying.keeps(path, before, mode):
            if lying.is_same(path, mode, sha):
                same += os.fsencode(f"{mode} {sha}\t{path}\0")
            else:
                obstacle = path
        if obstacle and obstacle not in in_the_way:
            in_the_way.append(obstacle)
    if in_the_way:
        raise SafepointError(
            f"nothing was restored: {_some(in_the_way)} would be laid over, and git does not have what is"
            " there. Move it away, or: safepoint restore --worktree PATH"
        )
    if same:
        copy.run(["update-index", "-z", "--index-info"], same)
        copy.try_run(["update-index", "--refresh", "-q"])


def _empty_tree(git: Git) -> str:
    return git.run(["hash-object", "-w", "-t", "tree", "--stdin"]).text


def _merged(git: Git, head: str, base: str, work: str) -> tuple[str, list[str]]:
    """(tree, files in conflict) of the work's changes since `base`, on top of HEAD."""
    empty = _empty_tree(git)

    def alone(name: str, *parents: str) -> str:
        tree = git.run(["rev-parse", f"{name}^{{tree}}"]).text if name else empty
        given = [word for parent in parents for word in ("-p", parent)]
        return git.run(["commit-tree", tree, *given, "-m", "."]).text

    common = alone(base)  # the one ancestor, so that commits between here and there are not merged as well
    ours, theirs = alone(head, common), alone(work, common)
    done = git.try_run(
        ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs]
    )
    if done.status not in (0, 1):
        raise SafepointError(
            f"HEAD is another commit than the work stands on ({base[:12] or 'none'}), and git could not merge"
            f" them ({done.errors}); git 2.38 or later can. Or: safepoint restore --worktree PATH"
        )
    fields = done.output.decode("utf-8", "surrogateescape").split("\0")
    return fields[0], sorted({name for name in fields[1:] if name})


def _changed(git: Git, head: str, target: str) -> list[str]:
    trees = [head or _empty_tree(git), target]
    return git.names(["diff-tree", "-r", "-z", "--no-renames", "--name-only", *trees])
