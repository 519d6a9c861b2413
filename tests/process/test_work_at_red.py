"""At Red the work in progress is put aside, and nothing about that can stop the save or the deny."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from claude_chat import ClaudeChat, is_denied
from click.testing import CliRunner
from git_command import git, have_a_filter_that_fails
from test_prune import prune
from two_clones import chat, hurry, red, run, take_time, untouched

from safepoint import cli
from safepoint.errors import SafepointError
from safepoint.hot.stores.paths import Paths
from safepoint.sessions import load


@pytest.fixture(autouse=True)
def _no_hurry(project: Path) -> None:
    take_time(project)


def told(one: ClaudeChat) -> str:
    return str(one.send("Stop").get("systemMessage", ""))


def test_reset_after_red_loses_nothing(project: Path) -> None:
    (project / "basket.py").write_text("def total(): return 1\n")
    (project / "割引.py").write_text("new\n")
    before = untouched(project)
    one = red(project, "c1")
    assert untouched(project) == before
    assert "safepoint restore --local" in told(one)
    git(project, "reset", "-q", "--hard")
    git(project, "clean", "-q", "-fd", "-e", ".cursor", "-e", ".claude")
    assert not (project / "割引.py").exists()
    (kept,) = run(project, "restore", "--local", "--list")["kept"]
    assert kept["name"] == "c1" and kept["subject"].endswith("fix-basket")
    run(project, "restore", "--local")
    assert (project / "割引.py").read_text() == "new\n" and "return 1" in (project / "basket.py").read_text()


def test_clean_tree_keeps_nothing_and_says_nothing(project: Path) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "All")
    one = red(project, "c1")
    assert "restore --local" not in told(one)
    assert git(project, "for-each-ref", "refs/safepoint") == ""
    with pytest.raises(SafepointError, match="no work is put aside in"):
        run(project, "restore", "--local")


def test_too_much_is_said_and_the_tool_is_denied_all_the_same(project: Path) -> None:
    for number in range(2_100):
        (project / f"file-{number}").write_text("x")
    one = red(project, "c1")
    assert "not kept apart, since there is too much of it" in told(one)
    assert git(project, "for-each-ref", "refs/safepoint") == ""


def test_git_that_fails_or_is_slow_stops_no_deny(project: Path) -> None:
    hurry(project)
    (project / ".gitattributes").write_text("*.slow filter=slow\n")
    git(project, "config", "filter.slow.clean", "sleep 30")
    git(project, "config", "filter.slow.required", "true")
    (project / "a.slow").write_text("x\n")
    one = chat(project, "c1")
    one.context(170_000)
    began = time.monotonic()
    assert is_denied(one.tool("Bash", command="make test"))
    assert time.monotonic() - began < 5
    assert "not kept apart, since git took too long" in told(one)
    take_time(project)
    git(project, "config", "filter.slow.clean", "cat")
    lock = project / ".git/refs/safepoint/local/c2.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    second = red(project, "c2")
    assert "not kept apart, since git could not do it" in told(second)


def test_what_git_cannot_take_is_named_and_all_else_is_kept(project: Path) -> None:
    (project / "a.bin").write_text("pointer\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "All")
    have_a_filter_that_fails(project)
    (project / "a.bin").write_text("art\n")
    alone = told(red(project, "c1"))
    assert "not kept apart, since git could not take it: a.bin" in alone
    (project / "basket.py").write_text("hours of work\n")
    text = told(red(project, "c2"))
    assert "without these, which are only in the files as before: a.bin." in text and "kept apart" not in text
    assert git(project, "show", "refs/safepoint/local/c2:basket.py") == "hours of work"


def test_a_save_that_fails_names_no_work(project: Path) -> None:
    (project / "basket.py").write_text("one\n")
    one = chat(project, "c1")
    one.context(170_000)
    blocked = project / ".cursor/.session/handoff-c1.md"
    blocked.mkdir()
    assert not is_denied(one.tool("Bash", command="make test"))
    assert git(project, "for-each-ref", "refs/safepoint") == ""
    assert not list((project / ".cursor/.session").glob(".index*"))


def test_second_chat_has_a_ref_of_its_own(project: Path) -> None:
    (project / "basket.py").write_text("one\n")
    red(project, "c1")
    (project / "basket.py").write_text("two\n")
    red(project, "c2")
    assert git(project, "show", "refs/safepoint/local/c1:basket.py") == "one"
    assert git(project, "show", "refs/safepoint/local/c2:basket.py") == "two"
    git(project, "checkout", "-q", "basket.py")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Hooks")
    run(project, "restore", "--local", "c1")
    assert (project / "basket.py").read_text() == "one\n"


def test_old_work_is_pruned_with_a_way_back(project: Path) -> None:
    (project / "basket.py").write_text("one\n")
    red(project, "c1")
    run(project, "resume", "--dismiss", "c1")
    ref = "refs/safepoint/local/c1"
    sha = git(project, "rev-parse", ref)
    assert prune(project, "--max-age-days", "30")["works"] == []
    tree = git(project, "rev-parse", f"{sha}^{{tree}}")
    at = f"@{int(time.time()) - 40 * 86_400} +0000"
    os.environ.update(GIT_COMMITTER_DATE=at, GIT_AUTHOR_DATE=at)
    try:
        old = git(project, "commit-tree", tree, "-p", "HEAD", "-m", "Work in progress at Red: fix-basket")
    finally:
        del os.environ["GIT_COMMITTER_DATE"], os.environ["GIT_AUTHOR_DATE"]
    git(project, "update-ref", ref, old)
    assert prune(project, "--dry-run")["works"] == ["c1"] and git(project, "rev-parse", ref) == old
    assert prune(project)["works"] == ["c1"]
    assert git(project, "for-each-ref", "refs/safepoint/local") == ""
    assert prune(project, "--undo")["works"] == [ref]
    assert git(project, "rev-parse", ref) == old


def test_state_names_the_commit(project: Path) -> None:
    (project / "basket.py").write_text("one\n")
    red(project, "c1")
    kept = load(Paths(str(project)), "c1")["git"]["work_commit"]
    assert kept == git(project, "rev-parse", "refs/safepoint/local/c1")


def test_link_of_the_newest_handoff_is_printed(project: Path) -> None:
    with pytest.raises(SafepointError, match="no free handoff waits"):
        run(project, "open", "--print")
    second = chat(project, "c2")
    red(project, "c1")
    time.sleep(1.1)  # a handoff's time is in whole seconds
    second.context(170_000)
    assert is_denied(second.tool("Bash", command="make test"))
    result = run(project, "open", "--print")
    assert result["id"] == "c2" and result["opened"] is False
    assert result["link"].startswith("claude-cli://open?cwd=") and "c2" in result["link"]
    run(project, "resume", "--pick", "c1")
    assert run(project, "open", "--print")["id"] == "c1"


def test_what_a_snapshot_does_not_hold_is_told_where_it_comes_back(project: Path) -> None:
    have_a_filter_that_fails(project)
    for number in range(60):
        (project / f"{number:02}.bin").write_text("x\n")
    git(project, "add", ".cursor", ".claude")
    git(project, "commit", "-q", "-m", "Hooks")
    (project / "basket.py").write_text("worked on\n")
    red(project, "c1")
    git(project, "checkout", "-q", "--", "basket.py")
    found = run(project, "restore", "--local")
    assert found["left_out"] == [f"{number:02}.bin" for number in range(50)]
    assert found["left_out_total"] == 60 and (project / "basket.py").read_text() == "worked on\n"
    git(project, "checkout", "-q", "--", "basket.py")
    shown = CliRunner().invoke(cli.main, ["restore", "--local", "--project", str(project)]).output
    assert "left out: 00.bin, 01.bin, " in shown and "07.bin and 52 more\n" in shown


def test_file_that_git_cannot_even_tell_the_status_of_is_left_out_alone(project: Path) -> None:
    """Its size is as before, so git asks the filter, and `git status` fails as a whole."""
    (project / "a.bin").write_text("one\n")
    for path in project.rglob("*.*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # not of the moment in which the index is written
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "All")
    have_a_filter_that_fails(project)
    (project / "a.bin").write_text("two\n")
    (project / "basket.py").write_text("worked on\n")
    one = red(project, "c1")
    assert "a.bin" in told(one)
    ref = "refs/safepoint/local/c1"
    assert git(project, "diff-tree", "--name-only", "HEAD", ref).split() == ["basket.py"]
