"""What a session of a run changed, and what is left: over real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from safepoint.hook_process import settings_of
from safepoint.hot.session import new_state
from safepoint.hot.shapes import SessionState
from safepoint.hot.stores.paths import Paths
from safepoint.run import progress
from safepoint.run.outcome import Left
from safepoint.run.progress import Look


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a.txt").write_text("a\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    return tmp_path


def state(**fields: Any) -> SessionState:
    made = new_state("s", "", "claude_code")
    made.update(fields)  # type: ignore[typeddict-item]
    return made


def todo(content: str, status: str, number: str = "") -> dict[str, str]:
    return {"id": number, "content": content, "status": status, "active_form": content}


def look(folder: Path, before: Look | None = None, slug: str = "", **fields: Any) -> Look:
    return progress.look(Paths(str(folder)), settings_of(str(folder)), slug, state(**fields), before)


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def envelope(folder: Path, number: int, status: str, done: int = 0, reason: str = "") -> None:
    parts = "".join(
        f"  - text: part {n}\n    status: {'done' if n < done else 'open'}\n" for n in range(3)
    )
    text = f"---\ncampaign: fix\nstep: {number}\nstatus: {status}\nreason: {reason}\nsubsteps:\n{parts}---\n"
    write(folder, f".cursor/.artifacts/fix--step{number}.md", text)
    write(folder, ".cursor/.artifacts/.gitignore", "*\n")


def test_two_looks_at_the_same_work_differ_in_nothing(repo: Path) -> None:
    write(repo, "new/b.txt", "b\n")
    before = look(repo)
    change = progress.change(str(repo), before, look(repo, before))
    assert (change.files, change.commits, change.changed) == ([], 0, False)


def test_files_changed_made_and_deleted_are_named(repo: Path) -> None:
    write(repo, "kept.txt", "as it was\n")
    before = look(repo)
    write(repo, "a.txt", "other\n")
    write(repo, "new/日本.txt", "new\n")
    change = progress.change(str(repo), before, look(repo, before))
    assert (change.files, change.changed) == (["a.txt", "new/日本.txt"], True)
    before = look(repo, before)
    (repo / "a.txt").unlink()
    write(repo, "new/日本.txt", "newer\n")
    assert progress.change(str(repo), before, look(repo, before)).files == ["a.txt", "new/日本.txt"]


def test_file_that_was_written_with_the_same_content_is_no_change(repo: Path) -> None:
    write(repo, "b.txt", "b\n")
    before = look(repo)
    write(repo, "b.txt", "b\n")
    assert not progress.change(str(repo), before, look(repo, before, files_changed=["b.txt"])).changed


def test_file_that_git_ignores_counts_where_a_hook_has_seen_it(repo: Path) -> None:
    write(repo, ".gitignore", "out/\n")
    write(repo, "out/x", "1\n")
    before = look(repo, files_changed=["out/x"])
    write(repo, "out/x", "2\n")
    assert progress.change(str(repo), before, look(repo, before)).files == ["out/x"]


def test_commits_are_counted_with_their_files(repo: Path) -> None:
    write(repo, "b.txt", "b\n")
    before = look(repo)
    write(repo, "c.txt", "c\n")
    for name in ("b.txt", "c.txt"):
        git(repo, "add", name)
        git(repo, "commit", "-q", "-m", name)
    change = progress.change(str(repo), before, look(repo, before))
    assert (change.files, change.commits, change.changed) == (["b.txt", "c.txt"], 2, True)


def test_first_commit_of_a_repository_is_counted(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    before = look(tmp_path)
    write(tmp_path, "a.txt", "a\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    change = progress.change(str(tmp_path), before, look(tmp_path, before))
    assert (change.files, change.commits) == (["a.txt"], 1)


def test_without_git_the_files_that_hooks_have_seen_count(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "a\n")
    before = look(tmp_path, files_changed=["a.txt"])
    assert not progress.change(str(tmp_path), before, look(tmp_path, before)).changed
    write(tmp_path, "a.txt", "b\n")
    assert progress.change(str(tmp_path), before, look(tmp_path, before)).files == ["a.txt"]


def test_todo_that_was_done_is_a_change_and_one_with_another_id_is_none(repo: Path) -> None:
    before = look(repo, todos=[todo("Test it", "pending")])
    same = look(repo, before, todos=[todo("Test it", "pending", "1")])
    assert not progress.change(str(repo), before, same).changed
    done = look(repo, before, todos=[todo("Test it", "completed", "1")])
    assert progress.change(str(repo), before, done).changed


def test_session_that_did_nothing_leaves_the_list_of_the_one_before(repo: Path) -> None:
    before = look(repo, todos=[todo("Test it", "pending")])
    paths, settings = Paths(str(repo)), settings_of(str(repo))
    assert not progress.change(str(repo), before, progress.look(paths, settings, "", None, before)).changed


def test_sub_step_that_was_done_is_a_change(repo: Path) -> None:
    envelope(repo, 1, "incomplete", 1)
    before = look(repo, slug="fix")
    assert not progress.change(str(repo), before, look(repo, before, "fix")).changed
    envelope(repo, 1, "incomplete", 2)
    change = progress.change(str(repo), before, look(repo, before, "fix"))
    assert (change.changed, change.files) == (True, [])


def test_section_that_every_red_writes_into_the_report_is_no_change(repo: Path) -> None:
    report = "docs/fix.md"
    own = "# Fix\n\n<!-- safepoint:begin -->\n{}\n<!-- safepoint:end -->\n"
    write(repo, report, own.format("one"))
    before = look(repo, report=report)
    write(repo, report, own.format("two"))
    assert not progress.change(str(repo), before, look(repo, before, report=report)).changed
    write(repo, report, own.format("two") + "More of a person's.\n")
    assert progress.change(str(repo), before, look(repo, before, report=report)).files == [report]


def test_what_is_left_is_told_by_steps_and_todos(repo: Path) -> None:
    envelope(repo, 1, "complete", 3)
    envelope(repo, 2, "blocked", 1, "no key")
    known = state(todos=[todo("a", "completed"), todo("b", "in_progress")])
    left = progress.left(Paths(str(repo)), settings_of(str(repo)), "fix", known)
    assert left == Left(2, 1, "step 2 is blocked: no key", 2, 1)
    assert progress.left(Paths(str(repo)), settings_of(str(repo)), "", state()) == Left()
