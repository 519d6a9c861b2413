"""Payloads as the two hosts send them: ``claude("PreToolUse", tool_name="Bash", ...)``, ``cursor("stop")``.

Every builder starts from all the fields that the host sends with that event, in the host's own spelling.
Keyword arguments replace or add fields; ``without=("cwd",)`` leaves some out, as other versions do.
"""

from __future__ import annotations

import json
from typing import Any

SESSION = "0f7c2d1e-5a7b-4c1d-9e2f-3a4b5c6d7e8f"
GENERATION = "7be1f2a3-1111-4222-8333-944455566677"
PROJECT = "/home/dev/shop"
AGENT_TRANSCRIPT = f"/home/dev/.cursor/projects/home-dev-shop/agent-transcripts/{SESSION}/{SESSION}.jsonl"
TRANSCRIPT = "/home/dev/.claude/projects/-home-dev-shop/" + SESSION + ".jsonl"

Payload = dict[str, Any]

_SUMS = {"input_tokens": 42_000, "output_tokens": 900, "cache_read_tokens": 30_000, "cache_write_tokens": 0}
_CHILD = {"subagent_id": "sub-1", "subagent_type": "explore", "task": "Find the callers of total()",
          "parent_conversation_id": SESSION, "is_parallel_worker": False}  # fmt: skip

CLAUDE: dict[str, Payload] = {
    "SessionStart": {"source": "startup", "model": "claude-sonnet-4-5"},
    "UserPromptSubmit": {"prompt": "Add a discount to the basket"},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_01"},
    "PostToolUse": {
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_01",
        "tool_response": {"stdout": "basket.py", "stderr": "", "interrupted": False, "isImage": False},
        "duration_ms": 12,
    },
    "PostToolUseFailure": {
        "tool_name": "Bash", "tool_input": {"command": "false"}, "tool_use_id": "toolu_01",
        "error": "Exit code 1\nno such test", "is_interrupt": False, "duration_ms": 12,
    },
    "PostToolBatch": {
        "tool_calls": [{"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_01",
                        "tool_response": "basket.py"}],
    },
    "SubagentStart": {"agent_id": "a1", "agent_type": "Explore"},
    "SubagentStop": {
        "agent_id": "a1", "agent_type": "Explore", "stop_hook_active": False,
        "agent_transcript_path": TRANSCRIPT[:-6] + "/subagents/agent-a1.jsonl",
        "last_assistant_message": "Three callers found.",
    },
    "PreCompact": {"trigger": "auto", "custom_instructions": ""},
    "PostCompact": {"trigger": "auto", "compact_summary": "The basket got a discount."},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "Done."},
    "SessionEnd": {"reason": "prompt_input_exit"},
    "PostModelSwitch": {"from_model": "claude-sonnet-4-5", "to_model": "claude-sonnet-4-5[1m]",
                        "context_tokens": 61_000},
    "TaskCompleted": {"task_id": "1", "task_subject": "Write the test", "task_description": ""},
}  # fmt: skip

_SHELL = {"tool_name": "Shell", "tool_input": {"command": "ls", "cwd": "", "timeout": 30_000},
          "tool_use_id": "tool_1", "cwd": ""}  # fmt: skip

CURSOR: dict[str, Payload] = {
    "sessionStart": {"generation_id": "", "transcript_path": None, "is_background_agent": False,
                     "composer_mode": "agent"},
    "beforeSubmitPrompt": {"transcript_path": None, "prompt": "Add a discount to the basket",
                           "attachments": [], "composer_mode": "agent"},
    "preToolUse": _SHELL,
    "beforeShellExecution": {"command": "ls", "cwd": "", "sandbox": False},
    "beforeReadFile": {"file_path": PROJECT + "/basket.py", "content": "def total(): ...\n",
                       "attachments": []},
    "postToolUse": {**_SHELL, "tool_output": '{"output":"basket.py\\n","exitCode":0}', "duration": 31.25},
    "afterShellExecution": {"command": "ls", "output": "basket.py\n", "duration": 31.25, "sandbox": False},
    "postToolUseFailure": {**_SHELL, "error_message": "Command timed out", "failure_type": "timeout",
                           "duration": 30_000.5, "is_interrupt": False},
    "subagentStart": {**_CHILD, "tool_call_id": "tool_9", "subagent_model": "composer-2.5",
                      "git_branch": "main"},
    "subagentStop": {**_CHILD, "status": "completed", "summary": "Three callers.", "duration_ms": 5000,
                     "modified_files": [PROJECT + "/basket.py"], "message_count": 4, "tool_call_count": 3,
                     "loop_count": 0, "agent_transcript_path": None},
    "preCompact": {"trigger": "auto", "context_usage_percent": 89.5, "context_tokens": 179_000,
                   "context_window_size": 200_000, "message_count": 80, "messages_to_compact": 60,
                   "is_first_compaction": True},
    "afterAgentResponse": {"text": "Done.", **_SUMS},
    "afterAgentThought": {"text": "The user wants a discount.", "duration_ms": 900},
    "stop": {"status": "completed", "loop_count": 0, **_SUMS},
    "sessionEnd": {"reason": "user_close", "duration_ms": 60_000, "final_status": "completed"},
}  # fmt: skip

_TOOL_EVENTS = ("preToolUse", "postToolUse", "postToolUseFailure", "beforeReadFile")


def claude(event: str, without: tuple[str, ...] = (), **fields: Any) -> Payload:
    """What Claude Code sends; ``agent_id=`` and ``agent_type=`` make it a subagent's event."""
    payload: Payload = {
        "session_id": SESSION,
        "transcript_path": TRANSCRIPT,
        "cwd": PROJECT,
        "permission_mode": "default",
        "hook_event_name": event,
        **CLAUDE.get(event, {}),
    }
    return _finished(payload, fields, without)


def cursor(event: str, version: str = "3.20.17", without: tuple[str, ...] = (), **fields: Any) -> Payload:
    """What Cursor sends; a ``session_id`` is also its ``conversation_id``.

    ``tool_output`` may be given as a value: Cursor packs it into a string.
    """
    payload: Payload = {
        "conversation_id": fields.get("session_id", SESSION),
        "generation_id": GENERATION,
        "model": "composer-2.5",
        "session_id": SESSION,
        "hook_event_name": event,
        "cursor_version": version,
        "workspace_roots": [PROJECT],
        "user_email": "dev@example.com",
        "transcript_path": AGENT_TRANSCRIPT,
        **CURSOR.get(event, {}),
    }
    if event not in _TOOL_EVENTS:
        payload["model"] = "composer-2.5-fast"
        payload["model_id"] = "composer-2.5"
        payload["model_params"] = [{"id": "fast", "value": "true"}]
    if isinstance(fields.get("tool_output"), (dict, list)):
        fields["tool_output"] = json.dumps(fields["tool_output"])
    return _finished(payload, fields, without)


def _finished(payload: Payload, fields: Payload, without: tuple[str, ...]) -> Payload:
    payload.update(fields)
    for name in without:
        payload.pop(name, None)
    return json.loads(json.dumps(payload))  # a deep copy, and proof that it is JSON


def wire_bytes(payload: Payload) -> bytes:
    """As the host writes it to the hook's stdin."""
    return json.dumps(payload, ensure_ascii=False).encode("utf-8", "surrogatepass")
