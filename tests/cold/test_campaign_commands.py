"""Which campaign a command means, what it says of one that is not there, and what it shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPORTS = "docs/agent-tasks/reports"
NAMES = ("SAFEPOINT_CAMPAIGN", "CLAUDE_CODE_SESSION_ID", "CURSOR_CONVERSATION_ID")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True)
    return tmp_path


def run(repo: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """`safepoint WORDS` of a person, outside of any chat."""
    env = {name: value for name, value in os.environ.items() if name not in NAMES}
    return subprocess.run(
        [sys.executable, "-m", "safepoint", *words], cwd=repo, env={**env, **variables}, capture_output=True,
        encoding="utf-8",
    )  # fmt: skip


def well(repo: Path, *words: str, **variables: str) -> str:
    done = run(repo, *words, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(repo: Path, *words: str, code: int = 1) -> str:
    done = run(repo, *words)
    assert (done.returncode, done.stdout) == (code, ""), done.stdout + done.stderr
    return done.stderr


def standings(repo: Path) -> dict[str, str]:
    listed: Any = json.loads(well(repo, "campaign", "list", "--json"))["campaigns"]
    assert all(one["open"] == (one["standing"] == "open") for one in listed)
    return {one["campaign"]: one["standing"] for one in listed}


# --- which one --------------------------------------------------------------------------------------------


def test_a_campaign_is_the_open_one_until_it_is_finished(repo: Path) -> None:
    well(repo, "campaign", "start", "shop")
    assert well(repo, "step", "start", "1").startswith("shop, step 1: incomplete")
    well(repo, "step", "done", "1")
    report = repo / REPORTS / "shop.md"
    report.write_text(report.read_text("utf-8").replace("[ ]", "[x]"), "utf-8")
    assert standings(repo) == {"shop": "open"}
    assert well(repo, "campaign", "show").startswith("shop ")
    assert "step=1 is complete" in well(repo, "resume", "--plan")
    well(repo, "step", "start", "2")
    well(repo, "step", "done", "2")
    well(repo, "campaign", "finish")
    assert standings(repo) == {"shop": "finished"}
    assert "no campaign is open here" in refused(repo, "step", "start", "3")
    assert "status: finished" in well(repo, "campaign", "start", "shop")  # it is not opened unsaid


def test_of_several_open_ones_none_is_chosen(repo: Path) -> None:
    for slug in ("two", "one"):
        well(repo, "campaign", "start", slug)
    for words, say in (
        (("step", "start", "1"), "--campaign SLUG"),
        (("resume", "--plan"), "--campaign SLUG"),
        (("campaign", "show"), "safepoint campaign show SLUG"),
        (("campaign", "finish"), "safepoint campaign finish SLUG"),
    ):
        told = refused(repo, *words)
        assert "2 campaigns are open (one, two): say which with " in told and told.endswith(f"{say}\n")
    assert not (repo / ".cursor/.artifacts").exists()
    assert well(repo, "step", "start", "1", "--campaign", "two").startswith("two, step 1:")
    assert well(repo, "step", "start", "2", SAFEPOINT_CAMPAIGN="new").startswith("new, step 2:")


@pytest.mark.parametrize(
    "words",
    [
        ("resume", "--plan", "--campaign", "typo"),
        ("campaign", "show", "typo"),
        ("campaign", "finish", "typo"),
        ("step", "start", "1", "--campaign", "typo"),
        ("step", "show", "1", "--campaign", "typo"),
        ("checkpoint", "show", "--campaign", "typo"),
    ],
)
def test_a_name_that_nothing_has_is_no_campaign(repo: Path, words: tuple[str, ...]) -> None:
    assert "no campaign 'typo', nor any other; begin one" in refused(repo, *words)
    (repo / REPORTS).mkdir(parents=True)
    (repo / REPORTS / "Fix It.md").write_text("# Fix it\n", "utf-8")
    (repo / ".cursor/.artifacts").mkdir(parents=True)
    (repo / ".cursor/.artifacts/shop--checkpoint.md").write_text("", "utf-8")
    told = refused(repo, *words)
    assert "no campaign 'typo'; there are: fix-it-" in told and told.endswith(", shop\n")
    near = refused(repo, *("shpo" if word == "typo" else word for word in words))
    assert "no campaign 'shpo', did you mean shop? There are: fix-it-" in near
    assert not list((repo / ".cursor/.artifacts").glob("typo*"))


def test_the_branch_may_be_named_as_well(repo: Path) -> None:
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "x"], cwd=repo, check=True)
    subprocess.run(["git", "checkout", "-q", "-b", "fix"], cwd=repo, check=True)
    assert well(repo, "step", "start", "1", "--campaign", "fix").startswith("fix, step 1:")
    assert well(repo, "step", "start", "2").startswith("fix, step 2:")


# --- beginning --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["しょっぷ", "Bad Slug/.."])
def test_a_name_that_is_no_slug_is_told_what_it_became(repo: Path, name: str) -> None:
    result = json.loads(well(repo, "campaign", "start", name, "--json"))
    (note,) = result["notes"]
    assert repr(name) in note and note.endswith(f"so the campaign is called {result['campaign']}")
    assert note in well(repo, "campaign", "start", name)
    assert well(repo, "step", "start", "1", "--campaign", name).startswith(f"{result['campaign']}, ")
    assert standings(repo) == {result["campaign"]: "open"}


def test_a_named_report_has_to_be_there(repo: Path) -> None:
    assert "none.md is not there" in refused(repo, "campaign", "start", "x", "--report", "none.md")
    assert not (repo / "none.md").exists()
    (repo / "plan.md").write_text("# Plan\n", "utf-8")
    told = well(repo, "campaign", "start", "x", "--report", "plan.md")
    assert "set SAFEPOINT_CAMPAIGN=x" in told  # nothing else would lead to it
    assert well(repo, "step", "start", "1", SAFEPOINT_CAMPAIGN="x").startswith("x, step 1:")


# --- what is shown ----------------------------------------------------------------------------------------


def test_a_step_opened_again_has_no_reason_and_its_outputs_are_shown(repo: Path) -> None:
    well(repo, "campaign", "start", "shop")
    well(repo, "step", "start", "2")
    for word in ("fail", "block"):
        assert "reason: no" in well(repo, "step", word, "2", "--reason", "no")
        assert not json.loads(well(repo, "step", "start", "2", "--json"))["reason"]
    for words in (("done", "2", "--output", "a.md"), ("show", "2")):
        assert "\n  output: a.md\n" in well(repo, "step", *words)


def test_the_list_is_in_columns(repo: Path) -> None:
    for slug in ("a", "a-long-one"):
        well(repo, "campaign", "start", slug)
    (repo / REPORTS / "old.md").write_text("- [x] All\n", "utf-8")
    well(repo, "campaign", "finish", "a", "--force")
    rows = well(repo, "campaign", "list").splitlines()
    expected = [["finished", "a"], ["open", "a-long-one"], ["complete", "old"]]
    assert [row.split()[:2] for row in rows] == expected
    assert len({row.index("steps 0/0") for row in rows}) == len({row.index(REPORTS) for row in rows}) == 1


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("resume", "--campaign", "shop"), 1, "--campaign goes with --plan"),
        (("step", "start", "x"), 2, "'x' is not a valid whole number."),
        (("step", "progress", "1", "--done", "1.5"), 2, "'1.5' is not a valid whole number."),
        (("run", "task", "--max-minutes", "x"), 2, "'x' is not a valid number."),
        (("prune", "--max-mb", "x"), 2, "'x' is not a valid whole number."),
    ],
)
def test_what_is_wrong_is_said_plainly(repo: Path, words: tuple[str, ...], code: int, told: str) -> None:
    well(repo, "campaign", "start", "shop")
    assert told in refused(repo, *words, code=code)


def test_a_skill_that_safepoint_brings_is_said_to_be_brought(repo: Path) -> None:
    well(repo, "campaign", "start", "shop")
    save = ("checkpoint", "save", "--phase", "r", "--text", "x", "--skill")
    assert "safepoint install . --with-workflow" in refused(repo, *save, "deep-thinking")
    assert "install" not in refused(repo, *save, "another")
