"""What lies in a work tree that git does not have, and that laying files out would end."""

from __future__ import annotations

import os
from typing import NamedTuple

from .changes import NONE, SUBMODULE, Change
from .git import Git


class Found(NamedTuple):
    """`obstacles` are in the way; `same` are there already, just as they are to be; `skipped`: git has been
    told not to have them in the work tree (a sparse checkout), or not to look at them."""

    obstacles: list[str]
    same: set[str]
    skipped: set[str]


def look(git: Git, changes: list[Change]) -> Found:
    """What making these changes in git's work tree, which has to be clean, would meet."""
    lying = _Lying(git)
    skipped, unwatched = _hidden(git)
    obstacles: dict[str, None] = {}
    same = set()
    for one in changes:
        obstacle = lying.above(one.path)
        if not obstacle and lying.keeps(one):
            if lying.is_same(one.path, one.mode, one.sha):
                same.add(one.path)
            else:
                obstacle = one.path
        if not obstacle and one.path in unwatched and one.mode_before not in (NONE, SUBMODULE):
            place = os.path.join(git.top, one.path)
            if os.path.lexists(place) and not lying.is_same(one.path, one.mode_before, one.sha_before):
                obstacle = one.path
        if obstacle:
            obstacles[obstacle] = None
    return Found(list(obstacles), same, skipped)


def _hidden(git: Git) -> tuple[set[str], set[str]]:
    """(files with skip-worktree, those and the ones with assume-unchanged), whose state git does not tell."""
    tagged = [(field[0], field[2:]) for field in git.names(["ls-files", "-v", "-z"])]
    skipped = {path for tag, path in tagged if tag in "Ss"}
    return skipped, skipped | {path for tag, path in tagged if tag.islower()}


class _Lying:
    """The files, links and folders of the work tree. git takes ignored ones for worthless; they are not."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self._above: dict[str, str] = {"": ""}

    def above(self, path: str) -> str:
        """The nearest to the top of what stands where `path` needs a folder; "" for nothing."""
        folder = os.path.dirname(path)
        if folder not in self._above:
            self._above[folder] = self.above(folder) or self._no_folder(folder)
        return self._above[folder]

    def _no_folder(self, path: str) -> str:
        place = os.path.join(self.git.top, path)
        if not os.path.lexists(place) or (os.path.isdir(place) and not os.path.islink(place)):
            return ""
        known = self.git.names(["--literal-pathspecs", "ls-files", "-z", "--", path])
        return "" if path in known else path

    def keeps(self, change: Change) -> bool:
        """Whether something lies there that is not the file before it, and that the change would end."""
        place = os.path.join(self.git.top, change.path)
        if change.mode in (NONE, SUBMODULE) and change.mode_before == SUBMODULE:
            return False  # a submodule stays as it is
        if not os.path.lexists(place) or self._is_behind_link(change.path):
            return False
        if not os.path.isdir(place) or os.path.islink(place):
            return change.mode_before == NONE
        if change.mode == SUBMODULE:
            return False
        content = os.listdir(place)
        if change.mode_before == SUBMODULE or not content:
            return bool(content)
        inside = self.git.names(["--literal-pathspecs", "ls-files", "-o", "-z", "--", change.path])
        staged = self.git.names(["--literal-pathspecs", "ls-files", "-s", "-z", "--", change.path])
        return bool(inside) or not staged or any(one.startswith(SUBMODULE) for one in staged)

    def _is_behind_link(self, path: str) -> bool:
        """Whether a link of git's is in the path, which has to go anyway: what it leads to lies elsewhere."""
        folder = os.path.dirname(path)
        while folder and not os.path.islink(os.path.join(self.git.top, folder)):
            folder = os.path.dirname(folder)
        return bool(folder)

    def is_same(self, path: str, mode: str, sha: str) -> bool:
        """Whether it is what git has under `mode` and `sha`."""
        lying = os.path.join(self.git.top, path)
        if os.path.islink(lying):
            data = os.fsencode(os.readlink(lying))
            return mode == "120000" and self.git.run(["hash-object", "--stdin"], data).text == sha
        if not os.path.isfile(lying) or mode in ("120000", SUBMODULE):
            return False
        return self.git.try_run(["hash-object", "--path", path, "--", lying]).text == sha
