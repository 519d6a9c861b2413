"""The two hosts as processes see them: each event runs its registered command line, as the host would.

Cursor hands the payload over as a heredoc behind the command, or through a pipe it may never close.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Literal

import payloads

from safepoint.carry_out import carry_out
from safepoint.install import Wish, plan_install
from safepoint.project import find

Transport = Literal["heredoc", "pipe", "open_pipe"]
COPIED = (".cursor", ".claude")  # all that an installation puts into a project
ANSWER_S = 8  # far beyond the hook's own two seconds; the machine may be busy


def install(project: Path, events: Any = "full", language: str = "en") -> None:
    """Put the hooks into `project`, as `safepoint install` does.

    Where nothing stands in its way: a copy of an installation that was made once, with its modules compiled
    as after the first hooks: a test says that the two are the same.
    """
    if any((project / name).exists() for name in COPIED):
        install_really(project, events, language)
        return
    for name in COPIED:
        shutil.copytree(_installed(events, language) / name, project / name)


def install_really(project: Path, events: Any = "full", language: str = "en") -> None:
    found = find(project)
    carry_out(lambda: plan_install(found, Wish(("cursor", "claude_code"), events, None, language)), found)


@functools.cache
def _installed(events: Any, language: str) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="safepoint-installed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run(["git", "init", "-q", folder], check=True)
    install_really(folder, events, language)
    hooks = folder / ".cursor/hooks"
    subprocess.run(["python3", "-I", "-S", "-m", "compileall", "-q", hooks], check=True)
    return folder


def have_time(project: Path) -> None:
    """On a busy machine two seconds may be too short to save in, and the tool then goes on, as it has to."""
    file = project / ".cursor/hooks/settings.json"
    settings = json.loads(file.read_text())
    settings["deadlines"].update(hook_s=15, lock_s=8)
    file.write_text(json.dumps(settings))


def registered(project: Path, host: str) -> dict[str, list[str]]:
    """The command lines of each event, from the file that the host reads."""
    if host == "cursor":
        hooks = json.loads((project / ".cursor/hooks.json").read_text())["hooks"]
        return {event: [entry["command"] for entry in entries] for event, entries in hooks.items()}
    hooks = json.loads((project / ".claude/settings.json").read_text())["hooks"]
    return {
        event: [hook["command"] for group in groups for hook in group["hooks"]]
        for event, groups in hooks.items()
    }


class CursorChat:
    """One Cursor conversation."""

    def __init__(
        self, project: Path, session: str = "cur-1", version: str = "3.20.17",
        transport: Transport = "heredoc",
    ) -> None:  # fmt: skip
        self.project, self.session, self.version = project, session, version
        self.transport: Transport = transport
        self.turn = 0
        self.calls = 0

    def send(self, event: str, **fields: Any) -> dict[str, Any]:
        """The answer to one event."""
        commands = registered(self.project, "cursor").get(event, [])
        if not commands:
            return {}
        fields.setdefault("generation_id", f"gen-{self.turn}")
        fields.setdefault("generation_id", f"gen-{self.turn}")
        payload = payloads.cursor(
            event, version=self.version, conversation_id=self.session, session_id=self.session,
            workspace_roots=[str(self.project)], **fields,
        )  # fmt: skip
        environment = {
            **os.environ, "CURSOR_PROJECT_DIR": str(self.project), "CLAUDE_PROJECT_DIR": str(self.project),
            "CURSOR_VERSION": self.version,
        }  # fmt: skip
        return run(commands[0], payload, environment, self.project, self.transport)

    def prompt(self, text: str = "go on") -> dict[str, Any]:
        self.turn += 1
        return self.send("beforeSubmitPrompt", prompt=text)

    def shell(self, command: str, output: str = "", exit_code: int = 0) -> dict[str, Any]:
        """One shell call with all its events; the answer of the guard, which may be a deny."""
        self.calls += 1
        call = {"tool_name": "Shell", "tool_use_id": f"tool_{self.session}_{self.calls}",
                "tool_input": {"command": command, "cwd": "", "timeout": 30000}}  # fmt: skip
        answer = self.send("preToolUse", **call)
        if answer.get("permission") == "deny":
            return answer
        second = self.send("beforeShellExecution", command=command)
        if second.get("permission") == "deny":
            return second
        self.send("afterShellExecution", command=command, output=output, duration=12.5)
        told = json.dumps({"output": output, "exitCode": exit_code})
        self.last_after = self.send("postToolUse", **call, tool_output=told, duration=12.5)
        return answer

    def search(self) -> None:
        """One search, which is allowed."""
        self.calls += 1
        call = {"tool_name": "Grep", "tool_use_id": f"tool_{self.session}_{self.calls}",
                "tool_input": {"pattern": "discount"}}  # fmt: skip
        assert self.send("preToolUse", **call).get("permission") != "deny"
        self.send("postToolUse", **call, tool_output=json.dumps({"workspaceResults": 1}))

    def stop(self, tokens: int, output: int = 100, **fields: Any) -> dict[str, Any]:
        """The end of a turn with its sums: `tokens` over all model calls of the turn."""
        return self.send("stop", input_tokens=tokens, output_tokens=output, **fields)


def run(
    command: str, payload: Any, environment: dict[str, str], folder: Path, transport: Transport
) -> dict[str, Any]:
    """Run one registered command line; its answer, which has to be one JSON object or nothing."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    if transport == "heredoc":
        line = f"{command} <<'CURSOR_HOOK_EOF'\n{text}\nCURSOR_HOOK_EOF"
        done = subprocess.run(
            ["sh", "-c", line], env=environment, cwd=folder, capture_output=True, timeout=ANSWER_S
        )
        out, err, status = done.stdout, done.stderr, done.returncode
    elif transport == "pipe":
        done = subprocess.run(
            ["sh", "-c", command], input=text.encode(), env=environment, cwd=folder, capture_output=True,
            timeout=ANSWER_S,
        )  # fmt: skip
        out, err, status = done.stdout, done.stderr, done.returncode
    else:
        out, err, status = _with_open_pipe(command, text.encode(), environment, folder)
    assert (status, err) == (0, b""), (status, err.decode("utf-8", "replace"))
    answer = json.loads(out) if out else {}
    assert isinstance(answer, dict)
    return answer


def _with_open_pipe(
    command: str, data: bytes, environment: dict[str, str], folder: Path
) -> tuple[bytes, bytes, int]:
    """The host keeps its end of stdin open for as long as the hook runs."""
    process = subprocess.Popen(
        ["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment, cwd=folder,
    )  # fmt: skip
    assert process.stdin and process.stdout and process.stderr
    try:
        process.stdin.write(data)
        process.stdin.flush()
        until = time.monotonic() + ANSWER_S
        while process.poll() is None and time.monotonic() < until:
            select.select([process.stdout], [], [], 0.02)
        assert process.poll() is not None, "the hook waits for the end of a pipe that stays open"
        return process.stdout.read(), process.stderr.read(), process.returncode
    finally:
        if process.poll() is None:
            process.kill()
        process.stdin.close()
        process.stdout.close()
        process.stderr.close()
        process.wait()


def state(project: Path, session: str) -> dict[str, Any]:
    """The session's state as the next hook would load it."""
    from safepoint.hot.stores.paths import Paths
    from safepoint.sessions import load

    return dict(load(Paths(str(project)), session))
