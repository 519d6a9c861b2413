"""The key of an event that bears no id of its own: what tells it from others, in short."""

from __future__ import annotations

from ..events import AFTER_SHELL, BEFORE_READ, BEFORE_SHELL, PROMPT, short_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..events import Event

# Equal events without an id are one event delivered twice when they come within a second: their keys end in
# the second of each, and neighbours count as the same (`session.was_seen`).

_REPEATABLE = frozenset({BEFORE_SHELL, BEFORE_READ, AFTER_SHELL})  # can recur unchanged within one turn
_TELLING = 4_096  # characters of a field that go into an event's key


def digest_key(event: Event) -> str:
    """What ``fields.event_key`` promises, for an event without a ``tool_use_id``."""
    identified = event.generation_id or event.calls or (event.kind == PROMPT and event.prompt_id)
    timed = event.kind in _REPEATABLE or not identified
    parts = _telling(event)
    key = f"{event.host_event}:{event.generation_id}:{short_key(chr(0).join(parts))}"
    return f"{key}@{int(event.now)}" if timed else key


def _telling(event: Event) -> list[str]:
    long = (event.prompt, event.text, event.summary, event.command, event.error, event.output)
    parts = [f"{len(item)} {item[:_TELLING]}" if isinstance(item, str) else "-" for item in long]
    parts += (event.agent_id, event.child_id, event.source, event.trigger, event.reason, event.status)
    parts += (event.model, event.file_path, event.cwd, str(event.stop_hook_active), str(event.loop_count))
    parts += (str(event.context_tokens), str(event.duration_s), str(event.window))
    parts.append(event.prompt_id)
    parts += [call["tool_use_id"] for call in event.calls]
    return parts
