"""A scratch git repository for the client to work in, and trivial shell hooks to look at the client with."""

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional, Union

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
    "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "Stop", "SessionEnd",
)  # fmt: skip
Hook = Union[str, Mapping[str, Any]]


class Project:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._payloads = path.with_name(f"{path.name}-payloads")
        self.client_flags: list[str] = []
        path.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.write("README.md", "# A scratch project\n")
        self.commit("First commit")

    def git(self, *args: str) -> str:
        identity = ("-c", "user.name=Tester", "-c", "user.email=tester@example.com")
        command = ["git", *identity, *args]
        return subprocess.run(command, cwd=self.path, check=True, capture_output=True, text=True).stdout

    def commit(self, message: str) -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)
        return self.git("rev-parse", "HEAD").strip()

    def write(self, name: str, text: str) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def read(self, name: str) -> str:
        return (self.path / name).read_text("utf-8")

    def hook(self, event: str, hook: Hook, matcher: str = "*") -> None:
        """Adds a hook to .claude/settings.json: a shell command, or the JSON object to answer with."""
        _register(self.path / ".claude" / "settings.json", event, _command(hook), matcher)

    def record(self, *events: str) -> None:
        """Keeps every payload of these events (of all, when none is named) for `payloads`.

        Registered through --settings, beside whatever the project's own settings files say."""
        self._payloads.mkdir(exist_ok=True)
        folder = shlex.quote(str(self._payloads))
        settings = self._payloads.with_suffix(".settings.json")
        for event in events or EVENTS:
            # Parallel hooks: a file each, whole only once it has its last name.
            command = f't=$(mktemp {folder}/XXXXXXXX) && cat > "$t" && mv "$t" "$t.json"'
            _register(settings, event, command, "*")
        self.client_flags = ["--settings", str(settings)]

    def payloads(self, event: Optional[str] = None) -> list[dict[str, Any]]:
        """In the order in which their hooks ended."""
        files = sorted(self._payloads.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        payloads = [json.loads(path.read_text("utf-8")) for path in files]
        return [payload for payload in payloads if event in (None, payload["hook_event_name"])]


def _command(hook: Hook) -> str:
    if isinstance(hook, str):
        return hook
    return f"cat >/dev/null; printf %s {shlex.quote(json.dumps(hook))}"


def deny(reason: str) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }


def context(event: str, text: str) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def halt(reason: str) -> dict[str, Any]:
    return {"continue": False, "stopReason": reason}


def _register(settings: Path, event: str, command: str, matcher: str) -> None:
    settings.parent.mkdir(parents=True, exist_ok=True)
    value = json.loads(settings.read_text("utf-8")) if settings.exists() else {}
    group = {"matcher": matcher, "hooks": [{"type": "command", "command": command, "timeout": 10}]}
    value.setdefault("hooks", {}).setdefault(event, []).append(group)
    partial = settings.with_suffix(".partial")
    partial.write_text(json.dumps(value, indent=1), "utf-8")
    os.replace(partial, settings)
