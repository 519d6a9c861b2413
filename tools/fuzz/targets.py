"""What is fuzzed: each target takes bytes, and raises where something is wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from .entry import KINDS, Hooks

SESSION = "fuzz"
# What a hook reads and somebody else may have written; {} is the session.
FILES = (
    ".session/{}.state.json", ".session/{}.journal.jsonl", ".session/{}.journal.1.jsonl",
    ".session/pending/old.json", ".session/pending/old.claim", ".session/red-checkpoint-old.json",
    ".session/resume-point-fuzz.json", ".session/learned.json", ".tracking/tracker-{}.md",
    ".artifacts/fuzz--step1.md", ".session/handoff-old.notes.md", "../transcript.jsonl",
)  # fmt: skip
Target = Callable[[Hooks, bytes], None]


def payload(hooks: Hooks, data: bytes) -> None:
    """Up to six events of one chat: each line is a letter for the entrypoint, then what comes on stdin."""
    hooks.clean()
    for line in data.split(b"\n")[:6]:
        hooks.call(KINDS[line[0] % len(KINDS)] if line else "before_tool", line[1:])


def files(hooks: Hooks, data: bytes) -> None:
    """A chat that has done some work; one of its files becomes `data`, then it goes on and ends."""
    if not data:
        return
    hooks.clean()
    place = hooks.project / ".cursor" / FILES[data[0] % len(FILES)].format(SESSION)
    transcript = hooks.project / "transcript.jsonl"
    _begin(hooks, str(transcript))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data[1:])
    try:
        _go_on(hooks, str(transcript))
    finally:
        transcript.unlink(missing_ok=True)


def _begin(hooks: Hooks, transcript: str) -> None:
    for kind, event in (
        ("session_start", {"hook_event_name": "SessionStart", "source": "startup"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "Add a discount"}),
        ("before_tool", {"hook_event_name": "PreToolUse", **_bash("1")}),
        ("after_tool", {"hook_event_name": "PostToolUse", **_bash("1"), "tool_response": {"stdout": "ok"}}),
    ):
        hooks.call(kind, _event(transcript, **event))


def _go_on(hooks: Hooks, transcript: str) -> None:
    for kind, event in (
        ("before_tool", {"hook_event_name": "PreToolUse", **_bash("2")}),
        ("after_tool", {"hook_event_name": "PostToolUse", **_bash("2"), "tool_response": {"stdout": "ok"}}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "safepoint status"}),
        ("compact", {"hook_event_name": "PreCompact", "trigger": "auto"}),
        ("turn_end", {"hook_event_name": "Stop"}),
        ("session_end", {"hook_event_name": "SessionEnd", "reason": "other"}),
        ("session_start", {"hook_event_name": "SessionStart", "source": "startup", "session_id": "next"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "go on", "session_id": "next"}),
        ("before_tool", {"hook_event_name": "PreToolUse", **_bash("3"), "session_id": "next"}),
    ):
        hooks.call(kind, _event(transcript, **event))


def _bash(call: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": f"toolu_{call}"}


def _event(transcript: str, **fields: Any) -> bytes:
    event = {"session_id": SESSION, "transcript_path": transcript, "cwd": os.path.dirname(transcript)}
    return json.dumps({**event, **fields}).encode()


# Put together here, so that no scanner finds one in this file.
KEY = "gh" + "p_" + "7" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z0"


def redact(_hooks: Hooks, data: bytes) -> None:
    """No text is too odd to be judged, a key on a line of its own never stays, and a cut lets none out."""
    from safepoint.hot import redact as module

    text = data.decode("utf-8", "surrogateescape")
    module.redact_whole(text)
    for limit in (64, 1000):
        if len(module.capture(text, limit).encode("utf-8", "surrogatepass")) > max(limit, 9):
            raise AssertionError("longer than it may be")
    kept = module.redact(f"{text}\n{KEY}\n{text}")
    if KEY in kept:
        raise AssertionError("a key has stayed")
    value = {"command": text, "env": {"API_TOKEN": text, text[:40]: KEY}}
    if KEY in str(module.redact_value(value)):
        raise AssertionError("a key has stayed in a value")


TARGETS: dict[str, Target] = {"payload": payload, "files": files, "redact": redact}
