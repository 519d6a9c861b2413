"""Secrets pass through the real hooks of both hosts; afterwards no file of the repository holds one."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_chat import ClaudeChat
from host_process import CursorChat, install
from planted import Planted, across, secrets_of_all_kinds, traces_in

from safepoint.hot.records import COMMAND_BYTES, ERROR_BYTES, SUMMARY_BYTES, TEXT_BYTES
from safepoint.hot.todo_calls import TEXT_BYTES as TODO_BYTES

SECRETS = secrets_of_all_kinds()
Plant = Callable[[str], object]


def test_sixty_secrets_of_thirty_kinds() -> None:
    assert len(SECRETS) >= 60 and len({secret.kind for secret in SECRETS}) >= 30
    assert len({secret.core for secret in SECRETS}) == len(SECRETS)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Its branch and some of its file names are secrets."""
    folder = tmp_path / "shop"
    folder.mkdir()
    by_kind = {secret.kind: secret for secret in SECRETS}
    (folder / "basket.py").write_text("def total(): ...\n")
    (folder / f"staged-{by_kind['github'].text}.txt").write_text("x\n")
    for command in (
        ["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"],
        ["checkout", "-q", "-b", f"fix/{by_kind['stripe'].text}"],
    ):  # fmt: skip
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    (folder / f"staged-{by_kind['github'].text}.txt").write_text("y\n")
    (folder / f"api_token={by_kind['export'].core}").write_text("z\n")
    install(folder)
    return folder


# --- where a text of the host's can be -------------------------------------------------------------------


def cursor_places(chat: CursorChat) -> dict[str, Plant]:
    def after(tool: str, given: dict[str, Any], output: Any = "", **fields: Any) -> object:
        chat.calls += 1
        return chat.send(
            "postToolUse", tool_name=tool, tool_input=given, tool_use_id=f"t{chat.calls}",
            tool_output=json.dumps(output), **fields,
        )  # fmt: skip

    return {
        "command": lambda text: after("Shell", {"command": text}, {"output": "", "exitCode": 1}),
        "output": lambda text: after("Shell", {"command": "make"}, {"output": text, "exitCode": 2}),
        "prompt": lambda text: chat.prompt(text),
        "file": lambda text: after("Write", {"file_path": f"src/{text}.py", "contents": text}),
        "read": lambda text: after("Read", {"file_path": f"{chat.project}/{text}"}, {"content": text}),
        "todo": lambda text: after("TodoWrite", {"todos": todos(text)}),
        "answer": lambda text: chat.send("afterAgentResponse", text=text),
        "error": lambda text: chat.send(
            "postToolUseFailure", tool_name="Shell", tool_input={"command": "make"}, error_message=text,
            tool_use_id=f"f{len(text)}",
        ),
        "worker": lambda text: chat.send(
            "subagentStop", summary=text, task=text, modified_files=[f"src/{text}"]
        ),
        "search": lambda text: after("Grep", {"pattern": text, "path": text}, {"matches": [text]}),
    }  # fmt: skip


def claude_places(chat: ClaudeChat) -> dict[str, Plant]:
    def after(tool: str, given: dict[str, Any], response: Any = None, failed: bool = False) -> object:
        chat.calls += 1
        fields = {"error": response} if failed else {"tool_response": response or {}}
        call = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{chat.calls}"}
        return chat.send("PostToolUseFailure" if failed else "PostToolUse", **call, **fields)

    def task(text: str) -> object:
        return after("TaskCreate", {"subject": text, "activeForm": text}, {"task": {"id": "1"}})

    return {
        "command": lambda text: after("Bash", {"command": text, "description": text}, {"stdout": "ok"}),
        "output": lambda text: after("Bash", {"command": "make"}, {"stdout": text, "stderr": text}),
        "prompt": lambda text: chat.send("UserPromptSubmit", prompt=text),
        "file": lambda text: after("Write", {"file_path": f"{chat.project}/{text}", "content": text}),
        "read": lambda text: after("Read", {"file_path": f"/etc/{text}"}, {"file": {"content": text}}),
        "todo": lambda text: after("TodoWrite", {"todos": todos(text)}),
        "task": task,
        "answer": lambda text: chat.send("Stop", last_assistant_message=text),
        "error": lambda text: after("Bash", {"command": "make"}, f"Exit code 1\n{text}", failed=True),
        "worker": lambda text: chat.send("SubagentStop", last_assistant_message=text),
        "subagent": lambda text: after(
            "Task", {"description": text, "prompt": text, "subagent_type": text}, {"content": text}
        ),
        "call": lambda text: chat.send(
            "PreToolUse", tool_name="Bash", tool_input={"command": text}, tool_use_id=f"c{len(text)}"
        ),
    }  # fmt: skip


def todos(text: str) -> list[dict[str, str]]:
    return [{"id": "1", "content": text, "status": "in_progress", "activeForm": text}]


# --- what is planted -------------------------------------------------------------------------------------

LIMITS = {"command": COMMAND_BYTES, "output": ERROR_BYTES, "prompt": TEXT_BYTES, "file": COMMAND_BYTES,
          "read": SUMMARY_BYTES, "todo": TODO_BYTES, "answer": TEXT_BYTES, "error": ERROR_BYTES,
          "worker": TEXT_BYTES, "task": TODO_BYTES, "call": SUMMARY_BYTES}  # fmt: skip


def plant(places: dict[str, Plant], secrets: list[Planted]) -> None:
    """Each secret whole, four to a text, and each at the cut of a limit."""
    names = sorted(places)
    for number in range(0, len(secrets), 4):
        text = " ;\n".join(secret.text for secret in secrets[number : number + 4])
        places[names[number // 4 % len(names)]](text)
    for number, name in enumerate(sorted(LIMITS.keys() & places.keys())):
        for part in (0.4, 0.9):
            secret = secrets[(5 * number + int(10 * part)) % len(secrets)]
            places[name](across(secret, LIMITS[name], part))


def traces(folder: Path) -> Iterator[str]:
    """Where a part of a secret is found, but for git's own files and those that the test has made."""
    texts = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if not name.startswith((".git/", "staged-", "api_token=")):
            content = path.read_bytes() if path.is_file() else b""
            texts[name] = name.encode("utf-8", "surrogateescape") + b"\n" + content
    yield from traces_in(texts, SECRETS)


def test_no_secret_of_a_cursor_chat_is_kept(repository: Path) -> None:
    chat = CursorChat(repository)
    chat.send("sessionStart", generation_id="")
    chat.prompt("Add a discount")
    plant(cursor_places(chat), SECRETS)
    chat.send("preCompact", context_tokens=150_000, context_window_size=200_000)
    chat.stop(170_000, output=40)
    chat.prompt(SECRETS[1].text)
    answer = chat.shell(f"echo {SECRETS[2].text}")
    assert answer["permission"] == "deny"
    new = CursorChat(repository, "cur-2")
    shown = new.send("sessionStart", generation_id="")
    assert "CONTEXT_BUDGET_RESUME" in shown["additional_context"]
    chat.send("sessionEnd", reason=SECRETS[3].text)
    assert_nothing_is_kept(repository, json.dumps([answer, shown]))


def test_no_secret_of_a_claude_chat_is_kept(repository: Path) -> None:
    chat = ClaudeChat(repository)
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Add a discount")
    chat.context(60_000)
    plant(claude_places(chat), SECRETS)
    chat.context(125_000)
    chat.tool("Bash", command="make")
    chat.context(170_000)
    answer = chat.tool("Bash", command=f"echo {SECRETS[2].text}")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    shown = ClaudeChat(repository, "c2").send("SessionStart", source="startup")
    assert "CONTEXT_BUDGET_RESUME" in shown["hookSpecificOutput"]["additionalContext"]
    chat.send("PreCompact", custom_instructions=SECRETS[4].text)
    chat.send("SessionEnd", reason=SECRETS[3].text)
    assert_nothing_is_kept(repository, json.dumps([answer, shown]))


def assert_nothing_is_kept(repository: Path, answers: str) -> None:
    (repository / "answers").write_text(answers)
    written = [path for path in (repository / ".cursor/.session").rglob("*") if path.is_file()]
    assert any(b"[redacted:" in path.read_bytes() for path in written)
    names = " ".join(path.name for path in written)
    assert all(kind in names for kind in ("handoff-", "red-checkpoint-", "resume-point-", "pre-compact-"))
    assert list(traces(repository)) == []
