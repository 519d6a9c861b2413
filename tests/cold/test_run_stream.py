"""The agents' streams as neutral frames, and their command lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safepoint.errors import SafepointError
from safepoint.hot.shapes import Host
from safepoint.run import agents
from safepoint.run.agent_process import AgentProcess
from safepoint.run.agents import Agent
from safepoint.run.stream import Frame, Lines, frames, status_in

GIVEN = {"command": "npm  test\n", "description": "x"}
USE = {"type": "tool_use", "id": "t1", "name": "Bash", "input": GIVEN}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
READ = {"readToolCall": {"args": {"path": "a.txt"}, "result": {"success": {"content": "x"}}}}

FRAMES: list[tuple[str, Any, list[Frame]]] = [
    ("begin", {"type": "system", "subtype": "init", "session_id": "s"}, [Frame("started", "s")]),
    ("hook", {"type": "system", "subtype": "hook_started", "session_id": "s"}, []),
    ("text", {"type": "assistant", "message": {"content": [{"type": "text", "text": "hm"}]}}, []),
    (
        "tools", {"type": "assistant", "session_id": "s", "message": {"content": [USE, USE]}},
        [Frame("tool", "s", "t1", "Bash", "npm test")] * 2,
    ),
    ("tool ends", {"type": "user", "message": {"content": [RESULT]}}, [Frame("tool_ended", "", "t1")]),
    ("prompt", {"type": "user", "message": {"content": "do it"}}, []),
    (
        "retry", {"type": "system", "subtype": "api_retry", "error_status": 529, "error": "overloaded"},
        [Frame("retry", text="overloaded", status=529)],
    ),
    (
        "result", {"type": "result", "subtype": "success", "is_error": False, "result": "Done.",
                   "api_error_status": None, "usage": {"output_tokens": 80}, "permission_denials": [{}]},
        [Frame("result", text="Done.", output_tokens=80, refused=1)],
    ),
    (
        "failed", {"type": "result", "subtype": "success", "is_error": True, "result": "API Error: 429",
                   "api_error_status": 429},
        [Frame("result", text="API Error: 429", status=429, is_error=True)],
    ),
    (
        "most turns", {"type": "result", "subtype": "error_max_turns"},
        [Frame("result", text="error_max_turns", is_error=True)],
    ),
    (
        "errors", {"type": "result", "subtype": "error_during_execution", "errors": ["a", "b"]},
        [Frame("result", text="a; b", is_error=True)],
    ),
    (
        "cursor tool", {"type": "tool_call", "subtype": "started", "call_id": "c", "tool_call": READ},
        [Frame("tool", "", "c", "read", "a.txt")],
    ),
    (
        "cursor tool ends", {"type": "tool_call", "subtype": "completed", "call_id": "c", "tool_call": READ},
        [Frame("tool_ended", "", "c")],
    ),
    ("cursor tool without a body", {"type": "tool_call", "subtype": "started", "tool_call": 3},
     [Frame("tool")]),
    ("another kind", {"type": "stream_event"}, []),
]  # fmt: skip


@pytest.mark.parametrize(("value", "told"), [row[1:] for row in FRAMES], ids=[row[0] for row in FRAMES])
def test_frame(value: Any, told: list[Frame]) -> None:
    assert frames(json.dumps(value).encode()) == told


@pytest.mark.parametrize(
    "line", [b"", b"Error: no", b"[1]", b'"x"', b"\xff\xfe{", b'{"type":', b"[" * 100_000]
)
def test_line_that_is_no_object_is_no_frame(line: bytes) -> None:
    assert frames(line) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = ("type", "subtype", "session_id", "message", "tool_call", "usage", "result", "errors", "call_id")


@given(
    st.dictionaries(st.sampled_from(NAMES), json_values),
    st.sampled_from(["system", "assistant", "user", "tool_call", "result"]),
)
def test_whatever_a_frame_holds_nothing_raises(value: dict[str, Any], kind: str) -> None:
    for content in (value, [value], value.get("message")):
        told = {**value, "type": kind, "message": {"content": content}}
        assert isinstance(frames(json.dumps(told).encode()), list)


@given(st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"")), max_size=6), st.data())
def test_lines_are_the_same_however_the_bytes_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(line + b"\n" for line in lines) + b"rest"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    reader = Lines()
    found = [
        line for start, end in zip([0, *cuts], [*cuts, len(whole)]) for line in reader.feed(whole[start:end])
    ]
    assert found == lines


def test_line_beyond_the_limit_is_dropped_and_the_next_is_read() -> None:
    reader = Lines(max_bytes=10)
    assert list(reader.feed(b"short\n" + b"x" * 8)) == [b"short"]
    assert list(reader.feed(b"y" * 8)) == []
    assert list(reader.feed(b"z\nnext\n")) == [b"next"]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Error: [resource_exhausted] too much", 429), ("HTTP 429", 429), ("Rate limit exceeded", 429),
        ("529 Overloaded", 529), ("503 Service Unavailable", 529), ("error: unknown option '-x'", 0),
        ("line 4290 of 5290", 0),
    ],
)  # fmt: skip
def test_passing_trouble_is_told_by_words(words: str, status: int) -> None:
    assert status_in(words) == status


@pytest.mark.parametrize(
    ("host", "prompt", "resume", "words"),
    [
        ("claude_code", "do it", False,
         ["-p", "do it", "--session-id", "s", "--output-format", "stream-json", "--verbose", "--x", "y z"]),
        ("claude_code", "do it", True,
         ["-p", "do it", "--resume", "s", "--output-format", "stream-json", "--verbose", "--x", "y z"]),
        ("cursor", "do it", False, ["-p", "do it", "--output-format", "stream-json", "--x", "y z"]),
        ("cursor", "do it", True,
         ["-p", "do it", "--resume", "s", "--output-format", "stream-json", "--x", "y z"]),
        ("cursor", "--help", False, ["-p", " --help", "--output-format", "stream-json", "--x", "y z"]),
    ],
)  # fmt: skip
def test_command_line(host: Host, prompt: str, resume: bool, words: list[str]) -> None:
    """No permission flag among them: only what the person gave."""
    assert Agent(host, "/bin/agent").command(prompt, "s", resume, ("--x", "y z")) == ["/bin/agent", *words]


def test_agent_that_is_not_there_is_told_with_the_way_to_name_it() -> None:
    with pytest.raises(SafepointError, match=r"no/such: there is no such program; .*--agent-path EXE"):
        agents.find("claude_code", "no/such")


def test_agent_that_cannot_be_started_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/bin/sh\n")
    for path, said in ((tmp_path / "agent", "there but not executable"), (tmp_path, "this is a folder")):
        with pytest.raises(SafepointError, match=said):
            agents.find("claude_code", str(path))


def test_agent_that_is_no_program_is_told(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("hello\n")
    (tmp_path / "agent").chmod(0o755)
    with pytest.raises(SafepointError, match="no program that the system can start"):
        AgentProcess([str(tmp_path / "agent")], str(tmp_path), {}, "run", 0)


def test_environment_marks_the_run_and_names_a_campaign_only_when_asked() -> None:
    around = {"A": "b", "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s", "SAFEPOINT_RUN": "r0"}
    assert agents.environment("r1", "", around) == {"A": "b", "SAFEPOINT_RUN": "r1"}
    assert agents.environment("r1", "fix", {})["SAFEPOINT_CAMPAIGN"] == "fix"
