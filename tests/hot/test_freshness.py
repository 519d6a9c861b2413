"""The work tree and its history against a handoff, with a real repository."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from resume_points import resume_point

from safepoint.hot import events as ev
from safepoint.hot import freshness, resume_state
from safepoint.hot.hook import Hook
from safepoint.hot.stores import checkpoints

SETTINGS: Any = {
    "deadlines": {"git_s": 5.0}, "language": "en",
    "campaign": {"report_dir": "docs/reports", "artifact_dir": ".cursor/.artifacts"},
}  # fmt: skip


def git(project: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=project, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.py").write_text("a = 1\n")
    (tmp_path / "other.py").write_text("o = 1\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    (tmp_path / "a.py").write_text("a = 2\n")
    (tmp_path / "b.py").write_text("b = 1\n")
    return tmp_path


def hook(project: Path) -> Hook:
    event = ev.Event(ev.SESSION_START, "claude_code", "new")
    event.project, event.now = str(project), 2e9
    return Hook(event, SETTINGS, "")


def checkpoint(project: Path) -> Any:
    work = [
        {"description": "Write a.py", "known": "verified", "evidence": "file", "at": 1.0},
        {"description": "Write b.py", "known": "verified", "evidence": "file", "at": 2.0},
        {"description": "pytest", "known": "verified", "evidence": "exit 0", "at": 3.0},
        {"description": "git commit -m x", "known": "verified", "evidence": "exit 0", "at": 4.0},
        {"description": "think", "known": "carried", "evidence": "todo", "at": 5.0},
    ]
    snapshot = {"base_commit_sha": git(project, "rev-parse", "HEAD"), "branch": "main"}
    point = resume_point(completed_work=work, git_snapshot=snapshot)
    return {"resume_point": point, "file_marks": checkpoints.mark_files(str(project), ["a.py", "b.py"])}


def stands(project: Path, made: Any) -> tuple[list[str], dict[str, str], tuple[str, str]]:
    now = resume_state.look_again(hook(project), made, made["resume_point"])
    assert now is not None
    holds = [item["description"] for item in now.point["completed_work"]]
    return holds, {item["description"]: f"{how}: {why}" for item, how, why in now.doubtful}, now.freshness


ALL = ["Write a.py", "Write b.py", "pytest", "git commit -m x", "think"]


def test_untouched_all_of_it_holds(project: Path) -> None:
    assert stands(project, checkpoint(project)) == (ALL, {}, ("fresh", ""))


def test_touched_with_the_same_content_it_holds(project: Path) -> None:
    made = checkpoint(project)
    os.utime(project / "a.py", (1, 1))
    assert stands(project, made)[:2] == (ALL, {})


def test_changed_and_gone_files_are_named_and_what_ran_on_them_as_well(project: Path) -> None:
    made = checkpoint(project)
    (project / "a.py").write_text("a = 3\n")
    (project / "b.py").unlink()
    holds, doubtful, (kind, _) = stands(project, made)
    assert holds == ["git commit -m x", "think"] and kind == "stale"
    assert doubtful == {
        "Write a.py": "changed since: a.py", "Write b.py": "gone: b.py", "pytest": "changed since: a.py",
    }  # fmt: skip


def test_committed_as_it_was_it_holds(project: Path) -> None:
    made = checkpoint(project)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "The work")
    holds, doubtful, (kind, changes) = stands(project, made)
    assert (holds, doubtful, kind) == (ALL, {}, "stale") and "HEAD" in changes


def test_a_commit_of_other_files_puts_what_ran_in_doubt(project: Path) -> None:
    made = checkpoint(project)
    (project / "other.py").write_text("o = 2\n")
    git(project, "commit", "-q", "-m", "Other", "other.py")
    holds, doubtful, _ = stands(project, made)
    assert "pytest" not in holds and doubtful == {"pytest": "changed since: other.py"}


def test_history_that_was_left_behind_takes_commits_and_words_with_it(project: Path) -> None:
    git(project, "commit", "-q", "-am", "Work")
    made = checkpoint(project)
    git(project, "reset", "-q", "--soft", "HEAD~1")
    git(project, "commit", "-q", "-m", "Another history")
    holds, doubtful, _ = stands(project, made)
    assert holds == ["Write a.py", "Write b.py"]
    assert {doubtful[name] for name in ("git commit -m x", "think", "pytest")} == {"gone: commit"}


def test_what_is_taken_over_holds_and_no_process_is_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = checkpoint(project)
    monkeypatch.setattr("safepoint.hot.gitfacts.run", lambda *_: pytest.fail("a process"))
    point = resume_state.inherited(hook(project), made)
    assert [item["description"] for item in point["completed_work"]] == ALL
    (project / "a.py").write_text("a = 3\n")
    point = resume_state.inherited(hook(project), made)
    assert [item["description"] for item in point["completed_work"]] == [
        "Write b.py", "git commit -m x", "think",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [10, checkpoints.HASHED_BYTES + 1])
def test_only_small_files_have_a_digest(tmp_path: Path, size: int) -> None:
    (tmp_path / "f").write_bytes(b"x" * size)
    (mark,) = checkpoints.mark_files(str(tmp_path), ["f"])
    assert ("sha256" in mark) == (size == 10)
    os.utime(tmp_path / "f", (1, 1))
    assert freshness.standing(str(tmp_path), mark) == ("holds" if size == 10 else "changed since")


def test_digests_stop_where_they_would_take_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "HASHED_TOTAL", 25)
    for name in "abc":
        (tmp_path / name).write_bytes(b"x" * 10)
    marks = checkpoints.mark_files(str(tmp_path), ["a", "b", "c"])
    assert ["sha256" in mark for mark in marks] == [False, True, True]  # the newest have it


# --- what was reported after the checkpoint ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "taken"),
    [
        ({"last_prompt": "later"}, True),
        ({"last_prompt": "later", "interrupted_at_unix": 1754224495}, False),
        ({"last_prompt": "later", "orig_session_id": "another"}, False),
        ({"last_prompt": 3}, False),
        ({"last_prompt": "later", "todos": {}}, False),
    ],
)
def test_a_later_point_of_the_same_session_is_preferred(project: Path, change: Any, taken: bool) -> None:
    from safepoint.hot import wire

    made = checkpoint(project)
    folder = project / ".cursor/.session"
    folder.mkdir(parents=True)
    text = wire.dumps({**made["resume_point"], **change})
    (folder / "resume-point-fix-login.json").write_text(text)
    point = resume_state.newest_point(hook(project), made)
    assert (point["last_prompt"] == "later") == taken


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"a": 1}'])
def test_a_broken_later_point_is_passed_over(project: Path, text: str) -> None:
    made = checkpoint(project)
    (project / ".cursor/.session").mkdir(parents=True)
    (project / ".cursor/.session/resume-point-fix-login.json").write_text(text)
    assert resume_state.newest_point(hook(project), made) == made["resume_point"]
