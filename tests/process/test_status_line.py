"""The status line as a process: the user's own output first, then ours, and what the host states recorded."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from claude_chat import ClaudeChat
from host_process import CursorChat, state

from safepoint import registration
from safepoint.hot.stores.paths import Paths

BAR = "ctx ███████░░░ 72% 144k/200k"


class StatusLine:
    """What the host runs for one chat. Its home folder is a scratch one."""

    def __init__(self, project: Path, home: Path, session: str = "c1") -> None:
        self.project, self.home, self.session = project, home, session
        self.model = "claude-sonnet-4-5"
        self.settings = home / ".claude/settings.json"
        self.settings.parent.mkdir(parents=True, exist_ok=True)

    def payload(self, tokens: int | None = 144_000, window: int = 200_000, **context: Any) -> dict[str, Any]:
        usage = None if tokens is None else {
            "input_tokens": 4, "output_tokens": 40, "cache_creation_input_tokens": 996,
            "cache_read_input_tokens": tokens - 1000,
        }  # fmt: skip
        told = {"context_window_size": window, "current_usage": usage, "used_percentage": None, **context}
        return {"session_id": self.session, "cwd": str(self.project), "context_window": told,
                "model": {"id": self.model}}  # fmt: skip

    def raw(self, data: bytes, theirs: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
        command = registration.status_line("python3", theirs)
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C",
                     "CLAUDE_PROJECT_DIR": str(self.project), **environment}  # fmt: skip
        done = subprocess.run(
            ["sh", "-c", command], input=data, env=variables, cwd=self.project, capture_output=True
        )
        assert done.returncode == 0
        return done

    def shown(self, theirs: str = "", environment: dict[str, str] | None = None, **payload: Any) -> str:
        data = json.dumps(self.payload(**payload)).encode()
        return self.raw(data, theirs, **(environment or {})).stdout.decode()

    def journal(self) -> list[dict[str, Any]]:
        lines = Path(Paths(str(self.project)).journal(self.session)).read_text().splitlines()
        return [record for record in map(json.loads, lines) if record["kind"] == "status_line"]


@pytest.fixture
def line(project: Path, tmp_path: Path) -> StatusLine:
    return StatusLine(project, tmp_path / "home")


@pytest.fixture
def chat(project: Path) -> ClaudeChat:
    chat = ClaudeChat(project)
    chat.send("SessionStart", source="startup", model="claude-opus-4-6")
    chat.send("UserPromptSubmit", prompt="Go")
    return chat


# --- the user's own command -------------------------------------------------------------------------------


def test_output_of_the_users_own_is_passed_on_byte_for_byte(line: StatusLine, tmp_path: Path) -> None:
    told = bytes(range(1, 256)) + b"\n\x1b[32mtwo\x1b[0m\n\n"
    (tmp_path / "told").write_bytes(told)
    own = f"cat {shlex.quote(str(tmp_path / 'told'))}"
    done = line.raw(json.dumps(line.payload()).encode(), own)
    assert done.stdout == told + BAR.encode() + b"\n"


def test_it_gets_the_payload_as_it_came(line: StatusLine, tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf {"session_id": "\xff",  "a":\n1, "big": "' + b"x" * 300_000 + b'"}\n'
    got = tmp_path / "got"
    line.raw(data, f"cat > {shlex.quote(str(got))}")
    assert got.read_bytes() == data


@pytest.mark.parametrize(
    ("own", "before"),
    [("exit 3", ""), ("echo half; kill -9 $$", "half\n"), ("no-such-program", ""), ("printf x", "x\n")],
)
def test_a_failure_of_it_leaves_ours(line: StatusLine, own: str, before: str) -> None:
    assert line.shown(own) == before + BAR + "\n"


def test_one_that_hangs_is_ended_and_ours_is_shown(line: StatusLine) -> None:
    began = time.monotonic()
    assert line.shown("sleep 60 & sleep 60") == BAR + "\n"
    assert time.monotonic() - began < 15


def test_the_one_in_the_users_settings_is_run_as_it_is_now(line: StatusLine) -> None:
    line.settings.write_text('{"statusLine": {"type": "command", "command": "echo one"}}')
    assert line.shown() == f"one\n{BAR}\n"
    line.settings.write_text('{"statusLine": {"type": "command", "command": "echo two"}}')
    assert line.shown() == f"two\n{BAR}\n"
    assert line.shown("echo mine") == f"mine\n{BAR}\n"  # what ours has replaced stood nearer
    line.settings.write_text("{ broken")
    assert line.shown() == f"{BAR}\n"


def test_one_that_leads_back_here_is_run_once(line: StatusLine) -> None:
    again = registration.status_line("python3", "")
    line.settings.write_text(json.dumps({"statusLine": {"type": "command", "command": again}}))
    assert line.shown() == f"{BAR}\n"
    assert line.shown(again) == f"{BAR}\n"


@pytest.mark.parametrize("data", [b"", b"no JSON", b"[1]", b'{"session_id": 1}'])
def test_no_payload_takes_the_users_own_away(line: StatusLine, data: bytes) -> None:
    assert line.raw(data, "echo own").stdout.splitlines()[0] == b"own"


def test_without_settings_of_ours_theirs_is_shown(line: StatusLine) -> None:
    (line.project / ".cursor/hooks/settings.json").unlink()
    assert line.shown("echo own") == "own\n"


def test_what_fails_each_time_it_is_drawn_does_not_fill_the_log(line: StatusLine, chat: ClaudeChat) -> None:
    (line.project / ".cursor/hooks/settings.json").write_text("{")
    log = Path(Paths(str(line.project)).errors())
    assert line.shown("echo own") == "own\n"
    assert "status_line" in log.read_text()
    log.write_text("x" * 60_000)
    line.shown()
    assert log.stat().st_size == 60_000


def test_switched_off_it_shows_theirs_alone(line: StatusLine) -> None:
    assert line.shown("echo own", {"SAFEPOINT": "off"}) == "own\n"


# --- ours -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        ({"tokens": None}, "ctx ░░░░░░░░░░ –/200k"),
        ({"tokens": 961_000, "window": 1_000_000}, "ctx ██████████ 96% 961k/1M"),
        ({"tokens": None, "used_percentage": 34.5}, "ctx ███░░░░░░░ 34% 69k/200k"),
        ({"tokens": 5_000, "window": 7}, "ctx 5k"),
    ],
)
def test_the_hosts_figures_are_shown(line: StatusLine, payload: dict[str, Any], text: str) -> None:
    assert line.shown(**payload) == text + "\n"


def test_campaign_todos_and_level_are_those_of_the_session(line: StatusLine, chat: ClaudeChat) -> None:
    todos = [{"content": f"Part {n}", "activeForm": "x", "status": "completed" if n < 4 else "pending"}
             for n in range(7)]  # fmt: skip
    chat.tool("TodoWrite", todos=todos)
    assert line.shown() == f"{BAR} Yellow · fix-basket · 4/7\n"
    assert line.shown(tokens=20_000) == "ctx █░░░░░░░░░ 10% 20k/200k · fix-basket · 4/7\n"


def test_the_guard_knows_the_window_from_the_status_line(line: StatusLine, chat: ClaudeChat) -> None:
    chat.model = line.model = "claude-opus-4-6"  # of two windows
    chat.context(170_000)
    chat.tool("Bash", command="ls")
    assert state(chat.project, "c1")["reading"]["window_source"] == "ambiguous"
    assert state(chat.project, "c1")["level"] == "yellow"
    line.shown(tokens=170_000)
    assert chat.tool("Bash", command="make")["hookSpecificOutput"]["permissionDecision"] == "deny"
    reading = state(chat.project, "c1")["reading"]
    assert (reading["window"], reading["window_source"], reading["source"]) == (200_000, "host", "transcript")


def test_a_window_larger_than_assumed_opens_what_it_can(line: StatusLine, chat: ClaudeChat) -> None:
    chat.context(170_000)
    line.shown(tokens=170_000, window=1_000_000)
    assert chat.tool("Bash", command="ls") == {}
    assert state(chat.project, "c1")["level"] == "green"


def test_it_writes_only_what_is_news(line: StatusLine, chat: ClaudeChat) -> None:
    chat.context(20_000)
    chat.tool("Bash", command="ls")
    for _ in range(3):
        line.shown(tokens=20_000)
    assert [record["window"] for record in line.journal()] == [200_000]
    chat.tool("Bash", command="ls")
    line.shown(tokens=30_000)
    assert len(line.journal()) == 1
    line.shown(tokens=30_000, window=1_000_000)
    assert [record["window"] for record in line.journal()] == [200_000, 1_000_000]


def test_the_next_chat_of_that_model_has_learned_the_window(line: StatusLine, chat: ClaudeChat) -> None:
    line.shown(tokens=20_000, window=1_000_000)
    other = ClaudeChat(chat.project, "c2")
    other.send("SessionStart", source="startup", model=line.model)
    assert state(chat.project, "c2")["meter"]["window"] == 1_000_000


def test_a_session_that_no_hook_has_seen_is_not_begun(line: StatusLine) -> None:
    line.session = "unseen"
    assert line.shown() == f"{BAR}\n"
    assert not (line.project / ".cursor/.session").exists()


def test_a_damaged_state_takes_nothing_away(line: StatusLine, chat: ClaudeChat) -> None:
    Path(Paths(str(line.project)).state("c1")).write_text("{")
    assert line.shown("echo own").startswith(f"own\n{BAR}")


def test_cursors_share_of_the_window_is_the_context(project: Path, tmp_path: Path) -> None:
    line, chat = StatusLine(project, tmp_path / "home", "cur-1"), CursorChat(project)
    chat.send("sessionStart", generation_id="")
    chat.prompt()
    chat.shell("make", "ok")
    assert "81% 162k/200k Red" in line.shown(tokens=None, used_percentage=81)
    assert chat.shell("make more")["permission"] == "deny"
    reading = state(project, "cur-1")["reading"]
    assert (reading["measured"], reading["source"], reading["window_source"]) == (162_000, "host", "host")
    line.shown(tokens=None, used_percentage=81)
    assert len(line.journal()) == 1


def test_the_command_line_shows_the_same(line: StatusLine) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "safepoint", "statusline", "echo own"], capture_output=True,
        input=json.dumps(line.payload()).encode(), cwd=line.home,
    )  # fmt: skip
    assert done.stdout.decode() == f"own\n{BAR}\n"


def test_the_command_line_runs_nothing_that_a_repository_brings(line: StatusLine, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (line.project / ".claude").mkdir(exist_ok=True)
    (line.project / ".claude/settings.json").write_text(
        json.dumps({"statusLine": {"type": "command", "command": f"touch {ran}"}})
    )
    for name in ("session_statusline.py", "safepoint.py", "time.py"):
        (line.project / ".cursor/hooks" / name).write_text(f"open({str(ran)!r}, 'w')\n")
    for package in (line.project / ".cursor/hooks").glob("_safepoint_*"):
        (package / "statusline.py").write_text(f"open({str(ran)!r}, 'w')\n")
    done = subprocess.run(
        [sys.executable, "-m", "safepoint", "statusline"], capture_output=True,
        input=json.dumps(line.payload()).encode(), cwd=line.home, env={**os.environ, "HOME": str(line.home)},
    )  # fmt: skip
    assert (done.stdout.decode(), done.returncode, ran.exists()) == (f"{BAR}\n", 0, False)


def test_the_command_line_goes_by_the_projects_settings(line: StatusLine) -> None:
    file = line.project / ".cursor/hooks/settings.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "mode": "off"}))
    done = subprocess.run(
        [sys.executable, "-m", "safepoint", "statusline", "echo own"], capture_output=True,
        input=json.dumps(line.payload()).encode(), cwd=line.home,
    )  # fmt: skip
    assert done.stdout.decode() == "own\n"


def test_a_child_that_it_leaves_is_not_waited_for(line: StatusLine) -> None:
    assert line.shown("(sleep 2; echo late) & echo own") == f"own\n{BAR}\n"
