"""What `install` says at its end: who has it, what to add, and what it does before a context fills up."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from test_cli import run
from test_install import HOOKS, edit, git, put_in

from safepoint import mcp_files, sharing
from safepoint.install import Plan


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "a repo"
    root.mkdir()
    git(root, "init", "-q")
    return root


def said(plan: Plan) -> str:
    assert plan.record is not None
    return "\n".join(sharing.lines(plan.project, plan.record))


def added(repo: Path, text: str) -> set[str]:
    """Run the line that is given; what git has then."""
    (line,) = [line.strip() for line in text.splitlines() if line.startswith("  git ")]
    subprocess.run(shlex.split(line), check=True, cwd=repo)
    return set(git(repo, "ls-files").splitlines())


def test_the_line_adds_every_installed_file_and_no_other(repo: Path) -> None:
    (repo / HOOKS).mkdir(parents=True)
    (repo / HOOKS / "mine.sh").write_text("mine")
    plan = put_in(repo, workflow=True)
    assert said(plan).startswith("Commit these files, and colleagues have it too:\n  git -C '")
    assert plan.record is not None
    files = {*plan.record["files"], *plan.record["registrations"], f"{HOOKS}/install-record.json"}
    assert added(repo, said(plan)) == files


def test_a_folder_of_ours_is_named_as_one(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo)
    assert said(put_in(repo)).splitlines()[1] == (
        "  git add .claude/settings.json .cursor/hooks .cursor/hooks.json .cursor/rules/safepoint.mdc"
    )


@pytest.mark.parametrize("rule", [".cursor/", "*.py", "/.claude/settings.json"])
def test_what_git_ignores_is_not_said_to_be_shared(repo: Path, rule: str) -> None:
    (repo / ".gitignore").write_text(f"x\n{rule}\n")
    plan = put_in(repo)
    (repo / HOOKS / "__pycache__").mkdir()
    (repo / HOOKS / "__pycache__/session_end.cpython-311.pyc").write_bytes(b"")
    assert said(plan).startswith("Only you have it: git ignores ") and f"(.gitignore:2: {rule})" in said(plan)
    has = added(repo, said(plan))
    assert plan.record is not None and set(plan.record["files"]) <= has
    assert not any(path.endswith(".pyc") for path in has)
    assert said(plan).startswith("Commit these files")  # git has them now, whatever the rule says


def test_a_rule_that_is_taken_back_does_not_count(repo: Path) -> None:
    (repo / ".gitignore").write_text(".claude/*\n!.claude/settings.json\n")
    assert said(put_in(repo)).startswith("Commit these files")


def test_without_git_there_is_nothing_to_commit(tmp_path: Path) -> None:
    for scope in ("shared", "local"):
        assert said(put_in(tmp_path, scope=scope)).startswith("It is in this folder alone")


def test_a_file_that_names_this_machine_is_left_out(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    text = said(put_in(repo, todo_tool=True))
    for path in mcp_files.FILES.values():
        assert f"Leave {path} out: it names a path of this machine." in text
        assert path not in added(repo, text)
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/safepoint")
    assert ".mcp.json" in added(repo, said(put_in(repo)))


def test_for_one_alone_git_is_asked_what_it_shows(repo: Path) -> None:
    assert said(put_in(repo, scope="local")) == "Only you have it: git does not show these files."
    git(repo, "add", "-f", f"{HOOKS}/manifest.yaml")
    assert said(put_in(repo)).startswith(f"Only you use it, but git shows {HOOKS}/manifest.yaml")


def test_what_it_does_before_a_context_fills_up(repo: Path) -> None:
    text = run("install", str(repo)).stdout
    assert "rules (todo.mode: off ends them) and reminders (reminders.mode: off) from the start" in text
    manifest = repo / HOOKS / "manifest.yaml"
    for old, new, rest in (
        ("mode: strict", "mode: off", "has reminders (rem"),
        ("mode: on ", "mode: off ", ""),
    ):
        edit(manifest, old, new)
        text = run("install", str(repo)).stdout
        assert "todo.mode" not in text and (rest in text if rest else "todo list" not in text)
    edit(manifest, "mode: enforce", "mode: off")
    assert "so the hooks do nothing" in run("install", str(repo)).stdout
