"""The one place that writes files.

Everything written here is private (0600 or 0400, folders 0700) and either whole or absent.  An interrupted
system call is retried by the interpreter; a short write is finished here.  All functions raise OSError when
the file system refuses.
"""

from __future__ import annotations

import errno
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
CLOEXEC = getattr(os, "O_CLOEXEC", 0)
BINARY = getattr(os, "O_BINARY", 0)
_FLAGS = NOFOLLOW | CLOEXEC | BINARY

_ID_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_SLUG_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
_MAX_ID = 80
_MAX_SLUG = 60
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EXDEV, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP)

_counter = 0


class PathError(OSError):
    """A path that is not what it has to be.  ``filename`` is the path, ``strerror`` says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(errno.EINVAL, reason, path)


# --- writing ---------------------------------------------------------------------------------------------


def write_atomic(path: str, data: bytes, mode: int = 0o600, fsync: bool = False) -> None:
    """Put ``data`` at ``path``, replacing what is there.  Readers see the old content or the new, no mixture.

    A symbolic link at ``path`` is itself replaced.  With ``fsync`` it also survives a power cut.
    """
    temp = _write_temp(path, data, mode, fsync)
    try:
        os.replace(temp, path)
    except BaseException:
        _discard(temp)
        raise
    if fsync:
        _sync_dir(path)


def write_once(path: str, data: bytes, mode: int = 0o400) -> None:
    """Create ``path`` with ``data``, on disk when this returns.  FileExistsError if anything is there.

    The name appears together with the whole content.  Where the file system has no hard links it appears
    first, and is taken back should writing fail.
    """
    temp = _write_temp(path, data, mode, fsync=True)
    try:
        os.link(temp, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _create(path, data, mode, fsync=True)
    finally:
        _discard(temp)
    _sync_dir(path)


def append_line(path: str, line: bytes, mode: int = 0o600) -> None:
    """Append ``line`` and a newline in one write, so that parallel writers never mix.

    A last line that a crash left without its newline is closed first: it stays broken, alone.  At worst that
    leaves an empty line, which readers skip.  Raises OSError with ELOOP where ``path`` is a symbolic link.
    """
    if b"\n" in line[:-1]:
        raise ValueError("one line at a time")
    if not line.endswith(b"\n"):
        line += b"\n"
    fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _FLAGS, mode)
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


def _write_temp(path: str, data: bytes, mode: int, fsync: bool) -> str:
    """A complete new file beside ``path``, under a name that no other process or call uses."""
    global _counter
    _counter += 1
    folder, name = os.path.split(path)
    temp = os.path.join(folder, f".{name[:40]}.{os.getpid()}-{_counter}-{time.time_ns():x}.tmp")
    _create(temp, data, mode, fsync)
    return temp


def _create(path: str, data: bytes, mode: int, fsync: bool) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, mode)
    try:
        try:
            _write_all(fd, data)
            if fsync:
                os.fsync(fd)
        finally:
            os.close(fd)
    except BaseException:  # a full disk, a deadline: leave nothing half written behind
        _discard(path)
        raise


def _write_all(fd: int, data: bytes) -> None:
    written = os.write(fd, data)
    if written == len(data):
        return
    rest = memoryview(data)[written:]
    while rest:
        rest = rest[os.write(fd, rest) :]


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _sync_dir(path: str) -> None:
    """Make the name itself durable.  Not every platform can, and the content is safe already."""
    try:
        fd = os.open(os.path.dirname(path) or ".", os.O_RDONLY | CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)


# --- reading and folders ---------------------------------------------------------------------------------


def read_bytes(path: str, max_bytes: Optional[int] = None) -> bytes:
    """The content of ``path``, or its first ``max_bytes``."""
    fd = os.open(path, os.O_RDONLY | CLOEXEC | BINARY)
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


def make_private_dir(path: str) -> None:
    """Have a folder at ``path``; those that this has to create are for the owner alone.

    Raises PathError where the last component is no folder, or a symbolic link, leading astray.
    """
    if not path:
        raise PathError(path, "no path")
    path = path.rstrip("/") or path  # a trailing slash would hide a link from the look below
    try:
        os.mkdir(path, 0o700)
    except FileNotFoundError:
        make_private_dir(os.path.dirname(os.path.abspath(path)))
        make_private_dir(path)
    except OSError:
        if os.path.islink(path):
            raise PathError(path, "a symbolic link where a folder has to be") from None
        if not os.path.isdir(path):
            if os.path.exists(path):
                raise PathError(path, "not a folder") from None
            raise


# --- names -----------------------------------------------------------------------------------------------


def safe_name(text: str) -> str:
    """``text`` where it can be a part of a file name as it is, else ``h`` and 24 hex digits of its digest.

    Every id from outside passes through here before a path is built from it.
    """
    if 0 < len(text) <= _MAX_ID and text[0] not in ".-" and _ID_CHARS.issuperset(text):
        return text
    return "h" + _digest(text, 24)


def slugify(name: str) -> str:
    """A campaign's slug: at most 60 of ``a-z 0-9 - _ .``, without a dash or dot at either end.

    A slug that differs from its name ends in ``-`` and 6 hex digits of the name's digest, so that two names
    never share one by accident.  A name without a usable character becomes ``campaign-`` and those digits.
    """
    if 0 < len(name) <= _MAX_SLUG and _SLUG_CHARS.issuperset(name) and _is_tidy(name):
        return name
    kept = "".join([char if char in _SLUG_CHARS else "-" for char in name[:200].lower()])
    while "--" in kept:
        kept = kept.replace("--", "-")
    kept = kept.strip("-.")[: _MAX_SLUG - 7].rstrip("-.")
    return f"{kept or 'campaign'}-{_digest(name, 6)}"


def _is_tidy(slug: str) -> bool:
    """No dash or dot at either end, and no ``--``: in file names that stands between a slug and the rest."""
    return "--" not in slug and slug == slug.strip("-.")


def _digest(text: str, length: int) -> str:
    from .digest import sha256_hex

    return sha256_hex(text.encode("utf-8", "surrogatepass"))[:length]
