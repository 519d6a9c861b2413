"""Runs the real client, headless, in a scratch project with a scratch home."""

import json
import os
import pwd
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional
from uuid import uuid4

from model_stub import Model
from scratch_project import Project

MODEL_ID = "claude-sonnet-4-5"  # 200k window; what hooks add arrives in <system-reminder> tags
# No todo or task tool among them: on newer models naming one here is enough to enable it.
TOOLS = "Bash Read Write Edit Agent"

# The client writes its transcript a tenth of a second behind what it does, so a fast PreToolUse hook reads
# the level of the response before.  A real chat grows by what that hook can weigh; a scripted one jumps.  So
# the guard's interpreter waits here until the call that it is asked about is written down.
UP_TO_DATE = """#!/bin/sh
case "$*" in
*session_budget_guard*) ;;
*) exec {python} "$@" ;;
esac
payload=$(cat; printf .)
field() {{ printf %s "$payload" | sed -n 's/.*"'"$1"'": *"\\([^"]*\\)".*/\\1/p' | head -n 1; }}
call=$(field tool_use_id) transcript=$(field transcript_path) tries=0
while [ -n "$call" ] && [ $tries -lt 60 ] && ! grep -rqsF "$call" "$transcript" "${{transcript%.jsonl}}"; do
    sleep 0.02
    tries=$((tries + 1))
done
printf %s "${{payload%.}}" | {python} "$@"
"""


class Run:
    """A finished run: what it printed, how it ended, what it left behind."""

    def __init__(
        self, session_id: str, home: Path, status: int, stdout: str, stderr: str, seconds: float
    ) -> None:
        self.session_id = session_id
        self.home = home
        self.status = status
        self.stderr = stderr
        self.seconds = seconds
        self.events: list[dict[str, Any]] = _json_lines(stdout)

    def __repr__(self) -> str:
        return f"<Run status={self.status} {self.terminal_reason} stderr={self.stderr[:300]!r}>"

    def of_type(self, kind: str, subtype: Optional[str] = None) -> list[dict[str, Any]]:
        found = [event for event in self.events if event.get("type") == kind]
        return found if subtype is None else [event for event in found if event.get("subtype") == subtype]

    @property
    def result(self) -> dict[str, Any]:
        """The last one: a report of a background agent makes a second turn with a result of its own."""
        return self.of_type("result")[-1] if self.of_type("result") else {}

    @property
    def terminal_reason(self) -> Optional[str]:
        return self.result.get("terminal_reason")

    @property
    def text(self) -> str:
        return str(self.result.get("result", ""))

    @property
    def transcript(self) -> Path:
        found = list(self.home.glob(f".claude/projects/*/{self.session_id}.jsonl"))
        if not found:
            raise FileNotFoundError(f"no transcript of {self.session_id}: {self!r}")
        return found[0]

    def records(self, kind: Optional[str] = None) -> list[dict[str, Any]]:
        records = _json_lines(self.transcript.read_text("utf-8"))
        return [record for record in records if kind is None or record.get("type") == kind]

    def subagent_transcripts(self) -> list[Path]:
        return sorted(self.transcript.with_suffix("").glob("subagents/agent-*.jsonl"))


class Running:
    """A run that goes on. `kill` is the crash: the client and all in its process group, at once."""

    def __init__(self, command: Sequence[Any], cwd: Path, env: Mapping[str, str], session_id: str) -> None:
        self.session_id = session_id
        self._home = Path(env["HOME"])
        base = self._home / "runs" / uuid4().hex[:8]
        base.parent.mkdir(exist_ok=True)
        self._out, self._err = base.with_suffix(".out"), base.with_suffix(".err")
        self._began = time.monotonic()
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(
                [str(word) for word in command],
                cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    def events(self) -> list[dict[str, Any]]:
        return _json_lines(self._out.read_text("utf-8", errors="replace"))

    def kill(self) -> Run:
        if self._process.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
        return self._finished(self._process.wait())

    def wait(self, timeout_s: float = 60) -> Run:
        try:
            return self._finished(self._process.wait(timeout_s))
        except BaseException:
            run = self.kill()
            print(f"killed after {run.seconds:.0f} s: {run!r}, last events: {run.events[-3:]}")
            raise

    def _finished(self, status: int) -> Run:
        out, err = (path.read_text("utf-8", errors="replace") for path in (self._out, self._err))
        return Run(self.session_id, self._home, status, out, err, time.monotonic() - self._began)


class Client:
    def __init__(self, binary: Path, home: Path) -> None:
        if home.resolve() == Path(pwd.getpwuid(os.getuid()).pw_dir).resolve():
            raise ValueError(f"{home} is the user's own home folder")
        self.binary = binary
        self.home = home
        self._started: list[Running] = []
        self._bin = home / "up-to-date"
        self._bin.mkdir()
        interpreter = self._bin / "python3"
        interpreter.write_text(UP_TO_DATE.format(python=shlex.quote(sys.executable)), "utf-8")
        interpreter.chmod(0o755)

    def run(
        self, project: Project, model: Model, prompt: str, *, timeout_s: float = 60, **options: Any
    ) -> Run:
        """`claude -p PROMPT` to its end. Options: see `start`."""
        return self.start(project, model, prompt, **options).wait(timeout_s)

    def start(
        self,
        project: Project,
        model: Model,
        prompt: str,
        *,
        session_id: Optional[str] = None,
        resume: Optional[str] = None,
        model_id: str = MODEL_ID,
        tools: str = TOOLS,
        env: Optional[Mapping[str, str]] = None,
        flags: Sequence[Any] = (),
        cwd: Optional[Path] = None,
        up_to_date: bool = True,
    ) -> Running:
        """`up_to_date=False`: the guard reads the transcript as it is then, a response behind."""
        chosen = resume or session_id or str(uuid4())
        session = ["--resume", resume] if resume else ["--session-id", chosen]
        command = [self.binary, "-p", prompt, *session, "--model", model_id, "--allowedTools", tools,
                   "--output-format", "stream-json", "--verbose", *project.client_flags, *flags]  # fmt: skip
        environment = {**self.environment(model, up_to_date), **(env or {})}
        running = Running(command, cwd or project.path, environment, chosen)
        self._started.append(running)
        return running

    def close(self) -> None:
        for running in self._started:
            running.kill()

    def environment(self, model: Model, up_to_date: bool = True) -> dict[str, str]:
        """What the client gets, and so a program that starts it. `up_to_date`: see `start`."""
        scratch = self.home / "tmp"
        scratch.mkdir(parents=True, exist_ok=True)
        return {
            "PATH": f"{self._bin}:{os.environ['PATH']}" if up_to_date else os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(scratch),
            "CLAUDE_CODE_TMPDIR": str(scratch),  # task outputs go to /tmp/claude-<uid> whatever TMPDIR says
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
        }


def _json_lines(text: str) -> list[dict[str, Any]]:
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:  # a killed client leaves a torn last line
            continue
    return found
