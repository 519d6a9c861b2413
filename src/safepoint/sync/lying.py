"""What lies in a work tree that git does not have, and that laying files out would end."""

from __future__ import annotations

import os

from .git import Git


class Lying:
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

    def keeps(self, path: str, before: str, mode: str) -> bool:
        """Whether something lies at `path`, of mode `before` in HEAD, that writing `mode` there would end."""
        place = os.path.join(self.git.top, path)
        if not os.path.lexists(place):
            return False
        if not os.path.isdir(place) or os.path.islink(place):
            return before == "000000"
        if mode == "160000":
            return False
        content = os.listdir(place)
        if before == "160000" or not content:
            return bool(content)
        inside = self.git.names(["--literal-pathspecs", "ls-files", "-o", "-z", "--", path])
        staged = self.git.names(["--literal-pathspecs", "ls-files", "-s", "-z", "--", path])
        return bool(inside) or not staged or any(one.startswith("160000") for one in staged)

    def is_same(self, path: str, mode: str, sha: str) -> bool:
        """Whether it is what the work has there."""
        lying = os.path.join(self.git.top, path)
        if os.path.islink(lying):
            data = os.fsencode(os.readlink(lying))
            return mode == "120000" and self.git.run(["hash-object", "--stdin"], data).text == sha
        if not os.path.isfile(lying) or mode in ("120000", "160000"):
            return False
        return self.git.try_run(["hash-object", "--path", path, "--", lying]).text == sha
