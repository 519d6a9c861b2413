"""status, explain, resume, extend, validate, replay, hook and demo, on what the real hooks have written."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import payloads
import pytest
from claude_chat import ClaudeChat, added, is_denied
from click.testing import CliRunner, Result
from host_process import CursorChat, install
from scratch_repository import make_repository

from safepoint import cli
from safepoint.errors import SafepointError

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    def call(*arguments: str, stdin: Any = None) -> Result:
        result = CliRunner().invoke(cli.main, list(arguments), input=stdin, standalone_mode=False)
        if result.exception and not isinstance(result.exception, (SafepointError, SystemExit)):
            raise result.exception
        return result

    return call


@pytest.fixture
def red(project: Path) -> ClaudeChat:
    chat = ClaudeChat(project, "red-session")
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Add a discount")
    chat.context(60_000)
    chat.tool("Write", file_path=str(project / "basket.py"), content="x = 1\n")
    chat.context(160_000)
    assert is_denied(chat.tool("Bash", command="make"))
    return chat


def parsed(result: Result) -> dict[str, Any]:
    value = json.loads(result.output)
    assert isinstance(value, dict)
    return value


def test_status_lists_the_newest_session_first(project: Path, red: ClaudeChat, run: Run) -> None:
    cursor = CursorChat(project, "cursor-session")
    cursor.send("sessionStart", generation_id="")
    cursor.prompt()
    found = parsed(run("status", str(project), "--json"))
    first, second = found["sessions"]
    assert (first["session_id"], first["host"]) == ("cursor-session", "cursor")
    assert (second["session_id"], second["host"], second["level"]) == ("red-session", "claude_code", "red")
    assert second["campaign_slug"] == "fix-basket" and second["stopped"] and second["handoff_pending"]
    reading = second["reading"]
    assert (reading["window"], reading["source"]) == (200_000, "transcript")
    assert 160_000 <= reading["tokens"] < 161_000
    assert found["pending"][0]["id"] == "red-session"
    text = run("status", str(project)).output
    assert "red-session" in text and "waiting: red-session" in text


def test_status_of_a_folder_without_sessions_says_so(tmp_path: Path, run: Run) -> None:
    text = run("status", str(tmp_path)).output
    assert "not installed" in text and "No session" in text
    assert parsed(run("status", str(tmp_path), "--json"))["sessions"] == []


def test_explain_names_reading_sources_and_thresholds(project: Path, red: ClaudeChat, run: Run) -> None:
    found = parsed(run("explain", "--project", str(project), "--session", "red-s", "--json"))
    assert found["level"] == "red" and found["thresholds"]["red_tokens"] == 156_000
    assert found["latch"]["phase"] == "saved" and found["tool"] == "Shell"
    text = run("explain", "--project", str(project)).output
    assert "yellow from 120,000, red from 156,000" in text and "tools are denied" in text


def test_an_unknown_session_is_an_error_that_names_the_known(
    project: Path, red: ClaudeChat, run: Run
) -> None:
    result = run("explain", "--project", str(project), "--session", "nope")
    assert "red-session" in str(result.exception)


def test_a_dismissed_handoff_is_shown_to_nobody(project: Path, red: ClaudeChat, run: Run) -> None:
    assert "red-session" in run("resume", "--project", str(project)).output
    run("resume", "--project", str(project), "--dismiss", "red-s")
    assert parsed(run("resume", "--project", str(project), "--list", "--json"))["handoffs"] == []
    assert added(ClaudeChat(project, "n1").send("SessionStart", source="startup")) == ""
    assert (project / ".cursor/.session/handoff-red-session.md").is_file()


def test_a_picked_handoff_is_shown_before_a_newer_one(project: Path, run: Run) -> None:
    chats = [ClaudeChat(project, name) for name in ("older-session", "newer-session")]
    for chat in chats:
        chat.send("SessionStart", source="startup")
        chat.send("UserPromptSubmit", prompt="Go")
    for chat in chats:
        chat.context(160_000)
        assert is_denied(chat.tool("Bash", command="make"))
    run("resume", "--project", str(project), "--pick", "older-session")
    shown = added(ClaudeChat(project, "n1").send("SessionStart", source="startup"))
    assert "handoff-older-session.md" in shown


def test_extend_raises_red_and_withdraws_the_handoff(project: Path, red: ClaudeChat, run: Run) -> None:
    found = parsed(run("extend", "10000", "--project", str(project), "--json"))
    assert (found["extended_tokens"], found["red_tokens"]) == (10_000, 166_000)
    assert found["handoff_withdrawn"] is True
    assert not (project / ".cursor/.session/pending/red-session.json").exists()
    assert not is_denied(red.tool("Bash", command="make"))


@pytest.mark.parametrize(("language", "said"), [("en", "is withdrawn"), ("ja", "取り下げました")])
@pytest.mark.parametrize("way", ["the command extend", "safepoint extend 10k", "safepoint pause"])
def test_a_handoff_that_is_withdrawn_is_told(
    tmp_path: Path, run: Run, way: str, language: str, said: str
) -> None:
    project = make_repository(tmp_path / "repo")
    install(project, language=language)
    chat = ClaudeChat(project, "red-session")

    asked = count(1)

    def ask() -> str:
        if way.startswith("safepoint"):  # the spaces make it another prompt, not one that is delivered twice
            return str(chat.send("UserPromptSubmit", prompt=way + " " * next(asked))["reason"])
        return run("extend", "10k", "--project", str(project)).output

    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Add a discount")
    chat.context(100_000)
    chat.tool("Bash", command="make")
    offer = project / ".cursor/.session/pending/red-session.json"
    offer.parent.mkdir(exist_ok=True)
    offer.write_text("{}")  # one that was written when the chat was over, not at Red
    assert said not in ask() and offer.exists()
    chat.context(170_000)
    if way == "safepoint pause":
        ask()
    assert is_denied(chat.tool("Bash", command="make"))
    assert said in ask() and not offer.exists()
    assert said not in ask()


@pytest.mark.parametrize("name", ["CLAUDECODE", "CURSOR_AGENT"])
def test_an_agent_cannot_extend(
    project: Path, red: ClaudeChat, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    result = run("extend", "--project", str(project))
    assert "Only a person" in str(result.exception)
    assert is_denied(red.tool("Bash", command="make"))


def test_everything_written_at_red_is_valid(project: Path, red: ClaudeChat, run: Run) -> None:
    folder = project / ".cursor/.session"
    files = [
        folder / "red-checkpoint-red-session.json", folder / "resume-point-fix-basket.json",
        folder / "handoff-red-session.md", folder / "red-session.journal.jsonl",
        folder / "pending/red-session.json", project / ".cursor/hooks/manifest.yaml",
        project / ".cursor/hooks/settings.json",
    ]  # fmt: skip
    found = parsed(run("validate", *map(str, files), "--json"))
    assert [one["problems"] for one in found["files"]] == [[]] * 7
    assert [one["kind"] for one in found["files"]] == [
        "red checkpoint", "resume point", "handoff", "journal", "pending handoff", "manifest",
        "compiled settings",
    ]  # fmt: skip


def test_every_file_that_a_session_leaves_has_a_kind_and_is_valid(
    project: Path, red: ClaudeChat, run: Run
) -> None:
    red.send("Stop", stop_hook_active=False)
    (project / ".cursor/.session/handoff-red-session.notes.md").write_text("A thought\n")
    folders = [project / ".cursor/.session", project / ".cursor/.tracking"]
    found = [path for folder in folders for path in folder.rglob("*.*")]
    files = [str(path) for path in found if path.suffix in (".json", ".jsonl", ".md")]
    kinds = {
        one["path"].rpartition("/")[2]: (one["kind"], one["problems"])
        for one in parsed(run("validate", *files, red.transcript.as_posix(), "--json"))["files"]
    }
    assert [problems for _, problems in kinds.values() if problems] == []
    assert kinds["red-session.state.json"][0] == "session state"
    assert kinds["red-session.turns.jsonl"][0] == "turns of a session"
    assert kinds["red-session.journal.jsonl"][0] == "journal"
    assert kinds["HANDOFF.md"][0] == "pointer to a handoff"
    assert kinds[red.transcript.name][0] == "transcript of Claude Code"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.jsonl", '{"a": 1}\n', "none of the files Safepoint knows"),
        ("x.jsonl", '{"kind": "prompt"}\n[]\n', ":2: no JSON object"),
        ("x.turns.jsonl", '{"at": 1, "role": "user"}\n', "text"),
        ("x.state.json", '{"journal": {}, "check": "", "state": {}}', "not what was written"),
        ("HANDOFF.md", "[a](handoff-x.md)\n\n.cursor/.session/handoff-x.md\n", "is not there"),
        ("HANDOFF.md", "", "no line that links"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    tmp_path: Path, run: Run, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    result = run("validate", str(tmp_path / name))
    assert result.return_value == 1 and said in result.output


def test_a_changed_checkpoint_is_invalid(project: Path, red: ClaudeChat, run: Run, tmp_path: Path) -> None:
    whole = (project / ".cursor/.session/red-checkpoint-red-session.json").read_text()
    forged = tmp_path / "red-checkpoint.json"
    forged.write_text(whole.replace('"Shell"', '"Shelf"').replace("basket.py", "basket.pi"))
    result = run("validate", str(forged))
    assert result.return_value == 1 and "not what was written" in result.output


def test_replay_runs_the_real_hook(project: Path, red: ClaudeChat, run: Run, tmp_path: Path) -> None:
    payload = tmp_path / "payload.json"
    payload.write_text(
        json.dumps(
            payloads.claude("PreToolUse", session_id="red-session", cwd=str(project), tool_use_id="r1")
        )
    )
    found = parsed(run("replay", str(payload), "--project", str(project), "--json"))
    assert found["hook"] == "session_budget_guard" and found["exit"] == 0
    assert is_denied(json.loads(found["answer"]))
    scratch = parsed(run("replay", str(payload), "--scratch", "--json"))
    assert scratch["answer"] == "{}"


def test_hook_by_hand_answers_like_the_registered_one(project: Path, red: ClaudeChat, run: Run) -> None:
    payload = payloads.claude("PreToolUse", session_id="red-session", cwd=str(project), tool_use_id="h1")
    result = run("hook", "budget_guard", "--project", str(project), stdin=json.dumps(payload).encode())
    assert is_denied(json.loads(result.output))
    unknown = run("hook", "nope", "--project", str(project), stdin=b"{}")
    assert "budget_guard" in str(unknown.exception)


def test_the_demo_tells_the_whole_story(tmp_path: Path, run: Run) -> None:
    seen = parsed(run("demo", "--folder", str(tmp_path), "--json"))
    assert seen["green_answer"] == {}
    assert "62%" in seen["yellow_user"] and "subagent" in seen["yellow_model"]
    assert "Red begins at 156,000" in seen["deny_reason"] and seen["grace_denied"] == ""
    assert [Path(name).name for name in seen["files"]] == [
        "handoff-demo-first-chat.md", "red-checkpoint-demo-first-chat.json", "resume-point-fix-auth.json",
    ]  # fmt: skip
    assert seen["resume"].startswith("[CONTEXT_BUDGET_RESUME] campaign=fix-auth") and "2/3" in seen["resume"]
    assert seen["second_denied"] == "" and "CONTEXT_BUDGET_RESUME" not in seen["third"]


def test_the_demo_runs_below_a_relative_folder_and_names_nothing_that_it_has_removed(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my demos").mkdir()
    monkeypatch.chdir(tmp_path)
    told = run("demo", "--folder", "my demos", "--remove")
    assert told.exception is None and "A third chat" in told.output and "cd " not in told.output
    assert list((tmp_path / "my demos").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"), [("nowhere/below", "there is no such folder"), ("README.md", "this is no folder")]
)
def test_the_demo_makes_no_folder_but_its_own(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    (tmp_path / "README.md").write_text("mine")
    monkeypatch.chdir(tmp_path)
    assert said in str(run("demo", "--folder", name).exception)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
