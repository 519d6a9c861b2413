"""What `status` says of runs: by their process, whoever has its number now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from safepoint.hot.flock import Lock
from safepoint.hot.stores.paths import Paths
from safepoint.run import journal, processes


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(str(tmp_path))


def begin(paths: Paths, began: str) -> None:
    log = journal.Journal(paths, "20260101-000000-aaaa")
    log.prepare()
    own = {"pid": os.getpid(), "pid_began": began}
    log.add(journal.event(log.key, "run_started", **own, agent="claude_code", campaign_slug="c", task="t"))


def state(paths: Paths) -> str:
    (run,) = journal.listed(paths)
    return str(run["state"])


def test_run_whose_process_lives_goes_on_although_its_lock_file_is_gone(paths: Paths) -> None:
    begin(paths, processes.began(os.getpid()))
    with Lock(paths.run_lock("c"), 0.5):
        os.unlink(paths.run_lock("c"))
        assert state(paths) == "running"


def test_number_of_another_process_is_no_run_although_a_later_run_holds_the_lock(paths: Paths) -> None:
    begin(paths, "another boot:1")
    with Lock(paths.run_lock("c"), 0.5) as lock:
        assert lock.held and state(paths) == "broken_off"


def test_where_only_the_number_is_known_the_lock_tells(paths: Paths) -> None:
    begin(paths, "")
    assert state(paths) == "broken_off"  # the process lives, and is another one
    with Lock(paths.run_lock("c"), 0.5) as lock:
        assert lock.held and state(paths) == "running"
    assert state(paths) == "broken_off"
