"""`safepoint restore`: the work in progress of another machine, or of before a reset, laid into a work tree.

The user's index stays byte for byte as it is: what is restored shows as changes that are not staged. Nothing
is laid over a file that git does not have.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import SafepointError
from . import changes
from .git import Git
from .laying import lay, marks, refuse_broken_off, some
from .own_worktree import OwnWorktree


def into_tree(project: str, work: str, base: str) -> dict[str, Any]:
    """Onto the clean tree around `project`: as it is where HEAD is `base`, else by a three-way merge."""
    git = Git(project)
    refuse_broken_off(git)
    head = git.commit_of("HEAD")
    target, conflicts = (work, []) if head == base else _merged(git, head, base, work)
    before = head or _empty_tree(git)
    wanted = changes.between(git, before, target)
    known = marks(git, wanted)
    _refuse_dirty(git)
    made = lay(git, before, target, wanted, known)
    return {"folder": git.top, "onto": head, "merged": head != base, "conflicts": conflicts, **made}


def into_worktree(project: str, work: str, base: str, path: str) -> dict[str, Any]:
    """Into a new work tree at `path`, with HEAD detached at `base` and the work as changes."""
    git = Git(project)
    folder = Path(path).expanduser().resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SafepointError(f"{path} is there already; name a folder that is not")
    onto = base or work
    with OwnWorktree(git, folder, onto) as there:
        wanted = changes.between(there, onto, work)
        made = lay(there, onto, work, wanted, marks(there, wanted))
    if not base:  # all of it is in HEAD then
        made["files"] = [one.path for one in changes.between(git, _empty_tree(git), work)]
    return {"folder": str(folder), "onto": onto, "merged": False, "conflicts": [], **made}


def _refuse_dirty(git: Git) -> None:
    status = ["status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=dirty"]
    changed = [line[3:] for line in git.names([*status, "--no-renames"])]
    if changed:
        raise SafepointError(
            f"{git.top} has changes that are not committed ({some(changed)}), and nothing is laid over them."
            " Commit them or put them aside (git stash), or add --worktree PATH to the command."
        )


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
            f" them ({done.errors}); git 2.38 or later can. Or add --worktree PATH to the command."
        )
    fields = done.output.decode("utf-8", "surrogateescape").split("\0")
    return fields[0], sorted({name for name in fields[1:] if name})
