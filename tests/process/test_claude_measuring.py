"""Claude Code's figures as the hooks meet them: odd transcripts, compactions, models that change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from claude_chat import ClaudeChat, is_denied

RED, GREEN = 160_000, 60_000


def working(project: Path, model: str = "claude-sonnet-4-5") -> ClaudeChat:
    chat = ClaudeChat(project, "c1", model)
    chat.send("SessionStart", source="startup", model=model)
    chat.send("UserPromptSubmit", prompt="Add a discount")
    chat.context(GREEN)
    chat.tool("Write", file_path=str(project / "basket.py"), content="x = 1\n")
    return chat


def make(chat: ClaudeChat) -> bool:
    """Whether the next call is denied."""
    return is_denied(chat.tool("Bash", command="make"))


@pytest.mark.parametrize(
    "line",
    ['{"type":"user","message":{"role":"user","content":' + "[" * 600 + '"x"' + "]" * 600 + "}}",
     '{"type":"assistant","message":{"id":"m","model":"m","usage":{"input_tokens":1e999},"content":[]}}'],
    ids=["deep", "infinite"],
)  # fmt: skip
def test_one_odd_record_of_the_transcript_does_not_end_the_guard(project: Path, line: str) -> None:
    chat = working(project)
    with chat.transcript.open("a") as file:
        file.write(line + "\n")
    chat.context(RED)
    assert make(chat)


def test_a_transcript_that_grew_a_lot_is_caught_up_with(project: Path) -> None:
    """Small records of 8 MB: more than one hook has the time for."""
    chat = working(project)
    with chat.transcript.open("a") as file:
        for number in range(60_000):
            block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"x {number}"}
            file.write(json.dumps({"type": "user", "message": {"role": "user", "content": [block]}}) + "\n")
    chat.context(RED)
    assert any(make(chat) for _ in range(3))


def test_a_usage_of_nothing_does_not_open_the_latch(project: Path) -> None:
    chat = working(project)
    chat.context(RED)
    assert make(chat)
    usage = {"input_tokens": 0, "output_tokens": 0}
    message = {"id": "z", "model": chat.model, "usage": usage, "content": []}
    chat.write({"type": "assistant", "message": message})
    assert make(chat)
    assert (project / ".cursor/.session/pending/c1.json").exists()


def test_a_compaction_without_a_figure_opens_the_latch(project: Path) -> None:
    chat = working(project)
    chat.context(RED)
    assert make(chat)
    chat.send("PreCompact", trigger="manual")
    chat.write({"type": "system", "subtype": "compact_boundary", "compactMetadata": {}})
    chat.send("SessionStart", source="compact")
    chat.send("UserPromptSubmit", prompt="go on")
    assert not make(chat)


@pytest.mark.parametrize(
    ("begun", "now", "is_full"),
    [("claude-sonnet-4-5", "claude-opus-4-7", False), ("claude-opus-4-7", "claude-sonnet-4-5", True),
     ("claude-sonnet-4-5[1m]", "claude-haiku-4-5", True)],
)  # fmt: skip
def test_the_window_is_that_of_the_model_in_the_transcript(
    project: Path, begun: str, now: str, is_full: bool
) -> None:
    """Not every client tells a hook of a model switch; a fallback model is told to none."""
    chat = working(project, begun)
    chat.model = now
    chat.context(RED)
    assert make(chat) is is_full


def test_two_model_switches_in_a_row_are_two(project: Path) -> None:
    """The mark of the large window is no part of the name that is compared."""
    chat = working(project)
    chat.context(RED)
    for to in ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"):
        chat.send("PostModelSwitch", from_model="x", to_model=to, context_tokens=160_040)
    assert make(chat)
