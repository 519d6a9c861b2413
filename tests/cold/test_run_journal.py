"""What `status` says of runs: by their lock, whoever has their process number now."""

from __future__ import annotations

import os
from pathlib import Path

from safepoint.hot.flock import Lock
from safepoint.hot.stores.paths import Paths
from safepoint.run import journal, processes


def test_a_run_goes_on_while_its_lock_is_held(tmp_path: Path) -> None:
    paths = Paths(str(tmp_path))
    log = journal.Journal(paths, "20260101-000000-aaaa")
    log.prepare()
    own = {"pid": os.getpid(), "pid_began": processes.began(os.getpid())}
    log.add(journal.event(log.key, "run_started", **own, agent="claude_code", campaign_slug="c", task="t"))
    assert journal.listed(paths)[0]["state"] == "broken_off"  # the process lives, and is another one
    with Lock(paths.run_lock("c"), 0.5) as lock:
        assert lock.held and journal.listed(paths)[0]["state"] == "running"
    assert journal.listed(paths)[0]["state"] == "broken_off"
