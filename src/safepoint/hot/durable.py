"""Files that are created once and outlive a power cut."""

from __future__ import annotations

import errno
import os

from .files import CLOEXEC, create, discard, write_temp

_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EXDEV, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP)


def write_once(path: str, data: bytes, mode: int = 0o400) -> None:
    """Create ``path`` with ``data``, on disk when this returns.  FileExistsError if anything is there.

    The name appears together with the whole content.  Where the file system has no hard links it appears
    first, and is taken back should writing fail.
    """
    temp = write_temp(path, data, mode, fsync=True)
    try:
        os.link(temp, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        create(path, data, mode, fsync=True)
    finally:
        discard(temp)
    sync_dir(path)


def sync_dir(path: str) -> None:
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
