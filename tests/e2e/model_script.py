"""What a scripted model says: turns, the tool calls in them, and the usage they report."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Callable, NamedTuple, Optional, Union
from uuid import uuid4


class Usage(NamedTuple):
    input_tokens: int = 1000
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    output_tokens: int = 40


class Call(NamedTuple):
    name: str
    input: Mapping[str, Any]


class Turn(NamedTuple):
    text: str = ""
    calls: tuple[Call, ...] = ()
    usage: Optional[Usage] = None  # None: the level stays where that agent's last turn left it
    error: Optional[tuple[int, str, str]] = None  # HTTP status, error type, message


Step = Union[Turn, str, Callable[[Any], Union[Turn, str, None]]]


def call(name: str, **tool_input: Any) -> Call:
    return Call(name, tool_input)


def bash(command: str) -> Call:
    return call("Bash", command=command, description="run it")


def occupying(tokens: int, output_tokens: int = 40) -> Usage:
    """A usage that adds up to `tokens`, most of it cached, the way a long session reports it."""
    fresh, created = min(tokens, 4), tokens // 10
    return Usage(fresh, created, tokens - fresh - created, output_tokens)


def turn(*parts: Union[str, Call], tokens: Optional[int] = None, usage: Optional[Usage] = None) -> Turn:
    """turn("I look around", bash("ls"), bash("pwd"), tokens=120_000)"""
    text = "\n".join(part for part in parts if isinstance(part, str))
    calls = tuple(part for part in parts if isinstance(part, Call))
    return Turn(text, calls, occupying(tokens) if tokens is not None else usage)


def failure(status: int, kind: str, message: str) -> Turn:
    """An API error. 403 ends the turn at once; 400 and "prompt is too long: 205000 tokens > 200000 maximum"
    makes the client compact and ask again; other 400s, 401 and 529 it simply tries again."""
    return Turn(error=(status, kind, message))


def message(turn: Turn, usage: Usage, model: str) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    for name, tool_input in turn.calls:
        tool_use_id = f"toolu_{uuid4().hex[:24]}"
        content.append({"type": "tool_use", "id": tool_use_id, "name": name, "input": dict(tool_input)})
    return {
        "id": f"msg_{uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": usage._asdict(),
    }


def server_sent_events(whole: dict[str, Any]) -> Iterator[bytes]:
    opening = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield _event("message_start", message=opening)
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            partial = json.dumps(block["input"])
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": partial}
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage=whole["usage"])
    yield _event("message_stop")


def _event(kind: str, **fields: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()
