"""Work beside the process's own: its result or its error comes when it is waited for."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from safepoint.hot import beside

SOURCE = Path(beside.__file__).parents[2]


def test_both_go_on_at_the_same_time() -> None:
    theirs, ours = threading.Event(), threading.Event()

    def work() -> bool:
        theirs.set()
        return ours.wait(20)

    wait = beside.begin(work)
    assert theirs.wait(20)  # it runs though nobody waits for it yet
    ours.set()
    assert wait() is True


def test_its_error_is_raised_where_it_is_waited_for() -> None:
    def work() -> None:
        raise KeyError("lost")

    wait = beside.begin(work)
    for _ in range(2):
        with pytest.raises(KeyError, match="lost"):
            wait()


def test_without_threads_it_is_done_when_it_is_waited_for() -> None:
    """A real limit: no thread's stack fits into what memory is left."""
    program = (
        "import resource, sys, threading; sys.path.insert(0, sys.argv[1])\n"
        "from safepoint.hot import beside\n"
        "threading.stack_size(1 << 30)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\n"
        "done = []\n"
        "wait = beside.begin(lambda: done.append(1) or 'result')\n"
        "before = list(done)\n"
        "print(before, wait(), done)\n"
    )
    printed = subprocess.run(
        [sys.executable, "-I", "-c", program, str(SOURCE)], capture_output=True, text=True, timeout=30
    )
    assert printed.stdout == "[] result [1]\n", printed.stderr
