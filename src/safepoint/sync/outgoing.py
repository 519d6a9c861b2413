"""What a push would send that the remote does not have yet: looked through, and made smaller on request."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch

from ..errors import SafepointError
from ..hot.work_commit import WorkCommit
from ..hot.work_message import written
from .git import Git
from .secrets_scan import Finding, find

BATCH_BYTES = 32_000_000  # of contents that are read at once
LARGE = 20_000_000  # bytes; a larger file is looked at by its name alone


def secrets(
    git: Git, sha: str, remote: str, there: dict[str, str], allow: Sequence[str]
) -> tuple[list[Finding], list[str]]:
    """What of the new objects of commit `sha` looks like a secret, and which of `allow` fits no path of them.

    What `allow` fits is not looked at.
    """
    found = []
    unused = dict.fromkeys(allow)
    for path, data in _new_files(git, sha, remote, there):
        fitting = [allowed for allowed in allow if path == allowed or fnmatch(path, allowed)]
        for allowed in fitting:
            unused.pop(allowed, None)
        finding = None if fitting else find(path, data)
        if finding is not None:
            found.append(finding)
    return sorted(found), list(unused)


def _new_files(git: Git, sha: str, remote: str, there: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """(path, content) of each blob that the remote does not have, as far as this clone knows."""
    own = set(git.run(["for-each-ref", "--format=%(objectname)"]).text.split())
    tracked = git.run(["for-each-ref", "--format=%(objectname)", f"refs/remotes/{remote}/"]).text.split()
    excluded = sorted(own.intersection(there.values()) | set(tracked))
    wanted = "\n".join([sha, *(f"^{one}" for one in excluded)]).encode() + b"\n"
    lines = git.run(["rev-list", "--objects", "--stdin"], wanted).output.split(b"\n")
    pairs = [line.partition(b" ")[::2] for line in lines if b" " in line]
    paths = {name.decode("ascii"): {os.fsdecode(path)} for name, path in pairs if path}
    for name, path in _named(git, git.run(["rev-list", "--stdin"], wanted).output):
        if name in paths:  # else the remote has the content
            paths[name].add(path)
    asked = "".join([f"{name}\n" for name in paths]).encode()
    if not asked:
        return
    facts = [line.split() for line in git.run(["cat-file", "--batch-check"], asked).text.split("\n")]
    blobs = [(fields[0], int(fields[2])) for fields in facts if len(fields) == 3 and fields[1] == "blob"]
    batch: list[str] = []
    size = 0
    for name, length in blobs:
        if length > LARGE:
            yield from ((path, b"\0") for path in sorted(paths[name]))
            continue
        batch.append(name)
        size += length
        if size > BATCH_BYTES:
            yield from _contents(git, batch, paths)
            batch, size = [], 0
    if batch:
        yield from _contents(git, batch, paths)


def _named(git: Git, commits: bytes) -> Iterator[tuple[str, str]]:
    """(blob, path) of what these commits add or change; `rev-list` tells one path of a blob that
    has several."""
    options = ["-r", "-z", "-m", "--root", "--no-renames", "--no-commit-id", "--diff-filter=d"]
    fields = git.run(["diff-tree", *options, "--stdin"], commits).output.split(b"\0")
    for facts, path in zip(fields[::2], fields[1::2], strict=False):
        yield facts.split()[3].decode("ascii"), os.fsdecode(path)


def _contents(git: Git, names: list[str], paths: dict[str, set[str]]) -> Iterator[tuple[str, bytes]]:
    asked = "".join([f"{name}\n" for name in names]).encode()
    answer = git.run(["cat-file", "--batch"], asked).output
    at = 0
    for name in names:
        end = answer.index(b"\n", at)
        size = int(answer[at:end].split()[2])
        data = answer[end + 1 : end + 1 + size]
        yield from ((path, data) for path in sorted(paths[name]))
        at = end + 1 + size + 1


def without(git: Git, made: WorkCommit, paths: Sequence[str], message: str) -> str:
    """The commit of the work with these files as HEAD has them, or not at all. Raises where it has none."""
    with tempfile.TemporaryDirectory(prefix="safepoint-index-") as folder:
        small = Git(git.top, os.path.join(folder, "index"))
        small.run(["read-tree", made.sha])
        for path in paths:
            if small.try_run(["ls-files", "--error-unmatch", "--", f":(top,literal){path}"]).status:
                raise SafepointError(
                    f"--leave-out {path}: the work holds no such file; paths are from {git.top}"
                )
            before = small.run(["ls-tree", "--full-tree", made.base, "--", path]).text if made.base else ""
            small.run(["update-index", "--force-remove", "--", path])
            if before:
                mode, _, sha = before.partition("\t")[0].split()
                small.run(["update-index", "--add", "--cacheinfo", f"{mode},{sha},{path}"])
        tree = small.run(["write-tree"]).text
        if made.base and tree == git.run(["rev-parse", f"{made.base}^{{tree}}"]).text:
            return made.base
        parents = ["-p", made.base] if made.base else []
        words = written(message, [*made.left_out, *paths])
        return git.run(["commit-tree", tree, *parents, "-m", words]).text
