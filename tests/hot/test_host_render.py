from __future__ import annotations

import json
from typing import Any

import payloads
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import events as ev
from safepoint.hot.decisions import ALLOW, DENY, HALT, SWALLOW, Decision
from safepoint.hot.events import Event
from safepoint.hot.hosts import claude_code, cursor
from safepoint.hot.hosts.render import MAX_CHARACTERS, MAX_USER_BYTES, SEPARATOR, clip

ROOM = 8192
RESUME, TODO, REMINDER = ("resume", "R" * 40), ("todo", "T" * 40), ("reminder", "M" * 40)


def event_of(name: str, **fields: Any) -> Event:
    if name in payloads.CURSOR:
        return cursor.parse(payloads.cursor(name, **fields), ev.UNKNOWN)
    return claude_code.parse(payloads.claude(name, **fields), ev.UNKNOWN)


def decision(verdict: str = ALLOW, **fields: Any) -> Decision:
    made = Decision(verdict)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def render(event: Event, made: Decision, max_bytes: int = ROOM) -> tuple[bytes, list[int]]:
    adapter: Any = cursor if event.host == "cursor" else claude_code
    return adapter.render(event, made, max_bytes)


def answer(name: str, made: Decision, **fields: Any) -> dict[str, Any]:
    return json.loads(render(event_of(name, **fields), made)[0])


# --- Claude Code ------------------------------------------------------------------------------------------


def test_claude_deny_is_spelled_for_the_event_that_asked() -> None:
    made = decision(DENY, reason="Saved.", user="Red.", context=[("todo", "2/3 done")])
    assert answer("PreToolUse", made) == {
        "systemMessage": "Red.",
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "Saved.",
            "additionalContext": "2/3 done",
        },
    }


def test_claude_prompt_is_swallowed() -> None:
    made = decision(SWALLOW, reason="Paused.", context=[("note", "x")])
    assert answer("UserPromptSubmit", made) == {"decision": "block", "reason": "Paused."}
    assert render(event_of("UserPromptSubmit"), made)[1] == []


def test_claude_turn_is_halted() -> None:
    assert answer("PostToolBatch", decision(HALT, reason="Saved.", user="Red.")) == {
        "continue": False,
        "stopReason": "Saved.",
        "systemMessage": "Red.",
    }


@pytest.mark.parametrize(
    "name",
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
     "SubagentStart", "PostModelSwitch"],
)  # fmt: skip
def test_claude_context_is_spelled_where_it_is_read(name: str) -> None:
    made = decision(context=[("resume", "first"), ("todo", "second")])
    assert answer(name, made) == {
        "hookSpecificOutput": {"hookEventName": name, "additionalContext": "first\n\nsecond"}
    }
    assert render(event_of(name), made)[1] == [0, 1]


@pytest.mark.parametrize("name", ["SubagentStop", "Stop", "SessionEnd", "PostCompact", "SomethingNew"])
def test_claude_context_is_kept_back_where_it_is_not_read(name: str) -> None:
    assert render(event_of(name), decision(context=[RESUME])) == (b"{}", [])


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SubagentStop"])
def test_claude_user_line_is_a_system_message(name: str) -> None:
    assert answer(name, decision(user="Saved.")) == {"systemMessage": "Saved."}


def test_claude_compaction_is_answered_with_no_byte() -> None:
    for made in (decision(), decision(DENY, reason="x"), decision(user="x", context=[RESUME])):
        assert render(event_of("PreCompact"), made) == (b"", [])


def test_claude_has_no_follow_up() -> None:
    assert answer("Stop", decision(followup="go on")) == {}


@pytest.mark.parametrize(
    "name", [name for name in payloads.CLAUDE if name not in ("PreToolUse", "PreCompact")]
)
def test_claude_deny_elsewhere_says_nothing_of_permission(name: str) -> None:
    assert answer(name, decision(DENY, reason="x")) == {}


def test_an_event_told_by_its_kind_alone_still_gets_its_name() -> None:
    event = claude_code.parse({"session_id": "s"}, ev.BEFORE_TOOL)
    found = json.loads(render(event, decision(DENY, reason="x"))[0])
    assert found["hookSpecificOutput"]["hookEventName"] == "PreToolUse"


# --- Cursor -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("preToolUse", {"user_message", "agent_message"}),
        ("beforeShellExecution", {"user_message", "agent_message"}),
        ("beforeReadFile", {"user_message"}),
        ("subagentStart", {"user_message"}),
    ],
)
def test_cursor_deny_has_the_fields_its_event_allows(name: str, fields: set[str]) -> None:
    made = decision(DENY, reason="Saved.", context=[RESUME])
    assert answer(name, made) == {"permission": "deny", **dict.fromkeys(fields, "Saved.")}
    made.user = "Git did not tell."
    assert answer(name, made)["user_message"] == "Saved.\n\nGit did not tell."
    assert render(event_of(name), made)[1] == []


@pytest.mark.parametrize(
    "name", ["postToolUse", "beforeSubmitPrompt", "stop", "sessionStart", "afterAgentThought"]
)
def test_cursor_deny_elsewhere_is_dropped(name: str) -> None:
    assert answer(name, decision(DENY, reason="x")) == {}


def test_cursor_prompt_is_swallowed() -> None:
    assert answer("beforeSubmitPrompt", decision(SWALLOW, reason="Paused.")) == {
        "continue": False,
        "user_message": "Paused.",
    }


@pytest.mark.parametrize(
    ("name", "version", "read"),
    [
        ("sessionStart", "3.20.17", True),
        ("sessionStart", "3.12.17", False),
        ("sessionStart", "3.6.31", False),
        ("sessionStart", "2026.09.28-64d2043", True),
        ("beforeSubmitPrompt", "3.20.17", True),
        ("beforeSubmitPrompt", "3.9.16", True),
        ("beforeSubmitPrompt", "3.6.31", True),
        ("beforeSubmitPrompt", "3.12.17", False),
        ("beforeSubmitPrompt", "2026.09.28-64d2043", False),
        ("preToolUse", "3.20.17", True),
        ("preToolUse", "3.12.17", False),
        ("postToolUse", "3.20.17", True),
        ("postToolUse", "3.12.17", True),
        ("postToolUse", "3.7.2", False),
        ("postToolUseFailure", "3.20.17", True),
        ("preCompact", "3.20.17", False),
        ("stop", "3.20.17", False),
        ("subagentStart", "3.20.17", False),
        ("afterShellExecution", "3.20.17", False),
        ("sessionEnd", "3.20.17", False),
    ],
)
def test_cursor_context_leaves_only_where_its_version_reads_it(name: str, version: str, read: bool) -> None:
    data, delivered = render(event_of(name, version=version), decision(context=[("resume", "text")]))
    assert json.loads(data) == ({"additional_context": "text"} if read else {})
    assert delivered == ([0] if read else [])


def test_cursor_user_line_is_shown_at_a_compaction_only() -> None:
    assert answer("preCompact", decision(user="Saved.")) == {"user_message": "Saved."}
    assert answer("postToolUse", decision(user="Saved.")) == {}


@pytest.mark.parametrize("name", ["stop", "subagentStop"])
def test_cursor_follow_up_is_submitted(name: str) -> None:
    assert answer(name, decision(followup="Saved.")) == {"followup_message": "Saved."}
    assert answer("postToolUse", decision(followup="Saved.")) == {}


def test_cursor_has_no_halt() -> None:
    assert answer("postToolUse", decision(HALT, reason="x")) == {}


# --- the budget -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "room", "delivered"),
    [
        pytest.param([RESUME, TODO, REMINDER], 124, [0, 1, 2], id="all-just-fit"),
        pytest.param([RESUME, TODO, REMINDER], 123, [0, 1], id="the-reminder-waits"),
        pytest.param([REMINDER, TODO, RESUME], 82, [1, 2], id="rank-before-order"),
        pytest.param([REMINDER, TODO, RESUME], 81, [2], id="the-resume-is-first"),
        pytest.param([RESUME, TODO], 39, [], id="nothing-fits"),
        pytest.param([("resume", "R" * 500), TODO], 100, [1], id="a-small-part-passes-a-large-one"),
        pytest.param([("resume", "あ" * 20)], 60, [0], id="japanese-counts-three-bytes"),
        pytest.param([("resume", "あ" * 20)], 59, [], id="never-cut"),
        pytest.param([("other", "x" * 40), REMINDER], 50, [0], id="unnamed-before-reminder"),
        pytest.param([], 100, [], id="none"),
    ],
)
@pytest.mark.parametrize("name", ["PostToolUse", "postToolUse"])
def test_parts_go_in_whole_by_rank(
    name: str, parts: list[tuple[str, str]], room: int, delivered: list[int]
) -> None:
    data, found = render(event_of(name), decision(context=parts), room)
    assert found == delivered
    body = json.loads(data)
    text = body.get("additional_context") or body.get("hookSpecificOutput", {}).get("additionalContext", "")
    assert text == SEPARATOR.join([parts[index][1] for index in delivered])


def test_a_deny_comes_before_every_part() -> None:
    made = decision(DENY, reason="D" * 80, context=[RESUME])
    data, delivered = render(event_of("PreToolUse"), made, 100)
    assert delivered == []
    assert json.loads(data)["hookSpecificOutput"]["permissionDecisionReason"] == "D" * 80


def test_the_hosts_own_limit_bounds_a_larger_budget() -> None:
    assert render(event_of("PostToolUse"), decision(context=[("resume", "x" * MAX_CHARACTERS)]), 99_999)[
        1
    ] == [0]
    long = decision(context=[("resume", "x" * (MAX_CHARACTERS + 1))])
    assert render(event_of("PostToolUse"), long, 99_999)[1] == []


@pytest.mark.parametrize(
    ("text", "room", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "…"),
        ("あいう", 9, "あいう"),
        ("あいう", 8, "あ…"),
        ("x", 0, ""),
        ("", 0, ""),
    ],
)
def test_a_text_is_cut_between_characters(text: str, room: int, expected: str) -> None:
    assert clip(text, room) == expected


WORDS = st.text(alphabet=st.sampled_from('aé あ漢😀\n"\\\x00\ud800'), max_size=300)
PARTS = st.lists(
    st.tuples(st.sampled_from(["resume", "yellow", "todo", "note", "reminder"]), WORDS), max_size=4
)
EVENTS = st.sampled_from([*payloads.CLAUDE, *payloads.CURSOR])
VERDICTS = st.sampled_from([ALLOW, DENY, SWALLOW, HALT, "nonsense"])


@settings(max_examples=150, deadline=None)
@given(EVENTS, VERDICTS, WORDS, WORDS, PARTS, WORDS, st.integers(0, 700))
def test_an_answer_is_one_ascii_object_within_its_budget(
    name: str, verdict: str, reason: str, user: str, parts: list[tuple[str, str]], followup: str, room: int
) -> None:
    made = decision(verdict, reason=reason, user=user, context=parts, followup=followup)
    data, delivered = render(event_of(name), made, room)
    if name == "PreCompact":
        assert data == b""
        return
    assert data.isascii()
    body = json.loads(data)
    assert isinstance(body, dict)
    assert "allow" not in (
        body.get("permission"),
        body.get("hookSpecificOutput", {}).get("permissionDecision"),
    )
    assert delivered == sorted(set(delivered))
    for_model, for_user = _texts(body, name)
    assert sum(len(text.encode("utf-8", "surrogatepass")) for text in for_model) <= room
    assert sum(len(text.encode("utf-8", "surrogatepass")) for text in for_user) <= max(room, MAX_USER_BYTES)
    context = [text for _, text in [parts[index] for index in delivered] if text]
    if context:
        assert SEPARATOR.join(context) in for_model


def _texts(body: dict[str, Any], name: str) -> tuple[list[str], list[str]]:
    """What the model reads of an answer, and what the user does."""
    specific = body.get("hookSpecificOutput", {})
    model = [specific.get("permissionDecisionReason"), specific.get("additionalContext")]
    model += [body.get("additional_context"), body.get("followup_message"), body.get("reason")]
    if body.get("permission"):
        model.append(body["user_message"])
    user = [body.get("systemMessage"), body.get("user_message") if not body.get("permission") else None]
    return [text for text in model if text], [text for text in user if text]
