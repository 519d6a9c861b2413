"""Todo rules, mirror and reminders through the registered commands."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from claude_chat import ClaudeChat, added, is_denied
from host_process import CursorChat, state

from safepoint.todo_list import TodoList


def created(number: int, subject: str) -> dict[str, Any]:
    return {"task": {"id": str(number), "subject": subject}}


def begin(chat: ClaudeChat) -> None:
    chat.send("SessionStart")
    chat.send("UserPromptSubmit", prompt="go")
    for number, subject in enumerate(("Write it", "Test it"), 1):
        chat.tool("TaskCreate", created(number, subject), subject=subject)
    chat.tool("TaskUpdate", {"success": True}, taskId="1", status="in_progress")


def start_second(chat: ClaudeChat) -> dict[str, Any]:
    call = {"tool_name": "TaskUpdate", "tool_input": {"taskId": "2", "status": "in_progress"}}
    return chat.send("PreToolUse", tool_use_id="toolu_start", **call)


def test_start_waits_for_the_completion_that_comes_after_it(project: Path) -> None:
    chat = ClaudeChat(project)
    begin(chat)

    def complete() -> None:
        call = {"tool_name": "TaskUpdate", "tool_input": {"taskId": "1", "status": "completed"}}
        chat.send("PreToolUse", tool_use_id="toolu_done", **call)

    later = threading.Timer(0.1, complete)
    later.start()
    answer = start_second(chat)
    later.join()
    assert answer == {}
    assert len(state(project, "c1")["todo_log"]["intents"]) == 2
    calls = [{"tool_use_id": f"toolu_{name}", "tool_name": "TaskUpdate"} for name in ("start", "done")]
    chat.send("PostToolBatch", tool_calls=calls)
    assert state(project, "c1")["todo_log"]["intents"] == []


def test_refused_start_leaves_no_intent_and_takes_about_the_time_it_may_wait(project: Path) -> None:
    chat = ClaudeChat(project)
    begin(chat)
    began = time.monotonic()
    answer = start_second(chat)
    assert is_denied(answer) and time.monotonic() - began >= 0.3
    now = state(project, "c1")
    assert now["todo_log"]["intents"] == [] and "toolu_start" not in now["open_calls"]


def test_failed_completion_is_withdrawn(project: Path) -> None:
    chat = ClaudeChat(project)
    begin(chat)
    chat.tool("TaskUpdate", "no such task", ok=False, taskId="1", status="completed")
    assert is_denied(start_second(chat))


def test_subagent_has_a_list_of_its_own_and_is_not_reminded(project: Path) -> None:
    chat = ClaudeChat(project)
    begin(chat)
    call = {"tool_name": "TaskUpdate", "tool_input": {"taskId": "2", "status": "in_progress"}}
    assert chat.send("PreToolUse", agent_id="a1", tool_use_id="toolu_a", **call) == {}
    for number in range(10):
        calls = [{"tool_use_id": f"toolu_{number}", "tool_name": "Bash"}]
        assert chat.send("PostToolBatch", agent_id="a1", tool_calls=calls) == {}
    assert state(project, "c1")["meter"]["requests"] == 3


def test_mirror_names_what_changed(project: Path) -> None:
    chat = ClaudeChat(project)
    begin(chat)
    assert added(chat.after) == "[>] Write it <- Write it\n(0/2 completed)"
    chat.tool("TaskUpdate", {"success": True}, taskId="1", owner="")
    assert added(chat.after) == ""


def test_cursor_is_reminded_of_the_list_of_our_own_tool(project: Path) -> None:
    chat = CursorChat(project)
    chat.send("sessionStart")
    chat.prompt()
    call = {"tool_name": "MCP:TaskCreate", "tool_input": {"subject": "Write it"}, "tool_use_id": "mcp_1"}
    assert chat.send("preToolUse", **call) == {}
    TodoList(str(project), environment={}).call("TaskCreate", {"subject": "Write it"})
    chat.send("postToolUse", **call, tool_output="{}", duration=5)
    assert [item["content"] for item in state(project, "cur-1")["todos"]] == ["Write it"]
    told = []
    for number in range(1, 18):
        time.sleep(0.06)  # two calls closer together are taken for one message's
        chat.shell(f"echo {number}")
        if "since the todo list" in chat.last_after.get("additional_context", ""):
            told.append(number)
            assert chat.last_after["additional_context"].startswith(
                "<system-reminder>\nSafepoint: 8 requests"
            )
            break
    assert told == [8]
