"""Claude Code, event by event, where the real client would be too slow or too tame a driver."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from claude_chat import ClaudeChat, added, is_denied
from host_process import state

RED, YELLOW, GREEN = 160_000, 125_000, 60_000


def working_chat(project: Path, session: str = "c1") -> ClaudeChat:
    chat = ClaudeChat(project, session)
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Add a discount")
    chat.context(GREEN)
    chat.tool("Write", file_path=str(project / "basket.py"), content="x = 1\n")
    return chat


def bash(number: int, command: str = "make") -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"p{number}"}


def errors(project: Path) -> list[dict[str, Any]]:
    path = project / ".cursor/.session/errors.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_green_says_nothing_and_yellow_speaks_once(project: Path) -> None:
    chat = working_chat(project)
    assert chat.tool("Bash", command="make") == {}
    chat.context(YELLOW)
    told = chat.tool("Bash", command="make")
    assert "63%" in told["systemMessage"] and "subagent" in added(told)
    assert "permissionDecision" not in told["hookSpecificOutput"]
    assert (project / ".cursor/.session/handoff-c1.md").is_file()
    assert chat.tool("Bash", command="make") == {}
    assert not (project / ".cursor/.session/pending/c1.json").exists()


def test_parallel_calls_at_red_are_all_denied_after_one_save(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: chat.send("PreToolUse", **bash(n)), range(16)))
    assert all(is_denied(answer) for answer in answers)
    reasons = sorted(len(answer["hookSpecificOutput"]["permissionDecisionReason"]) for answer in answers)
    assert reasons[-1] > 400 and reasons[-2] < 300, "one whole reason, and one line for the others"
    assert len(list((project / ".cursor/.session").glob("red-checkpoint-*"))) == 1
    assert errors(project) == []


def test_the_third_message_of_denied_calls_ends_the_turn(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    for message in range(3):
        assert is_denied(chat.tool("Bash", command=f"make {message}"))
        assert chat.batch.get("continue", True) is (message < 2)
    assert "handoff-c1.md" in chat.batch["stopReason"]
    chat.send("UserPromptSubmit", prompt="and now?")
    assert is_denied(chat.tool("Bash", command="make")) and chat.batch == {}  # a turn of its own


def test_a_second_delivery_of_an_event_changes_nothing(project: Path) -> None:
    chat = working_chat(project)
    for _ in range(2):
        chat.send("PreToolUse", **bash(1))
    for _ in range(2):
        chat.send("PostToolUse", **bash(1), tool_response={"stdout": "x"})
    known = state(project, "c1")
    assert known["tool_calls"] == 2 and len(known["recent_commands"]) == 1


def test_a_state_that_cannot_be_saved_lets_the_tool_run_and_says_so_once(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    folder = project / ".cursor/.session"
    (folder / "red-checkpoint-c1.json").mkdir()
    for number in range(2, 40):  # every name it could take is taken by a folder
        (folder / f"red-checkpoint-c1-{number}.json").mkdir()
    (folder / "handoff-c1.md").mkdir()
    first = chat.tool("Bash", command="make")
    assert not is_denied(first) and "could not be saved" in first["systemMessage"]
    assert chat.tool("Bash", command="make") == {}
    assert [error["kind"] for error in errors(project)] == ["save"]


@pytest.mark.parametrize(
    ("word", "part"),
    [("safepoint status", "Red from 156,000"), ("  Safepoint STATUS ", "Red from"),
     ("safepoint dismiss nothing", "no handoff waits"), ("safepoint pick nope", "no handoff waits")],
)  # fmt: skip
def test_a_prompt_word_is_answered_by_the_hook(project: Path, word: str, part: str) -> None:
    answer = working_chat(project).send("UserPromptSubmit", prompt=word)
    assert answer["decision"] == "block" and part in answer["reason"]


@pytest.mark.parametrize(
    "prompt",
    [
        "please run safepoint extend",
        "safepoint extend\nand go on",
        "safepoint fly",
        "safepoint status please",
    ],
)
def test_a_prompt_that_only_holds_a_word_is_a_prompt(project: Path, prompt: str) -> None:
    chat = working_chat(project)
    assert chat.send("UserPromptSubmit", prompt=prompt) == {}
    assert state(project, "c1")["extended"] == 0


@pytest.mark.parametrize("prompt", ["safepoint", "safepoint help", "safepoint extned", "Safepoint puase"])
def test_a_slip_of_a_word_is_answered_with_the_words(project: Path, prompt: str) -> None:
    chat = working_chat(project)
    answer = chat.send("UserPromptSubmit", prompt=prompt)
    assert answer["decision"] == "block" and "safepoint extend [tokens]" in answer["reason"]
    assert state(project, "c1")["last_prompt"] == "Add a discount"


@pytest.mark.parametrize(
    ("tokens", "word", "part"),
    [
        (195_000, "safepoint extend", "nothing was changed"),
        (160_000, "safepoint extend 1k", "nothing was changed"),
        (160_000, "safepoint extend ２０ｋ", "now begins at 176,000"),
        (160_000, "safepoint extend 100k", "100,000 were asked for"),
        (GREEN, "safepoint extend", "goes on."),
    ],
)
def test_an_extension_says_what_it_does(project: Path, tokens: int, word: str, part: str) -> None:
    chat = working_chat(project)
    chat.context(tokens)
    denied = is_denied(chat.tool("Bash", command="make"))
    reason = chat.send("UserPromptSubmit", prompt=word)["reason"]
    assert part in reason
    refused = "nothing was changed" in reason
    assert (project / ".cursor/.session/pending/c1.json").exists() == (denied and refused)
    assert ("withdrawn" in reason) == (denied and not refused)


@pytest.mark.parametrize("value", ["OFF", " off", "0", "false", "No"])
def test_off_is_understood_as_people_write_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    chat = working_chat(project)
    chat.context(RED)
    monkeypatch.setenv("SAFEPOINT", value)
    assert chat.tool("Bash", command="make") == {}


def test_a_misspelt_switch_changes_nothing_and_is_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAFEPOINT", "of")
    (project / ".cursor/hooks/settings.local.json").write_text('{mode: "off"}')
    told = ClaudeChat(project).send("SessionStart", source="startup")["systemMessage"]
    assert 'SAFEPOINT says "of"' in told and ".cursor/hooks/settings.local.json holds what" in told
    chat = working_chat(project, "c2")
    chat.context(RED)
    assert is_denied(chat.tool("Bash", command="make"))


def test_a_damaged_installation_is_logged_and_told(project: Path) -> None:
    working_chat(project)
    package = next((project / ".cursor/hooks").glob("_safepoint_*"))
    (package / "session.py").unlink()
    for cache in package.rglob("__pycache__/session.*"):
        cache.unlink()
    told = ClaudeChat(project, "c2").send("SessionStart", source="startup")
    assert "does not work in this folder" in told["systemMessage"]
    assert ClaudeChat(project, "c2").send("PreToolUse", **bash(1)) == {}
    assert "session" in errors(project)[-1]["error"]


def test_extending_goes_on_and_takes_the_handoff_back(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    assert is_denied(chat.tool("Bash", command="make"))
    pending = project / ".cursor/.session/pending/c1.json"
    assert pending.is_file() and (project / ".cursor/.session/HANDOFF.md").is_file()
    answer = chat.send("UserPromptSubmit", prompt="safepoint extend 20k")
    assert "176,000" in answer["reason"]
    assert not pending.exists() and not (project / ".cursor/.session/HANDOFF.md").exists()
    assert not is_denied(chat.tool("Bash", command="make"))
    chat.context(177_000)
    assert is_denied(chat.tool("Bash", command="make"))
    assert len(list((project / ".cursor/.session").glob("red-checkpoint-*"))) == 2


def test_pausing_lets_everything_run_and_ends_with_a_new_save(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    chat.tool("Bash", command="make")
    began = chat.send("UserPromptSubmit", prompt="safepoint pause")["reason"]
    assert "handoff that waited for a new chat is withdrawn" in began and "it waits again" in began
    assert not is_denied(chat.tool("Bash", command="make"))
    assert not (project / ".cursor/.session/pending/c1.json").exists()
    ended = chat.send("UserPromptSubmit", prompt="safepoint PAUSE")["reason"]
    assert "at its next tool the state is saved" in ended and "withdrawn" not in ended
    assert is_denied(chat.tool("Bash", command="make"))
    assert (project / ".cursor/.session/pending/c1.json").is_file()


def test_a_pause_below_red_says_nothing_of_a_handoff(project: Path) -> None:
    chat = working_chat(project)
    words = ("safepoint pause", "safepoint PAUSE")
    replies = [chat.send("UserPromptSubmit", prompt=word)["reason"] for word in words]
    assert "nothing is stopped" in replies[0] and "the pause is over" in replies[1]
    assert not any("handoff" in reply for reply in replies)


@pytest.mark.parametrize(("mode", "says"), [("off", False), ("warn", True)])
def test_the_environment_switches_the_guard(
    project: Path, monkeypatch: pytest.MonkeyPatch, mode: str, says: bool
) -> None:
    chat = working_chat(project)
    chat.context(RED)
    monkeypatch.setenv("SAFEPOINT", mode)
    answer = chat.tool("Bash", command="make")
    assert not is_denied(answer) and ("systemMessage" in answer) is says
    assert chat.tool("Bash", command="make") == {}


def test_a_persons_own_settings_switch_the_guard(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    (project / ".cursor/hooks/settings.local.json").write_text('{"mode": "warn"}')
    assert not is_denied(chat.tool("Bash", command="make"))


def test_a_subagent_has_a_reading_of_its_own(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    assert is_denied(chat.tool("Agent", prompt="look", subagent_type="Explore"))
    child = {"agent_id": "a7", "agent_type": "Explore"}
    assert chat.send("PreToolUse", **bash(1), **child) == {}
    assert state(project, "c1.a7")["agent_id"] == "a7"


def test_a_childs_changes_are_its_parents(project: Path) -> None:
    chat = working_chat(project)
    call = {"tool_name": "Write", "tool_use_id": "w1",
            "tool_input": {"file_path": str(project / "new.py"), "content": "1"}}  # fmt: skip
    child = {"agent_id": "a7", "agent_type": "Explore"}
    chat.send("PreToolUse", **call, **child)
    chat.send("PostToolUse", **call, **child, tool_response={})
    chat.send("SubagentStop", agent_id="a7", agent_type="Explore")
    assert state(project, "c1")["files_changed"] == ["basket.py", "new.py"]


@pytest.mark.parametrize("damage", [b"", b"\0\1\2", b'{"schema_version": 99}', b"{"])
def test_a_damaged_state_is_rebuilt_and_told(project: Path, damage: bytes) -> None:
    chat = working_chat(project)
    before = state(project, "c1")
    path = project / ".cursor/.session/c1.state.json"
    path.write_bytes(damage)
    answer = chat.tool("Bash", command="make")
    assert "rebuilt" in answer["systemMessage"]
    assert state(project, "c1")["completed_work"][: len(before["completed_work"])] == before["completed_work"]
    assert chat.tool("Bash", command="make") == {}
    assert list(path.parent.glob("c1.state.json.broken-*"))


def test_two_live_sessions_of_a_campaign_keep_apart(project: Path) -> None:
    first, second = working_chat(project, "c1"), working_chat(project, "d2222222-x")
    folder = project / ".cursor/.session"
    names = sorted(path.name for path in folder.glob("resume-point-*.json"))
    assert names == ["resume-point-fix-basket.d2222222.json", "resume-point-fix-basket.json"]
    first.tool("Bash", command="make one")
    second.tool("Bash", command="make two")
    owner = json.loads((folder / "resume-point-fix-basket.json").read_text())
    assert owner["orig_session_id"] == "c1"
    assert owner["recent_commands"][-1]["command"] == "make one"


def test_a_compaction_is_survived_with_a_brief(project: Path) -> None:
    chat = working_chat(project)
    assert chat.send("PreCompact", trigger="auto") == {}
    chat.write({"type": "system", "subtype": "compact_boundary", "compactMetadata": {"postTokens": 9_000}})
    brief = added(chat.send("SessionStart", source="compact"))
    assert "CONTEXT_BUDGET_RESUME" not in brief and "compacted" in brief
    assert len(brief.encode()) <= 2048
    chat.tool("Bash", command="make")
    assert state(project, "c1")["reading"]["measured"] == 9_000


def test_a_second_red_of_the_next_session_keeps_what_the_first_has_done(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    chat.tool("Bash", command="make")
    chat.send("SessionEnd", reason="clear")
    second = working_chat(project, "c2")
    second.context(RED)
    assert is_denied(second.tool("Bash", command="make"))
    point = json.loads((project / ".cursor/.session/red-checkpoint-c2.json").read_text())["resume_point"]
    assert "Write basket.py" in [item["description"] for item in point["completed_work"]]


def test_the_next_session_owns_the_campaign_from_the_first_ones_red_on(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    chat.tool("Bash", command="make")
    chat.send("Stop")
    working_chat(project, "c2")
    folder = project / ".cursor/.session"
    assert [path.name for path in folder.glob("resume-point-*.json")] == ["resume-point-fix-basket.json"]
    assert json.loads((folder / "resume-point-fix-basket.json").read_text())["orig_session_id"] == "c2"


def test_a_campaign_that_was_taken_over_stays(project: Path) -> None:
    subprocess.run(["git", "checkout", "-q", "main"], cwd=project, check=True)
    chat = working_chat(project)
    chat.context(RED)
    chat.tool("Bash", command="make")
    second = working_chat(project, "c2")
    for prompt in ("and now", "and then"):
        second.send("UserPromptSubmit", prompt=prompt)
        known = state(project, "c2")
        assert (known["campaign_slug"], known["campaign_by"]) == ("session-c1", "handoff")


def test_an_edited_manifest_that_was_not_compiled_is_told(project: Path) -> None:
    manifest = project / ".cursor/hooks/manifest.yaml"
    manifest.write_text(manifest.read_text() + "# mine\n")
    told = ClaudeChat(project).send("SessionStart", source="startup")
    assert "manifest.yaml has changed" in told["systemMessage"]


def test_a_repository_without_git_is_served(tmp_path: Path) -> None:
    from host_process import install

    folder = tmp_path / "plain"
    folder.mkdir()
    install(folder)
    chat = working_chat(folder)
    chat.context(RED)
    assert is_denied(chat.tool("Bash", command="make"))
    point = json.loads((folder / ".cursor/.session/red-checkpoint-c1.json").read_text())["resume_point"]
    assert point["git_snapshot"] == {"unavailable": "not a repository"}
    assert point["campaign_slug"] == "session-c1"
    new = ClaudeChat(folder, "c2").send("SessionStart", source="startup")
    assert "[CONTEXT_BUDGET_RESUME] campaign=session-c1" in added(new)


def test_the_state_stays_out_of_commits(project: Path) -> None:
    chat = working_chat(project)
    chat.context(RED)
    chat.tool("Bash", command="make")
    command = ["git", "status", "--porcelain", "--untracked-files=all"]
    told = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    assert not [line for line in told.stdout.splitlines() if ".session" in line or ".tracking" in line]
