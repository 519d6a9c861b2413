"""Every command's `--json`, ended well or not: one JSON object that names the command in the same words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from claude_chat import ClaudeChat
from host_process import install
from scratch_repository import make_repository

from safepoint import cli
from safepoint.errors import SafepointError


def commands(command: click.Command, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command with `--json`, by its words."""
    if any("--json" in parameter.opts for parameter in command.params):
        yield names
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            inner = command.get_command(ctx, name)
            assert inner is not None
            yield from commands(inner, (*names, name))


EVERY = [" ".join(names) for names in commands(cli.main)]
# What makes it end well, one after the other, in the repository of `story`.
WELL = {
    "install": [".", "--dry-run"], "uninstall": [".", "--dry-run"], "generate": ["."], "prune": ["."],
    "status": ["."], "explain": [], "simulate": ["../repo-c1.jsonl"], "resume": ["--plan"],
    "validate": [".cursor/hooks/manifest.yaml"],
    "replay": ["../payload.json", "--scratch"], "open": ["--print"], "restore": ["--local", "--list"],
    "todo": [], "todo list": [], "todo add": ["Tests"], "todo start": ["2"], "todo stop": ["2"],
    "todo done": ["1"], "todo drop": ["2"], "todo write": ["../todos.json"], "extend": ["20k"],
    "campaign start": ["other"], "campaign show": ["other"], "campaign list": [],
    "step start": ["1", "--campaign", "other", "--input", "basket.py"],
    "step progress": ["1", "--campaign", "other", "--done", "0"],
    "step show": ["1", "--campaign", "other"], "step block": ["1", "--campaign", "other", "--reason", "x"],
    "step fail": ["1", "--campaign", "other", "--reason", "x"], "step done": ["1", "--campaign", "other"],
    "checkpoint save": ["--phase", "one", "--text", "x", "--campaign", "other", "--skill", "scan"],
    "checkpoint show": ["--campaign", "other"], "campaign finish": ["other", "--force"],
}  # fmt: skip
# Other tests have what these need.
ELSEWHERE = {"demo", "doctor", "run", "push", "pull", "fetch", "step take-over"}
# What makes it fail, beside a project that is not there.
PATHS = {"install", "uninstall", "generate", "doctor", "prune", "status"}
ARGUMENTS = {
    "run": ["do it"], "extend": ["20k"], "restore": ["x"], "push": ["x"], "pull": ["x"], "todo add": ["x"],
    "todo write": ["todos.json"], "step take-over": ["x"], "campaign start": ["x"], "campaign show": ["x"],
    "campaign finish": ["x"], "checkpoint save": ["--phase", "x", "--text", "x", "--skill", "x"],
    **{f"todo {name}": ["1"] for name in ("start", "stop", "done", "drop")},
    **{f"step {name}": ["1"] for name in ("start", "show", "done")},
    "step progress": ["1", "--done", "1"],
    **{f"step {name}": ["1", "--reason", "x"] for name in ("block", "fail")},
}  # fmt: skip


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chat that was stopped at Red, with a todo list."""
    repo = make_repository(tmp_path / "repo")
    install(repo)
    chat = ClaudeChat(repo)
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Begin")
    chat.tool("TaskCreate", {"task": {"id": "1"}}, subject="Parse")
    chat.context(160_000)
    chat.tool("Bash", command="ls")
    (tmp_path / "payload.json").write_text(json.dumps({"hook_event_name": "Stop", "session_id": "x"}))
    todo = {"content": "All", "status": "pending", "activeForm": "All"}
    (tmp_path / "todos.json").write_text(json.dumps([todo]))
    skill = repo / ".claude/skills/scan/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: scan\n---\n")
    monkeypatch.chdir(repo)
    return repo


def call(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        cli.entry(words)
    said = capsys.readouterr()
    return int(str(ended.value.code)), said.out or said.err


def test_a_command_that_ends_well_names_itself(story: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(WELL) | ELSEWHERE == set(EVERY)
    for name, words in WELL.items():
        status, out = call([*name.split(), *words, "--json"], capsys)
        assert status == 0, (name, out)
        found = json.loads(out)
        assert (found["schema_version"], found["command"]) == (1, name)
        assert "error" not in found


FILES_ONLY = {"demo", "validate", "simulate", "replay"}  # in no project


@pytest.mark.parametrize("name", [name for name in EVERY if name not in FILES_ONLY])
def test_a_command_that_fails_names_itself(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    where = ["/nowhere"] if name in PATHS else ["--project", "/nowhere"]
    status, out = call([*name.split(), *ARGUMENTS.get(name, []), *where, "--json"], capsys)
    found = json.loads(out)
    assert status == 1, out
    assert (found["schema_version"], found["command"]) == (1, name)
    assert found["error"]["message"]
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "status"), [(SafepointError("half a \udc80 name"), 1), (ZeroDivisionError("\udc80"), 3)]
)
def test_any_failure_is_json_where_json_was_asked_for(
    error: Exception, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fails(path: str, as_json: bool) -> None:
        raise error

    monkeypatch.setattr(cli.main.get_command(click.Context(cli.main), "status"), "callback", fails)
    ended, out = call(["status", str(tmp_path), "--json"], capsys)
    assert (ended, json.loads(out)["command"]) == (status, "status")
    assert "udc80" in json.dumps(json.loads(out)["error"]["message"])


def test_json_that_is_the_agents_is_not_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = call(["run", "do it", "--project", "/nowhere", "--", "--json"], capsys)
    assert status == 1 and out.startswith("safepoint: ")
