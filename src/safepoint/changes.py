"""Changes to files as values: planned, shown as a diff, then carried out together or not at all."""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

UNFINISHED = ".safepoint-"  # in the name of a file until it is whole and takes its place


class Change(NamedTuple):
    """One file from `before` to `after`; None = it is not there."""

    path: str  # as shown, relative to the project where it lies inside
    file: Path
    before: bytes | None
    after: bytes | None
    executable: bool = False
    private: bool = False  # for its owner alone, and so is the folder it lies in

    @property
    def action(self) -> str:
        return "create" if self.before is None else "remove" if self.after is None else "change"


def needed(changes: Iterable[Change]) -> list[Change]:
    return [change for change in changes if change.before != change.after]


def missing_folders(changes: Iterable[Change], root: Path) -> list[str]:
    """Folders below `root` that the changes will create, outermost first."""
    found = set()
    for change in changes:
        if change.after is None or not change.file.is_relative_to(root):
            continue
        folder = change.file.parent
        while folder != root and not folder.is_dir():
            found.add(folder.relative_to(root).as_posix())
            folder = folder.parent
    return sorted(found)


def diff(change: Change) -> str:
    """A unified diff, as `patch` reads it."""
    before, after = ((content or b"").decode(errors="replace") for content in (change.before, change.after))
    from_file = "/dev/null" if change.before is None else f"a/{change.path}"
    to_file = "/dev/null" if change.after is None else f"b/{change.path}"
    out = []
    for line in difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), from_file, to_file
    ):
        out.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(out)


def perform(changes: Sequence[Change]) -> None:
    """Carry the changes out in order; when one fails, the ones before it are taken back."""
    done: list[Change] = []
    folders: list[Path] = []
    try:
        for change in changes:
            folders += _make_folders(change) if change.after is not None else []
            _set(change, change.after)
            done.append(change)
    except BaseException:
        for change in reversed(done):
            _set(change, change.before)
        for folder in reversed(folders):
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _make_folders(change: Change) -> list[Path]:
    missing = []
    folder = change.file.parent
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        try:
            one.mkdir(exist_ok=True)
        except FileExistsError as error:
            raise FileExistsError(errno.EEXIST, "it has to be a folder: move it away", str(one)) from error
    if change.private:
        change.file.parent.chmod(0o700)
    return missing[::-1]


def drop_unfinished(folder: Path) -> None:
    """Delete what a command that was killed has left of the files it was writing there."""
    for file in folder.glob(f".*{UNFINISHED}*"):
        if not file.is_dir():
            file.unlink(missing_ok=True)


def _set(change: Change, content: bytes | None) -> None:
    if content is None:
        change.file.unlink(missing_ok=True)
    else:
        write(change.file, content, change.executable, change.private)


def write(file: Path, content: bytes, executable: bool = False, private: bool = False) -> None:
    """Replace a file in one step. Its mode stays; a link stays and its target is replaced."""
    link, file = file, file.resolve()
    if not file.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"a link to {file}, whose folder is not there", str(link))
    handle, temporary = tempfile.mkstemp(prefix=f".{file.name}{UNFINISHED}", dir=file.parent)
    try:
        with open(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(temporary, 0o600 if private else _mode(file, executable))
        _tell_apart(temporary, file)
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _tell_apart(new: str, old: Path) -> None:
    """Give the new file another time than the old one's. Python takes a compiled module for current as long
    as the second and the size are its source's: an upgrade within a second could run the code before it."""
    try:
        before, after = old.stat(), os.stat(new)
    except OSError:
        return
    if before.st_size == after.st_size and int(before.st_mtime) >= int(after.st_mtime):
        os.utime(new, (after.st_atime, int(before.st_mtime) + 1))


def _mode(file: Path, executable: bool) -> int:
    try:
        mode = file.stat().st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    return mode | ((mode & 0o444) >> 2) if executable else mode


def clear(root: Path, compiled: list[str], empty: list[str], state: list[str]) -> None:
    """Delete compiled modules (glob patterns) and the files of `state`, then folders left empty."""
    for pattern in compiled:
        for file in root.glob(pattern):
            file.unlink(missing_ok=True)
    for path in state:
        with contextlib.suppress(OSError):
            (root / path).unlink()
    for path in empty:
        with contextlib.suppress(OSError):
            drop_unfinished(root / path)
            (root / path).rmdir()
