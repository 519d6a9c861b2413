"""A work tree that we make for somebody, and that is gone again where it cannot be made whole."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from ..errors import SafepointError
from .git import Git


class OwnWorktree:
    """`with OwnWorktree(git, folder, commit) as there`: git in a new work tree, HEAD detached at `commit`.

    `folder` is empty or not there. An error inside takes the work tree away, and the folders made for it.
    """

    def __init__(self, git: Git, folder: Path, commit: str) -> None:
        self.git, self.folder, self.commit = git, folder, commit
        self._was_there = folder.is_dir()
        self._missing = [one for one in folder.parents if not one.exists()]  # the deepest first

    def __enter__(self) -> Git:
        try:
            added = ["worktree", "add", "--detach", "--no-checkout", "--", str(self.folder), self.commit]
            self._do(self.git, added)
            there = Git(str(self.folder))
            self._do(there, ["read-tree", "--reset", "-u", self.commit])
        except BaseException as error:
            self._leave(error)
            raise
        return there

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._leave(error)

    def _do(self, git: Git, words: list[str]) -> None:
        done = git.try_run(words)
        if done.status:
            raise SafepointError(f"nothing was restored: {done.errors or done.status}")

    def _leave(self, error: BaseException) -> None:
        """Take it away; raises SafepointError where that fails, so that nobody takes it for a whole one."""
        if (self.folder / ".git").exists():
            done = self.git.try_run(["worktree", "remove", "--force", "--", str(self.folder)])
            if done.status:
                raise SafepointError(
                    f"{error or type(error).__name__}; the unfinished work tree {self.folder} could not be"
                    f" removed ({done.errors}): git worktree remove --force {self.folder}"
                ) from error
        if self._was_there:
            self.folder.mkdir(exist_ok=True)
            return
        for one in [self.folder, *self._missing]:
            try:
                one.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                return  # somebody else has put something into it
