"""`safepoint simulate` finds Yellow and Red where the hooks of that chat found them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from claude_chat import ClaudeChat, is_denied
from host_process import state
from test_cursor import full_chat

from safepoint import simulation
from safepoint.hot.stores.paths import Paths
from safepoint.manifest import parse
from safepoint.shipped import manifest_template

SETTINGS = parse(manifest_template("en"), "manifest.yaml").settings


def grown(chat: ClaudeChat, *levels: int, **record: Any) -> list[dict[str, Any]]:
    """The guard's answers to one call at each of these contexts, written as the client writes them."""
    answers = []
    for tokens in levels:
        call = {"type": "tool_use", "id": f"toolu_{chat.session}_{chat.calls + 1}", "name": "Bash",
                "input": {"command": "make"}}  # fmt: skip
        chat.context(tokens, calls=[call], timestamp="2026-11-30T10:00:00Z", **record)
        answers.append(chat.tool("Bash", command="make", response={"stdout": "ok"}))
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "ok"}
        chat.write({"type": "user", "isSidechain": False, "message": {"role": "user", "content": [result]}})
    return answers


def levels(path: Path, **options: Any) -> list[tuple[str, int]]:
    found = simulation.simulate(path, SETTINGS, **options)
    return [(crossing["level"], crossing["call"]) for crossing in found["crossings"]]


@pytest.fixture
def chat(project: Path) -> ClaudeChat:
    chat = ClaudeChat(project)
    chat.send("UserPromptSubmit", prompt="Go")
    return chat


def test_red_is_where_the_guard_has_denied(chat: ClaudeChat) -> None:
    answers = grown(chat, 60_000, 110_000, 130_000, 150_000, 160_000, 161_000)
    denied = 1 + [is_denied(answer) for answer in answers].index(True)
    found = simulation.simulate(chat.transcript, SETTINGS)
    yellow, red = found["crossings"]
    assert (yellow["level"], yellow["call"], red["level"], red["call"]) == ("yellow", 3, "red", denied)
    assert red["reading"]["tokens"] == 160_040 and found["highest"]["tokens"] == 161_040
    line = chat.transcript.read_text().splitlines()[red["line"] - 1]
    assert '"toolu_c1_5"' in line and red["at"] == "2026-11-30T10:00:00Z"
    assert found["not_run"] == 2 and found["calls"] == 6

    journal = Path(Paths(str(chat.project)).journal(chat.session))
    assert levels(journal) == [("yellow", 3), ("red", denied)]


def test_a_compaction_makes_it_green_again(chat: ClaudeChat) -> None:
    grown(chat, 130_000)
    chat.write({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"postTokens": 9_000}})
    grown(chat, 20_000, 140_000)
    assert levels(chat.transcript) == [("yellow", 1), ("green", 2), ("yellow", 3)]


def test_a_subagents_records_are_not_this_chats(chat: ClaudeChat) -> None:
    grown(chat, 20_000)
    with_mark = {"isSidechain": True}
    grown(chat, 190_000, **with_mark)
    assert levels(chat.transcript) == []


def test_a_stated_window_and_other_settings_are_gone_by(chat: ClaudeChat, tmp_path: Path) -> None:
    grown(chat, 60_000, 130_000, 170_000)
    assert levels(chat.transcript, window=1_000_000) == []
    manifest = tmp_path / "manifest.yaml"
    text = manifest_template("en").decode()
    manifest.write_text(text.replace("red_ratio: 0.78", "red_ratio: 0.95"), encoding="utf-8")
    command = [sys.executable, "-m", "safepoint", "simulate", str(chat.transcript), "--json"]
    done = subprocess.run([*command, "--manifest", str(manifest)], capture_output=True, check=True)
    assert [crossing["level"] for crossing in json.loads(done.stdout)["crossings"]] == ["yellow"]


def test_a_cursor_journal_is_replayed(project: Path) -> None:
    chat = full_chat(project)
    chat.prompt()
    assert chat.shell("make")["permission"] == "deny"
    found = simulation.simulate(Path(Paths(str(project)).journal(chat.session)), SETTINGS)
    red = found["crossings"][-1]
    assert (found["host"], red["level"], red["call"]) == ("cursor", "red", found["calls"])
    assert red["reading"] == state(project, chat.session)["reading"]


def test_both_forms_tell_the_time_in_utc_and_one_call_is_one(chat: ClaudeChat) -> None:
    grown(chat, 160_000)
    journal = Path(Paths(str(chat.project)).journal(chat.session))
    for path in (chat.transcript, journal):
        (crossing,) = simulation.simulate(path, SETTINGS)["crossings"]
        assert crossing["at"].endswith("Z") and len(crossing["at"]) == 20
    command = [sys.executable, "-m", "safepoint", "simulate", str(chat.transcript)]
    assert ", 1 tool call\n" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("window", ["5", "15999", "21m", "1e9"])
def test_a_window_that_is_none_is_refused(chat: ClaudeChat, window: str) -> None:
    grown(chat, 60_000)
    command = [sys.executable, "-m", "safepoint", "simulate", str(chat.transcript), "--window", window]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "16,000 to 20,000,000" in done.stderr


def test_what_is_no_record_of_a_chat_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n")
    done = subprocess.run([sys.executable, "-m", "safepoint", "simulate", str(page)], capture_output=True)
    assert done.returncode == 1 and b"neither a transcript" in done.stderr


def told(path: Path, *options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "safepoint", "simulate", str(path), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


TOOL = {"type": "tool_use", "id": "a\ud800", "name": "\x1b[2J\ud800Bash", "input": {}}
CALL = {"type": "assistant", "timestamp": "\x1b]0;t\x07", "message": {
    "id": "m", "model": "claude-x\x1b[31m", "usage": {"input_tokens": 190_000}, "content": [TOOL],
}}  # fmt: skip
BEFORE: dict[str, Any] = {"kind": "before_tool", "at": 1, "tool": "Bash"}


def test_what_a_file_says_reaches_no_terminal_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(CALL, separators=(",", ":")) + "\n")
    status, text = told(path)
    assert status == 0 and "Red (from" in text and "Bash" in text
    assert all(char.isprintable() for char in text.replace("\n", ""))
    status, text = told(path, "--json")
    assert status == 0 and json.loads(text)["crossings"][0]["at"] == "", "a text that is no time"


@pytest.mark.parametrize(
    "damaged",
    [
        {"kind": "snapshot"}, {"kind": "snapshot", "state": 5}, {"kind": "snapshot", "state": {"meter": 7}},
        {**BEFORE, "at": float("nan")}, {**BEFORE, "key": 5}, {"kind": 5}, {"kind": "waiting", "value": [1]},
        {**BEFORE, "reading": {"tokens": "x"}},
    ],
)  # fmt: skip
def test_a_damaged_record_tells_nothing(tmp_path: Path, damaged: dict[str, Any]) -> None:
    path = tmp_path / "c.journal.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in (BEFORE, damaged, {**BEFORE, "at": 2})))
    status, text = told(path)
    assert status == 0 and "2 tool calls" in text


def test_a_time_that_no_clock_shows_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "c.journal.jsonl"
    stated = {"kind": "status_line", "at": 1e300, "context_tokens": 190_000}
    path.write_text("".join(json.dumps(record) + "\n" for record in (stated, {**BEFORE, "at": 1e300})))
    (crossing,) = simulation.simulate(path, SETTINGS)["crossings"]
    assert (crossing["level"], crossing["at"]) == ("red", "")


def test_a_state_that_cannot_be_measured_is_said(tmp_path: Path) -> None:
    path = tmp_path / "c.journal.jsonl"
    snapshot = {"kind": "snapshot", "state": {"meter": {"window": "x", "transcript": 7}, "host": "cursor"}}
    path.write_text(json.dumps(snapshot) + "\n" + json.dumps(BEFORE) + "\n")
    status, text = told(path)
    assert status in (0, 1) and "bug" not in text


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        status, text = told(path)
        assert status == 1 and f"{path}: no regular file" in text
