"""A hook that fails in a running chat: the tool goes on, and that is told once, by whichever event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from claude_chat import ClaudeChat
from host_process import CursorChat

from safepoint import registration

NO_SETTINGS, BROKEN = "guards nothing here", "does not work in this folder"
# Claude Code shows nothing of what is answered to these two.
SHOWN = [event for event in registration.CLAUDE if event not in ("PreCompact", "SessionEnd")]
CALL = {"tool_name": "Bash", "tool_input": {"command": "true"}, "tool_use_id": "t1"}
FIELDS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"}, "UserPromptSubmit": {"prompt": "x"},
    "PostToolBatch": {"tool_calls": [CALL]}, "PreCompact": {"trigger": "auto"},
}  # fmt: skip


def settings(project: Path) -> Path:
    return project / ".cursor/hooks/settings.json"


def change(project: Path, *keys: str, value: object) -> None:
    content = place = json.loads(settings(project).read_text())
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    settings(project).write_text(json.dumps(content))


def lose(project: Path, module: str) -> None:
    for file in (project / ".cursor/hooks").glob(f"_safepoint_*/**/{module}.*"):
        file.unlink()


def words(answer: dict[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)


def send(chat: ClaudeChat, event: str) -> dict[str, Any]:
    return chat.send(event, **FIELDS.get(event, CALL))


@pytest.mark.parametrize(
    "how", ["{", "{}", "[]", "no file", "unknown mode", "no number"], ids=lambda how: how.replace("{", "(")
)
def test_settings_that_break_in_a_running_chat_of_claude_code_are_told_once(project: Path, how: str) -> None:
    chat = ClaudeChat(project)
    send(chat, "SessionStart")
    if how == "no file":
        settings(project).unlink()
    elif how == "unknown mode":
        change(project, "mode", value="Enforce")
    elif how == "no number":
        change(project, "deadlines", "hook_s", value="two")
    else:
        settings(project).write_text(how)
    told = [words(send(chat, event)) for event in ("PreCompact", "PreToolUse", "PostToolUse", "Stop")]
    assert [NO_SETTINGS in one for one in told] == [False, True, False, False], told
    assert "safepoint generate" in told[1]
    inside = chat.send("PreToolUse", **CALL, agent_id="a1", agent_type="Explore")
    assert NO_SETTINGS not in words(inside), "a subagent is no other chat"
    assert NO_SETTINGS in words(send(ClaudeChat(project, "c2"), "SessionStart"))
    errors = [
        json.loads(line) for line in (project / ".cursor/.session/errors.jsonl").read_text().splitlines()
    ]
    assert {(one["kind"], one["session_id"]) for one in errors} == {("settings", "c1"), ("settings", "c2")}


@pytest.mark.parametrize("harm", ["settings", "code"])
def test_each_event_of_claude_code_can_be_the_one_that_tells(project: Path, harm: str) -> None:
    (project / ".cursor/.session").mkdir(mode=0o700, exist_ok=True)
    if harm == "settings":
        settings(project).write_text("{")
    else:
        lose(project, "session")
    for event in SHOWN:
        chat = ClaudeChat(project, f"c-{event}")
        said = send(chat, event).get("systemMessage", "")
        assert (NO_SETTINGS if harm == "settings" else BROKEN) in said, event
        assert send(chat, "PreToolUse") == {}, event
    for event in ("PreCompact", "SessionEnd"):
        assert send(ClaudeChat(project, f"c-{event}"), event) == {}, event


def test_settings_that_break_in_a_running_chat_of_cursor_are_told_once(project: Path) -> None:
    chat = CursorChat(project)
    chat.send("sessionStart", generation_id="")
    chat.prompt()
    chat.shell("true")
    settings(project).write_text("{")
    call = {"tool_name": "Shell", "tool_use_id": "t9", "tool_input": {"command": "true", "cwd": ""}}
    answers = [
        chat.send("preToolUse", **call),
        chat.send("beforeShellExecution", command="true"),
        chat.send("afterShellExecution", command="true", output="", duration=1.0),
        chat.send("postToolUse", **call, tool_output="{}", duration=1.0),
        chat.stop(1000),
        chat.prompt(),
    ]
    assert sum(NO_SETTINGS in words(answer) for answer in answers) == 1, answers
    assert not any("permission" in answer for answer in answers)


@pytest.mark.parametrize("where", ["environment", "clone"])
def test_who_has_switched_off_is_told_nothing_of_settings_that_break(
    project: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(project).write_text("{")
    if where == "environment":
        monkeypatch.setenv("SAFEPOINT", "off")
    else:
        (project / ".cursor/hooks/settings.local.json").write_text('{"mode": "off"}')
    assert send(ClaudeChat(project), "SessionStart") == {}
    assert CursorChat(project).prompt() == {}
