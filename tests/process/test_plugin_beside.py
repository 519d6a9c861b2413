"""Each event through the plugin's and the installation's command line at the same time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import payloads
import pytest
from claude_chat import is_denied
from host_process import have_time, state

from safepoint import generate, plugins, registration

ROOT = Path(__file__).parents[2]
EVENTS = [
    ("SessionStart", {}), ("UserPromptSubmit", {}), ("PreToolUse", {}), ("PostToolUse", {}),
    ("PostToolBatch", {}), ("PreToolUse", {"tool_use_id": "toolu_02"}),
    ("PostToolUseFailure", {"tool_use_id": "toolu_02"}), ("Stop", {}),
]  # fmt: skip


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "プラグイン 'x' $y"
    for name in ("hooks", "src/safepoint/hot"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "src/safepoint/__init__.py", folder / "src/safepoint")
    return folder


def command_of(event: str) -> str:
    (group,) = plugins.files()[plugins.CLAUDE_HOOKS]["hooks"][event]
    return str(group["hooks"][0]["command"])


def send(command: str, project: Path, plugin: Path | None, payload: dict[str, Any]) -> dict[str, Any]:
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(project)}
    if plugin:
        environment["CLAUDE_PLUGIN_ROOT"] = str(plugin)
    done = subprocess.run(
        ["sh", "-c", command], input=json.dumps(payload).encode(), env=environment, cwd=project,
        capture_output=True, timeout=20,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def transcript(project: Path, tokens: int) -> str:
    file = project.parent / "t.jsonl"
    usage = {"input_tokens": tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {"id": "m1", "model": "claude-sonnet-4-5", "role": "assistant", "content": [],
               "usage": {**usage, "output_tokens": 1}}  # fmt: skip
    file.write_text(json.dumps({"type": "assistant", "isSidechain": False, "message": message}) + "\n")
    return str(file)


def play(project: Path, plugin: Path | None, session: str) -> dict[str, Any]:
    with ThreadPoolExecutor(2) as pool:
        for event, fields in EVENTS:
            payload = payloads.claude(event, session_id=session, cwd=str(project), **fields)
            jobs = [(registration.command(registration.CLAUDE[event]), None)]
            if plugin:
                jobs.append((command_of(event), plugin))
            list(pool.map(lambda job, payload=payload: send(job[0], project, job[1], payload), jobs))
    return state(project, session)


def test_every_event_counts_once(project: Path, plugin: Path) -> None:
    one, two = play(project, None, "single"), play(project, plugin, "beside")
    for count in ("tool_calls", "prompts", "shell_bytes", "todo_log"):
        assert two[count] == one[count], count
    assert len(two["open_errors"]) == len(one["open_errors"]) == 1


def test_one_of_the_two_denies_and_one_handoff_is_written(project: Path, plugin: Path) -> None:
    have_time(project)
    path = transcript(project, 190_000)
    payload = payloads.claude("PreToolUse", session_id="red", cwd=str(project), transcript_path=path)
    jobs = [(registration.command("session_budget_guard"), None), (command_of("PreToolUse"), plugin)]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda job: send(job[0], project, job[1], payload), jobs))
    assert any(is_denied(answer) for answer in answers)
    assert len(list((project / ".cursor/.session").glob("red-checkpoint-red*.json"))) == 1
    assert state(project, "red")["latch"]["cause"] == "full"


def test_a_plugin_goes_by_the_settings_of_the_project(project: Path, plugin: Path) -> None:
    (project / ".cursor/hooks/settings.local.json").write_text('{"mode": "off"}')
    path = transcript(project, 190_000)
    payload = payloads.claude("PreToolUse", session_id="off", cwd=str(project), transcript_path=path)
    assert send(command_of("PreToolUse"), project, plugin, payload) == {}
    assert not (project / ".cursor/.session").exists()


def test_without_its_root_the_command_lets_the_tool_go_on(project: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", command_of("PreToolUse")], input=b"{}", capture_output=True, cwd=project
    )
    assert done.returncode == 1


@pytest.mark.parametrize("variable", ["CURSOR_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"])
def test_cursors_plugin_answers(project: Path, plugin: Path, variable: str) -> None:
    hooks = plugins.files()[plugins.CURSOR_HOOKS]["hooks"]
    environment = {**os.environ, "CURSOR_PROJECT_DIR": str(project), variable: str(plugin)}
    for event, entries in hooks.items():
        payload = payloads.cursor(event, workspace_roots=[str(project)])
        done = subprocess.run(
            ["sh", "-c", entries[0]["command"]], input=json.dumps(payload).encode(), env=environment,
            cwd=plugin, capture_output=True, timeout=20,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"") and isinstance(json.loads(done.stdout), dict)
    assert state(project, payloads.SESSION)["tool_calls"] == 1


def test_plugin_files_are_generated_and_name_no_event_that_a_plugin_may_not_have() -> None:
    paths = {one.path: one.state for one in generate.for_source(ROOT)}
    assert {path: paths[path] for path in plugins.files()} == dict.fromkeys(plugins.files(), "same")
    assert "PostModelSwitch" not in plugins.files()[plugins.CLAUDE_HOOKS]["hooks"]
    assert plugins.files()[".cursor-plugin/plugin.json"]["hooks"] == "./hooks/cursor-hooks.json"
