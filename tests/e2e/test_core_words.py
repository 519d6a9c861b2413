"""The prompts that are meant for Safepoint, sent as the whole prompt of a resumed chat."""

import json
import time

import pytest
from model_script import bash, turn
from terminal import Terminal

FULL = "because the context of this chat is full"


@pytest.fixture
def red(claude, project, safepoint, model):
    return claude.run(project, model(turn(bash("touch early"), tokens=160_000), "Stopped."), "go on")


def reply(run):
    return "\n".join(str(event) for event in run.events)


def test_status_is_answered_by_the_hook_alone(claude, project, safepoint, model, red):
    stub = model()
    run = claude.run(project, stub, "  Safepoint  STATUS ", resume=red.session_id)
    assert stub.main == []
    assert "160,040 of 200,000 tokens" in reply(run) and "Red from 156,000" in reply(run)


def test_extend_lets_a_red_chat_go_on_and_withdraws_its_handoff(claude, project, safepoint, model, red):
    assert safepoint.pending() == [red.session_id]
    silent = model()
    run = claude.run(project, silent, "safepoint extend 20k", resume=red.session_id)
    assert silent.main == [] and "176,000" in reply(run)
    assert safepoint.pending() == []

    late, too_late = turn(bash("touch late"), tokens=165_000), turn(bash("touch too-late"), tokens=178_000)
    stub = model(late, too_late, "Stopped.")
    claude.run(project, stub, "finish it", resume=red.session_id)
    assert (project.path / "late").exists() and not (project.path / "too-late").exists()
    assert FULL in stub.main[-1].new_tool_results[0] and "Red begins at 176,000" in stub.main[-1].text
    assert len(safepoint.checkpoints(red.session_id)) == 2
    assert safepoint.pending() == [red.session_id]


def test_pause_stops_nothing_until_it_is_over(claude, project, safepoint, model, red):
    silent = model()
    claude.run(project, silent, "safepoint pause", resume=red.session_id)
    stub = model(turn(bash("touch paused"), tokens=170_000))
    claude.run(project, stub, "go on", resume=red.session_id)
    assert (project.path / "paused").exists() and safepoint.pending() == []
    claude.run(project, silent, "safepoint pause", resume=red.session_id)
    stub = model(turn(bash("touch after"), tokens=170_000), "Stopped.")
    claude.run(project, stub, "go on", resume=red.session_id)
    assert not (project.path / "after").exists()
    assert silent.main == []
    assert safepoint.pending() == [red.session_id]


def test_dismissed_handoff_is_not_shown(claude, project, safepoint, model, red):
    silent = model()
    other = claude.run(project, silent, "safepoint dismiss")
    assert silent.main == [] and safepoint.pending() == []
    assert red.session_id in reply(other)
    stub = model("ok")
    claude.run(project, stub, "hello")
    assert "Safepoint" not in stub.main[0].text and "CONTEXT_BUDGET" not in stub.main[0].text


def test_words_within_a_prompt_go_to_the_model(claude, project, safepoint, model):
    stub = model("ok")
    claude.run(project, stub, "what does safepoint status do?")
    assert stub.main[0].prompts == ["what does safepoint status do?"]


def test_word_that_a_schedule_of_the_client_sends_changes_nothing(claude, project, safepoint, model):
    """One that was due while the client was not running: it fires at once, before a person has typed."""
    due = {"id": "ab12cd34", "cron": "* * * * *", "prompt": "safepoint pause", "recurring": True,
           "createdAt": int(time.time() * 1000) - 180_000}  # fmt: skip
    (project.path / ".claude/scheduled_tasks.json").write_text(json.dumps({"tasks": [due]}), "utf-8")
    stub = model()
    chat = Terminal(claude, project, stub)
    try:
        chat.until(lambda: "a schedule has sent" in chat.screen)
    finally:
        chat.close()
    assert stub.main == []
    assert not safepoint.state(chat.run)["paused"]
