"""An edited manifest.yaml outlives every later command; an untouched one follows the release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from safepoint.cli import main

EDIT = ("red_ratio: 0.78", "red_ratio: 0.71")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def project(tmp_path: Path) -> Path:
    run("install", str(tmp_path), "--yes")
    return tmp_path


def edit(project: Path) -> Path:
    file = project / ".cursor/hooks/manifest.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(*EDIT), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "commands",
    [
        [["install"], ["install"]],
        [["generate"], ["install"]],
        [["install"], ["generate"], ["install", "--language", "ja"], ["install"]],
    ],
    ids=lambda commands: "+".join(" ".join(words) for words in commands),
)
def test_edited_manifest_is_never_replaced(project: Path, commands: list[list[str]]) -> None:
    file = edit(project)
    for name, *options in commands:
        run(name, str(project), *options)
        assert EDIT[1] in file.read_text(encoding="utf-8")
    settings = json.loads((project / ".cursor/hooks/settings.json").read_text(encoding="utf-8"))
    assert settings["budget_thresholds"]["tiers"][0]["red_ratio"] == 0.71


def test_edited_manifest_is_left_by_uninstall_and_taken_by_purge(project: Path) -> None:
    file = edit(project)
    run("generate", str(project))
    assert "left in place: .cursor/hooks/manifest.yaml" in run("uninstall", str(project), "--yes")
    assert file.is_file()
    run("install", str(project), "--yes")
    assert EDIT[1] in file.read_text(encoding="utf-8")
    run("uninstall", str(project), "--purge", "--yes")
    assert not file.exists()


def test_untouched_manifest_follows_the_language(project: Path) -> None:
    run("install", str(project), "--language", "ja")
    text = (project / ".cursor/hooks/manifest.yaml").read_text(encoding="utf-8")
    assert "language: ja" in text
    assert "edited" not in run("install", str(project))
