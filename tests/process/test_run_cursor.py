"""`safepoint run --agent cursor` against a stand-in that speaks the CLI's stream and fires its hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cursor_agent import COMPACT, ENDS, KILLED, LIMIT

HERE = Path(__file__).parent


class Cursor:
    """`run` plays one list of steps per session; `starts` are its command lines and what it was shown."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project, self.script = project, folder / "script.json"
        self.executable = folder / "cursor-agent"
        self.executable.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HERE / "cursor_agent.py"}" "$@"\n')
        self.executable.chmod(0o755)

    def run(self, sessions: list[list[str]], *words: str, flags: tuple[str, ...] = ("--force",)) -> int:
        self.script.write_text(json.dumps(sessions))
        command = [sys.executable, "-m", "safepoint", "run", "--agent", "cursor", "--agent-path",
                   str(self.executable), "--json", *words, "--", *flags]  # fmt: skip
        environment = {**os.environ, "AGENT_SCRIPT": str(self.script)}
        done = subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, timeout=60
        )
        assert done.stderr == ""
        self.events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
        return done.returncode

    @property
    def rows(self) -> list[dict[str, Any]]:
        assert self.events[-1]["event"] == "run_ended"
        rows: list[dict[str, Any]] = self.events[-1]["sessions"]
        return rows

    @property
    def starts(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.script.with_suffix(".log").read_text().splitlines()]


@pytest.fixture
def cursor(project: Path, tmp_path: Path) -> Cursor:
    return Cursor(project, tmp_path)


def test_compaction_hands_over_to_a_fresh_session_that_is_shown_the_handoff(cursor: Cursor) -> None:
    first = ["echo 1 >> one.txt", COMPACT, "echo denied > denied.txt"]
    flags = ("--force", "--model", "x y")
    assert cursor.run([first, ["echo 2 >> two.txt", ENDS]], "write both", flags=flags) == 0
    assert [row["reason"] for row in cursor.rows] == ["compacted", "finished"]
    assert [row["files"] for row in cursor.rows] == [["one.txt"], ["two.txt"]]
    assert not (cursor.project / "denied.txt").exists()
    one, two = cursor.starts
    frame = ["--output-format", "stream-json", "--force", "--model", "x y"]
    assert one["words"] == ["-p", "write both", *frame]
    prompt = f"Continue fix-basket (safepoint handoff {one['session']})\n\nwrite both"
    assert two["words"] == ["-p", prompt, *frame]
    assert one["shown"] == "" and "[CONTEXT_BUDGET_RESUME] campaign=fix-basket" in two["shown"]
    assert cursor.rows[1]["took_over"] == one["session"]
    assert os.listdir(cursor.project / ".cursor/.session/pending") == []


def test_rate_limit_in_words_lets_the_same_session_go_on(cursor: Cursor) -> None:
    sessions = [["echo 1 >> one.txt", LIMIT], [LIMIT], ["echo 2 >> two.txt", ENDS]]
    assert cursor.run(sessions, "--backoff", "0.05", "write both") == 0
    assert [(row["reason"], row["tool_calls"]) for row in cursor.rows] == [("finished", 2)]
    one, *others = cursor.starts
    assert [start["words"][2:4] for start in others] == [["--resume", one["session"]]] * 2
    assert [event["attempt"] for event in cursor.events if event["event"] == "waiting"] == [1, 2]


def test_agent_that_dies_is_followed_by_a_session_from_its_last_resume_point(cursor: Cursor) -> None:
    assert cursor.run([["echo 1 >> one.txt", KILLED], ["echo 2 >> two.txt", ENDS]], "write both") == 0
    assert [row["reason"] for row in cursor.rows] == ["crashed", "finished"]
    one, two = cursor.starts
    assert "one.txt" in two["shown"] and cursor.rows[1]["took_over"] == one["session"]


def test_handoff_of_the_run_is_shown_although_a_newer_one_waits(cursor: Cursor) -> None:
    """The CLI tells the hooks of no prompt, so only the start can show the right one."""
    first = ["echo 1 >> one.txt", COMPACT, "true"]
    assert cursor.run([first, [ENDS]], "--max-sessions", "1", "write") == 4
    (mine,) = [start["session"] for start in cursor.starts]
    cursor.script.with_suffix(".log").unlink()
    assert cursor.run([first, [ENDS]], "--max-sessions", "1", "--campaign", "other", "other work") == 4
    cursor.script.with_suffix(".log").unlink()
    assert cursor.run([["echo 2 >> two.txt", ENDS]], "write") == 0
    (start,) = cursor.starts
    assert "campaign=fix-basket, " in start["shown"] and cursor.rows[0]["took_over"] == mine


def test_session_that_ends_green_with_open_todos_is_followed_by_another(cursor: Cursor) -> None:
    todo = f'"{sys.executable}" -m safepoint todo'
    both = [f"{todo} add 'Write one'", f"{todo} add 'Write two'"]
    first = [*both, "echo 1 >> one.txt", f"{todo} done 1", ENDS]
    second = ["echo 2 >> two.txt", f"{todo} list", f"{todo} done 2", ENDS]
    assert cursor.run([first, second, [ENDS]], "write both") == 0
    assert [row["reason"] for row in cursor.rows] == ["finished", "finished"]
    assert [(row["todos_done"], row["todos"]) for row in cursor.rows] == [(1, 2), (2, 2)]
    assert cursor.events[-1]["why"] == "the todo list is complete"
    shown = cursor.starts[1]["shown"]
    assert "- [x] Write one" in shown and "- [ ] Write two" in shown


def test_run_without_a_campaign_goes_on_from_the_one_before_it(cursor: Cursor) -> None:
    """On a default branch a chat has a campaign of its own, and a newer handoff of another work waits."""
    subprocess.run(["git", "checkout", "-q", "main"], cwd=cursor.project, check=True)
    first = ["echo 1 >> one.txt", COMPACT, "true"]
    left = []
    for words in ([], ["--campaign", "other"]):
        assert cursor.run([first], "--max-sessions", "1", *words, "write") == 4
        left.append(cursor.events[-1]["handoff"])
        cursor.script.with_suffix(".log").unlink()
    mine, _ = left
    assert cursor.run([["echo 2 >> two.txt", ENDS]], "write") == 0
    assert cursor.rows[0]["took_over"] == mine and cursor.events[1]["handoff"] == mine


def test_agent_that_is_killed_before_any_work_gives_its_handoff_to_the_next(cursor: Cursor) -> None:
    sessions = [["echo 1 >> one.txt", COMPACT, "true"], [KILLED], ["echo 2 >> two.txt", ENDS]]
    assert cursor.run(sessions, "write both") == 0
    assert [row["reason"] for row in cursor.rows] == ["compacted", "crashed", "finished"]
    one, two, three = cursor.starts
    assert f"handoff {one['session']}" in three["words"][1] and three["shown"] == two["shown"] != ""
