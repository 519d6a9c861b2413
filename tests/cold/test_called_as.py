"""What a command tells people to type can be typed: the command line by the name that it was called by."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from safepoint import called_as, cli

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src/safepoint"
# Where a text is none to type here.
NO_HINTS = {
    "cli/sync_text.py": {"safepoint pull", "safepoint restore"},  # on another machine
    "cli/session_commands.py": {"safepoint extend"},  # a prompt
    "cli/todo_commands.py": {"safepoint mcp"},  # by the launcher, whoever calls: that has the package
    "run/starting.py": {"safepoint run"},  # what Windows has not
}
TYPED = re.compile(rf"safepoint ({'|'.join(cli.COMMANDS)})\b")


def said(tree: ast.AST) -> list[str]:
    """The texts in a module: no docstrings, which `--help` shows."""
    docs = {
        id(node.body[0].value) for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body and isinstance(node.body[0], ast.Expr)
    }  # fmt: skip
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    return [node.value for node in constants if isinstance(node.value, str)]


def test_no_text_of_a_command_has_a_name_of_its_own_for_the_command_line() -> None:
    for path in SOURCES.rglob("*.py"):
        name = path.relative_to(SOURCES).as_posix()
        if name.startswith("hot/"):
            continue  # a hook cannot know how a person calls it: the installed page says
        texts = said(ast.parse(path.read_text(encoding="utf-8")))
        found = {match[0] for text in texts for match in TYPED.finditer(text)}
        wrong = found - NO_HINTS.get(name, set())
        assert not wrong, f"{name}: use called_as.to_type for {wrong}"


@pytest.mark.parametrize("way", ["./bin/safepoint", "bin/safepoint", str(ROOT / "bin/safepoint"), "safepoint",
                                 "sh bin/safepoint", f"{sys.executable} -m safepoint"])  # fmt: skip
def test_a_hint_can_be_typed_where_it_was_read(tmp_path: Path, way: str) -> None:
    project = tmp_path / "my shop"
    project.mkdir()
    environment = {**os.environ, "PATH": f"{ROOT / 'bin'}:{os.environ['PATH']}"}
    if way != "safepoint":
        environment["PATH"] = os.environ["PATH"]

    def shell(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-c", line], cwd=ROOT, env=environment, capture_output=True, text=True)

    refused = shell(f"{way} explain --project '{project}'")
    assert refused.returncode == 1
    hint = refused.stderr.rstrip("\n").partition("Install it: ")[2]
    assert hint == f"{way.removeprefix('sh ')} install '{project}'"
    assert shell(hint).returncode == 0 and (project / ".cursor/hooks.json").exists()


def test_what_the_demo_ends_with_can_be_typed_line_by_line(tmp_path: Path) -> None:
    played = subprocess.run(
        ["./bin/safepoint", "demo", "--folder", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert played.returncode == 0, played.stderr
    lines = played.stdout.rpartition("to look around in.")[2].splitlines()[1:]
    assert len(lines) == 3 and all(line.startswith("  ") for line in lines)
    for line in lines:
        done = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0 and "demo-first-ch" in done.stdout, line


@pytest.mark.parametrize(
    ("argument", "launcher", "name"),
    [
        ("/x/safepoint/__main__.py", "", f"{sys.executable} -m safepoint"),
        ("/x/safepoint/__main__.py", "./my clone/bin/safepoint", "'./my clone/bin/safepoint'"),
        ("/x/safepoint/__main__.py", "safepoint", "./safepoint"),
        ("/x/.venv/bin/safepoint", "", "/x/.venv/bin/safepoint"),
        ("/x/Scripts/safepoint.exe", "", "/x/Scripts/safepoint.exe"),
        ("/x/safepoint/__main__.py", "./sp", "./sp"),
        ("/x/.venv/bin/pytest", "", "safepoint"),
        ("-c", "", "safepoint"),
    ],
)
def test_names(monkeypatch: pytest.MonkeyPatch, argument: str, launcher: str, name: str) -> None:
    monkeypatch.setattr(called_as, "_found", called_as.NAME)
    monkeypatch.setenv("PATH", "/nowhere")
    environment = {called_as.LAUNCHER: launcher, "HOME": "/h"}
    called_as.remember(argument, environment)
    assert called_as.name() == name and environment == {"HOME": "/h"}
    assert called_as.to_type("pull", "a b") == f"{name} pull 'a b'"


def test_the_name_is_in_the_usage_and_not_in_the_result(tmp_path: Path) -> None:
    environment = {**os.environ, called_as.LAUNCHER: "./my clone/bin/safepoint"}
    run = [sys.executable, "-m", "safepoint"]
    wrong = subprocess.run([*run, "stauts"], env=environment, capture_output=True, text=True)
    assert "Try ''./my clone/bin/safepoint' --help'" in wrong.stderr
    listed = subprocess.run(
        [*run, "campaign", "list", "--json"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert json.loads(listed.stdout)["command"] == "campaign list"
