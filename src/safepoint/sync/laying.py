"""One tree of git laid over another in a work tree: whole or not at all, and told as it is.

Git writes the files into a folder apart first, with the filters and line endings of the work tree. A full
disk or a filter fails there. Only then are they moved to where they belong. The index is not written, so what
is laid out shows as changes that are not staged.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import SafepointError
from ..hot.flock import Lock
from . import lying
from .changes import NONE, SUBMODULE, Change
from .exchange import Exchange, Mark, mark
from .git import Git

SHOWN = 8
_TRIES = 5
_PREFIX, _OVER = "safepoint-restore-", "safepoint-over-"
_BEFORE, _AFTER, _LOCK = "before", "after", "lock"
_NO_SPARSE = ["-c", "core.sparseCheckout=false"]


class NotPutBackError(SafepointError):
    """It failed half-way, and not everything is as before. What is missing lies in the folder it names."""


def some(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


@contextmanager
def _said() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SafepointError(f"nothing was restored: {_cause(error)}") from error


@_said()
def marks(git: Git, changes: list[Change]) -> dict[str, Mark | None]:
    """The files as they are now, by path: taken before git is asked whether they are its own."""
    return {one.path: mark(os.path.join(git.top, one.path)) for one in changes}


@_said()
def lay(
    git: Git, before: str, after: str, changes: list[Change], known: dict[str, Mark | None]
) -> dict[str, Any]:
    """Make `changes`, which lead from tree `before` to `after`, in the work tree, whose files are `before`'s.

    Raises SafepointError, with every file as it was; NotPutBackError where that could not be reached.
    What comes back: `files` that were written or removed, those `there_already`, those `not_laid_out` and
    why, those `outside_sparse` that were written all the same, and those that a filter gave (`filtered`).
    """
    found = lying.look(git, changes)
    if found.obstacles:
        raise _in_the_way(found.obstacles)
    left = [reason for one in changes if (reason := _not_laid_out(one, found.skipped))]
    passed = {one["path"] for one in left} | found.same
    wanted = [one for one in changes if one.path not in passed]
    with _folder(git) as folder:
        made = _written(git, folder, _AFTER, before, after, _NO_SPARSE)
        outside = _outside_sparse(git, folder, before, after, wanted)
        exchange = Exchange(git.top, os.path.join(folder, _BEFORE))
        try:
            _exchange(exchange, made, wanted, changes, known)
        except BaseException as error:
            lost = exchange.undo()
            if lost:
                raise NotPutBackError(
                    f"{_cause(error)}, and these could not be put back: {some(lost)}. As they were they are"
                    f" in {exchange.aside}; everything else is as before"
                ) from error
            raise
    written = [one.path for one in wanted if one.mode != NONE]
    return {
        "files": [one.path for one in wanted], "there_already": sorted(found.same), "not_laid_out": left,
        "outside_sparse": outside, "filtered": _filtered(git, written),
    }  # fmt: skip


def refuse_broken_off(git: Git) -> None:
    """What a restore that was killed has moved aside is not to be forgotten."""
    for name in sorted(os.listdir(_git_folder(git))):
        folder = os.path.join(_git_folder(git), name)
        if name.startswith(_OVER):
            shutil.rmtree(folder, ignore_errors=True)
        if not name.startswith(_PREFIX):
            continue
        with Lock(os.path.join(folder, _LOCK), 0) as lock:
            if not lock.held:
                raise SafepointError(f"another restore is at work in {git.top}")
            kept = os.path.join(folder, _BEFORE)
            if any(names for _, _, names in os.walk(kept)):
                raise SafepointError(
                    f"a restore was broken off in {git.top}, and what it had moved out of the way is in"
                    f" {kept}. Put back what is missing (git status tells), then delete {folder}"
                )
            _drop(folder)  # while it is locked: its owner may be about to begin


def _exchange(
    exchange: Exchange, made: str, wanted: list[Change], changes: list[Change], known: dict[str, Mark | None]
) -> None:
    for one in wanted:
        if one.mode_before not in (NONE, SUBMODULE) and known[one.path] is not None:
            exchange.take(one.path, known[one.path])
    for one in wanted:
        if one.mode == NONE:
            exchange.remove_empty(os.path.dirname(one.path))
    for one in changes:
        if one.mode == SUBMODULE and one.mode_before == NONE:
            exchange.make_folder(one.path)
    for one in wanted:
        if one.mode != NONE:
            exchange.put(one.path, os.path.join(made, one.path))
    exchange.confirm()


def _not_laid_out(change: Change, skipped: set[str]) -> dict[str, str] | None:
    if change.is_submodule:
        return {"path": change.path, "why": "submodule", "commit": change.sha if change.mode != NONE else ""}
    if change.mode == NONE and change.path in skipped:  # git would not show that it is gone
        return {"path": change.path, "why": "outside_sparse", "commit": ""}
    return None


@contextmanager
def _folder(git: Git) -> Iterator[str]:
    """A folder in git's own, as a rule on the disk of the work tree. It stays where what is aside has to."""
    for _ in range(_TRIES):
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir=_git_folder(git))
        with Lock(os.path.join(folder, _LOCK), 0) as lock:
            # Another restore may have taken it for one that is over, in the moment before it was locked.
            if not (lock.held or lock.broken) or not os.path.isdir(folder):
                continue
            try:
                yield folder
            except NotPutBackError:
                raise
            except BaseException:
                _drop(folder)
                raise
            _drop(folder)
            return
    raise SafepointError(f"another restore is at work in {git.top}")


def _drop(folder: str) -> None:
    """First under another name, by which it is known to be over: it may hold much, and we may be killed."""
    over = folder.replace(_PREFIX, _OVER)
    try:
        os.rename(folder, over)
    except OSError:
        over = folder
    shutil.rmtree(over, ignore_errors=True)


def _git_folder(git: Git) -> str:
    return git.run(["rev-parse", "--absolute-git-dir"]).text


def _written(git: Git, folder: str, name: str, before: str, after: str, options: list[str]) -> str:
    """The folder into which git has written what `after` has otherwise than `before`."""
    there, index = os.path.join(folder, name), os.path.join(folder, name + ".index")
    os.mkdir(there)
    variables = {"GIT_DIR": _git_folder(git), "GIT_WORK_TREE": there, "GIT_INDEX_FILE": index}
    for words in (["read-tree", before], ["read-tree", "-m", "-u", before, after]):
        done = git.try_run([*options, *words], variables=variables)
        if done.status:
            raise SafepointError(f"nothing was restored: {done.errors or done.status}")
    return there


def _outside_sparse(git: Git, folder: str, before: str, after: str, wanted: list[Change]) -> list[str]:
    """Of the files to write those that a sparse checkout does not have here."""
    if git.try_run(["config", "--type=bool", "--get", "core.sparseCheckout"]).text != "true":
        return []
    inside = _written(git, folder, "inside", before, after, [])
    return [
        one.path for one in wanted
        if one.mode != NONE and not os.path.lexists(os.path.join(inside, one.path))
    ]  # fmt: skip


def _filtered(git: Git, paths: list[str]) -> list[dict[str, str]]:
    """Those whose content went through a filter, which may drop what it does not keep."""
    asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
    done = git.try_run(["check-attr", "-z", "--stdin", "filter"], asked) if paths else None
    fields = done.output.decode("utf-8", "surrogateescape").split("\0") if done and not done.status else []
    return [
        {"path": path, "filter": value} for path, _, value in zip(fields[::3], fields[1::3], fields[2::3])
        if value not in ("unspecified", "unset", "set")
    ]  # fmt: skip


def _in_the_way(names: list[str]) -> SafepointError:
    return SafepointError(
        f"nothing was restored: {some(names)} would be laid over, and git does not have what is"
        " there. Move it away, or add --worktree PATH to the command."
    )


def _cause(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror or error}"
    return str(error) or type(error).__name__
