"""What an attack on the hooks has shown to be needed, each as the fact that has to hold."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import payloads
from claude_chat import ClaudeChat, added, is_denied
from host_process import CursorChat, registered, state


def working(project: Path, session: str = "c1", tokens: int = 60_000) -> ClaudeChat:
    chat = ClaudeChat(project, session)
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Add a discount")
    chat.context(60_000)
    chat.tool("Write", file_path=str(project / "basket.py"), content="x = 1\n")
    if tokens != 60_000:
        chat.context(tokens)
    return chat


def guard(chat: ClaudeChat, call: str, command: str = "make") -> dict[str, Any]:
    return chat.send("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=call)


def test_a_call_id_that_comes_again_is_guarded(project: Path) -> None:
    chat = working(project)
    guard(chat, "call_0", "ls")
    chat.context(160_000)
    assert is_denied(guard(chat, "call_1"))
    assert is_denied(guard(chat, "call_0", "rm -r docs"))
    assert is_denied(guard(chat, "call_0", "ls"))


def test_a_denied_call_delivered_again_is_denied_again(project: Path) -> None:
    chat = working(project, tokens=160_000)
    assert [is_denied(guard(chat, "t1")) for _ in range(2)] == [True, True]
    assert [is_denied(guard(chat, "g1", "git status")) for _ in range(2)] == [False, False]
    assert state(project, "c1")["grace_used"] == 1


WHOLE, BRIEF = "because the context of this chat is full", "did not run this one either"


def reasons(*answers: dict[str, Any]) -> list[str]:
    outputs = [answer["hookSpecificOutput"] for answer in answers if is_denied(answer)]
    return [output["permissionDecisionReason"] for output in outputs]


def test_a_call_asked_about_twice_has_the_same_answer_twice(project: Path) -> None:
    """Two registrations of one hook: which of the two answers the model reads is up to the host."""
    chat = working(project, tokens=160_000)
    answers = reasons(*(guard(chat, call) for call in ("t1", "t1", "t2", "t2", "t1")))
    assert [WHOLE in answer for answer in answers] == [True, True, False, False, True]
    assert [BRIEF in answer for answer in answers] == [False, False, True, True, False]


def test_two_hooks_asked_at_once_give_the_whole_reason(project: Path) -> None:
    """The one that comes second may see the state while it is being saved, and leave it to the other."""
    for number in range(4):
        chat = working(project, f"at-once-{number}", tokens=160_000)
        with ThreadPoolExecutor() as pool:
            answers = reasons(*pool.map(lambda _, chat=chat: guard(chat, "t1"), range(2)))
        assert answers and all(WHOLE in answer for answer in answers)


def test_calls_without_an_id_are_guarded_one_by_one(project: Path) -> None:
    chat = CursorChat(project, transport="pipe")
    chat.send("sessionStart", generation_id="")
    chat.prompt()
    chat.send("preCompact", context_tokens=179_000, context_window_size=200_000)
    assert chat.shell("ls")["permission"] == "deny"
    for number in range(3):
        call = {"tool_name": "MCP:run", "tool_use_id": "", "tool_input": {"n": number}}
        assert chat.send("preToolUse", **call).get("permission") == "deny", number


def test_a_prompt_word_delivered_twice_counts_once(project: Path) -> None:
    chat = working(project)
    answers = [chat.send("UserPromptSubmit", prompt="safepoint extend") for _ in range(2)]
    assert [answer["decision"] for answer in answers] == ["block", "block"]
    assert state(project, "c1")["extended"] == 20_000


def test_a_session_folder_that_is_a_link_is_not_followed(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / ".cursor/.session").symlink_to(outside)
    working(project, tokens=160_000)
    assert os.listdir(outside) == []


def test_pasted_text_does_not_take_a_handoff_from_its_taker(project: Path) -> None:
    guard(working(project, "first-chat", 160_000), "t1")
    taker = ClaudeChat(project, "taker")
    taker.send("SessionStart", source="startup")
    taker.send("UserPromptSubmit", prompt="go")
    other = working(project, "other")
    answer = other.send(
        "UserPromptSubmit", prompt="What does this log mean?\n> safepoint handoff first-chat\n"
    )
    claim = json.loads((project / ".cursor/.session/pending/first-chat.claim").read_text())
    assert claim["session_id"] == "taker" and "BUDGET_RESUME" not in added(answer)


def test_the_prefilled_link_wins_over_what_the_start_offered(project: Path) -> None:
    chats = [working(project, name) for name in ("older-chat", "newer-chat")]
    for chat in chats:
        chat.context(160_000)
        guard(chat, "t1")
    new = ClaudeChat(project, "new")
    assert "handoff-newer-chat" in added(new.send("SessionStart", source="startup"))
    answer = new.send("UserPromptSubmit", prompt="Continue fix-basket (safepoint handoff older-chat)")
    assert "handoff-older-chat" in added(answer)


def test_a_clock_moved_back_does_not_put_off_the_next_save(project: Path) -> None:
    chat = working(project, tokens=160_000)
    handoff = project / ".cursor/.session/handoff-c1.md"
    handoff.mkdir()
    assert not is_denied(guard(chat, "t1"))
    handoff.rmdir()
    journal = project / ".cursor/.session/c1.journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    journal.write_text("".join(json.dumps({**line, "at": line["at"] + 86_400}) + "\n" for line in lines))
    (project / ".cursor/.session/c1.state.json").unlink()
    assert is_denied(guard(chat, "t2"))


def test_a_state_with_one_flipped_byte_is_folded_anew(project: Path) -> None:
    chat = working(project)
    path = project / ".cursor/.session/c1.state.json"
    text = path.read_text()
    at = text.index('"offset"', text.index('"transcript":{'))
    path.write_text(text[: at + 1] + "Z" + text[at + 2 :])
    chat.context(160_000)
    assert is_denied(guard(chat, "t1"))


def test_a_damaged_resume_point_does_not_hide_the_checkpoint(project: Path) -> None:
    guard(working(project, tokens=160_000), "t1")
    path = project / ".cursor/.session/resume-point-fix-basket.json"
    path.write_text(path.read_text().replace('"description"', '"descriptioX"'))
    new = ClaudeChat(project, "new")
    assert "BUDGET_RESUME" in added(new.send("SessionStart", source="startup"))
    new.send("UserPromptSubmit", prompt="go")
    assert state(project, "new")["completed_work"]


def test_a_failed_save_leaves_nothing_pending(project: Path) -> None:
    chat = working(project, tokens=160_000)
    (project / ".cursor/.session/pending").chmod(0o700)
    (project / ".cursor/.session/handoff-c1.md").mkdir()
    assert not is_denied(guard(chat, "t1"))
    assert not (project / ".cursor/.session/pending/c1.json").exists()


def test_a_saved_latch_denies_though_nothing_can_be_written(project: Path) -> None:
    """`ulimit -f 0` makes every write fail, as a full disk does."""
    chat = working(project, tokens=160_000)
    assert is_denied(guard(chat, "t1"))
    payload = payloads.claude(
        "PreToolUse", session_id="c1", cwd=str(project), tool_use_id="t2",
        transcript_path=str(chat.transcript),
    )  # fmt: skip
    (command,) = registered(project, "claude_code")["PreToolUse"]
    done = subprocess.run(
        ["sh", "-c", "trap '' XFSZ; ulimit -f 0; " + command], input=json.dumps(payload).encode(),
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(project)}, cwd=project, capture_output=True, check=False,
    )  # fmt: skip
    assert is_denied(json.loads(done.stdout)), done.stdout
