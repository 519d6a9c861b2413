"""One chat of Claude Code, made up: its payloads, its transcript, and the registered command lines."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import payloads
from host_process import registered, run

from safepoint import registration


class ClaudeChat:
    """`tool` plays a whole call with its batch; `context` writes the usage of a model answer."""

    def __init__(self, project: Path, session: str = "c1", model: str = "claude-sonnet-4-5") -> None:
        self.project, self.session, self.model = project, session, model
        self.transcript = project.parent / f"{project.name}-{session}.jsonl"
        self.calls = 0

    def context(self, tokens: int, output: int = 40, calls: Any = (), **record: Any) -> None:
        """The model has answered, with these tool calls; it was shown `tokens`."""
        usage = {"input_tokens": 10, "cache_creation_input_tokens": 0,
                 "cache_read_input_tokens": tokens - 10, "output_tokens": output}  # fmt: skip
        message = {"id": f"msg_{tokens}", "model": self.model, "role": "assistant",
                   "content": [{"type": "text", "text": "."}, *calls], "usage": usage}  # fmt: skip
        self.write({"type": "assistant", "isSidechain": False, "message": message, **record})

    def write(self, record: dict[str, Any]) -> None:
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    @staticmethod
    def entrypoint(event: str) -> str:
        return registration.CLAUDE[event]

    def send(self, event: str, **fields: Any) -> dict[str, Any]:
        """The answer to one event; {} where the hook says nothing."""
        payload = payloads.claude(
            event, session_id=self.session, cwd=str(self.project), transcript_path=str(self.transcript),
            **fields,
        )  # fmt: skip
        environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(self.project), "CLAUDECODE": "1"}
        (command,) = registered(self.project, "claude_code")[event]
        return run(command, payload, environment, self.project, "pipe")

    def tool(self, name: str, response: Any = None, ok: bool = True, **given: Any) -> dict[str, Any]:
        """One whole call; the guard's answer, after which the tool ran unless that is a deny."""
        self.calls += 1
        call = {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{self.session}_{self.calls}"}
        answer = self.send("PreToolUse", **call)
        if not is_denied(answer):
            if ok:
                self.after = self.send("PostToolUse", **call, tool_response=response or {})
            else:
                self.after = self.send("PostToolUseFailure", **call, error=response or "Exit code 1")
        self.batch = self.send("PostToolBatch", tool_calls=[call])
        return answer


def is_denied(answer: dict[str, Any]) -> bool:
    return answer.get("hookSpecificOutput", {}).get("permissionDecision") == "deny"


def added(answer: dict[str, Any]) -> str:
    """What the answer shows the model."""
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
