"""What differs between two trees of git, file by file."""

from __future__ import annotations

from typing import NamedTuple

from .git import Git

NONE, SUBMODULE = "000000", "160000"  # modes: no file; a commit of another repository


class Change(NamedTuple):
    """One path. The modes are git's, `NONE` where a tree has nothing there."""

    path: str
    mode_before: str
    mode: str
    sha_before: str
    sha: str

    @property
    def is_submodule(self) -> bool:
        """Its content is another repository's, and is not here."""
        return self.mode == SUBMODULE or (self.mode == NONE and self.mode_before == SUBMODULE)


def between(git: Git, before: str, after: str) -> list[Change]:
    """The changes that lead from one tree (or commit) to the other."""
    fields = git.names(["diff-tree", "-r", "-z", "--no-renames", before, after])
    found = []
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        mode_before, mode, sha_before, sha = facts[1:].split()[:4]
        found.append(Change(path, mode_before, mode, sha_before, sha))
    return found
