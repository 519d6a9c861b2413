from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from safepoint.hot import flock
from safepoint.hot.flock import Lock

ENV = {"PYTHONPATH": str(Path(flock.__file__).parents[2])}
HOLD = """
import sys, time
from safepoint.hot.flock import Lock
with Lock(sys.argv[1], 5) as lock:
    print(lock.held, flush=True)
    sys.stdin.read()
"""
ADD = """
import os, sys
from safepoint.hot.flock import Lock
for _ in range(20):
    with Lock(sys.argv[1], 10) as lock:
        assert lock.held
        with open(sys.argv[2]) as file:
            number = int(file.read())
        with open(sys.argv[2], "w") as file:
            file.write(str(number + 1))
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"True\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_free_lock_is_held_and_given_back(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    for _ in range(2):
        with Lock(str(path), 0) as lock:
            assert (lock.held, lock.broken) == (True, False)
        assert not lock.held
    assert path.exists()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_lock_excludes_another_in_the_same_process(tmp_path: Path) -> None:
    with Lock(str(tmp_path / "lock"), 0), Lock(str(tmp_path / "lock"), 0) as second:
        assert (second.held, second.broken) == (False, False)


def test_busy_lock_is_given_up_at_the_deadline(tmp_path: Path) -> None:
    with holder(tmp_path / "lock"):
        started = time.monotonic()
        with Lock(str(tmp_path / "lock"), 0.1) as lock:
            waited = time.monotonic() - started
            assert (lock.held, lock.broken) == (False, False)
    assert 0.1 <= waited < 3


def test_lock_of_a_killed_holder_is_free(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as process:
        os.kill(process.pid, signal.SIGKILL)
        with Lock(str(tmp_path / "lock"), 5) as lock:
            assert lock.held


def test_waiter_gets_the_lock_when_it_is_given_back(tmp_path: Path) -> None:
    with holder(tmp_path / "lock") as process:
        waiter = subprocess.Popen(
            [sys.executable, "-S", "-c", HOLD, str(tmp_path / "lock")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=ENV,
        )
        assert process.stdin is not None
        process.stdin.close()
        assert waiter.communicate()[0] == b"True\n"
        process.stdin = None


def test_no_increment_is_lost(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    command = [sys.executable, "-S", "-c", ADD, str(tmp_path / "lock"), str(counter)]
    processes = [subprocess.Popen(command, env=ENV) for _ in range(5)]
    assert [process.wait() for process in processes] == [0] * 5
    assert counter.read_text() == "100"


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOTSUP, errno.EINVAL], ids=errno.errorcode.get)
def test_file_system_without_locks_is_broken_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def flock_call(fd: int, operation: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock", flock_call)
    started = time.monotonic()
    with Lock(str(tmp_path / "lock"), 5) as lock:
        assert (lock.held, lock.broken) == (False, True)
    assert time.monotonic() - started < 1


def test_missing_folder_is_broken(tmp_path: Path) -> None:
    with Lock(str(tmp_path / "none" / "lock"), 5) as lock:
        assert (lock.held, lock.broken) == (False, True)


def test_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with Lock(str(tmp_path / "lock"), 5) as lock:
        assert lock.broken
    assert not (tmp_path / "elsewhere").exists()


def test_exception_inside_gives_the_lock_back(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), Lock(str(tmp_path / "lock"), 0):
        raise RuntimeError
    with Lock(str(tmp_path / "lock"), 0) as lock:
        assert lock.held
