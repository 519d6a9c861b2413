"""`install --with-workflow`: what comes, what stays a person's, and every command the skills name."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from test_install import put_in, recompile, take_out, tree

from safepoint import cli, shipped
from safepoint.validation import check_file

LANGUAGES = ("en", "ja")
SKILL = ".claude/skills/workflow-orchestrator/SKILL.md"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "docs").mkdir(parents=True)
    (root / "docs/mine.md").write_text("mine\n")
    return root


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_comes_is_well_and_goes(repo: Path, language: str) -> None:
    before = tree(repo)
    put_in(repo, language=language, workflow=True)
    for path in shipped.workflow_files(language, ["cursor", "claude_code"]):
        assert (repo / path).is_file(), path
        if path.endswith("SKILL.md"):
            assert check_file(repo / path).problems == ()
    assert put_in(repo).changes == []  # stays on without being asked for again
    take_out(repo)
    assert tree(repo) == before


def test_without_is_the_default_and_takes_away(repo: Path) -> None:
    put_in(repo)
    plain = tree(repo)
    assert not (repo / SKILL).exists()
    put_in(repo, workflow=True)
    put_in(repo, workflow=False)
    left = tree(repo)
    assert {name for name in left if "skills" in name and left[name] is not None} == set()
    assert set(plain) <= set(left)


def test_edits_are_kept_and_said_by_install_generate_and_uninstall(repo: Path) -> None:
    put_in(repo, workflow=True)
    (repo / SKILL).write_text("my own\n")
    for plan in (put_in(repo), recompile(repo), put_in(repo, language="ja")):
        assert (repo / SKILL).read_text() == "my own\n"
        assert any(SKILL in note and "kept" in note for note in plan.notes)
    assert "再開" in (repo / ".cursor/skills/workflow-orchestrator/SKILL.md").read_text("utf-8")
    plan = take_out(repo)
    assert plan and any(SKILL in note for note in plan.notes)
    assert (repo / SKILL).read_text() == "my own\n"


def test_a_file_that_was_there_before_is_nobodys_but_its_owners(repo: Path) -> None:
    (repo / "docs/CONTEXT_BUDGET.md").write_text("mine\n")
    before = tree(repo)
    plan = put_in(repo, workflow=True)
    assert any("docs/CONTEXT_BUDGET.md" in note and "stays" in note for note in plan.notes)
    take_out(repo)
    assert tree(repo) == before


def test_generate_keeps_unedited_files_current(repo: Path) -> None:
    put_in(repo, workflow=True)
    (repo / SKILL).unlink()
    recompile(repo)
    assert (repo / SKILL).read_bytes() == shipped.template("workflow/workflow-orchestrator.en.md")


def test_a_folder_that_leads_out_of_the_project_is_left_alone(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (repo / ".claude").symlink_to(tmp_path / "elsewhere")
    plan = put_in(repo, hosts=("cursor",), workflow=True)
    assert plan and not list((tmp_path / "elsewhere").iterdir())


# --- the commands that the shipped files tell an agent to run ---------------------------------------------


def commands(text: str) -> list[str]:
    """Every `safepoint …` in a fenced block or between backticks, in order."""
    fenced = re.findall(r"^safepoint .*$", text, re.MULTILINE)
    inline = re.findall(r"`(safepoint [^`]+)`", text)
    return sorted({*fenced, *inline}, key=lambda one: text.index(one))


PROMPT_WORDS = ("safepoint pick ID", "safepoint extend")  # typed as a prompt, answered by a hook

GROUPS = (["step"], ["checkpoint"])  # named as such in a table


def concrete(command: str) -> list[str]:
    for word, value in (("N", "1"), ("K", "1"), ("WORKER", "a1"), ("ID", "a1"), ("FILE", "manifest.yaml")):
        command = re.sub(rf"\b{word}\b", value, command)
    words = shlex.split(command)[1:]
    return [*words, "--help"] if words in GROUPS else words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_that_is_shipped_exists_and_works(
    repo: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in(repo, language=language, workflow=True)
    monkeypatch.chdir(repo)
    run = CliRunner()
    files = shipped.workflow_files(language, ["cursor"])
    named = [one for content in files.values() for one in commands(content.decode("utf-8"))]
    assert len(named) > 20
    prepared = [
        "safepoint campaign start fix-auth", "safepoint step start 1 --substep a --substep b",
        "safepoint step start 2", "safepoint step start 3",
        "safepoint checkpoint save --skill deep-thinking --phase round-0 --text x",
    ]  # fmt: skip
    worker = "---\ncampaign: fix-auth\nworker: a1\nstatus: incomplete\n---\n"
    manifest = (repo / ".cursor/hooks/manifest.yaml").read_bytes()
    for command in [*prepared, *named]:
        if command in PROMPT_WORDS:
            continue
        (repo / "manifest.yaml").write_bytes(manifest)
        (repo / ".cursor/.artifacts").mkdir(exist_ok=True)
        (repo / ".cursor/.artifacts/fix-auth--worker-a1.md").write_text(worker)
        words = concrete(command)
        result = run.invoke(cli.main, words, input="", catch_exceptions=False, standalone_mode=False)
        assert result.exit_code == 0 and not result.return_value, (command, result.output)


def test_prompt_words_are_answered_by_the_hook() -> None:
    from safepoint.hot import prompt_words

    assert all(prompt_words.parse(word) is not None for word in PROMPT_WORDS)
    assert isinstance(cli.main, click.Group)
