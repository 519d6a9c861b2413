"""Git for the commands: without hooks, prompts or an end that never comes; its complaints as errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import SafepointError
from ..hot.git_files import root
from ..hot.gitfacts import call
from ..hot.redact import capture
from ..hot.work_commit import AUTHOR, QUIET

LOCAL_S = 900.0  # for what git does on this machine: writing out 100,000 files takes its time
MAX_BYTES = 512 * 1024 * 1024


class Done(NamedTuple):
    """How a git process ended."""

    status: int
    output: bytes
    errors: str

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "surrogateescape").strip()


class Git:
    """Git in the work tree around `project`. With `index`, a file of its own takes the place of the index."""

    def __init__(self, project: str, index: str = "") -> None:
        self.top = root(project)
        if not self.top:
            raise SafepointError(f"{project} is in no git repository, and campaigns travel by git")
        self.index = index

    def try_run(
        self, arguments: Sequence[str], given: bytes = b"", variables: Mapping[str, str] | None = None,
        deadline_s: float = LOCAL_S,
    ) -> Done:  # fmt: skip
        """Run one git command; `given` is its standard input. Raises SafepointError where it is too slow."""
        added = {**AUTHOR, "GIT_LFS_SKIP_SMUDGE": "1", **(variables or {})}
        if self.index:
            added["GIT_INDEX_FILE"] = self.index
        try:
            status, output, errors = call(
                self.top, [*QUIET, *arguments], deadline_s, variables=added, data=given, max_bytes=MAX_BYTES
            )
        except OSError as error:
            raise SafepointError(f"git cannot be started: {error.strerror}") from error
        if status is None:
            raise SafepointError(f"git {arguments[0]} did not end within {deadline_s:.0f} s")
        return Done(status, output, capture(errors.decode("utf-8", "replace").strip(), 2000))

    def run(
        self, arguments: Sequence[str], given: bytes = b"", variables: Mapping[str, str] | None = None
    ) -> Done:
        """The same for a command that has to succeed."""
        done = self.try_run(arguments, given, variables)
        if done.status:
            raise SafepointError(f"git {arguments[0]} failed: {done.errors or done.status}")
        return done

    def update_refs(self, lines: Sequence[str]) -> None:
        """All of these changes of refs (`delete NAME SHA`, ...), or none of them."""
        if lines:
            self.run(["update-ref", "--stdin"], "".join(f"{line}\n" for line in lines).encode())

    def commit_of(self, name: str) -> str:
        """The commit's id; "" where there is none of that name."""
        done = self.try_run(["rev-parse", "--verify", "-q", f"{name}^{{commit}}"])
        return done.text if done.status == 0 else ""

    def names(self, arguments: Sequence[str]) -> list[str]:
        """The fields of an answer that is ended by NUL."""
        fields = self.run(arguments).output.decode("utf-8", "surrogateescape").split("\0")
        return [field for field in fields if field]
