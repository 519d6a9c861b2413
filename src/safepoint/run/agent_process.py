"""An agent's process: started in a group of its own, read without waiting for an end of file, ended for sure.

What an agent starts may outlive it and hold its pipes, and its shell tools run in sessions of their own. So
the end is that of the process itself, and what it left is found by the mark in its environment. Where the run
is killed, the agent ends with it.
"""

from __future__ import annotations

import errno
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping

from ..errors import SafepointError
from . import processes, stream, tail
from .guard import Guard
from .stream import Frame

DRAIN_S = 1.0
_CHUNK = 256 * 1024
_READS = 16  # chunks of one pipe in a row, so that a babbling agent does not keep us from the clock


class AgentProcess:
    """One process. `read` gives what it told since; `exit_status` is None while it runs."""

    def __init__(
        self, command: list[str], cwd: str, env: Mapping[str, str], run_key: str, wakeup: int
    ) -> None:
        """Start it in the project `cwd`. Raises SafepointError.

        `wakeup`: a file descriptor that gets a byte when a signal has come.
        """
        self._run_key = run_key
        self._noise = self._errors = b""
        self._lines = stream.Lines()
        self._asked: list[tuple[float, int]] = []  # signals that are still to be sent, each with its time
        try:
            self._process = subprocess.Popen(
                command, cwd=cwd, env=dict(env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True, preexec_fn=processes.ends_with(os.getpid()),
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise SafepointError(f"{command[0]}: {_why(error)}") from error
        try:
            self._guard = Guard(cwd, run_key, self._process.pid)
        except OSError as error:
            self.kill()
            self._process.wait()
            raise SafepointError(f"{sys.executable}: {_why(error)}") from error
        assert self._process.stdout is not None and self._process.stderr is not None
        self._out, self._err = self._process.stdout.fileno(), self._process.stderr.fileno()
        self._wakeup = wakeup
        self._selector = selectors.DefaultSelector()
        for fd in (self._out, self._err):
            os.set_blocking(fd, False)
            self._selector.register(fd, selectors.EVENT_READ)
        self._selector.register(wakeup, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def began(self) -> str:
        """What tells it from a later process of its number."""
        return self._guard.agent_began

    @property
    def exit_status(self) -> int | None:
        """Seen without waiting for it, so that nobody else is given its number before `close`."""
        if self._process.returncode is not None or not hasattr(os, "waitid"):  # macOS, before Python 3.13
            return self._process.poll()
        seen = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if seen is None:
            return None
        return seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status

    @property
    def is_silent(self) -> bool:
        """Nothing more can come: it has closed its output, though it may still run."""
        return self._out not in self._selector.get_map()

    @property
    def words(self) -> str:
        """The end of what it wrote that is no frame: what is told when it fails. Without secrets."""
        return "\n".join(filter(None, map(tail.of_bytes, (self._errors, self._noise))))

    def read(self, wait_s: float) -> list[Frame]:
        """Frames that came within `wait_s`; at once when one is there, or a signal has come."""
        found: list[Frame] = []
        for key, _ in self._selector.select(max(0.0, wait_s)):
            if key.fd == self._wakeup:
                _empty(self._wakeup)
            else:
                found += self._take(key.fd)
        self._send_due()
        return found

    def _take(self, fd: int) -> list[Frame]:
        found: list[Frame] = []
        for _ in range(_READS):
            try:
                data = os.read(fd, _CHUNK)
            except BlockingIOError:
                break
            if not data:
                self._selector.unregister(fd)
                break
            if fd == self._err:
                self._errors = (self._errors + data)[-tail.TAKEN :]
                continue
            found += self._told(data)
        return found

    def _told(self, data: bytes) -> list[Frame]:
        found: list[Frame] = []
        for line in self._lines.feed(data):
            told = stream.frames(line)
            if told is None and line.strip():
                self._noise = (self._noise + line[-tail.TAKEN :] + b"\n")[-tail.TAKEN :]
            found += told or []
        return found

    def drain(self) -> list[Frame]:
        """What is still in the pipes of a process that is over; a child of it may hold them open."""
        until, found = time.monotonic() + DRAIN_S, []
        while len(self._selector.get_map()) > 1 and time.monotonic() < until:
            ready = [key.fd for key, _ in self._selector.select(0) if key.fd != self._wakeup]
            if not ready:
                break
            for fd in ready:
                found += self._take(fd)
        return found + self._told(b"\n")  # its last line may have no end

    def ask(self, step_s: float) -> None:
        """Ask it to end: SIGINT now, SIGTERM and SIGKILL where that does not help, `step_s` apart."""
        if not self._asked:
            now = time.monotonic()
            numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
            self._asked = [(now + step_s * at, number) for at, number in enumerate(numbers)]
        self._send_due()

    def _send_due(self) -> None:
        while self._asked and self._asked[0][0] <= time.monotonic():
            _, number = self._asked.pop(0)
            if self.exit_status is None:
                if number == signal.SIGKILL:
                    self.kill()
                else:
                    os.kill(self.pid, number)

    def kill(self) -> None:
        """End it, its process group and all that bears the run's mark, at once. `close` waits for it."""
        processes.end_group(self.pid)
        processes.end_marked(self._run_key)

    def close(self, clean: bool) -> None:
        """Let go of a process that is over. Its helpers go with it, and after a crash all that it started."""
        if clean:
            processes.end_group(self.pid)
        else:
            self.kill()
        self._guard.dismiss()
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()


def _empty(fd: int) -> None:
    try:
        while os.read(fd, 1024):
            pass
    except BlockingIOError:
        pass


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, OSError) and error.errno == errno.E2BIG:
        return "the task is too long for a command line; put it into a file, and let the task name the file"
    if isinstance(error, OSError) and error.errno == errno.ENOEXEC:
        return "this is no program that the system can start (a script begins with a line like #!/bin/sh)"
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
