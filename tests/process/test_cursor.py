"""Cursor, event by event, through the registered command lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from host_process import CursorChat, install, registered, state
from scratch_repository import make_repository

HEADER = "[CONTEXT_BUDGET_RESUME] campaign=fix-basket"


def full_chat(project: Path, **options: Any) -> CursorChat:
    """A chat whose last turn ended with 160,000 tokens of 200,000, as the two turns before it bear out."""
    chat = CursorChat(project, **options)
    chat.send("sessionStart", generation_id="")
    chat.prompt("Add a discount")
    chat.shell("pytest -q", "1 failed", exit_code=1)
    chat.turn += 1
    chat.send("beforeSubmitPrompt", prompt="Fix the failing test")
    chat.stop(157_700, output=40)
    for tokens in (158_400, 159_300):
        chat.prompt()
        chat.search()
        chat.stop(2 * tokens, output=80)
    return chat


@pytest.mark.parametrize("transport", ["heredoc", "pipe", "open_pipe"])
def test_every_registered_event_is_answered_by_one_object(project: Path, transport: Any) -> None:
    events = registered(project, "cursor")
    assert len(events) == 14
    for event in events:
        answer = CursorChat(project, f"s-{event}", transport=transport).send(event)
        assert (answer == {}) == (event != "preCompact"), event


def test_a_full_chat_is_stopped_with_its_state_saved(project: Path) -> None:
    chat = full_chat(project)
    chat.prompt("And the docs")
    answer = chat.shell("rm -r docs")
    assert answer["permission"] == "deny"
    assert answer["user_message"] == answer["agent_message"]
    assert "80%" in answer["user_message"] and "cursor://anysphere.cursor-deeplink" in answer["user_message"]
    folder = project / ".cursor/.session"
    point = json.loads((folder / "resume-point-fix-basket.json").read_text())
    assert point["recent_commands"][0]["command"] == "pytest -q"
    assert point["recent_commands"][0]["exit"] == 1
    assert point["next_action"] == {
        "description": "pytest -q (exit 1)", "inputs_to_read": [], "source": "failing_command",
    }  # fmt: skip
    checkpoint = folder / "red-checkpoint-cur-1.json"
    assert checkpoint.stat().st_mode & 0o777 == 0o400
    assert (folder / "handoff-cur-1.md").is_file()
    assert (folder / "pending/cur-1.json").is_file()


def test_a_shell_call_told_twice_counts_once(project: Path) -> None:
    chat = CursorChat(project)
    chat.send("sessionStart", generation_id="")
    chat.prompt()
    chat.shell("make", "built", exit_code=2)
    chat.shell("make", "built", exit_code=0)
    known = state(project, "cur-1")
    assert known["tool_calls"] == 2
    assert [command["exit"] for command in known["recent_commands"]] == [2, 0]
    assert known["open_errors"] == [] and known["open_calls"] == {}
    assert known["meter"]["requests"] == 2


def test_parallel_calls_are_one_request(project: Path) -> None:
    chat = CursorChat(project)
    chat.send("sessionStart", generation_id="")
    chat.prompt()
    calls = [
        {"tool_name": "Read", "tool_use_id": f"r{n}", "tool_input": {"file_path": f"f{n}.py"}} for n in (1, 2)
    ]
    for call in calls:
        chat.send("preToolUse", **call)
    for call in calls:
        told = json.dumps({"file_path": call["tool_input"]["file_path"], "content_length": 400})
        chat.send("postToolUse", **call, tool_output=told)
    assert state(project, "cur-1")["meter"]["requests"] == 1


@pytest.mark.parametrize(
    ("version", "shown_at"),
    [("3.20.17", "sessionStart"), ("2026.09.28-64d2043", "sessionStart"), ("3.12.17", "postToolUse")],
)
def test_a_new_chat_is_shown_the_handoff_once(project: Path, version: str, shown_at: str) -> None:
    full_chat(project).prompt()
    chat = CursorChat(project, "cur-1", "3.20.17")
    chat.shell("ls")
    new = CursorChat(project, "cur-2", version)
    seen = {"sessionStart": new.send("sessionStart", generation_id="")}
    seen["beforeSubmitPrompt"] = new.prompt("go on")
    seen["preToolUse"] = new.shell("ls", "basket.py")
    seen["postToolUse"] = new.last_after
    again = new.shell("pwd")
    shown = [event for event, answer in seen.items() if HEADER in answer.get("additional_context", "")]
    assert shown == [shown_at]
    text = seen[shown_at]["additional_context"]
    assert text.count("[CONTEXT_BUDGET_RESUME]") == 1 and len(text.encode()) <= 8192
    assert HEADER not in again.get("additional_context", "")
    third = CursorChat(project, "cur-3", version).send("sessionStart", generation_id="")
    assert "CONTEXT_BUDGET_RESUME" not in third.get("additional_context", "")


def test_a_chat_without_a_prompt_event_claims_with_its_first_tool(project: Path) -> None:
    full_chat(project).prompt()
    CursorChat(project).shell("ls")
    new = CursorChat(project, "cli-1", "2026.09.28-64d2043")
    assert HEADER in new.send("sessionStart", generation_id="")["additional_context"]
    new.shell("ls")
    assert state(project, "cli-1")["offer"]["settled"] is True
    assert not (project / ".cursor/.session/pending/cur-1.json").exists()


def test_a_subagents_conversation_is_measured_and_shown_nothing(project: Path) -> None:
    full_chat(project).prompt()
    CursorChat(project).shell("ls")
    child = CursorChat(project, "child-1")
    child.turn = 7
    answers = [child.shell("ls", "x"), child.last_after, child.shell("pwd", "y"), child.last_after]
    assert answers == [{}, {}, {}, {}]
    known = state(project, "child-1")
    assert known["known_origin"] is False and known["tool_calls"] == 2 and known["offer"] is None
    assert (project / ".cursor/.session/pending/cur-1.json").exists()
    assert not list((project / ".cursor/.session").glob("resume-point-*child*"))


def test_the_end_of_a_red_turn_is_told_once(project: Path) -> None:
    chat = full_chat(project)
    chat.prompt()
    chat.shell("ls")
    assert chat.stop(160_100) == {}  # a deny has told it in this turn
    chat.turn += 1
    said = chat.stop(160_200, generation_id="gen-later")
    assert "handoff-cur-1.md" in said["followup_message"]
    again = chat.stop(160_300, generation_id="gen-later", loop_count=1)
    assert again == {}


def test_a_compaction_hands_over_by_default(project: Path) -> None:
    chat = CursorChat(project)
    chat.send("sessionStart", generation_id="")
    chat.prompt("Add a discount")
    chat.shell("make")
    answer = chat.send("preCompact", context_tokens=179_000, context_window_size=200_000)
    assert "handoff-cur-1.md" in answer["user_message"]
    denied = chat.shell("make")
    assert denied["permission"] == "deny"
    pre_compact = (project / ".cursor/.session/pre-compact-cur-1.md").read_bytes()
    assert 0 < len(pre_compact) <= 8192
    swallowed = chat.prompt("safepoint extend")
    assert swallowed["continue"] is False
    assert chat.shell("make").get("permission") != "deny"


def test_a_long_chat_is_never_stopped_below_yellow_of_its_true_context(project: Path) -> None:
    """Rounds of reading and running whose true context is known to the test."""
    chat = CursorChat(project)
    chat.send("sessionStart", generation_id="")
    true, stopped_at = 20_000, None
    for turn in range(12):
        chat.prompt(f"Part {turn}")
        calls, total = 1, true
        for number in range(3):
            text = "word " * 2400  # about 3,000 tokens
            if chat.shell(f"cat part{turn}{number}.txt", text).get("permission") == "deny":
                stopped_at = true
                break
            true += 3_000
            calls += 1
            total += true
        if stopped_at:
            break
        chat.stop(total, output=60 * calls)
        true += 60 * calls
    assert stopped_at is None or stopped_at >= 120_000


def test_base_events_are_enough(tmp_path: Path) -> None:
    project = make_repository(tmp_path / "base")
    install(project, events="base")
    assert "postToolUseFailure" not in registered(project, "cursor")
    chat = full_chat(project)
    chat.prompt()
    assert chat.shell("ls")["permission"] == "deny"


@pytest.mark.parametrize("is_known", [True, False], ids=["a person's chat", "a subagent's, say"])
def test_yellow_is_told_only_where_the_origin_is_known(project: Path, is_known: bool) -> None:
    chat = CursorChat(project, transport="pipe")
    if is_known:
        chat.prompt()
    chat.shell("make", "x, " * 67_000)
    answer = chat.shell("ls")
    assert state(project, "cur-1")["level"] == "yellow"
    assert bool(answer) == is_known


def test_second_chat_of_a_campaign_names_its_own_resume_point(project: Path) -> None:
    other = CursorChat(project, session="other-1", transport="pipe")
    other.prompt("Something else")
    other.shell("make")
    answer = full_chat(project, transport="pipe").shell("ls")
    own = ".cursor/.session/resume-point-fix-basket.cur-1.json"
    assert own in answer["user_message"]
    assert own in (project / ".cursor/.session/handoff-cur-1.md").read_text()
    assert json.loads((project / own).read_text())["orig_session_id"] == "cur-1"
    new = CursorChat(project, session="cur-2", transport="pipe")
    assert own in new.send("sessionStart", generation_id="")["additional_context"]


@pytest.mark.parametrize(("tokens", "window"), [(900, 1000), (179_000, 128_000)])
def test_a_window_that_can_be_none_stops_no_chat(project: Path, tokens: int, window: int) -> None:
    first = CursorChat(project, "one", transport="pipe")
    first.prompt()
    first.send("preCompact", context_tokens=tokens, context_window_size=window)
    assert state(project, "one")["meter"].get("window") is None
    new = CursorChat(project, "two", transport="pipe")
    new.send("sessionStart", generation_id="")
    new.prompt()
    assert new.shell("ls").get("permission") != "deny"


@pytest.mark.parametrize(("hidden", "shells"), [(6, 1), (15, 2)])
def test_calls_that_no_hook_sees_are_no_full_context(project: Path, hidden: int, shells: int) -> None:
    """Searches of the web and by meaning and todo lists: each is one more call in the turn's sum."""
    chat, true = CursorChat(project, transport="pipe"), 22_000
    chat.send("sessionStart", generation_id="")
    sources = set()
    for turn in range(4):
        chat.prompt("go on")
        for number in range(shells):
            assert chat.shell(f"ls {turn}{number}", "a b c").get("permission") != "deny", (turn, true)
        calls = 1 + shells + hidden
        chat.stop(sum(true + 700 * call for call in range(calls)), 300)
        true += 700 * calls
        sources.add(state(project, "cur-1")["meter"].get("doubt", 0) > 0)
    assert sources == {True}


def test_a_chat_that_is_full_from_its_first_turn_is_stopped_in_its_fourth(project: Path) -> None:
    chat = CursorChat(project, transport="pipe")
    chat.send("sessionStart", generation_id="")
    allowed = []
    for turn, rounds in enumerate((0, 1, 2, 1)):
        chat.prompt()
        for number in range(rounds):
            allowed.append((turn, chat.shell(f"ls {turn}{number}", "a").get("permission") != "deny"))
        start = 160_000 + 300 * turn
        chat.stop(sum(start + 100 * call for call in range(rounds + 1)), 60 * (rounds + 1))
    assert allowed == [(1, True), (2, True), (2, True), (3, False)]


def test_a_chat_that_searches_have_filled_is_stopped_in_the_turn_behind_the_next(project: Path) -> None:
    """Quiet turns, one in which ten searches bring in 150,000 tokens, and one that agrees with it."""
    chat, true, sources = CursorChat(project, transport="pipe"), 18_000, []
    chat.send("sessionStart", generation_id="")
    for results in ([100] * 4, [100] * 4, [15_000] * 10, [100] * 4):
        chat.prompt("go on")
        total = true
        for result in results:
            chat.search()
            true += 350 + result
            total += true
        true += 200
        chat.stop(total, 350 * len(results) + 200)
        known = state(project, "cur-1")
        sources.append((known["level"], known["reading"]["source"]))
    assert sources[1:] == [("green", "turn_sum"), ("yellow", "unconfirmed"), ("red", "turn_sum")]
    chat.prompt("go on")
    assert chat.shell("ls")["permission"] == "deny"
