"""The handoff of a session that is over: made by command, taken back where a person goes on in it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from claude_chat import ClaudeChat, added

from safepoint.hook_process import hook_for, settings_of
from safepoint.hot import safepoint
from safepoint.hot.stores import pending
from safepoint.hot.stores.paths import Paths
from safepoint.sessions import find
from safepoint.validation import check_file


@pytest.fixture
def over(project: Path) -> ClaudeChat:
    """A chat that worked, and whose client is gone without a word."""
    chat = ClaudeChat(project)
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Write it")
    chat.context(20_000)
    chat.tool("Write", file_path=str(project / "made.py"), content="x = 1\n")
    session = find(str(project), chat.session)
    safepoint.hand_over(hook_for(str(project), session, settings_of(str(project))))
    return chat


def test_next_chat_is_shown_what_the_one_before_did(project: Path, over: ClaudeChat) -> None:
    paths = Paths(str(project))
    (waiting,) = pending.listed(paths)
    assert (waiting.key, waiting.handoff["reason"]) == (over.session, "end")
    for path in (paths.handoff(over.session), paths.red_checkpoint(over.session)):
        assert check_file(Path(path)).problems == ()
    shown = added(ClaudeChat(project, "c2").send("SessionStart", source="startup"))
    assert "[CONTEXT_BUDGET_RESUME] campaign=fix-basket" in shown and "made.py" in shown


def test_it_latches_nothing_and_is_withdrawn_when_its_chat_goes_on(project: Path, over: ClaudeChat) -> None:
    over.send("SessionStart", source="resume")
    assert [item.key for item in pending.listed(Paths(str(project)))] == [over.session]
    over.send("UserPromptSubmit", prompt="And now the rest", prompt_id="second")
    assert pending.listed(Paths(str(project))) == []
    assert over.tool("Bash", command="make") == {}


def test_chat_with_a_campaign_of_its_own_is_shown_no_handoff_of_another(
    project: Path, over: ClaudeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAFEPOINT_CAMPAIGN", "Another One")
    other = ClaudeChat(project, "c2")
    shown = added(other.send("SessionStart", source="startup"))
    assert "[CONTEXT_BUDGET_RESUME]" not in shown and f"safepoint pick {over.session}" in shown
    monkeypatch.setenv("SAFEPOINT_CAMPAIGN", "fix-basket")
    same = added(ClaudeChat(project, "c3").send("SessionStart", source="startup"))
    assert "[CONTEXT_BUDGET_RESUME] campaign=fix-basket" in same


def test_taker_is_known_while_it_waits_and_when_it_is_settled(project: Path, over: ClaudeChat) -> None:
    paths = Paths(str(project))
    assert pending.taker(paths, over.session) == pending.taker(paths, "unknown") == ""
    second = ClaudeChat(project, "c2")
    second.send("SessionStart", source="startup")
    second.send("UserPromptSubmit", prompt="Go on")
    assert pending.taker(paths, over.session) == "c2"
    second.tool("Bash", command="make", response={"stdout": ""})
    assert os.listdir(paths.pending) == [] and pending.taker(paths, over.session) == "c2"
    assert json.loads(Path(paths.settled(over.session)).read_text())["reason"] == "end"
