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


def begin(paths: Paths, began: str, key: str = "20260101-000000-aaaa") -> None:
    log = journal.Journal(paths, key)
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


def test_number_that_is_another_process_by_now_is_no_run(paths: Paths) -> None:
    here = processes.began(os.getpid())
    begin(paths, here[:-1] + chr(ord(here[-1]) ^ 1))
    with Lock(paths.run_lock("c"), 0.5) as lock:
        assert lock.held and state(paths) == "broken_off"


def test_run_of_another_container_goes_on_while_its_lock_is_held(paths: Paths) -> None:
    begin(paths, "a boot:a namespace:1")
    assert state(paths) == "broken_off"
    with Lock(paths.run_lock("c"), 0.5) as lock:
        assert lock.held and state(paths) == "running"
        begin(paths, processes.began(os.getpid()), "20260102-000000-bbbb")
        assert [run["state"] for run in journal.listed(paths)] == ["running", "broken_off"]


def test_where_only_the_number_is_known_the_lock_tells(paths: Paths) -> None:
    begin(paths, "")
    assert state(paths) == "broken_off"  # the process lives, and is another one
    with Lock(paths.run_lock("c"), 0.5) as lock:
        assert lock.held and state(paths) == "running"
    assert state(paths) == "broken_off"
