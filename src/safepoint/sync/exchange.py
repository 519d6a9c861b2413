"""Files of a work tree exchanged for others that are made already: all of them, or none.

What was there is moved aside and what takes its place is linked in. That needs no room on the disk, never
replaces what somebody else has made in between, and can be taken back: the same files, not others like them.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

# Where a file cannot be linked, though it can be moved: other disks, and file systems without links.
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class Mark(NamedTuple):
    """What tells that a file is still the one it was."""

    device: int
    inode: int
    size: int
    mtime_ns: int


class Exchange:
    """Paths are from `top`; what is taken out of the way goes below `aside`."""

    def __init__(self, top: str, aside: str) -> None:
        self.top, self.aside = top, aside
        self._undo: list[tuple[str, Callable[[], None]]] = []
        self._taken: list[tuple[str, str, Mark | None]] = []

    def take(self, path: str, known: Mark | None) -> None:
        """Move a file aside. Raises OSError, also where it is not the one that was `known`."""
        place, kept = os.path.join(self.top, path), os.path.join(self.aside, path)
        with _named(path):
            if mark(place) != known:
                raise OSError(errno.EBUSY, "it was changed in the meantime")
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            self._noted(path, lambda: _bring_back(kept, place), lambda: _move(place, kept))
            self._taken.append((path, kept, known))

    def put(self, path: str, made: str) -> None:
        """Have the file `made` at `path`, where nothing but empty folders may be. Raises OSError."""
        place = os.path.join(self.top, path)
        with _named(path):
            self._make_folders(os.path.dirname(path))
            self._clear(path)
            laid = mark(made)
            self._noted(path, lambda: _take_back(made, place, laid), lambda: _lay(made, place))

    def make_folder(self, path: str) -> None:
        """A folder, where none is. Raises OSError."""
        with _named(path):
            self._make_folders(path)

    def remove_empty(self, path: str) -> None:
        """Remove a folder, and those above it, as far as nothing is in them."""
        while path:
            try:
                self._remove_folder(path)
            except OSError:
                return
            path = os.path.dirname(path)

    def confirm(self) -> None:
        """Raises OSError where somebody who had a file open has written to it since it was taken."""
        for path, kept, known in self._taken:
            now = mark(kept)
            if now is None or known is None or (now.size, now.mtime_ns) != (known.size, known.mtime_ns):
                raise OSError(errno.EBUSY, "it was changed in the meantime", path)

    def undo(self) -> list[str]:
        """Have everything as it was; the paths with which that failed, whose old files are still aside.

        Where it is interrupted itself, these are all that it has not come to.
        """
        lost = []
        while self._undo:
            path, step = self._undo[-1]
            try:
                step()
            except OSError:
                lost.append(path)
            except KeyboardInterrupt:
                lost += [path for path, _ in self._undo]
                break
            self._undo.pop()
        return sorted(set(lost))

    def _noted(self, path: str, back: Callable[[], None], step: Callable[[], None]) -> None:
        """Do a step of which `back` is noted before, so that an interruption in between loses nothing."""
        self._undo.append((path, back))
        try:
            step()
        except OSError:  # then it did nothing
            self._undo.pop()
            raise

    def _make_folders(self, path: str) -> None:
        if not path:
            return
        self._make_folders(os.path.dirname(path))
        place = os.path.join(self.top, path)
        try:
            os.mkdir(place)
        except FileExistsError:
            if not stat.S_ISDIR(os.lstat(place).st_mode):  # a link may lead out of the work tree
                raise
            return
        self._undo.append((path, lambda: _drop_folder(place)))

    def _clear(self, path: str) -> None:
        """Remove a folder that holds nothing but empty folders."""
        place = os.path.join(self.top, path)
        if not os.path.isdir(place) or os.path.islink(place):
            return
        for folder, _, _ in os.walk(place, topdown=False):
            self._remove_folder(os.path.relpath(folder, self.top))

    def _remove_folder(self, path: str) -> None:
        place = os.path.join(self.top, path)
        mode = stat.S_IMODE(os.lstat(place).st_mode)
        os.rmdir(place)

        def back() -> None:
            os.mkdir(place)
            os.chmod(place, mode)

        self._undo.append((path, back))


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Errors name the path, and none of ours."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def mark(place: str) -> Mark | None:
    """None where nothing is."""
    try:
        info = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Mark(info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)


def _lay(made: str, place: str) -> None:
    """The file or link `made` at `place` as well. Raises FileExistsError where something is there."""
    if os.path.islink(made):
        os.symlink(os.readlink(made), place)
        return
    try:
        os.link(made, place)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), place) from None
        try:
            shutil.copy2(made, place)
        except OSError:
            os.unlink(place)
            raise


def _move(source: str, target: str) -> None:
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copy2(source, target, follow_symlinks=False)
        os.unlink(source)


def _bring_back(kept: str, place: str) -> None:
    """Where it never came to be moved, it is in its place. Raises OSError where it is in neither."""
    if os.path.lexists(kept) or not os.path.lexists(place):
        _lay(kept, place)


def _take_back(made: str, place: str, laid: Mark | None) -> None:
    """Remove what was laid; `laid` is how `made` was then. Raises OSError where it is not that any more."""
    now = mark(place)
    if now is None:
        return
    if os.path.islink(made):
        is_same = os.path.islink(place) and os.readlink(place) == os.readlink(made)
    else:
        is_same = laid is not None and (now.size, now.mtime_ns) == (laid.size, laid.mtime_ns)
    if not is_same:
        raise OSError(errno.EBUSY, "it was changed in the meantime", place)
    os.unlink(place)


def _drop_folder(place: str) -> None:
    try:
        os.rmdir(place)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise  # else somebody else has put something into it, or removed it
