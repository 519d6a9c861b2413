"""A campaign that goes to another clone and comes back, and what the commands say to a person on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from claude_chat import added
from click.testing import CliRunner
from git_command import git
from two_clones import Clones, changed_on_both, chat, red, run

from safepoint import cli

POINT = ".cursor/.session/resume-point-fix-basket"


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def said(*words: str) -> str:
    return CliRunner().invoke(cli.main, list(words), standalone_mode=False).output


def shift(path: Path, name: str, seconds: int) -> None:
    value = json.loads(path.read_text())
    path.write_text(json.dumps({**value, name: value[name] + seconds}))


def point(project: Path, part: str = "") -> Any:
    return json.loads((project / f"{POINT}{part}.json").read_text())


def goes_on_in_b(clones: Clones) -> dict[str, Any]:
    """a-1 is full in A; bb-1 takes it over in B, on main, and B pushes without a name."""
    red(clones.a, "a-1")
    run(clones.a, "push")
    git(clones.b, "checkout", "-q", "-B", "main")
    run(clones.b, "pull", "fix-basket")
    (clones.b / "basket.py").write_text("of b\n")
    chat(clones.b, "bb-1")
    return run(clones.b, "push")


def test_plain_push_takes_the_campaign_of_the_newest_chat_with_the_state_of_git(clones: Clones) -> None:
    sent = goes_on_in_b(clones)
    assert (sent["campaign"], sent["session_id"]) == ("fix-basket", "bb-1")
    checkpoint = json.loads(git(clones.b, "show", f"{sent['commit']}:checkpoint.json"))
    snapshot = checkpoint["resume_point"]["git_snapshot"]
    assert snapshot["branch"] == "main" and snapshot["changed_files"] == ["basket.py"]
    assert snapshot["base_commit_sha"] == git(clones.b, "rev-parse", "HEAD")
    assert "not looked at" not in git(clones.b, "show", f"{sent['commit']}:handoff.md")
    assert run(clones.b, "push")["new"] is False
    assert run(clones.b, "campaign", "show")["campaign"] == "fix-basket"


def test_newer_handoff_that_comes_back_is_shown_though_it_is_of_another_branch(clones: Clones) -> None:
    goes_on_in_b(clones)
    shift(clones.a / ".cursor/.session/pending/a-1.json", "created_at_unix", -60)
    shift(clones.a / f"{POINT}.json", "interrupted_at_unix", -60)
    got = run(clones.a, "pull")
    assert got["branch"] == "main" and got["shown_first"] == "bb-1"
    assert point(clones.a)["orig_session_id"] == "bb-1"
    assert point(clones.a, ".a-1")["orig_session_id"] == "a-1"
    text = added(chat(clones.a, "next").start)  # type: ignore[attr-defined]
    assert "handoff-bb-1.md" in text and "handoff-a-1.md" not in text


def test_older_handoff_that_comes_back_does_not_replace_the_newer_ones_resume_point(clones: Clones) -> None:
    goes_on_in_b(clones)
    shift(clones.a / ".cursor/.session/pending/a-1.json", "created_at_unix", 60)
    shift(clones.a / f"{POINT}.json", "interrupted_at_unix", 60)
    text = said("pull", "--project", str(clones.a))
    assert "is shown a-1 first" in text and "safepoint resume --pick bb-1" in text
    assert point(clones.a)["orig_session_id"] == "a-1"
    assert point(clones.a, ".bb-1")["orig_session_id"] == "bb-1"


def test_status_of_a_fresh_clone_shows_what_a_pull_brought(clones: Clones) -> None:
    red(clones.a, "a-1")
    run(clones.a, "push")
    run(clones.b, "pull")
    assert "waiting: a-1  fix-basket" in said("status", str(clones.b))


def test_restore_says_whose_the_sides_of_a_conflict_are(clones: Clones) -> None:
    changed_on_both(clones)
    text = said("restore", "--project", str(clones.b))
    lines = (clones.b / "basket.py").read_text().splitlines()
    assert lines[0].startswith("<<<<<<< ") and lines[1:4] == ["of b", "=======", "of a"]
    assert "<<<<<<< to ======= is this clone's (HEAD), and ======= to >>>>>>> the restored work" in text


def test_generate_tells_of_a_remote_that_is_not_there(clones: Clones) -> None:
    (manifest,) = (clones.a / ".cursor").rglob("manifest.yaml")
    text = manifest.read_text()
    for name, is_told in (("upstream", True), ("origin", False)):
        manifest.write_text(text.replace('remote: ""', f'remote: "{name}"'))
        assert manifest.read_text() != text
        assert (f"sync.remote in manifest.yaml is {name}" in said("generate", str(clones.a))) is is_told
