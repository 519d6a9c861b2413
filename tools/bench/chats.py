"""Made-up chats of both hosts: the payloads of a working day, and Claude Code's transcript beside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .scratch import Repository

Payload = dict[str, Any]
_WORDS = "the basket keeps its discount until the order is paid and the test of it passes "
_TOOLS = ("Read", "Edit", "Bash", "Grep", "TodoWrite")


class ClaudeChat:
    """One session of Claude Code in a repository."""

    host = "claude_code"

    def __init__(self, repository: Repository, name: str) -> None:
        self.repository, self.name = repository, name
        self.transcript = repository.folder.parent / f"{name}.jsonl"
        self.calls = 0

    def payload(self, event: str, **fields: Any) -> Payload:
        return {
            "session_id": self.name, "transcript_path": str(self.transcript),
            "cwd": str(self.repository.folder), "permission_mode": "default",
            "hook_event_name": event, **fields,
        }  # fmt: skip

    def start(self) -> Payload:
        return self.payload("SessionStart", source="startup", model="claude-sonnet-4-5")

    def prompt(self) -> Payload:
        return self.payload("UserPromptSubmit", prompt=f"Next: make the basket right. {_WORDS * 3}")

    def before(self, command: str = "") -> Payload:
        return self.payload("PreToolUse", **self._call(command))

    def after(self, command: str = "") -> Payload:
        output = {"stdout": _WORDS * 10, "stderr": "", "interrupted": False, "isImage": False}
        return self.payload("PostToolUse", **self._call(command), tool_response=output, duration_ms=40)

    def batch(self) -> Payload:
        return self.payload("PostToolBatch", tool_calls=[self._call("")])

    def stop(self) -> Payload:
        return self.payload("Stop", stop_hook_active=False, last_assistant_message=_WORDS * 5)

    def end(self) -> Payload:
        return self.payload("SessionEnd", reason="prompt_input_exit")

    def status_line(self, tokens: int) -> Payload:
        """What the client hands to the command of its status line."""
        usage = {"input_tokens": 9, "output_tokens": 180, "cache_creation_input_tokens": 900,
                 "cache_read_input_tokens": tokens - 909}  # fmt: skip
        told = {"context_window_size": 200_000, "current_usage": usage, "used_percentage": tokens // 2000}
        folder = str(self.repository.folder)
        return {
            "session_id": self.name, "transcript_path": str(self.transcript), "cwd": folder,
            "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"}, "context_window": told,
            "workspace": {"current_dir": folder, "project_dir": folder, "added_dirs": []},
        }  # fmt: skip

    def _call(self, command: str) -> Payload:
        name = "Bash" if command else _TOOLS[self.calls % len(_TOOLS)]
        path = f"{self.repository.folder}/src/part{self.calls % 20}/module1.py"
        given = {
            "Bash": {"command": command or f"python -m pytest tests/test_part{self.calls}.py"},
            "Read": {"file_path": path}, "Grep": {"pattern": "def answer", "path": path},
            "TodoWrite": {"todos": [
                {"content": f"Part {number}", "activeForm": f"Doing part {number}",
                 "status": "completed" if number < self.calls // 5 else "pending"} for number in range(12)
            ]},
            "Edit": {"file_path": path, "old_string": _WORDS * 2, "new_string": _WORDS * 3},
        }[name]  # fmt: skip
        return {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{self.name}_{self.calls}"}

    def answer(self, tokens: int) -> None:
        """A response of the model that held so many tokens, and asks for the next call."""
        self.calls += 1
        call = self._call("")
        usage = {"input_tokens": 9, "cache_creation_input_tokens": 900,
                 "cache_read_input_tokens": tokens - 909, "output_tokens": 180}  # fmt: skip
        block = {"type": "tool_use", "id": call["tool_use_id"], "name": call["tool_name"],
                 "input": call["tool_input"]}  # fmt: skip
        message = {"id": f"msg_{self.calls}", "model": "claude-sonnet-4-5", "role": "assistant",
                   "content": [block], "usage": usage}  # fmt: skip
        self.record({"type": "assistant", "isSidechain": False, "message": message})

    def result(self) -> None:
        block = {"type": "tool_result", "content": _WORDS * 10,
                 "tool_use_id": self._call("")["tool_use_id"]}  # fmt: skip
        self.record({"type": "user", "isSidechain": False, "message": {"role": "user", "content": [block]}})

    def record(self, record: Payload) -> None:
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"uuid": f"u{self.calls}", **record}, separators=(",", ":")) + "\n")

    def pad(self, size: int) -> None:
        """Let the transcript grow to about `size` bytes with the user's side of older turns."""
        line = json.dumps({"type": "user", "isSidechain": False,
                           "message": {"role": "user", "content": _WORDS * 120}}) + "\n"  # fmt: skip
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(line * max(0, (size - file.tell()) // len(line)))

    def day(self, calls: int, tokens: int = 60_000) -> Iterator[Payload]:
        """A chat of so many calls, up to the moment before the next one's guard."""
        yield self.start()
        yield self.prompt()
        for _ in range(calls):
            self.answer(tokens)
            yield self.before()
            self.result()
            yield self.after()
            yield self.batch()
        self.answer(tokens)


class CursorChat(ClaudeChat):
    """One conversation of Cursor: no transcript, but a version, a generation and outputs in strings."""

    host = "cursor"

    def payload(self, event: str, **fields: Any) -> Payload:
        return {
            "conversation_id": self.name, "session_id": self.name, "generation_id": f"generation-{self.name}",
            "model": "composer-2.5", "hook_event_name": event, "cursor_version": "3.20.17",
            "workspace_roots": [str(self.repository.folder)], "user_email": "dev@example.invalid",
            "transcript_path": None, **fields,
        }  # fmt: skip

    def start(self) -> Payload:
        return self.payload("sessionStart", is_background_agent=False, composer_mode="agent")

    def prompt(self) -> Payload:
        text = f"Next: make the basket right. {_WORDS * 3}"
        return self.payload("beforeSubmitPrompt", prompt=text, attachments=[])

    def before(self, command: str = "") -> Payload:
        return self.payload("preToolUse", **self._call(command), cwd="")

    def after(self, command: str = "") -> Payload:
        output = json.dumps({"output": _WORDS * 10, "exitCode": 0})
        return self.payload("postToolUse", **self._call(command), tool_output=output, duration=40.5, cwd="")

    def stop(self) -> Payload:
        sums = {"input_tokens": 42_000, "output_tokens": 900, "cache_read_tokens": 0, "cache_write_tokens": 0}
        return self.payload("stop", status="completed", loop_count=0, **sums)

    def end(self) -> Payload:
        return self.payload("sessionEnd", reason="user_close", duration_ms=60_000, final_status="completed")

    def _call(self, command: str) -> Payload:
        call = super()._call(command)
        return {**call, "tool_name": "Shell"} if call["tool_name"] == "Bash" else call

    def record(self, record: Payload) -> None:
        """Cursor writes no transcript that says anything of tokens."""

    def day(self, calls: int, tokens: int = 60_000) -> Iterator[Payload]:
        yield self.start()
        yield self.prompt()
        for _ in range(calls):
            self.calls += 1
            yield self.before()
            yield self.after()
        self.calls += 1
