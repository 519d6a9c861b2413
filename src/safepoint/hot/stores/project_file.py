"""Files of the project that are not Safepoint's own: read within bounds, rewritten with care.

A name from a setting, a tracker or an agent is only followed to a regular file inside the project,
whatever links lie on the way.
"""

from __future__ import annotations

import os
import stat

from ..files import read_bytes, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HEAD_BYTES = 64 * 1024
MAX_BYTES = 4 * 1024 * 1024  # a larger text is not rewritten: that would use up a hook's time


def folder(project: str, name: str) -> str:
    """The absolute path of folder `name` inside the project; '' where it is none, or lies outside."""
    path = _inside(project, name)
    return path if path and os.path.isdir(path) else ""


def regular(project: str, name: str) -> str:
    """The absolute path, links resolved, of regular file `name` inside the project; else ''."""
    path = _inside(project, name)
    try:
        return path if path and stat.S_ISREG(os.lstat(path).st_mode) else ""
    except OSError:
        return ""


def relative(project: str, name: str) -> str:
    """`name` as a tidy path below the project, by its spelling alone; '' where it does not lie below."""
    prefix = project.rstrip("/") + "/"
    if name.startswith(prefix):
        name = name[len(prefix) :]
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if name[:1] in ("/", "\\", "~") or name[1:2] == ":" or ".." in parts or "\0" in name:
        return ""
    return "/".join(parts)


def _inside(project: str, name: str) -> str:
    tidy = relative(project, name)
    if not tidy:
        return ""
    try:
        root = os.path.realpath(project)
        path = os.path.realpath(os.path.join(root, tidy))
    except (OSError, ValueError):  # a link that leads to itself; a character no path may have
        return ""
    return path if path.startswith(root.rstrip(os.sep) + os.sep) else ""


def head(path: str, max_bytes: int = HEAD_BYTES) -> str:
    """The beginning of the file at `path`, '' where it cannot be read. Never waits at a pipe."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return ""
        return decode(read_bytes(path, max_bytes))
    except (OSError, ValueError):
        return ""


def decode(data: bytes) -> str:
    """Text that `encode` turns back into the same bytes, whatever they were."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def rewrite(path: str, change: Callable[[str], str]) -> bool:
    """Put `change(text)` in place of the text at `path`, whole, with the file's mode; True when it is there.

    False for a binary or an oversized file. Raises PathError where `path` is no regular file, another
    OSError where the file system refuses. A file that an editor saved meanwhile is read again.
    """
    from .folders import PathError

    for _ in range(3):
        before = os.lstat(path)
        if not stat.S_ISREG(before.st_mode):
            raise PathError(path, "not a regular file")
        if before.st_size > MAX_BYTES:
            return False
        data = read_bytes(path, MAX_BYTES + 1)
        if len(data) > MAX_BYTES or b"\0" in data:  # NUL: not the UTF-8 that would be added to it
            return False
        changed = encode(change(decode(data)))
        if changed == data:
            return True
        if _stamp(os.lstat(path)) == _stamp(before):
            _replace(path, changed, stat.S_IMODE(before.st_mode))
            return True
    raise PathError(path, "it keeps changing")


def _stamp(info: os.stat_result) -> tuple[int, int, int]:
    return info.st_ino, info.st_size, info.st_mtime_ns


def _replace(path: str, data: bytes, mode: int) -> None:
    write_atomic(path, data, mode & 0o777)
    if stat.S_IMODE(os.lstat(path).st_mode) != mode:  # the umask took something away
        os.chmod(path, mode)
