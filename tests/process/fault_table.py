"""Which faults are tried at which moments, and how an outcome is put into words."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
RUNNER = Path(__file__).with_name("fault_runner.py")
MODEL = "claude-sonnet-4-5"
SESSION, NEXT = "fault-1", "fault-2"
ANSWER_S = 8  # the hook's own deadline is two seconds; the machine may be busy


class Fault(NamedTuple):
    """`what` for the table; `call` and `part` as `fault_runner` takes them."""

    what: str
    call: str
    part: str
    errors: tuple[int, ...]


WRITE = (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO)
READ = (errno.EACCES, errno.EIO)
FAULTS = (
    Fault("all writing below `.cursor`", "open-write", "/.cursor/", WRITE),
    Fault("making the state folder", "mkdir", "/.cursor", (errno.ENOSPC, errno.EACCES, errno.EROFS)),
    Fault("opening the journal", "open-write", ".journal.jsonl", (errno.EACCES, errno.EROFS)),
    Fault("appending to the journal", "write", ".journal.jsonl", (errno.ENOSPC, errno.EIO)),
    Fault("half of a journal line", "half", ".journal.jsonl", (errno.ENOSPC,)),
    Fault("reading the journal", "open-read", ".journal.jsonl", READ),
    Fault("writing the state file", "write", ".state.json", (errno.ENOSPC, errno.EIO)),
    Fault("replacing the state file", "rename", ".state.json", (errno.EACCES, errno.EIO)),
    Fault("reading the state file", "open-read", ".state.json", READ),
    Fault("opening the lock", "open-write", ".lock", (errno.EACCES, errno.EROFS)),
    Fault("locking", "lock", ".lock", (errno.ENOLCK, errno.ENOSYS)),
    Fault("writing the checkpoint", "write", "red-checkpoint-", (errno.ENOSPC, errno.EIO)),
    Fault("syncing the checkpoint", "sync", "red-checkpoint-", (errno.EIO,)),
    Fault("naming the checkpoint", "link", "red-checkpoint-", (errno.EPERM, errno.ENOSPC)),
    Fault("writing the handoff", "write", "handoff-", (errno.ENOSPC, errno.EIO)),
    Fault("reading the handoff back", "open-read", "handoff-", READ),
    Fault("writing the resume point", "write", "resume-point-", (errno.ENOSPC, errno.EIO)),
    Fault("making the handoff pending", "write", "/pending/", (errno.ENOSPC,)),
    Fault("making the handoff pending", "open-write", "/pending/", (errno.EACCES, errno.EROFS)),
    Fault("reading what is pending", "open-read", "/pending/", READ),
    Fault("reading the transcript", "open-read", "/transcript.jsonl", READ),
    Fault("reading the transcript once it is open", "read", "/transcript.jsonl", (errno.EIO,)),
    Fault("reading the settings", "open-read", "settings.json", READ),
)


class Moment(NamedTuple):
    what: str
    entrypoint: str
    event: str
    session: str
    base: str  # what went before: nothing, work, red
    tokens: int


MOMENTS = (
    Moment("first event", "session_bootstrap", "SessionStart", SESSION, "nothing", 0),
    Moment("before a tool, Green", "session_budget_guard", "PreToolUse", SESSION, "work", 20_000),
    Moment("after a tool", "session_resume_tracker", "PostToolUse", SESSION, "work", 20_000),
    Moment("before a tool, Red", "session_budget_guard", "PreToolUse", SESSION, "work", 160_000),
    Moment("a new chat", "session_bootstrap", "SessionStart", NEXT, "red", 0),
)


class Outcome(NamedTuple):
    """`verdict`: what the host does. `told`: the user reads of it. `logged`: a line in errors.jsonl."""

    verdict: str
    told: bool
    logged: bool
    seconds: float

    @property
    def words(self) -> str:
        return self.verdict + (", told" if self.told else "") + (", logged" if self.logged else "")


class Scene:
    """A project in which a chat has gone as far as `base` says."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.transcript = folder / "transcript.jsonl"
        self.session = self.project / ".cursor/.session"

    def copy(self, folder: Path) -> Scene:
        shutil.copytree(self.project, folder / "project")
        return Scene(folder)

    def send(
        self, entrypoint: str, event: str, session: str, call: str, fault: list[str]
    ) -> subprocess.CompletedProcess[bytes]:
        payload = {"session_id": session, "transcript_path": str(self.transcript), "cwd": str(self.project),
                   "hook_event_name": event, "tool_use_id": call, **FIELDS.get(event, {})}  # fmt: skip
        environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(self.project)}
        return subprocess.run(
            [sys.executable, "-I", "-S", str(RUNNER), str(ROOT), entrypoint, *fault],
            input=json.dumps(payload).encode(), env=environment, cwd=self.project, capture_output=True,
            timeout=ANSWER_S,
        )  # fmt: skip

    def calm(
        self, entrypoint: str, event: str, session: str, call: str = "", when: str = "none"
    ) -> dict[str, Any]:
        """The answer where nothing fails."""
        done = self.send(entrypoint, event, session, call, [when, "", "1"])
        assert (done.returncode, done.stderr) == (0, b"")
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        return answer

    def fill(self, tokens: int) -> None:
        usage = {"input_tokens": tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        message = {"id": "m1", "model": MODEL, "role": "assistant", "content": [],
                   "usage": {**usage, "output_tokens": 1}}  # fmt: skip
        record = {"type": "assistant", "isSidechain": False, "message": message}
        self.transcript.write_text(json.dumps(record) + "\n")

    def errors(self) -> int:
        log = self.session / "errors.jsonl"
        return len(log.read_bytes().splitlines()) if log.exists() else 0


_TOOL = {"tool_name": "Bash", "tool_input": {"command": "make"}}
FIELDS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup", "model": MODEL},
    "UserPromptSubmit": {"prompt": "Add a discount"},
    "PreToolUse": _TOOL, "PostToolUse": {**_TOOL, "tool_response": {"stdout": "done"}},
}  # fmt: skip


def make_base(base: str, folder: Path) -> Scene:
    scene = Scene(folder)
    scene.project.mkdir(parents=True)
    if base == "nothing":
        return scene
    scene.fill(20_000)
    scene.calm("session_bootstrap", "SessionStart", SESSION)
    scene.calm("session_prompt", "UserPromptSubmit", SESSION)
    scene.calm("session_resume_tracker", "PostToolUse", SESSION, "toolu_1")
    if base == "red":
        scene.fill(160_000)
        assert (
            verdict(scene.calm("session_budget_guard", "PreToolUse", SESSION, "toolu_1"), "PreToolUse")
            == "denied"
        )
    return scene


def verdict(answer: dict[str, Any], event: str) -> str:
    specific = answer.get("hookSpecificOutput", {})
    if specific.get("permissionDecision") == "deny":
        return "denied"
    if "[CONTEXT_BUDGET_RESUME]" in specific.get("additionalContext", ""):
        return "handoff shown"
    return "begins" if event == "SessionStart" else "goes on"


def outcome(scene: Scene, moment: Moment, fault: Fault, number: int) -> Outcome:
    """Let the moment come with the fault. What no fault may do is asserted on the way."""
    if moment.tokens:
        scene.fill(moment.tokens)
    journal = scene.session / f"{SESSION}.journal.jsonl"
    before = journal.read_bytes() if journal.exists() else b""
    errors = scene.errors()
    began = time.monotonic()
    told_to = [fault.call, fault.part, str(number)]
    done = scene.send(moment.entrypoint, moment.event, moment.session, "toolu_2", told_to)
    seconds = time.monotonic() - began
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    assert (journal.read_bytes() if journal.exists() else b"").startswith(before), "a written line was lost"
    said = verdict(answer, moment.event)
    if said == "denied":
        assert (scene.session / f"handoff-{SESSION}.md").read_bytes()
        checkpoint = json.loads((scene.session / f"red-checkpoint-{SESSION}.json").read_bytes())
        assert checkpoint["session_id"] == SESSION
    told = any(word in answer.get("systemMessage", "") for word in TROUBLE)
    return Outcome(said, told, scene.errors() > errors, seconds)


TROUBLE = ("errors.jsonl", "settings", "not be saved", "could not", "damaged")


def afterwards(scene: Scene, moment: Moment) -> str:
    """The disk is well again: what a tool call of the same chat is answered at Red, half a minute later."""
    scene.fill(160_000)
    answer = scene.calm("session_budget_guard", "PreToolUse", moment.session, "toolu_3", "later")
    return verdict(answer, "PreToolUse")


def row(fault: Fault, numbers: tuple[int, ...], words: list[str]) -> str:
    """One line of the table in docs/reliability.md."""
    names = ", ".join(errno.errorcode[number] for number in numbers)
    return f"| {fault.what} | {names} | {' | '.join(words)} |"


def head() -> str:
    titles = ["what fails", "with", *(moment.what for moment in MOMENTS)]
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def table(folder: Path) -> str:
    """Every fault at every moment with every error; errors of one outcome share a line."""
    bases = {base: make_base(base, folder / base) for base in ("nothing", "work", "red")}
    lines = [head()]
    for i, fault in enumerate(FAULTS):
        by_words: dict[tuple[str, ...], list[int]] = {}
        for number in fault.errors:
            words = []
            for j, moment in enumerate(MOMENTS):
                scene = bases[moment.base].copy(folder / f"{i}-{number}-{j}")
                words.append(outcome(scene, moment, fault, number).words)
            by_words.setdefault(tuple(words), []).append(number)
        lines += [row(fault, tuple(numbers), list(words)) for words, numbers in by_words.items()]
    return "\n".join(lines)
