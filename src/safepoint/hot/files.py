"""Where files are written.

Everything written here is private (0600 or 0400, folders 0700) and either whole or absent.  An interrupted
system call is retried by the interpreter; a short write is finished here.  All functions raise OSError when
the file system refuses.  What must outlive a power cut is in ``durable``, folders are in ``stores.folders``.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
CLOEXEC = getattr(os, "O_CLOEXEC", 0)
BINARY = getattr(os, "O_BINARY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_REGULAR, _TYPE_MASK = 0o100000, 0o170000
_FLAGS = NOFOLLOW | CLOEXEC | BINARY

_ID_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_MAX_ID = 80

REPLACE_TRIES = 20 if os.name == "nt" else 1
REPLACE_PAUSE_S = 0.005

_counter = 0


# --- writing ---------------------------------------------------------------------------------------------


def write_atomic(path: str, data: bytes, mode: int = 0o600, fsync: bool = False) -> None:
    """Put ``data`` at ``path``, replacing what is there.  Readers see the old content or the new, no mixture.

    A symbolic link at ``path`` is itself replaced.  With ``fsync`` it also survives a power cut.
    """
    temp = write_temp(path, data, mode, fsync)
    try:
        _replace(temp, path)
    except BaseException:
        discard(temp)
        raise
    if fsync:
        from .durable import sync_dir

        sync_dir(path)


def _replace(temp: str, path: str) -> None:
    """Windows refuses while another process has the file open, which it has for a moment only."""
    for _ in range(REPLACE_TRIES - 1):
        try:
            os.replace(temp, path)
            return
        except PermissionError:
            time.sleep(REPLACE_PAUSE_S)
    os.replace(temp, path)


def append_line(path: str, line: bytes, mode: int = 0o600) -> None:
    """Append ``line`` and a newline in one write, so that parallel writers never mix.

    A last line that a crash left without its newline is closed first: it stays broken, alone.  At worst that
    leaves an empty line, which readers skip.  Raises OSError with ELOOP where ``path`` is a symbolic link.
    """
    if b"\n" in line[:-1]:
        raise ValueError("one line at a time")
    if not line.endswith(b"\n"):
        line += b"\n"
    fd = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _FLAGS, mode)
    try:
        _write_all(fd, b"\n" + line if _is_torn(fd) else line)
    finally:
        os.close(fd)


def _is_torn(fd: int) -> bool:
    if _ends_line(fd):
        return False
    time.sleep(0.001)  # a write that crosses a page shows for a moment as its first half: look again
    return not _ends_line(fd)


def _ends_line(fd: int) -> bool:
    size = os.fstat(fd).st_size
    if not size:
        return True
    os.lseek(fd, size - 1, os.SEEK_SET)  # not pread: Windows has none
    return os.read(fd, 1) == b"\n"


def write_temp(path: str, data: bytes, mode: int, fsync: bool) -> str:
    """A complete new file beside ``path``, under a name that no other process or call uses."""
    global _counter
    _counter += 1
    folder, name = os.path.split(path)
    temp = os.path.join(folder, f".{name[:40]}.{os.getpid()}-{_counter}-{time.time_ns():x}.tmp")
    create(temp, data, mode, fsync)
    return temp


def create(path: str, data: bytes, mode: int, fsync: bool) -> None:
    """A new file at ``path``; none where anything fails.  FileExistsError if there is one."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, mode)
    try:
        try:
            _write_all(fd, data)
            if fsync:
                os.fsync(fd)
        finally:
            os.close(fd)
    except BaseException:  # a full disk, a deadline: leave nothing half written behind
        discard(path)
        raise


def _write_all(fd: int, data: bytes) -> None:
    written = os.write(fd, data)
    if written == len(data):
        return
    rest = memoryview(data)[written:]
    while rest:
        rest = rest[os.write(fd, rest) :]


def discard(path: str) -> None:
    """Delete the file, if it can be."""
    try:
        os.unlink(path)
    except OSError:
        pass


# --- reading ---------------------------------------------------------------------------------------------


def open_regular(path: str, flags: int, mode: int = 0o600) -> int:
    """A descriptor of a regular file; OSError for all else.  Waits for nobody at the other end of a FIFO."""
    fd = os.open(path, flags | _NONBLOCK | BINARY, mode)
    if os.fstat(fd).st_mode & _TYPE_MASK == _REGULAR:
        return fd
    os.close(fd)
    from errno import EINVAL

    raise OSError(EINVAL, "no regular file", path)


def is_folder(path: str) -> bool:
    """A folder itself: a link to one leads the state astray, and git can carry such a link."""
    try:
        return os.lstat(path).st_mode & 0o170000 == 0o040000
    except OSError:
        return False


def read_bytes(path: str, max_bytes: Optional[int] = None) -> bytes:
    """The content of ``path``, or its first ``max_bytes``."""
    fd = open_regular(path, os.O_RDONLY | CLOEXEC | BINARY)
    try:
        hint = max(os.fstat(fd).st_size + 1, 4096)  # only a hint: the file may be growing
        chunks: list[bytes] = []
        size = 0
        while max_bytes is None or size < max_bytes:
            chunk = os.read(fd, hint if max_bytes is None else min(hint, max_bytes - size))
            if not chunk:
                break
            chunks.append(chunk)
            size += len(chunk)
        return b"".join(chunks)
    finally:
        os.close(fd)


# --- names -----------------------------------------------------------------------------------------------


def safe_name(text: str) -> str:
    """``text`` where it can be a part of a file name as it is, else ``h`` and 24 hex digits of its digest.

    Every id from outside passes through here before a path is built from it.
    """
    if 0 < len(text) <= _MAX_ID and text[0] not in ".-" and _ID_CHARS.issuperset(text):
        return text
    return "h" + short_digest(text, 24)


def short_digest(text: str, length: int) -> str:
    """The first hex digits of the SHA-256 of ``text``."""
    from .digest import sha256_hex

    return sha256_hex(text.encode("utf-8", "surrogatepass"))[:length]
