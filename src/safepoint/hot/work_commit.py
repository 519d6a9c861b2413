"""The work in progress as a commit on top of HEAD: tracked and untracked files, not those that git ignores.

Git works on a copy of the index, so the user's index, stash, branches, HEAD and work tree stay as they are.
No hook of the repository runs. What is not kept: files of submodules, repositories inside the repository,
untracked files that are too large, and what cannot be read or what a filter fails on. It is named.
"""

from __future__ import annotations

import os
import time

from . import work_names
from .beside import begin
from .files import discard, read_bytes, write_temp
from .git_files import index_path, root
from .gitfacts import MAX_OUTPUT_BYTES, STATUS, call
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


def make(
    project: str, folder: str, message: str, deadline_s: float, limits: Limits, status: Optional[bytes] = None
) -> WorkCommit:
    """The commit, which no ref names yet. `folder` is where the copy of the index may lie for a moment.

    `status` is git's answer to `gitfacts.STATUS` where that is known; empty: git failed on it.
    """
    top = root(project)
    if not top:
        raise WorkCommitError("failed", "not in the work tree of a repository")
    size = work_names.size(os.fsencode(index_path(top)))
    if size > limits.index_bytes:
        raise WorkCommitError("large", f"the index has {size:,} bytes")
    copy = copy_of_index(top, folder)
    try:
        return _Maker(top, copy, time.monotonic() + deadline_s, limits).commit(message, status)
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

    def commit(self, message: str, status: Optional[bytes]) -> WorkCommit:
        head = begin(self._head)  # it does not need what is put into the index
        try:
            left_out = [os.fsdecode(name) for name in self._take(self._names(status))]
        finally:
            base, base_tree = head()
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

    def _names(self, status: Optional[bytes]) -> work_names.Names:
        most = MAX_OUTPUT_BYTES
        if status is None:
            most = NAMES_BYTES
            status = self.git(STATUS, may_fail=True, max_bytes=most)
        if len(status) >= most:
            raise WorkCommitError("large", f"a status of more than {most:,} bytes")
        if not status:
            changed, untracked = (
                self.git(ask, max_bytes=NAMES_BYTES)
                for ask in (work_names.ASK_CHANGED, work_names.ASK_UNTRACKED)
            )
            return work_names.of_lists(changed, untracked)
        return work_names.of_status(status)

    def _take(self, names: work_names.Names) -> list[bytes]:
        """Put the files into the copied index; those that are left out."""
        if len(names) > self.limits.entries:
            raise WorkCommitError("large", f"{len(names):,} changed and untracked files")
        displaced = work_names.displaced(os.fsencode(self.top), names)
        if displaced:
            self._drop(displaced)
        gone = set(displaced)
        taken, left_out = self._choose(names.untracked)
        failed = self._add([name for name in names.changed if name not in gone] + taken)
        self._settle_unmerged(sorted(set(failed).intersection(names.unmerged)))
        return sorted(left_out + failed)

    def _settle_unmerged(self, names: list[bytes]) -> None:
        """Have files in conflict that git could not take be as in HEAD: no tree is made of three versions."""
        if names:
            listing = self.git(
                ["--literal-pathspecs", "ls-tree", "-r", "-z", "HEAD", "--", *map(os.fsdecode, names)],
                max_bytes=NAMES_BYTES,
            )
            self._drop(names)
            self.git(["update-index", "-z", "--index-info"], data=listing)

    def _drop(self, names: list[bytes]) -> None:
        self.git(["update-index", "--force-remove", "-z", "--stdin"], data=_listing(names))

    def _add(self, names: list[bytes]) -> list[bytes]:
        """Put files into the copied index as they are now; parted down to those that git fails on.

        Kinds of files are told apart first, since what git fails on is most often a kind (a filter that is
        missing). What is not found out in time, or within so many parts, is left out as a whole.
        """
        names = sorted(names, key=lambda name: (work_names.kind(name), name))
        failed: list[bytes] = []
        waiting, failures = [names] if names else [], 0
        while waiting:
            part = waiting.pop(0)
            if failures and time.monotonic() > self.search_until:
                failed += part
                continue
            listing = _listing(part)
            try:
                self.git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], data=listing)
            except WorkCommitError as error:
                if error.why != "failed":
                    raise
                if part is names:  # not all of them, as with a disk that is full
                    self.git(["hash-object", "-w", "--no-filters", "--stdin"], data=listing)
                failures += 1
                if len(part) > 1 and failures <= self.limits.failures:
                    cut = work_names.cut(part)
                    waiting += [part[:cut], part[cut:]]  # level by level, so the largest come first
                else:
                    failed += part
        return failed

    def _choose(self, names: list[bytes]) -> tuple[list[bytes], list[bytes]]:
        taken, left_out, total = [], [], 0
        top = os.fsencode(self.top)
        for name in names:
            is_repository = name.endswith(b"/")
            size = -1 if is_repository else work_names.size(top + b"/" + name)
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


def _listing(names: list[bytes]) -> bytes:
    return b"\0".join(names) + b"\0"


def point(project: str, ref: str, sha: str, deadline_s: float, old: Optional[str] = None) -> bool:
    """Have `ref` name commit `sha`; with `old`, only where it names that one ("": there is no such ref)."""
    arguments = [*QUIET, "update-ref", "--no-deref", ref, sha]
    if old is not None:
        arguments.append(old or "0" * len(sha))
    try:
        return call(project, arguments, deadline_s)[0] == 0
    except OSError:
        return False
