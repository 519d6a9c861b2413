"""Processes by more than their number, which the system gives again to others; and how they are ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ..hot.safepoint import RUN_NAME

_PR_SET_PDEATHSIG = 1
PS_S = 5.0
GONE_S = 2.0  # a killed process is gone a moment later; one in the middle of a disk's answer is not
BECOMING_S = 0.02  # how long an exec may take until the new program's environment can be read
_LOOK_S = 0.01


def began(pid: int) -> str:
    """What tells this process from a later one of its number: when it began; "" where none runs.

    On Linux the boot, the namespace of the numbers (a container has its own) and the ticks since; elsewhere
    what `ps` says ("" also where that cannot be asked). A process that is over and that nobody has waited for
    does not run.
    """
    if sys.platform == "linux":
        fields = _stat(pid)
        return _mark_of(fields) if fields and not _is_over(fields) else ""
    try:
        done = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, timeout=PS_S,
            env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _stat(pid: int) -> list[bytes]:
    """What `/proc/PID/stat` tells of a process, from its state on; [] where nothing has this number."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []


def _is_over(fields: list[bytes]) -> bool:
    """Whether only its number is left of it, until somebody waits for it."""
    return fields[0] in (b"Z", b"X")


def _mark_of(fields: list[bytes]) -> str:
    try:
        return f"{_here()}{fields[19].decode()}"
    except OSError:
        return ""


def _all() -> Iterator[int]:
    """Every process that the system tells of (Linux)."""
    return (int(folder.name) for folder in Path("/proc").glob("[0-9]*"))


def _here() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}:{os.stat('/proc/self/ns/pid').st_ino}:"


def is_from_here(known: str) -> bool:
    """Whether a number with this `began` is one of the numbers that this process sees."""
    if sys.platform != "linux":
        return True
    try:
        return known.startswith(_here())
    except OSError:
        return False


def is_running(pid: int, known: str) -> bool:
    """Whether the process runs that had `began` as `known`; by its number alone where that was not known."""
    if known:
        return began(pid) == known
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def ends_with(parent: int) -> Callable[[], None] | None:
    """What a child calls before it becomes another program, so that it is killed when `parent` ends (Linux).

    The system sends the signal when the *thread* ends that made the child: that has to be the main thread.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong]

    def in_child() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before it was asked for
            os.kill(os.getpid(), signal.SIGKILL)

    return in_child


def marked(run_key: str) -> list[int]:
    """Processes that were started by a session of this run, where the system tells (Linux)."""
    mark = f"{RUN_NAME}={run_key}".encode()
    found = []
    for pid in _all():
        try:
            words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue  # gone, or another user's
        fields = _stat(pid)
        if mark in words and pid != os.getpid() and fields and not _is_over(fields):
            found.append(pid)
    return found


def grouped(group: int) -> list[int]:
    """Processes of a process group that are not over, where the system tells (Linux)."""
    return [
        pid for pid in _all() if (fields := _stat(pid)) and not _is_over(fields) and int(fields[2]) == group
    ]


def is_group_of(pid: int, known: str, run_key: str) -> bool:
    """Whether the process group of this number is the one that a session's process has begun.

    `known`: what `began` said of that process.

    A number is not given again while its process runs or waits to be waited for, nor while somebody of its
    group runs. So where it is gone, one member with the run's mark tells; without one nothing is certain.
    """
    if began(pid):
        return began(pid) == known
    if sys.platform != "linux" or not known:
        return False
    fields = _stat(pid)
    return _mark_of(fields) == known if fields else not set(grouped(pid)).isdisjoint(marked(run_key))


def end_marked(run_key: str) -> None:
    """End what sessions of this run have left, and wait until it is gone (at most `GONE_S`).

    A process that is just becoming another program shows no mark for a moment, so there is a second look.
    """
    _end_all(lambda: marked(run_key))
    time.sleep(BECOMING_S)
    _end_all(lambda: marked(run_key))


def end_group(pid: int) -> None:
    """End what is in the process group that `pid` has begun, and wait until it is gone (at most `GONE_S`)."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    _end_all(lambda: grouped(pid))


def _end_all(left: Callable[[], list[int]]) -> None:
    """Kill until none is left: one may have started another in between, and none dies at once."""
    until = time.monotonic() + GONE_S
    while found := left():
        for pid in found:
            _kill(pid)
        if time.monotonic() > until:
            return
        time.sleep(_LOOK_S)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
