"""The agents' stream-json lines as neutral frames. Whatever a line holds, nothing raises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..hot import redact
from . import tail

MAX_LINE_BYTES = 64 * 1024 * 1024  # a longer one is dropped: memory has an end
SUBJECT_CHARS = 200
TOOL_NAMES = re.compile(r"ToolCall$")
# Where a tool's input names what it works on, the most telling first.
_SUBJECTS = ("command", "file_path", "path", "pattern", "query", "url", "subject", "description")
_PASSING = re.compile(  # what a program writes to stderr when the model is not to be had for now
    r"(?P<limit>\b429\b|rate.?limit|too many requests|resource_exhausted)|\b5(?:03|29)\b|overloaded", re.I
)


class Frame(NamedTuple):
    """One thing that the agent told. `kind`: started, tool, tool_ended, retry, result."""

    kind: str
    session_id: str = ""
    call: str = ""  # id of a tool call
    text: str = ""  # tool: its name; retry, result: words
    subject: str = ""
    status: int = 0  # HTTP status of a failed model call
    is_error: bool = False
    output_tokens: int = 0
    refused: int = 0  # tools that were not run for want of permission


class Lines:
    """Bytes as they come, cut into lines. A line without its end is kept for later."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self._drops = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            if not self._drops:
                yield b"".join(self._parts)
            self._parts, self._size, self._drops = [], 0, False
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._max_bytes:
            self._parts, self._drops = [], True
        if part and not self._drops:
            self._parts.append(part)


def frames(line: bytes) -> list[Frame] | None:
    """What one line tells; None where it is no JSON object."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    kind, session_id = value.get("type"), _text(value.get("session_id"))
    if kind == "system":
        return _system(value, session_id)
    if kind == "tool_call":
        return _cursor_tool(value, session_id)
    if kind == "result":
        return [_result(value, session_id)]
    if kind in ("assistant", "user"):
        return [*_blocks(value, session_id)]
    return []


def _system(value: dict[str, Any], session_id: str) -> list[Frame]:
    if value.get("subtype") == "init":
        return [Frame("started", session_id)]
    if value.get("subtype") == "api_retry":
        status = _number(value, "error_status")
        return [Frame("retry", session_id, text=tail.of_text(_text(value.get("error"))), status=status)]
    return []


def _blocks(value: dict[str, Any], session_id: str) -> Iterator[Frame]:
    """Claude Code: tool calls stand in the model's messages, their ends in the user's."""
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            continue
        if block.get("type") == "tool_use":
            subject = _subject(block.get("input"))
            yield Frame("tool", session_id, _text(block.get("id")), _text(block.get("name")), subject)
        elif block.get("type") == "tool_result":
            yield Frame("tool_ended", session_id, _text(block.get("tool_use_id")))


def _cursor_tool(value: dict[str, Any], session_id: str) -> list[Frame]:
    """Cursor: one key of `tool_call` is the tool's name with `ToolCall` behind."""
    call, told = _text(value.get("call_id")), value.get("tool_call")
    if value.get("subtype") == "completed":
        return [Frame("tool_ended", session_id, call)]
    if value.get("subtype") != "started":
        return []
    name, body = next(iter(told.items()), ("", {})) if isinstance(told, dict) else ("", {})
    subject = _subject(body.get("args")) if isinstance(body, dict) else ""
    return [Frame("tool", session_id, call, TOOL_NAMES.sub("", _text(name)), subject)]


def _result(value: dict[str, Any], session_id: str) -> Frame:
    errors = value.get("errors")
    words = _text(value.get("result")) or "; ".join(map(str, errors) if isinstance(errors, list) else [])
    is_error = bool(value.get("is_error")) or _text(value.get("subtype")).startswith("error")
    usage = value.get("usage")
    output = _number(usage, "output_tokens") if isinstance(usage, dict) else 0
    refused = value.get("permission_denials")
    return Frame(
        "result", session_id, text=tail.of_text(words) or _text(value.get("subtype")),
        status=_number(value, "api_error_status"), is_error=is_error, output_tokens=output,
        refused=len(refused) if isinstance(refused, list) else 0,
    )  # fmt: skip


def status_in(words: str) -> int:
    """429 or 529 where an agent without an error frame says so in words; else 0."""
    found = _PASSING.search(words)
    if found is None:
        return 0
    return 429 if found["limit"] else 529


def _subject(given: Any) -> str:
    if not isinstance(given, dict):
        return ""
    found = next((given[name] for name in _SUBJECTS if isinstance(given.get(name), str) and given[name]), "")
    return " ".join(redact.capture(found, 4 * SUBJECT_CHARS).split())[:SUBJECT_CHARS]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: dict[str, Any], name: str) -> int:
    found = value.get(name)
    return found if type(found) is int else 0
