"""A program that a hook starts: bounded in time, in a group of its own."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from safepoint.hot import child

ENVIRONMENT = {"PATH": os.environ["PATH"]}


def shell(script: str, deadline_s: float = 10.0, **options: object) -> child.Result:
    return child.run(["sh", "-c", script], ENVIRONMENT, deadline_s, max_bytes=10**7, **options)  # type: ignore[arg-type]


def test_what_it_says_and_how_it_ends() -> None:
    status, out, err = shell("printf '\\001\\377 a\\n'; echo b >&2; exit 3")
    assert (status, out, err) == (3, b"\x01\xff a\n", b"b\n")


@pytest.mark.parametrize("size", [1, 1_000_000])
def test_it_reads_what_it_is_given_to_the_end(size: int) -> None:
    assert shell("cat", data=b"x" * size)[1] == b"x" * size


def test_one_that_reads_nothing_is_not_waited_for() -> None:
    assert shell("echo done", data=b"x" * 1_000_000)[:2] == (0, b"done\n")


def test_at_the_deadline_it_ends_with_all_that_it_started() -> None:
    began = time.monotonic()
    status, out, err = shell("echo half; sleep 61 & echo $! >&2; sleep 62", deadline_s=0.5)
    assert (status, out) == (None, b"half\n") and time.monotonic() - began < 30
    told = subprocess.run(["ps", "-o", "stat=", "-p", err.decode().strip()], capture_output=True, text=True)
    assert told.stdout.strip()[:1] in ("", "Z")  # gone, or waiting for its new parent to look


def test_what_it_complains_of_takes_no_room_from_what_it_answers() -> None:
    command = ["sh", "-c", "head -c 5000 /dev/zero >&2; sleep 0.1; echo answer"]
    assert child.run(command, ENVIRONMENT, 10.0, max_bytes=4096)[:2] == (0, b"answer\n")


def test_a_program_that_is_over_is_not_waited_for_where_another_holds_its_pipes() -> None:
    began = time.monotonic()
    status, out, err = shell("sleep 61 & echo $! >&2; echo done")
    assert (status, out) == (0, b"done\n") and time.monotonic() - began < 5
    os.kill(int(err), 9)


def test_a_silent_one_is_waited_for_where_the_system_has_no_waitid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "waitid", raising=False)
    assert shell("sleep 0.3; echo done")[:2] == (0, b"done\n")


def test_a_broken_pipe_ends_a_program_as_in_a_terminal() -> None:
    assert shell("yes | head -n 1")[1:] == (b"y\n", b"")


def test_one_that_is_not_there_leaves_no_descriptor_open() -> None:
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        with pytest.raises(FileNotFoundError):
            child.run(["no-such-program"], ENVIRONMENT, 1.0, max_bytes=10, data=b"x")
    assert len(os.listdir("/dev/fd")) == before
