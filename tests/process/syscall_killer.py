"""Kill a process with -9 right before its n-th system call that changes something (Linux, ptrace)."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

TRACEME, CONT, KILL, SYSCALL, SETOPTIONS, GET_SYSCALL_INFO = 0, 7, 8, 24, 0x4200, 0x420E
TRACESYSGOOD, EXITKILL = 1, 0x100000
SYSCALL_STOP = signal.SIGTRAP | 0x80
ENTRY = 1
O_CREAT = 0x40

# Numbers of the calls that change a file, a folder or a process.
CHANGES = {
    "x86_64": {1: "write", 18: "pwrite", 74: "fsync", 77: "ftruncate", 82: "rename", 83: "mkdir", 84: "rmdir",
               86: "link", 87: "unlink", 90: "chmod", 91: "fchmod", 257: "openat", 258: "mkdirat",
               263: "unlinkat", 264: "renameat", 265: "linkat", 316: "renameat2"},
    "aarch64": {34: "mkdirat", 35: "unlinkat", 37: "linkat", 38: "renameat", 46: "ftruncate", 52: "fchmod",
                53: "fchmodat", 56: "openat", 64: "write", 68: "pwrite", 82: "fsync", 276: "renameat2"},
}.get(platform.machine(), {})  # fmt: skip


class _Info(ctypes.Structure):
    _fields_ = (
        ("op", ctypes.c_uint8), ("pad", ctypes.c_uint8 * 3), ("arch", ctypes.c_uint32),
        ("instruction", ctypes.c_uint64), ("stack", ctypes.c_uint64), ("number", ctypes.c_uint64),
        ("arguments", ctypes.c_uint64 * 6), ("rest", ctypes.c_uint64 * 4),
    )  # fmt: skip


def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    libc.ptrace.restype = ctypes.c_long
    return libc


def is_possible() -> bool:
    """Whether this machine lets a process trace its child."""
    if not CHANGES or platform.system() != "Linux":
        return False
    libc = _libc()
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.ptrace(TRACEME, 0, None, None) == 0 else 1)
    return os.waitpid(child, 0)[1] == 0


def run_until(
    command: list[str], data: bytes, environment: Mapping[str, str], folder: Path, kill_before: int,
    send: int = signal.SIGKILL,
) -> tuple[bytes, list[str]]:  # fmt: skip
    """Run `command`; (its output, the changing calls it came to). It dies before call number `kill_before`.

    That call is the last in the list; a number beyond the last one lets it live, and the list is shorter.
    With another signal than SIGKILL to `send`, it goes on as it does with that, and all its calls are listed.
    """
    libc = _libc()

    def trace_me() -> None:
        libc.ptrace(TRACEME, 0, None, None)

    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=dict(environment), cwd=folder, preexec_fn=trace_me,
    )  # fmt: skip
    assert process.stdin and process.stdout
    calls: list[str] = []
    _, status = os.waitpid(process.pid, 0)  # stopped by its exec
    libc.ptrace(SETOPTIONS, process.pid, None, TRACESYSGOOD | EXITKILL)
    process.stdin.write(data)
    process.stdin.close()
    pass_on = 0
    while not (os.WIFEXITED(status) or os.WIFSIGNALED(status)):
        if os.WSTOPSIG(status) == SYSCALL_STOP:
            pass_on = 0
            name = _changing_call(libc, process.pid)
            if name:
                calls.append(name)
                if len(calls) == kill_before:
                    os.kill(process.pid, send)
                if len(calls) == kill_before and send == signal.SIGKILL:
                    _, status = os.waitpid(process.pid, 0)
                    break
        else:
            pass_on = 0 if os.WSTOPSIG(status) == signal.SIGTRAP else os.WSTOPSIG(status)
        libc.ptrace(SYSCALL, process.pid, None, pass_on)
        _, status = os.waitpid(process.pid, 0)
    process.returncode = 0
    output = process.stdout.read()
    process.stdout.close()
    return output, calls


def _changing_call(libc: ctypes.CDLL, pid: int) -> str:
    info = _Info()
    size = ctypes.c_void_p(ctypes.sizeof(info))
    if libc.ptrace(GET_SYSCALL_INFO, pid, size, ctypes.byref(info)) <= 0 or info.op != ENTRY:
        return ""
    name = CHANGES.get(info.number, "")
    if name == "openat" and not info.arguments[2] & O_CREAT:
        return ""
    return name
