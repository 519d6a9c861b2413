"""One decision as the one JSON object that a host reads. Imported only when there is something to say.

`max_bytes` bounds what the model is given, a deny's reason and the added context, in UTF-8 as the host
decodes it (on the wire all is ASCII, where Japanese is twice as long; no host counts that). A line to the
user has its own bound, so that it never costs the model a part.
"""

from __future__ import annotations

from .. import events as ev
from ..decisions import DENY, HALT, SWALLOW
from ..wire import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..decisions import Decision
    from ..events import Event

    Answer = tuple[bytes, list[int]]

MAX_CHARACTERS = 9_900  # both hosts drop or replace a longer text than 10,000; UTF-8 never has fewer bytes
MAX_USER_BYTES = 1_000
SEPARATOR = "\n\n"

# Which part goes first when not all fit; the order in the answer stays the one given.
_RANK = {"resume": 0, "yellow": 1, "todo": 2, "note": 3, "reminder": 4}

_CLAUDE_HALTS = frozenset({ev.PROMPT, ev.BEFORE_TOOL, ev.AFTER_TOOL, ev.TOOL_FAILED, ev.BATCH})
_CLAUDE_MUTE = frozenset({ev.COMPACT, ev.SESSION_END, ev.UNKNOWN})
# Cursor validates an answer's fields by event: these two have no `agent_message`.
_CURSOR_DENIES = {
    ev.BEFORE_TOOL: ("user_message", "agent_message"),  # builds differ in which one the model is shown
    ev.BEFORE_SHELL: ("user_message", "agent_message"),
    ev.BEFORE_READ: ("user_message",),
    ev.SUBAGENT_START: ("user_message",),
}
_CURSOR_FOLLOWS = frozenset({ev.TURN_END, ev.SUBAGENT_STOP})


def claude_code(event: Event, decision: Decision, max_bytes: int, context_kinds: frozenset[str]) -> Answer:
    if event.kind in _CLAUDE_MUTE:
        return b"{}", []
    answer: dict[str, Any] = {}
    if decision.user:
        answer["systemMessage"] = clip(decision.user, MAX_USER_BYTES)
    limit = _limit(max_bytes)
    reason = clip(decision.reason, limit)
    if decision.verdict == SWALLOW and event.kind == ev.PROMPT:
        return _object({"decision": "block", "reason": reason, **answer}), []
    if decision.verdict == HALT and event.kind in _CLAUDE_HALTS:
        return _object({"continue": False, "stopReason": reason, **answer}), []

    specific: dict[str, str] = {}
    if decision.verdict == DENY and event.kind == ev.BEFORE_TOOL:
        specific = {"permissionDecision": "deny", "permissionDecisionReason": reason}
        limit -= _size(reason)
    chosen = _fit(decision.context, limit) if event.kind in context_kinds else []
    context = _join(decision.context, chosen)
    if context:
        specific["additionalContext"] = context
    if specific:
        answer["hookSpecificOutput"] = {"hookEventName": event.host_event, **specific}
    return _object(answer), chosen


def cursor(event: Event, decision: Decision, max_bytes: int, context_kinds: frozenset[str]) -> Answer:
    limit = _limit(max_bytes)
    reason = clip(decision.reason, limit)
    if decision.verdict == DENY and event.kind in _CURSOR_DENIES:
        answer = dict.fromkeys(_CURSOR_DENIES[event.kind], reason)
        both = f"{reason}{SEPARATOR}{clip(decision.user, MAX_USER_BYTES)}"
        if decision.user and _size(both) <= limit:
            answer["user_message"] = both
        return _object({"permission": "deny", **answer}), []
    if decision.verdict == SWALLOW and event.kind == ev.PROMPT:
        return _object({"continue": False, "user_message": reason or clip(decision.user, MAX_USER_BYTES)}), []
    if event.kind == ev.COMPACT and decision.user:
        return _object({"user_message": clip(decision.user, MAX_USER_BYTES)}), []
    if event.kind in _CURSOR_FOLLOWS and decision.followup:
        return _object({"followup_message": clip(decision.followup, limit)}), []
    chosen = _fit(decision.context, limit) if event.kind in context_kinds else []
    context = _join(decision.context, chosen)
    return _object({"additional_context": context} if context else {}), chosen


def clip(text: str, max_bytes: int) -> str:
    """`text`, or as many whole characters of it as fit, and an ellipsis."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= max_bytes:
        return text
    return data[: max_bytes - 3].decode("utf-8", "ignore") + "…" if max_bytes >= 3 else ""


def _limit(max_bytes: int) -> int:
    return max(0, min(max_bytes, MAX_CHARACTERS))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _fit(parts: list[tuple[str, str]], room: int) -> list[int]:
    """The indexes of the parts that go in whole, the most important ones first to be chosen."""
    chosen: list[int] = []
    for index in sorted(range(len(parts)), key=lambda i: (_RANK.get(parts[i][0], _RANK["note"]), i)):
        cost = _size(parts[index][1]) + (len(SEPARATOR) if chosen else 0)
        if cost <= room:
            room -= cost
            chosen.append(index)
    return sorted(chosen)


def _join(parts: list[tuple[str, str]], chosen: list[int]) -> str:
    return SEPARATOR.join([text for text in [parts[index][1] for index in chosen] if text])


def _object(answer: dict[str, Any]) -> bytes:
    return dumps(answer).encode("ascii")
