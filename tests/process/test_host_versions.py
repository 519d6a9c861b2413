"""Payloads as versions of both hosts send them (hand-written, `tests/hot/host_versions`), whole and damaged.

Each file is one chat. All of them have the same failing test run in them, and none may be lost.
"""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from host_process import have_time, registered, run, state

from safepoint import registration

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools.fuzz.entry import Hooks  # noqa: E402

FOLDER = ROOT / "tests/hot/host_versions"
VERSIONS = sorted(path.stem for path in FOLDER.glob("*.jsonl"))
SESSION, PROJECT = "6b1f0c1e-2222-4333-8444-955566677788", "/home/dev/shop"
WRONG: list[Any] = [None, True, -1, 1.5, "", "x", [], [None], {}, {"x": 1}]


def chat(version: str, project: Path) -> list[dict[str, Any]]:
    text = (FOLDER / f"{version}.jsonl").read_text(encoding="utf-8").replace(PROJECT, str(project))
    return [json.loads(line) for line in text.splitlines()]


def host_of(version: str) -> str:
    return "cursor" if version.startswith("cursor") else "claude_code"


def entrypoint_kind(version: str, event: str) -> str:
    """The kind that the registered entrypoint serves where a payload does not say what it is."""
    name = registration.entrypoint_of(host_of(version), event)
    text = (ROOT / "hooks" / f"{name}.py").read_text()
    return text.split('runtime.main("')[1].split('"')[0]


def test_versions_are_many_enough() -> None:
    assert len([name for name in VERSIONS if host_of(name) == "cursor"]) >= 4
    assert len([name for name in VERSIONS if host_of(name) == "claude_code"]) >= 3


@pytest.mark.parametrize("version", VERSIONS)
def test_a_chat_through_the_registered_hooks(version: str, project: Path) -> None:
    host = host_of(version)
    commands = registered(project, host)
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(project)}
    for payload in chat(version, project):
        for command in commands.get(payload["hook_event_name"], []):
            answer = run(command, payload, environment, project, "pipe")
            assert answer.get("permission") != "deny" and "decision" not in answer
            assert answer.get("hookSpecificOutput", {}).get("permissionDecision") != "deny"
    known = state(project, SESSION)
    assert known["host"] == host
    assert known["last_prompt"] == ("" if "cli" in version else "Add a discount")
    assert [error["tool"] for error in known["open_errors"]] == ["Shell"]
    exits = [command["exit"] for command in known["recent_commands"] if command["command"] == "pytest -q"]
    assert exits == [None if version == "cursor-3.9.16" else 1]  # there it timed out
    assert not (project / ".cursor/.session/errors.jsonl").exists()
    assert known["open_calls"] == {}


@pytest.fixture(scope="module")
def hooks() -> Iterator[Hooks]:
    with Hooks() as found:
        yield found


@pytest.mark.parametrize("version", VERSIONS)
def test_unknown_fields_change_nothing(version: str, hooks: Hooks) -> None:
    states = []
    for more in ({}, {"x_new": {"deep": [1]}, "schema": 9, "agent": None, "timestamp": "2027-01-01"}):
        hooks.clean()
        for payload in chat(version, hooks.project):
            kind = entrypoint_kind(version, payload["hook_event_name"])
            hooks.call(kind, json.dumps({**payload, **more}).encode())
        known = state(hooks.project, SESSION)
        names = ("tool_calls", "prompts", "todos", "model", "level", "files_read")
        commands = [one["command"] for one in known["recent_commands"]]
        states.append([*(known[name] for name in names), commands])
    assert states[0] == states[1]


@pytest.mark.parametrize("version", VERSIONS)
def test_any_field_missing_or_of_a_wrong_type_is_answered(version: str, hooks: Hooks) -> None:
    """One field at a time, the inner ones too; an error of our own would be raised, not logged."""
    for payload in chat(version, hooks.project):
        hooks.clean()
        kind = entrypoint_kind(version, payload["hook_event_name"])
        for number, (holder, name) in enumerate(fields(payload)):
            for value in (WRONG[number % len(WRONG)], WRONG[(number * 3 + 5) % len(WRONG)], ...):
                damaged = copy.deepcopy(payload)
                inner = damaged[holder] if holder else damaged
                if value is ...:
                    inner.pop(name)
                else:
                    inner[name] = value
                hooks.call(kind, json.dumps(damaged).encode())


def fields(payload: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in payload.items():
        yield "", name
        if isinstance(value, dict):
            yield from ((name, inner) for inner in value)


@pytest.mark.parametrize("version", ["cursor-3.20.17", "claude-2.1.332"])
def test_a_tool_output_of_20_mb(version: str, project: Path) -> None:
    have_time(project)
    events = chat(version, project)
    ended = [one for one in events if one["hook_event_name"].lower() == "posttooluse"]
    (after,) = [one for one in ended if "mcp" in one["tool_name"] or one["tool_name"] == "Shell"]
    big = "語 a line of output\n" * 1_000_000
    name = "tool_output" if host_of(version) == "cursor" else "tool_response"
    after[name] = json.dumps({"output": big, "exitCode": 0}) if name == "tool_output" else {"stdout": big}
    (command,) = registered(project, host_of(version))[after["hook_event_name"]]
    done = subprocess.run(
        ["sh", "-c", command], input=json.dumps(after, ensure_ascii=False).encode(), cwd=project,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(project)}, capture_output=True, timeout=20,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}", b"")
    known = state(project, SESSION)
    assert known["tool_calls"] == 1
    kept = [path.stat().st_size for path in (project / ".cursor/.session").rglob("*") if path.is_file()]
    assert sum(kept) < 100_000
