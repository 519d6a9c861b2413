"""A scratch project with the installed hooks in it, and made-up hosts: no real session is touched."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .. import shipped
from .findings import Site

MODEL = "safepoint-doctor"  # no table has it: its window is the host's default
TIMEOUT_S = 20


class Answer(NamedTuple):
    status: int
    out: bytes
    error: str

    @property
    def trouble(self) -> str:
        """Why a host could not use this answer; '' where it could."""
        if self.status:
            last = self.error.strip().splitlines()[-1:] or ["no output"]
            return f"ended with {self.status}: {last[0][:200]}"
        try:
            good = not self.out or isinstance(json.loads(self.out), dict)
        except ValueError:
            good = False
        return "" if good else f"answered no JSON object but {self.out[:80]!r}"

    @property
    def value(self) -> dict[str, Any]:
        return json.loads(self.out) if self.out and not self.trouble else {}


class Scratch:
    """`project` holds a copy of the installed hooks that enforces, whatever this clone has switched off."""

    def __init__(self, site: Site, project: Path) -> None:
        self.project = project
        kept = ("CLAUDE", "CURSOR", "SAFEPOINT")
        self.environment = {
            **{name: value for name, value in site.environment.items() if not name.startswith(kept)},
            "CLAUDE_PROJECT_DIR": str(project),
        }
        self.transcript = project.parent / "transcript.jsonl"
        self.settings = _copy(site.project.file(shipped.HOOKS), project / shipped.HOOKS)

    def run(self, command: str, payload: dict[str, Any]) -> Answer:
        """One registered command line, as a host runs it."""
        try:
            done = subprocess.run(
                command, shell=True, input=json.dumps(payload).encode(), env=self.environment,
                cwd=self.project, capture_output=True, timeout=TIMEOUT_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Answer(-1, b"", f"no answer within {TIMEOUT_S} seconds")
        return Answer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def payload(self, host: str, event: str, session: str, **fields: Any) -> dict[str, Any]:
        """What the host sends with this event, with the fields that all its versions have."""
        if host == "cursor":
            common = {
                "conversation_id": session, "session_id": session, "generation_id": "g1", "model": MODEL,
                "cursor_version": "3.20.17", "workspace_roots": [str(self.project)], "transcript_path": None,
            }  # fmt: skip
        else:
            common = {
                "session_id": session, "transcript_path": str(self.transcript), "cwd": str(self.project),
            }  # fmt: skip
        return {**common, "hook_event_name": event, **_FIELDS.get(event, {}), **fields}

    def fill(self, tokens: int) -> None:
        """Let the transcript of Claude Code say that the context holds so many tokens."""
        usage = {"input_tokens": tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        record = {
            "type": "assistant", "isSidechain": False, "uuid": "u1",
            "message": {"id": "m1", "model": MODEL, "role": "assistant", "content": [],
                        "usage": {**usage, "output_tokens": 1}},
        }  # fmt: skip
        self.transcript.write_text(json.dumps(record) + "\n", encoding="utf-8")


_TOOL = {"tool_name": "Bash", "tool_input": {"command": "true"}, "tool_use_id": "t1"}
_SHELL = {"command": "true", "cwd": ""}
_FIELDS: dict[str, dict[str, Any]] = {
    "PreToolUse": _TOOL, "preToolUse": {**_TOOL, "tool_name": "Shell"},
    "PostToolUse": {**_TOOL, "tool_response": {"stdout": ""}},
    "postToolUse": {**_TOOL, "tool_name": "Shell", "tool_output": "{}", "duration": 1.0},
    "PostToolUseFailure": {**_TOOL, "error": "no"},
    "postToolUseFailure": {**_TOOL, "tool_name": "Shell", "error_message": "no", "failure_type": "error"},
    "PostToolBatch": {"tool_calls": [_TOOL]},
    "beforeShellExecution": _SHELL, "afterShellExecution": {**_SHELL, "output": "", "duration": 1.0},
    "beforeReadFile": {"file_path": "a.txt", "content": ""},
    "UserPromptSubmit": {"prompt": "go on"}, "beforeSubmitPrompt": {"prompt": "go on", "attachments": []},
    "SessionStart": {"source": "startup", "model": MODEL}, "sessionStart": {"generation_id": ""},
    "SubagentStart": {"agent_id": "a1", "agent_type": "Explore"},
    "SubagentStop": {"agent_id": "a1", "agent_type": "Explore"},
    "subagentStart": {"subagent_id": "a1", "subagent_type": "explore", "task": "look"},
    "subagentStop": {"subagent_id": "a1", "subagent_type": "explore", "status": "completed"},
    "PreCompact": {"trigger": "auto"}, "preCompact": {"trigger": "auto"},
    "PostModelSwitch": {"from_model": MODEL, "to_model": MODEL},
    "afterAgentResponse": {"text": "Done."}, "Stop": {"stop_hook_active": False},
    "stop": {"status": "completed", "loop_count": 0}, "SessionEnd": {"reason": "other"},
    "sessionEnd": {"reason": "completed"},
}  # fmt: skip


@contextlib.contextmanager
def scratch(site: Site) -> Iterator[Scratch]:
    with tempfile.TemporaryDirectory(prefix="safepoint-doctor-", ignore_cleanup_errors=True) as folder:
        project = Path(folder).resolve() / "project"
        project.mkdir()
        yield Scratch(site, project)


def _copy(source: Path, target: Path) -> dict[str, Any]:
    """The hooks without what belongs to this clone alone; their settings, as they are in the copy."""
    leave = shutil.ignore_patterns("__pycache__", "backup", "settings.local.json")
    with contextlib.suppress(shutil.Error, OSError):  # what could not be copied shows when it runs
        shutil.copytree(source, target, ignore=leave)
    file = target / "settings.json"
    try:
        settings: dict[str, Any] = json.loads(file.read_bytes())
        settings["mode"] = "enforce"
        settings["handoff"]["open_link"] = "off"  # no window may open because of a trial
        settings["budget_thresholds"]["deny_on"] = ["transcript", "turn_sum"]
        file.write_text(json.dumps(settings), encoding="utf-8")
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return settings if os.access(file, os.R_OK) else {}
