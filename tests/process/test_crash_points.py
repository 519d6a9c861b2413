"""A hook killed before any system call that changes something: nothing is lost, and the next one goes on."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import payloads
import pytest
from claude_chat import ClaudeChat, is_denied
from host_process import state
from syscall_killer import is_possible, run_until

from safepoint.hot.stores import checkpoints

pytestmark = pytest.mark.skipif(not is_possible(), reason="this machine lets no process trace its child")


def red_chat(project: Path) -> ClaudeChat:
    """A chat that has done some work and whose next tool meets Red."""
    chat = ClaudeChat(project, "c1")
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Add a discount")
    chat.context(60_000)
    chat.tool("Write", file_path=str(project / "basket.py"), content="x = 1\n")
    chat.tool("Bash", command="pytest -q", response={"stdout": "1 passed"})
    chat.context(160_000)
    return chat


def killed_at(project: Path, chat: ClaudeChat, event: str, number: int, **fields: Any) -> list[str]:
    """Run the entrypoint of `event` until its changing call `number`; the calls it made."""
    payload = payloads.claude(
        event, session_id="c1", cwd=str(project), transcript_path=str(chat.transcript), **fields
    )
    script = str(project / ".cursor/hooks" / f"{chat.entrypoint(event)}.py")
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(project), "PYTHONDONTWRITEBYTECODE": "1"}
    _, calls = run_until(
        [sys.executable, "-I", "-S", script], json.dumps(payload).encode(), environment, project, number
    )
    return calls


class States:
    """The state folders as they were, to begin from again and again."""

    def __init__(self, project: Path, keep: Path) -> None:
        self.project, self.keep = project, keep
        shutil.copytree(project / ".cursor/.session", keep)

    def restore(self) -> None:
        shutil.rmtree(self.project / ".cursor/.session")
        shutil.copytree(self.keep, self.project / ".cursor/.session")


def check_whole(project: Path, work_before: list[Any]) -> None:
    """Whatever stands there is whole, and nothing that was known is gone."""
    folder = project / ".cursor/.session"
    for path in folder.glob("red-checkpoint-*.json"):
        assert checkpoints.read(str(path))["resume_point"]["completed_work"]
    for path in [*folder.glob("resume-point-*.json"), *folder.glob("pending/*.json")]:
        json.loads(path.read_bytes())
    assert state(project, "c1")["completed_work"] == work_before


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -r docs"}, "tool_use_id": "t9"}),
        ("PostToolUse", {"tool_name": "Read", "tool_input": {"file_path": "a.py"}, "tool_use_id": "t9"}),
    ],
    ids=["red", "tracker"],
)
def test_a_hook_may_die_before_any_change(project: Path, tmp_path: Path, event: str, fields: Any) -> None:
    chat = red_chat(project)
    known = state(project, "c1")["completed_work"]
    before = States(project, tmp_path / "states")
    number, calls = 0, [""]
    while len(calls) >= number:  # as long as the killer came in time
        number += 1
        before.restore()
        calls = killed_at(project, chat, event, number, **fields)
        check_whole(project, known)
        answer = chat.send("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t10")
        assert is_denied(answer), (number, calls)
        check_whole(project, known)
        assert list((project / ".cursor/.session").glob("red-checkpoint-*.json"))
    assert number > 5
