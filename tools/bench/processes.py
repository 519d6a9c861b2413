"""Start a command as a host does, and time the whole process."""

from __future__ import annotations

import os
import threading
import time
from typing import NamedTuple

PIPE_BYTES = 60_000  # fits a pipe's buffer, so no writer is needed beside the timed process
BARE = "python3 -I -S -c pass"


class Finished(NamedTuple):
    seconds: float
    cpu_s: float  # of the process and its children: steadier on a busy machine
    code: int
    answer: bytes
    peak_kb: int  # of resident memory


def run(command: str, payload: bytes, environment: dict[str, str], folder: str) -> Finished:
    """`sh -c command` with the payload on a pipe, from its start until it has ended."""
    os.chdir(folder)  # posix_spawn has no folder of its own
    return _started(command, payload, environment)


def run_together(
    command: str, payloads: list[bytes], environment: dict[str, str], folder: str
) -> list[Finished]:
    """One process for each payload, all at the same time."""
    os.chdir(folder)
    finished: list[Finished] = []
    ready = threading.Barrier(len(payloads))

    def one(payload: bytes) -> None:
        ready.wait()
        finished.append(_started(command, payload, environment))

    threads = [threading.Thread(target=one, args=(payload,)) for payload in payloads]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return finished


def _started(command: str, payload: bytes, environment: dict[str, str]) -> Finished:
    source, fill = os.pipe()
    drain, sink = os.pipe()  # neither end is inherited, except as the child's own 0 and 1
    writer = None
    if len(payload) <= PIPE_BYTES:
        _fill(fill, payload)
    else:
        writer = threading.Thread(target=_fill, args=(fill, payload))
        writer.start()
    actions = [(os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, sink, 1)]
    began = time.perf_counter()
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", command], environment, file_actions=actions)
    os.close(source)
    os.close(sink)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - began
    answer = _read_all(drain)
    if writer is not None:
        writer.join()
    cpu_s = usage.ru_utime + usage.ru_stime
    return Finished(seconds, cpu_s, os.waitstatus_to_exitcode(status), answer, usage.ru_maxrss)


def _fill(fd: int, payload: bytes) -> None:
    try:
        rest = memoryview(payload)
        while rest:
            rest = rest[os.write(fd, rest) :]
    except BrokenPipeError:  # a command that does not read
        pass
    finally:
        os.close(fd)


def _read_all(fd: int) -> bytes:
    parts = []
    while part := os.read(fd, 65536):
        parts.append(part)
    os.close(fd)
    return b"".join(parts)
