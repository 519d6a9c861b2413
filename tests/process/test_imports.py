"""What each branch of a hook loads. An import costs every tool call of every user: see ADR 0006.

The interpreter itself reports the imports (`-X importtime`); what bare Python loads anyway is taken off.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import payloads
import pytest
from claude_chat import ClaudeChat
from host_process import CursorChat

# Every branch: the entrypoint, its runtime, the payload, the session, the meter.
CORE = {
    "__future__", "_json", "events", "files", "finder", "gc", "handlers", "hook", "hosts", "hosts.fields",
    "meters", "meters.account", "meters.reading", "meters.window", "records", "redact", "runtime",
    "session", "stores", "stores.paths", "stores.session_store", "textweight", "wire",
}  # fmt: skip
CLAUDE = {"hosts.claude_code"}
CURSOR = {"hosts.cursor", "meters.cursor"}
TRACKER = {
    "errno", "fcntl", "flock", "handlers.after", "policies", "policies.resume_point", "policies.todos",
    "policies.work", "policies.work_commands", "stores.projections", "todo_calls",
}  # fmt: skip
PROMPT = {
    "errno", "fcntl", "flock", "git_files", "handlers.prompt", "hosts.event_keys", "places",
    "stores.projections",
}  # fmt: skip
START = {
    "errno", "fcntl", "flock", "git_files", "handlers.start", "hosts.event_keys", "places", "policies",
    "policies.workflow", "scalars", "slugs", "stores.tracker_file", "stores.unnamed",
}  # fmt: skip
BRANCHES: dict[str, set[str]] = {
    "claude green guard": {"handlers.before", "meters.transcript"} | CLAUDE,
    "cursor green guard": {"handlers.before"} | CURSOR,
    "claude tracker": {"meters.transcript"} | TRACKER | CLAUDE,
    "cursor tracker": TRACKER | CURSOR,
    "claude batch": {"handlers.batch", "hosts.event_keys"} | CLAUDE,
    "claude prompt": PROMPT | CLAUDE | {"hosts.claude_turns", "meters.transcript"},
    "cursor prompt": PROMPT | CURSOR | {"hosts.cursor_turns", "meters.cursor_turns", "meters.turn_sum"},
    "claude start": START | CLAUDE | {"hosts.claude_turns", "meters.transcript"},
    "cursor start": START | CURSOR,
    "status line": {"hosts.event_keys", "hosts.status_line", "policies", "policies.todos", "status_text",
                    "statusline"},
}
# What no hook may load on any branch that is not rare.
HEAVY = {"re", "json", "typing", "subprocess", "pathlib", "dataclasses", "hashlib", "click", "pydantic",
         "filelock", "yaml", "collections", "functools", "enum", "threading", "signal", "inspect",
         "importlib", "urllib", "tempfile", "random", "datetime"}  # fmt: skip


def loaded(project: Path, entrypoint: str, payload: dict[str, Any]) -> set[str]:
    """Modules that the hook loads beyond a bare interpreter, without the package's own name."""
    bare = _imports(["-c", "import os,sys"], b"", project)
    script = str(project / ".cursor/hooks" / f"{entrypoint}.py")
    names = _imports([script], json.dumps(payload).encode(), project) - bare
    return {name.partition(".")[2] if name.startswith("_safepoint_") else name for name in names} - {""}


def _imports(arguments: list[str], data: bytes, project: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "importtime", *arguments], input=data, capture_output=True,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(project)}, timeout=20, check=True,
    )  # fmt: skip
    lines = done.stderr.decode().splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")} - {
        "imported package"
    }


@pytest.fixture
def claude(project: Path) -> ClaudeChat:
    chat = ClaudeChat(project)
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Go")
    chat.context(60_000)
    chat.tool("Bash", command="make", response={"stdout": "ok"})
    return chat


@pytest.fixture
def cursor(project: Path) -> CursorChat:
    chat = CursorChat(project)
    chat.send("sessionStart", generation_id="")
    chat.prompt()
    chat.shell("make", "ok")
    return chat


def claude_payload(chat: ClaudeChat, event: str, **fields: Any) -> dict[str, Any]:
    return payloads.claude(
        event, session_id=chat.session, cwd=str(chat.project), transcript_path=str(chat.transcript), **fields
    )


def cursor_payload(chat: CursorChat, event: str, **fields: Any) -> dict[str, Any]:
    return payloads.cursor(
        event, conversation_id=chat.session, session_id=chat.session, workspace_roots=[str(chat.project)],
        generation_id=f"gen-{chat.turn}", **fields,
    )  # fmt: skip


def check(branch: str, names: set[str]) -> None:
    assert not names & HEAVY, f"{branch} loads {sorted(names & HEAVY)}"
    extra = names - CORE - BRANCHES[branch]
    assert not extra, f"{branch} loads {sorted(extra)} as well: is it needed on every call?"


@pytest.mark.parametrize(
    ("branch", "event", "entrypoint"),
    [
        ("claude green guard", "PreToolUse", "session_budget_guard"),
        ("claude tracker", "PostToolUse", "session_resume_tracker"),
        ("claude batch", "PostToolBatch", "session_batch"),
        ("claude prompt", "UserPromptSubmit", "session_prompt"),
        ("claude start", "SessionStart", "session_bootstrap"),
    ],
)
def test_claude_branch_loads_no_more_than_it_needs(
    claude: ClaudeChat, branch: str, event: str, entrypoint: str
) -> None:
    payload = claude_payload(claude, event)
    if "tool_use_id" in payload:
        payload["tool_use_id"] = "new"
    if event == "SessionStart":
        payload["session_id"], payload["transcript_path"] = "another", "/nowhere/another.jsonl"
    check(branch, loaded(claude.project, entrypoint, payload))


@pytest.mark.parametrize(
    ("branch", "event", "entrypoint"),
    [
        ("cursor green guard", "preToolUse", "session_budget_guard"),
        ("cursor tracker", "postToolUse", "session_resume_tracker"),
        ("cursor prompt", "beforeSubmitPrompt", "session_prompt"),
        ("cursor start", "sessionStart", "session_bootstrap"),
    ],
)
def test_cursor_branch_loads_no_more_than_it_needs(
    cursor: CursorChat, branch: str, event: str, entrypoint: str
) -> None:
    payload = cursor_payload(cursor, event)
    if "tool_use_id" in payload:
        payload["tool_use_id"] = "new"
    if event == "sessionStart":
        payload["session_id"] = payload["conversation_id"] = "another"
    check(branch, loaded(cursor.project, entrypoint, payload))


@pytest.mark.parametrize(
    ("event", "entrypoint", "fields"),
    [
        ("UserPromptSubmit", "session_prompt", {"prompt": "safepoint status"}),
        ("Stop", "session_stop", {}),
        ("SessionEnd", "session_end", {}),
        ("PreCompact", "session_compact", {}),
    ],
)
def test_no_branch_loads_a_heavy_module(claude: ClaudeChat, event: str, entrypoint: str, fields: Any) -> None:
    payload = {**claude_payload(claude, event), **fields}
    assert not loaded(claude.project, entrypoint, payload) & HEAVY


def test_the_status_line_loads_no_more_than_it_needs(claude: ClaudeChat) -> None:
    told = {"context_window_size": 200_000, "used_percentage": 30}
    payload = {"session_id": claude.session, "cwd": str(claude.project), "context_window": told}
    loaded(claude.project, "session_statusline", payload)  # the first time it has news for the journal
    check("status line", loaded(claude.project, "session_statusline", payload))
