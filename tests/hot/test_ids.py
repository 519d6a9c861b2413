"""Ids come from outside: whatever is put there stays short, tells events apart and gives nothing away."""

from __future__ import annotations

import json
from typing import Any

import payloads
import pytest
from planted import made_up

from safepoint.hot import events as ev
from safepoint.hot import records
from safepoint.hot.events import Event, bounded_id
from safepoint.hot.hosts import claude_code, cursor
from safepoint.hot.hosts.fields import event_key

IDS = {"session_id", "conversation_id", "agent_id", "tool_use_id", "agentId", "cursor_version",
       "generation_id", "parent_conversation_id", "parent_tool_call_id", "subagent_id", "tool_call_id",
       "child_conversation_id"}  # fmt: skip
SECRET = "gh" + "p_" + made_up(36)
EVENTS = [("claude", name) for name in payloads.CLAUDE] + [("cursor", name) for name in payloads.CURSOR]


def hostile(value: Any, given: str) -> Any:
    """The payload with this text for every id in it."""
    if isinstance(value, dict):
        return {key: given if key in IDS else hostile(item, given) for key, item in value.items()}
    return [hostile(item, given) for item in value] if isinstance(value, list) else value


def parsed(host: str, name: str, given: str) -> Event:
    payload = payloads.claude(name) if host == "claude" else payloads.cursor(name)
    payload = hostile({**payload, **dict.fromkeys(IDS - {"cursor_version"}, "x")}, given)
    event: Event = (claude_code if host == "claude" else cursor).parse(payload, ev.UNKNOWN)
    event.now = 1.0
    return event


@pytest.mark.parametrize("given", ["i" * 100_000, f"call {SECRET}"], ids=["long", "secret"])
@pytest.mark.parametrize(("host", "name"), EVENTS)
def test_no_id_is_long_or_holds_a_secret(host: str, name: str, given: str) -> None:
    event = parsed(host, name, given)
    key = event_key(event)
    made = records.make(event, key)
    ids = [event.session_id, event.agent_id, event.child_id, event.child_session_id, event.parent_id,
           event.parent_call, event.generation_id, event.tool_use_id, event.host_version,
           *[call["tool_use_id"] for call in event.calls]]  # fmt: skip
    assert max(map(len, ids)) <= ev.MAX_ID and len(key) < 2 * ev.MAX_ID
    assert given not in json.dumps(made) and SECRET[4:] not in json.dumps([ids, made])


def test_ids_that_differ_at_their_end_stay_two() -> None:
    long = [bounded_id("i" * 1000 + end) for end in "ab"]
    secret = [bounded_id(SECRET + end) for end in "ab"]
    assert len({*long, *secret}) == 4


@pytest.mark.parametrize(
    "usual", ["toolu_01A09q90qw90lq917835lq9", payloads.SESSION, "call_7\nfc_8", "2026.09.28-64d2043", ""]
)
def test_usual_id_is_kept(usual: str) -> None:
    assert bounded_id(usual) == usual
