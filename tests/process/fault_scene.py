"""A project in which a chat of either host has gone some way, and what one more event of it is answered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import payloads

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("fault_runner.py")
MODEL = "claude-sonnet-4-5"
SESSION, NEXT = "fault-1", "fault-2"
ANSWER_S = 8  # the hook's own deadline is two seconds; the machine may be busy
CALM = ("none", "", "1")

# Event: the entrypoint, its name at Claude Code and at Cursor.
EVENTS = {
    "start": ("session_bootstrap", "SessionStart", "sessionStart"),
    "prompt": ("session_prompt", "UserPromptSubmit", "beforeSubmitPrompt"),
    "before": ("session_budget_guard", "PreToolUse", "preToolUse"),
    "after": ("session_resume_tracker", "PostToolUse", "postToolUse"),
    "stop": ("session_stop", "Stop", "stop"),
}
_TOOL: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make"}}
_FIELDS: dict[str, dict[str, Any]] = {
    "start": {"source": "startup", "model": MODEL}, "prompt": {"prompt": "Add a discount"}, "before": _TOOL,
    "after": {**_TOOL, "tool_response": {"stdout": "done"}},
}  # fmt: skip
_GREP: dict[str, Any] = {"tool_name": "Grep", "tool_input": {"pattern": "discount"}}


class Moment(NamedTuple):
    """`base`: what went before: nothing, work, full (more than Red begins at), red (stopped and saved)."""

    what: str
    event: str
    session: str
    base: str


MOMENTS = (
    Moment("first event", "start", SESSION, "nothing"),
    Moment("before a tool, Green", "before", SESSION, "work"),
    Moment("after a tool", "after", SESSION, "work"),
    Moment("before a tool, Red", "before", SESSION, "full"),
    Moment("a new chat", "start", NEXT, "red"),
)
BASES = ("nothing", "work", "full", "red")


class Around(NamedTuple):
    """What is around the hook process: the fault that `fault_runner` makes, environment, what starts it."""

    fault: tuple[str, ...] = CALM
    environment: dict[str, str | None] = {}  # noqa: RUF012 - never changed; None takes a variable away
    within: tuple[str, ...] = ()  # a command that runs the rest of its line


NOTHING_AROUND = Around()


class Scene:
    """A project and a transcript in `folder`, for one host."""

    def __init__(self, folder: Path, host: str) -> None:
        self.host = host
        self.project = folder / "project"
        self.transcript = folder / "transcript.jsonl"
        self.session = self.project / ".cursor/.session"
        self.turn = 0

    def copy(self, folder: Path) -> Scene:
        shutil.copytree(self.project, folder / "project")
        if self.transcript.exists():
            shutil.copy(self.transcript, folder / "transcript.jsonl")
        made = Scene(folder, self.host)
        made.turn = self.turn
        return made

    def send(
        self, event: str, session: str, call: str = "", around: Around = NOTHING_AROUND, **fields: Any
    ) -> subprocess.CompletedProcess[bytes]:
        entrypoint, claude, cursor = EVENTS[event]
        given = {**_FIELDS.get(event, {}), **({"tool_use_id": call} if call else {}), **fields}
        if self.host == "claude_code":
            payload = payloads.claude(
                claude, session_id=session, transcript_path=str(self.transcript), cwd=str(self.project),
                **given,
            )  # fmt: skip
        else:
            given.pop("model", None)
            payload = payloads.cursor(
                cursor, session_id=session, workspace_roots=[str(self.project)], **given,
                generation_id="" if event == "start" else f"gen-{self.turn}", transcript_path=None,
            )  # fmt: skip
        temporary = {"TMPDIR": str(self.project.parent)}  # for marks that the project has no place for
        environment = {**os.environ, **temporary, "CLAUDE_PROJECT_DIR": str(self.project)}
        if self.host == "cursor":
            environment.update({"CURSOR_PROJECT_DIR": str(self.project), "CURSOR_VERSION": "3.20.17"})
        for name, value in around.environment.items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value
        return subprocess.run(
            [*around.within, sys.executable, "-I", "-S", str(RUNNER), str(ROOT), entrypoint, *around.fault],
            input=json.dumps(payload).encode(), env=environment, cwd=self.project, capture_output=True,
            timeout=ANSWER_S,
        )  # fmt: skip

    def calm(
        self, event: str, session: str, call: str = "", around: Around = NOTHING_AROUND, **fields: Any
    ) -> dict[str, Any]:
        """The answer, which has to be one JSON object."""
        done = self.send(event, session, call, around, **fields)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        return answer

    def usage(self, tokens: int) -> str:
        usage = {"input_tokens": tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        message = {"id": f"m{tokens}", "model": MODEL, "role": "assistant", "content": [],
                   "usage": {**usage, "output_tokens": 1}}  # fmt: skip
        return json.dumps({"type": "assistant", "isSidechain": False, "message": message}) + "\n"

    def fill(self) -> None:
        """160,000 tokens of 200,000: what Claude Code's transcript says, what Cursor's turns bear out."""
        if self.host == "claude_code":
            self.transcript.write_text(self.usage(160_000))
            return
        self.turn += 1
        self.calm("prompt", SESSION)
        self.calm("stop", SESSION, input_tokens=157_700, output_tokens=40)
        for tokens in (158_400, 159_300):
            self.turn += 1
            self.calm("prompt", SESSION)
            for event in ("before", "after"):
                self.calm(event, SESSION, f"tool_{self.turn}", **_GREP, tool_output='{"workspaceResults":1}')
            self.calm("stop", SESSION, input_tokens=2 * tokens, output_tokens=80)
        self.turn += 1
        self.calm("prompt", SESSION)

    def errors(self) -> int:
        log = self.session / "errors.jsonl"
        return len(log.read_bytes().splitlines()) if log.exists() else 0


def make_base(base: str, folder: Path, host: str, git: Sequence[str] = ()) -> Scene:
    """A scene that has gone as far as `base`; `git`: "init" makes a repository, "commit" one commit in it."""
    scene = Scene(folder, host)
    scene.project.mkdir(parents=True)
    (scene.project / "a.py").write_text("a = 1\n")
    commands = {"init": [["init", "-q", "-b", "main"]],
                "commit": [["add", "-A"], ["commit", "-q", "-m", "Begin"]]}  # fmt: skip
    for command in [command for step in git for command in commands[step]]:
        subprocess.run(["git", *command], cwd=scene.project, check=True, capture_output=True)
    if base == "nothing":
        return scene
    if host == "claude_code":
        scene.transcript.write_text(scene.usage(20_000))
    scene.calm("start", SESSION)
    scene.calm("prompt", SESSION)
    scene.calm("before", SESSION, "toolu_1")
    scene.calm("after", SESSION, "toolu_1")
    if base in ("full", "red"):
        scene.fill()
    if base == "red":
        assert verdict(scene.calm("before", SESSION, "toolu_r"), "before") == "denied"
    return scene


def verdict(answer: dict[str, Any], event: str) -> str:
    """What the host does with this answer."""
    specific = answer.get("hookSpecificOutput", {})
    if specific.get("permissionDecision") == "deny" or answer.get("permission") == "deny":
        return "denied"
    text = specific.get("additionalContext", "") + answer.get("additional_context", "")
    if "[CONTEXT_BUDGET_RESUME]" in text:
        return "handoff shown"
    return "begins" if event == "start" else "goes on"


def told(answer: dict[str, Any]) -> str:
    """What the user reads of it: Cursor's model passes a line on, where it is no deny."""
    names = ("systemMessage", "user_message", "additional_context")
    return "\n".join([str(answer.get(name, "")) for name in names])
