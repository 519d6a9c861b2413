"""The story that `safepoint demo` plays: two chats in a scratch repository, through the real hooks.

Only the agent is made up. Its payloads have the shape Claude Code sends, its transcript carries the token
figures, and each goes through the registered command line in a process of its own.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import registration
from .called_as import to_type
from .carry_out import carry_out
from .errors import SafepointError
from .install import Wish, plan_install
from .project import find

WINDOW = 200_000
TODOS = ("Move the tokens into a session table", "Make the tests of auth pass", "Describe it in docs/auth.md")
Say = Callable[[str], None]


class Chat:
    """One made-up chat of Claude Code: what it sends to the hooks, and what they answer."""

    def __init__(self, project: Path, session_id: str) -> None:
        self.project, self.session_id = project, session_id
        self.transcript = project.parent / f"{session_id}.jsonl"
        self.calls = 0

    def context(self, tokens: int) -> None:
        """The model's last answer held so many tokens."""
        record = {
            "type": "assistant", "isSidechain": False, "uuid": f"u{tokens}",
            "message": {"id": f"msg_{tokens}", "model": "claude-sonnet-4-5", "role": "assistant",
                        "content": [{"type": "text", "text": "…"}],
                        "usage": {"input_tokens": 12, "cache_creation_input_tokens": 1000,
                                  "cache_read_input_tokens": tokens - 1012, "output_tokens": 40}},
        }  # fmt: skip
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def send(self, event: str, **fields: Any) -> dict[str, Any]:
        """Run the registered command of `event`; its answer."""
        payload = {
            "session_id": self.session_id, "transcript_path": str(self.transcript),
            "cwd": str(self.project), "hook_event_name": event, **fields,
        }  # fmt: skip
        entrypoint = registration.CLAUDE[event]
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SAFEPOINT")},
            "CLAUDE_PROJECT_DIR": str(self.project),
        }
        done = subprocess.run(
            ["sh", "-c", registration.command(entrypoint)],
            input=json.dumps(payload).encode(), env=environment, cwd=self.project,
            capture_output=True, timeout=20,
        )  # fmt: skip
        if done.returncode or done.stderr:
            raise SafepointError(f"{entrypoint} failed: {done.stderr.decode('utf-8', 'replace')}")
        return json.loads(done.stdout) if done.stdout else {}

    def tool(self, name: str, ok: bool = True, response: Any = None, **given: Any) -> dict[str, Any]:
        """One tool call: the answer of the hook before it; the tool runs unless that denies it."""
        self.calls += 1
        call = {
            "tool_name": name,
            "tool_input": given,
            "tool_use_id": f"toolu_{self.calls}",
        }
        answer = self.send("PreToolUse", **call)
        if denial(answer):
            return answer
        self._run(name, given)
        if ok:
            self.send("PostToolUse", **call, tool_response=response if response is not None else {})
        else:
            self.send("PostToolUseFailure", **call, error=response)
        self.send("PostToolBatch", tool_calls=[call])
        return answer

    def _run(self, name: str, given: dict[str, Any]) -> None:
        if name == "Write":
            file = Path(given["file_path"])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(given["content"], encoding="utf-8")
        elif name == "Bash" and given["command"].startswith("git "):
            subprocess.run(["sh", "-c", given["command"]], cwd=self.project, capture_output=True, check=False)


def denial(answer: dict[str, Any]) -> str:
    """The reason of a deny, '' where the tool may run."""
    specific = answer.get("hookSpecificOutput", {})
    return specific.get("permissionDecisionReason", "") if specific.get("permissionDecision") else ""


def added(answer: dict[str, Any]) -> str:
    """What the answer shows the model."""
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def play(folder: Path, say: Say) -> dict[str, Any]:
    """Play the story in `folder` (empty); what was seen, for `--json` and for tests."""
    project = folder / "shop"
    seen: dict[str, Any] = {"project": str(project)}
    say(f"A scratch repository: {project}")
    _make_repository(project)
    root = find(project)
    carry_out(lambda: plan_install(root, Wish(None, None, None, None)), root)
    say("Installed the hooks for Cursor and Claude Code in it, as the command install does.")
    first = Chat(project, "demo-first-chat")
    _work(first, say, seen)
    _red(first, say, seen)
    _second(Chat(project, "demo-second-chat"), say, seen)
    _third(Chat(project, "demo-third-chat"), say, seen)
    return seen


def _make_repository(project: Path) -> None:
    project.mkdir(parents=True)
    (project / "auth.py").write_text("TOKENS = {}\n", encoding="utf-8")
    identity = ["-c", "user.name=Demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], [*identity, "commit", "-q", "-m", "Begin"],
                    ["checkout", "-q", "-b", "fix-auth"]):  # fmt: skip
        try:
            subprocess.run(["git", *command], cwd=project, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SafepointError(f"the demo needs git: {error}") from error
    for name, value in (("user.name", "Demo"), ("user.email", "demo@example.com")):
        subprocess.run(["git", "config", name, value], cwd=project, check=True, capture_output=True)


def _work(chat: Chat, say: Say, seen: dict[str, Any]) -> None:
    say("\n1  Work (Green: the hooks say nothing)")
    chat.send("SessionStart", source="startup", model="claude-sonnet-4-5")
    chat.send(
        "UserPromptSubmit", prompt="Move the tokens of auth.py into a session table, with tests and docs."
    )
    chat.context(60_000)
    for number, subject in enumerate(TODOS, 1):
        response = {"task": {"id": str(number), "subject": subject}}
        chat.tool("TaskCreate", response=response, subject=subject, description=subject)
    chat.tool("TaskUpdate", response={"success": True}, taskId="1", status="in_progress")
    auth = str(chat.project / "auth.py")
    quiet = chat.tool("Write", file_path=auth, content="SESSIONS = {}\n")
    chat.tool("TaskUpdate", response={"success": True}, taskId="1", status="completed")
    chat.tool("TaskUpdate", response={"success": True}, taskId="2", status="in_progress")
    chat.tool(
        "Bash",
        ok=False,
        response="Exit code 1\n1 failed: test_expired_session",
        command="pytest tests/test_auth.py",
    )
    seen["green_answer"] = quiet
    say("   12 tools ran. A todo is done, one is in progress, a test fails.")
    say("\n2  Yellow (62 % of 200,000 tokens)")
    chat.context(124_000)
    answer = chat.tool("Read", file_path=auth)
    seen["yellow_user"], seen["yellow_model"] = answer.get("systemMessage", ""), added(answer)
    say(f"   the user sees:  {seen['yellow_user']}")
    say(f"   the model sees: {seen['yellow_model']}")


def _red(chat: Chat, say: Say, seen: dict[str, Any]) -> None:
    say("\n3  Red (79 %): the next tool does not run")
    chat.context(158_000)
    answer = chat.tool("Bash", command="pytest tests/test_auth.py --verbose")
    seen["deny_reason"] = denial(answer)
    say(_indented(seen["deny_reason"]))
    say("\n   On disk before that answer was given:")
    state = chat.project / ".cursor/.session"
    seen["files"] = sorted(
        path.relative_to(chat.project).as_posix() for path in state.rglob("*")
        if path.is_file() and path.name.startswith(("red-checkpoint", "handoff", "resume-point"))
        and path.suffix != ".lock"
    )  # fmt: skip
    say("\n".join(f"     {name}" for name in seen["files"]))
    commit = chat.tool("Bash", command="git commit -q -a -m 'Sessions instead of tokens'")
    seen["grace_denied"] = denial(commit)
    say("   A `git commit` still runs (grace), and the notes can be written; nothing else.")
    stop = chat.send("Stop", stop_hook_active=False)
    seen["stop_user"] = stop.get("systemMessage", "")
    say(f"   at the turn's end the user sees: {seen['stop_user']}")


def _second(chat: Chat, say: Say, seen: dict[str, Any]) -> None:
    say("\n4  A new chat in the same folder, any first message")
    start = chat.send("SessionStart", source="startup", model="claude-sonnet-4-5")
    seen["resume"] = added(start)
    chat.send("UserPromptSubmit", prompt="go on")
    chat.context(21_000)
    seen["second_denied"] = denial(
        chat.tool("Bash", response={"stdout": "ok"}, command="pytest tests/test_auth.py")
    )
    say("   its model is shown, before anything else:\n")
    say(_indented(seen["resume"]))


def _third(chat: Chat, say: Say, seen: dict[str, Any]) -> None:
    answer = chat.send("SessionStart", source="startup", model="claude-sonnet-4-5")
    seen["third"] = added(answer)
    say("\n5  A third chat is shown no handoff: the second one has taken it and gone on.")


def look_around(project: str) -> str:
    """What a person can do in the scratch repository, where it stays."""
    return (
        "\nThe repository stays, to look around in. Its files, its sessions, and why the first one was"
        " stopped:\n"
        f"  ls {shlex.quote(f'{project}/.cursor/.session')}\n"
        f"  {to_type('status', project)}\n"
        f"  {to_type('explain', '--project', project, '--session', 'demo-first-chat')}"
    )


def _indented(text: str) -> str:
    return "\n".join(f"     {line}" for line in text.splitlines())


def scratch_folder(parent: str) -> Path:
    """A new folder for one run, below `parent` ("": the system's). Raises where that is no folder."""
    import tempfile

    if parent and not Path(parent).expanduser().is_dir():
        what = "this is no folder" if os.path.lexists(parent) else "there is no such folder; make it first"
        raise SafepointError(f"--folder {parent}: {what}")
    below = Path(parent).expanduser().resolve() if parent else None  # hooks run in a folder of their own
    try:
        return Path(tempfile.mkdtemp(prefix=time.strftime("safepoint-demo-%H%M%S-"), dir=below))
    except OSError as error:
        raise SafepointError(f"{below or tempfile.gettempdir()}: {error.strerror}") from error
