"""One hook process as Python is on Windows, as far as Linux can show it.

    python3 -I -S windows_like.py ENTRYPOINTS_DIR ENTRYPOINT < payload.json

What only POSIX has is taken away, and `msvcrt` locks as the real one does: at once or with EACCES. A file
that another descriptor has open cannot be replaced at the first attempt.
"""

import errno
import fcntl
import os
import subprocess  # noqa: F401 - before there is an msvcrt: it asks for that to know where it is
import sys
import types

folder, entrypoint = sys.argv[1], sys.argv[2]
flock, lock, unlock = fcntl.flock, fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN


def locking(fd: int, mode: int, count: int) -> None:
    assert (mode, count) == (2, 1)
    try:
        flock(fd, lock)
    except OSError:
        raise OSError(errno.EACCES, "Permission denied") from None


msvcrt = types.ModuleType("msvcrt")
msvcrt.LK_NBLCK, msvcrt.locking = 2, locking  # type: ignore[attr-defined]
sys.modules["msvcrt"] = msvcrt
sys.modules["fcntl"] = None  # type: ignore[assignment]
sys.modules["select"] = None  # type: ignore[assignment]  # of no use for pipes there
POSIX = ("pread", "getuid", "posix_spawnp", "posix_spawn", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "fork")
for name in POSIX:
    delattr(os, name)
import _signal  # noqa: E402

del _signal.setitimer
real_replace, refused = os.replace, set()


def replace(source: str, target: str) -> None:
    if target not in refused and os.path.exists(target):
        refused.add(target)
        raise PermissionError(errno.EACCES, "Access is denied", target)
    real_replace(source, target)


os.replace = replace  # type: ignore[assignment]
os.name = "nt"
sys.path.insert(0, folder)
__import__(entrypoint).main()
