"""A lock between processes, on a file that is never deleted: else two could hold two files of one name."""

from __future__ import annotations

import errno
import os
import time

from .files import CLOEXEC, NOFOLLOW

_BUSY = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


def _is_locked_now(fd: int) -> bool:
    """Whether we have the lock after one attempt.  The kernel takes it back however we end."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise
    return True


class Lock:
    """``with Lock(path, deadline_s) as lock``: waits up to so many seconds, raises nothing, always enters.

    ``held``: we have it.  ``broken``: locks do not work here (NFS, a folder that cannot be written), so it
    is no use to wait.  Neither: somebody else had it all the time.
    """

    def __init__(self, path: str, deadline_s: float) -> None:
        self.path, self.deadline_s = path, deadline_s
        self.held = self.broken = False
        self._fd = -1

    def __enter__(self) -> Lock:
        until, pause_s = time.monotonic() + self.deadline_s, 0.0005
        try:
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | NOFOLLOW | CLOEXEC, 0o600)
            while not (held := _is_locked_now(self._fd)) and (left := until - time.monotonic()) > 0:
                time.sleep(min(pause_s, left))
                pause_s = min(pause_s * 2, 0.008)
            self.held = held
        except OSError:
            self.broken = True
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.held = False
        if self._fd >= 0:
            os.close(self._fd)  # unlocks
            self._fd = -1
