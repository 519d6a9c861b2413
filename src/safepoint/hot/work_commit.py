"""The work in progress as a commit on top of HEAD: tracked and untracked files, not those that git ignores.

Git works on a copy of the index, so the user's index, stash, branches, HEAD and work tree stay as they are.
No hook of the repository runs. What is not kept: files of submodules, repositories inside the repository,
untracked files that are too large, and what cannot be read or what a filter fails on. It is named.
"""

from __future__ import annotations

import os
import time

from .beside import begin
from .files import discard, read_bytes, write_temp
from .git_files import index_path, root
from .gitfacts import call
from .work_message import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

QUIET = [
    "-c", f"core.hooksPath={os.devnull}", "-c", "core.safecrlf=false", "-c", "core.logAllRefUpdates=false",
    "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "advice.addEmbeddedRepo=false",
    "-c", "core.splitIndex=false", "-c", "submodule.recurse=false",
]  # fmt: skip
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Safepoint"), ("EMAIL", "safepoint@localhost"))
}
NAMES_BYTES = 64 * 1024 * 1024  # of a list of file names


class Limits:
    """What is too much. `entries` counts changed and untracked names; `untracked_bytes` is of all of them.

    `failures`: so many parts of the files that git fails on are parted to find out which ones it is.
    """

    __slots__ = ("entries", "failures", "file_bytes", "index_bytes", "untracked_bytes")

    def __init__(
        self, index_bytes: int, entries: int, file_bytes: int, untracked_bytes: int, failures: int
    ) -> None:
        self.index_bytes, self.entries, self.failures = index_bytes, entries, failures
        self.file_bytes, self.untracked_bytes = file_bytes, untracked_bytes


AT_RED = Limits(8_000_000, 2_000, 10_000_000, 50_000_000, 16)
BY_COMMAND = Limits(1_000_000_000, 5_000_000, 25_000_000, 1_000_000_000, 2_000)


class WorkCommitError(Exception):
    """There is no commit. `why` is "no git", "timeout", "failed" or "large"; `detail` is git's."""

    def __init__(self, why: str, detail: str = "") -> None:
        super().__init__(f"{why}: {detail}" if detail else why)
        self.why, self.detail = why, detail


class WorkCommit:
    """`sha` is HEAD itself where nothing is changed; `base` is "" before the first commit."""

    __slots__ = ("base", "left_out", "sha")

    def __init__(self, sha: str, base: str, left_out: list[str]) -> None:
        self.sha, self.base, self.left_out = sha, base, left_out


def make(project: str, folder: str, message: str, deadline_s: float, limits: Limits) -> WorkCommit:
    """The commit, which no ref names yet. `folder` is where the copy of the index may lie for a moment."""
    top = root(project)
    if not top:
        raise WorkCommitError("failed", "not in the work tree of a repository")
    size = _size(os.fsencode(index_path(top)))
    if size > limits.index_bytes:
        raise WorkCommitError("large", f"the index has {size:,} bytes")
    copy = copy_of_index(top, folder)
    try:
        return _Maker(top, copy, time.monotonic() + deadline_s, limits).commit(message)
    finally:
        discard(copy)
        discard(copy + ".lock")


def copy_of_index(top: str, folder: str) -> str:
    """The path of a copy in `folder`, with its own time: git looks again only at files that are not older."""
    path = index_path(top)
    try:
        info = os.stat(path)
    except OSError:
        copy = write_temp(f"{folder}/index", b"", 0o600, False)
        discard(copy)  # git begins an index that is not there, and takes an empty file for a damaged one
        return copy
    copy = write_temp(f"{folder}/index", read_bytes(path), 0o600, False)
    os.utime(copy, ns=(info.st_mtime_ns, info.st_mtime_ns))
    return copy


class _Maker:
    """Git on the copied index, until a point of time (monotonic seconds)."""

    def __init__(self, top: str, index: str, until: float, limits: Limits) -> None:
        self.top, self.index, self.until, self.limits = top, index, until, limits
        # what is left of the time has to be enough for the commit
        self.search_until = until - (until - time.monotonic()) / 2

    def commit(self, message: str) -> WorkCommit:
        head, untracked = begin(self._head), begin(self._untracked)  # neither needs what `add` does
        try:
            tracked = self._add_tracked()
        finally:
            try:
                names = untracked()
            finally:
                base, base_tree = head()
        left_out = [os.fsdecode(name) for name in [*tracked, *self._add_untracked(names)]]
        tree = self.git(["write-tree"]).decode("ascii").strip()
        if base and tree == base_tree:
            return WorkCommit(base, base, left_out)
        parents = ["-p", base] if base else []
        words = ["commit-tree", tree, *parents, "-m", written(message, left_out)]
        sha = self.git(words).decode("ascii").strip()
        return WorkCommit(sha, base, left_out)

    def _head(self) -> tuple[str, str]:
        """(commit, tree) of HEAD; ("", "") before the first commit."""
        answer = self.git(["log", "-1", "--format=%H %T", "HEAD", "--"], may_fail=True)
        lines = answer.decode("ascii", "replace").split()
        return (lines[0], lines[1]) if len(lines) == 2 else ("", "")

    def _add_tracked(self) -> list[bytes]:
        """Put the changes of tracked files into the copied index; those that git cannot take."""
        try:
            self.git(["add", "-u", "--", ":/"])
            return []
        except WorkCommitError as error:
            if error.why != "failed":
                raise
        # One file that fails has made git drop all of them.
        changed = ["diff-files", "--name-only", "-z", "--ignore-submodules=dirty"]
        listed = self.git(changed, max_bytes=NAMES_BYTES)
        names = sorted(set(listed.split(b"\0")[:-1]))
        if len(names) > self.limits.entries:
            raise WorkCommitError("large", f"{len(names):,} changed files, and git cannot take all of them")
        add = ["--literal-pathspecs", "add", "-u", "--pathspec-file-nul", "--pathspec-from-file=-"]
        return self._add(add, names)

    def _untracked(self) -> list[bytes]:
        listed = self.git(["ls-files", "-o", "--exclude-standard", "-z"], max_bytes=NAMES_BYTES)
        return listed.split(b"\0")[:-1]

    def _add_untracked(self, names: list[bytes]) -> list[bytes]:
        """Put the untracked files into the copied index; those that are left out."""
        if len(names) > self.limits.entries:
            raise WorkCommitError("large", f"{len(names):,} untracked files")
        taken, left_out = self._choose(names)
        return left_out + self._add(["update-index", "--add", "-z", "--stdin"], taken)

    def _add(self, command: list[str], names: list[bytes]) -> list[bytes]:
        """Have a git command that reads names take these; parted down to those that it fails on.

        Kinds of files are told apart first, since what git fails on is most often a kind (a filter that is
        missing). What is not found out in time, or within so many parts, is left out as a whole.
        """
        names = sorted(names, key=lambda name: (_kind(name), name))
        failed: list[bytes] = []
        waiting, failures = [names] if names else [], 0
        while waiting:
            part = waiting.pop(0)
            if failures and time.monotonic() > self.search_until:
                failed += part
                continue
            listing = b"\0".join(part) + b"\0"
            try:
                self.git(command, data=listing)
            except WorkCommitError as error:
                if error.why != "failed":
                    raise
                if part is names:  # not all of them, as with a disk that is full
                    self.git(["hash-object", "-w", "--no-filters", "--stdin"], data=listing)
                failures += 1
                if len(part) > 1 and failures <= self.limits.failures:
                    cut = _cut(part)
                    waiting += [part[:cut], part[cut:]]  # level by level, so the largest come first
                else:
                    failed += part
        return sorted(failed)

    def _choose(self, names: list[bytes]) -> tuple[list[bytes], list[bytes]]:
        taken, left_out, total = [], [], 0
        top = os.fsencode(self.top)
        for name in names:
            size = -1 if name.endswith(b"/") else _size(top + b"/" + name)  # a repository inside this one
            if size < 0 or size > self.limits.file_bytes:
                left_out.append(name)
                continue
            total += size
            if total > self.limits.untracked_bytes:
                most = self.limits.untracked_bytes
                raise WorkCommitError("large", f"untracked files of more than {most:,} bytes")
            taken.append(name)
        return taken, left_out

    def git(
        self, arguments: list[str], may_fail: bool = False, data: bytes = b"", max_bytes: int = 4096
    ) -> bytes:
        """Its stdout; raises WorkCommitError where it fails, unless that `may_fail`, or is late."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise WorkCommitError("timeout")
        variables = {**AUTHOR, "GIT_INDEX_FILE": self.index}
        try:
            status, output, errors = call(
                self.top, [*QUIET, *arguments], left, variables=variables, data=data, max_bytes=max_bytes
            )
        except FileNotFoundError:
            raise WorkCommitError("no git") from None
        if status is None:
            raise WorkCommitError("timeout")
        if status and not may_fail:
            raise WorkCommitError("failed", errors.decode("utf-8", "replace").strip()[-400:])
        return output


def _kind(name: bytes) -> bytes:
    return os.path.splitext(name)[1]


def _cut(names: list[bytes]) -> int:
    """Where to part them, which are sorted by kind: beside the kind in the middle, else in the middle."""
    middle = len(names) // 2
    kinds = [_kind(name) for name in names]
    first, behind = kinds.index(kinds[middle]), len(kinds) - kinds[::-1].index(kinds[middle])
    if first:
        return first
    return behind if behind < len(kinds) else middle


def _size(path: bytes) -> int:
    """Bytes of a file that can be read, 0 of a link; -1 of anything else."""
    try:
        info = os.lstat(path)
    except OSError:
        return -1
    kind = info.st_mode & 0o170000
    if kind == 0o120000:
        return 0
    return info.st_size if kind == 0o100000 and os.access(path, os.R_OK) else -1


def point(project: str, ref: str, sha: str, deadline_s: float, old: Optional[str] = None) -> bool:
    """Have `ref` name commit `sha`; with `old`, only where it names that one ("": there is no such ref)."""
    arguments = [*QUIET, "update-ref", "--no-deref", ref, sha]
    if old is not None:
        arguments.append(old or "0" * len(sha))
    try:
        return call(project, arguments, deadline_s)[0] == 0
    except OSError:
        return False
