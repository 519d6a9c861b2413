"""What a person sees of a run, and what its journal keeps."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from safepoint.hot.flock import Lock
from safepoint.hot.stores.paths import Paths
from safepoint.run import journal, report
from safepoint.run.journal import Journal, event
from safepoint.run.report import Live

ROW = {
    "number": 1, "session_id": "3f2a9c1d-aaaa", "reason": "red", "level": "red", "tokens": 158_000,
    "window": 200_000, "files": ["a", "b"], "commits": 1, "todos_done": 4, "todos": 12, "seconds": 151.2,
}  # fmt: skip


def test_table_has_a_row_for_each_session() -> None:
    second = {**ROW, "number": 2, "reason": "finished", "level": "green", "tokens": None, "todos": 0}
    assert report.table([ROW, second]).splitlines() == [
        "#  session   ended             level  tokens     files  commits  todo  time",
        "1  3f2a9c1d  Red: state saved  red    158k/200k  2      1        4/12  2:31",
        "2  3f2a9c1d  by itself         green  ?          2      1        -     2:31",
    ]


def test_every_reason_has_words() -> None:
    from safepoint.run import outcome

    named = {value for name, value in vars(outcome).items() if name.isupper() and isinstance(value, str)}
    not_reasons = {"done", "failed", "limit", "stuck", "fresh", "resume", "stop"}
    assert set(report.REASONS) == {name for name in named - not_reasons if " " not in name}


def test_live_line_tells_level_tokens_step_todo_and_tool() -> None:
    live = Live(2, "yellow", 124_000, 200_000, "step2", "4/12", "Bash: npm test")
    told = "session 2  yellow  124k/200k  step2  todo 4/12  Bash: npm test  1:32"
    assert report.live_text(live, 92) == told


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abcdef", 4, "abcd"), ("日本語", 5, "日本"), ("a日b", 3, "a日"), ("x", 0, ""),
        ("a\x1b[2Jb\nc", 20, "a [2Jb c"),
    ],
)  # fmt: skip
def test_line_fits_the_terminal_and_cannot_move_its_cursor(text: str, width: int, shown: str) -> None:
    assert report.fitted(text, width) == shown


@pytest.fixture
def log(tmp_path: Path) -> Journal:
    made = Journal(Paths(str(tmp_path)), "20260101-000000-0001")
    made.prepare()
    return made


def begin(log: Journal, **fields: Any) -> None:
    told = {"pid": os.getpid(), "agent": "claude_code", "campaign_slug": "fix", "task": "do it", **fields}
    log.add(event(log.key, "run_started", **told))


def lines(log: Journal) -> list[dict[str, Any]]:
    text = Path(log.paths.run_journal(log.key)).read_text("ascii")
    return [json.loads(line) for line in text.splitlines()]


def test_journal_keeps_no_secret_and_is_private(log: Journal) -> None:
    secret = "ghp_" + "a1B2" * 9
    begin(log, task=f"use {secret}", flags=["--key", secret], nested=[{"words": secret}])
    assert secret not in Path(log.paths.run_journal(log.key)).read_text("ascii")
    path = Path(log.paths.run_journal(log.key))
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (Path(log.paths.session) / ".gitignore").read_text() == "*\n"


def test_run_is_listed_with_its_state(log: Journal) -> None:
    begin(log)
    log.add(event(log.key, "session_started", number=1, session_id="s1", handoff="h0"))
    begun = json.loads(Path(log.paths.run_journal(log.key)).read_text().splitlines()[0])
    with Lock(log.paths.run_lock(begun["campaign_slug"]), 0.5):  # as the run holds it while it lives
        (going,) = journal.listed(log.paths)
    assert (going["state"], going["sessions"]) == ("running", 1)
    assert (going["session_id"], going["given"]) == ("s1", "h0")
    log.add(event(log.key, "run_ended", outcome="limit", why="2 sessions", handoff="s1"))
    (over,) = journal.listed(log.paths)
    assert (over["state"], over["why"], over["handoff"]) == ("limit", "2 sessions", "s1")


def test_run_whose_process_is_gone_is_broken_off(log: Journal) -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
    begin(log, pid=child)
    with open(log.paths.run_journal(log.key), "a") as file:
        file.write('{"event": "session_sta')  # it died while it wrote
    assert [run["state"] for run in journal.listed(log.paths)] == ["broken_off"]


def test_file_that_is_no_journal_of_a_run_is_passed_over(log: Journal) -> None:
    folder = Path(log.paths.session) / "runs"
    (folder / "20250101-000000-0000.jsonl").write_text("{}\n")
    (folder / "20240101-000000-0000.jsonl").write_text("nothing\n")
    (folder / "20230101-000000-0000.jsonl").write_bytes(b"")
    begin(log)
    assert [run["run"] for run in journal.listed(log.paths)] == [log.key]


def test_newest_run_of_a_campaign_is_found_beside_others(log: Journal) -> None:
    begin(log)
    other = Journal(log.paths, "20260101-000001-0002")
    begin(other, campaign_slug="other")
    assert [run["run"] for run in journal.listed(log.paths)] == [other.key, log.key]
    found = journal.newest(log.paths, "fix")
    assert found is not None and found["run"] == log.key
    assert journal.newest(log.paths, "fix", besides=log.key) is None
