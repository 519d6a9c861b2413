"""Reading a payload's fields without ever raising: what is missing or of a wrong type is empty."""

from __future__ import annotations

from ..events import bounded_id, short_key
from ..textweight import PICTURE_TOKENS, tokens, value_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..events import Event
    from ..shapes import Host

_TOO_MUCH = 10**15


def host_of(payload: dict[str, Any]) -> Host:
    return "cursor" if "cursor_version" in payload else "claude_code"


def spelling(kinds: dict[str, str], kind: str) -> str:
    """The host's own name of an event of this kind."""
    for name, known in kinds.items():
        if known == kind:
            return name
    return ""


def text(payload: dict[str, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""


def identifier(payload: dict[str, Any], key: str) -> str:
    """A text that is kept as the id of something: the only way in which one is taken from a payload."""
    return bounded_id(text(payload, key))


def count(payload: dict[str, Any], key: str) -> int | None:
    """A whole number of at least zero; JavaScript may write it as 3.0."""
    value = payload.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _TOO_MUCH:
        return None
    return value


def number(payload: dict[str, Any], key: str) -> float | None:
    value = payload.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < _TOO_MUCH:
        return None
    return float(value)


def seconds(payload: dict[str, Any], key: str) -> float | None:
    """A duration, which both hosts give in milliseconds."""
    value = number(payload, key)
    return None if value is None else value / 1000


def mapping(payload: dict[str, Any], key: str) -> dict[str, Any]:
    value = payload.get(key)
    return value if isinstance(value, dict) else {}


def texts(payload: dict[str, Any], key: str) -> list[str]:
    value = payload.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def path(value: str) -> str:
    """A drive path in one spelling: ``/c:/Users/x`` and ``C:\\Users\\x`` become ``C:/Users/x``.

    Every other path stays as it is: a backslash is a legal character of a Unix name.
    """
    drive = value[1:] if value[:1] in ("/", "\\") and value[2:3] == ":" else value
    if drive[1:2] == ":" and drive[:1].isascii() and drive[:1].isalpha() and drive[2:3] in ("", "/", "\\"):
        return drive[0].upper() + drive[1:].replace("\\", "/")
    return value


def tool_file(tool_input: dict[str, Any]) -> str:
    for key in ("file_path", "path", "notebook_path"):
        value = text(tool_input, key)
        if value:
            return path(value)
    return ""


def shown_tokens(value: Any) -> int:
    """The weight of a tool's answer as the model is shown it."""
    if isinstance(value, dict) and isinstance(value.get("content"), list):
        value = value["content"]  # an MCP result, a subagent's report: the rest is not for the model
    return sum([_part_tokens(part) for part in value]) if isinstance(value, list) else _part_tokens(value)


def _part_tokens(part: Any) -> int:
    if isinstance(part, str):
        return tokens(part)
    if isinstance(part, dict):
        if part.get("type") == "image":
            return PICTURE_TOKENS
        if part.get("type") == "text":
            return tokens(text(part, "text"))
    return value_tokens(part)


def event_key(event: Event) -> str:
    """Equal for two deliveries of one host event, different for two events of one session.

    Where the host gives no id (Claude's stops; the prompts of its older versions), equal words are told apart
    by the time, so `event.now` has to be set: "continue" is often said twice, but not within a second.
    """
    if event.tool_use_id:  # some providers number the calls of each message anew, so what is asked counts
        asked = event.command or event.file_path or _words(event.tool_input)
        subject = short_key(f"{event.generation_id} {event.tool_name} {asked}")
        return f"{event.host_event}:{event.tool_use_id}:{subject}"
    from .event_keys import digest_key

    return digest_key(event)


def _words(tool_input: dict[str, Any]) -> str:
    """The beginnings of what a tool is asked: enough to tell two calls apart, however large they are."""
    values = tool_input.values()
    return " ".join([str(value)[:200] if isinstance(value, (str, int)) else "" for value in values])
