"""Claude Code's transcript: how many tokens the last model call held, and what came behind it.

The file is JSON lines, one record per content block, and it grows for as long as the session lives.  A scan
goes on where the last one stopped, so its cost follows what was added, not the size of the file.  Only when
there is nothing to go on from does it look for the last usage from the end.  Nothing is ever written.

No record can end a scan: what cannot be read or weighed counts nothing, and the reading goes on behind it.
A scan that takes too long stops between two records; the next hook goes on from there.

A record's usage: ``input_tokens`` + ``cache_creation_input_tokens`` + ``cache_read_input_tokens`` is what the
model was shown (the numerator of the client's own status line); the next request sends that again, with the
``output_tokens`` and all that followed.
"""

from __future__ import annotations

import os
import time

from .. import textweight, wire
from ..events import bounded_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..shapes import Transcript

MAX_TAIL_BYTES = 4 * 1024 * 1024
MAX_FORWARD_BYTES = 8 * 1024 * 1024  # more than this between two hooks: look from the end
BUDGET_S = 0.7  # of a hook's two seconds; kept to between records
MAX_SEEN = 256  # ids: as many as the meter keeps
MAX_COUNT = 10**9  # tokens; what is more, or no number at all, is no figure

_CHUNK = 1024 * 1024
_REGULAR, _TYPE_MASK = 0o100000, 0o170000
# Kept from the model, or said to it by other records already.
_SILENT_ATTACHMENTS = (
    "hook_success", "hook_cancelled", "hook_non_blocking_error", "hook_error_during_execution",
    "hook_permission_decision", "hook_system_message",
    "prompt_snapshot",  # system prompt and tools over again: 25,000 tokens that the usage holds already
    "prompt_render_point", "deferred_tools_record", "tool_offer_record",
)  # fmt: skip
_REMINDERS = ("todo_reminder", "task_reminder")  # the client's own, of the todo list


class Scan:
    """Where the reading stands, and what was newly found.

    ``is_passed``: the last figure lies further from the end than is looked, if there is one.  ``seen`` holds
    ``"in:<id>"`` for a tool call's input, ``"<id>"`` for its result, ``"prompt"`` for a user's text.
    """

    __slots__ = ("is_passed", "seen", "transcript")

    def __init__(self, transcript: Transcript, seen: list[str], is_passed: bool) -> None:
        self.transcript, self.seen, self.is_passed = transcript, seen, is_passed


def scan(
    path: str, last: Transcript | None, max_tail_bytes: int = MAX_TAIL_BYTES, sidechain: bool = False
) -> Scan | None:
    """Bring ``last`` up to date with the file; None when there is no file that can be read.

    ``sidechain`` is for a subagent's own file, where every record bears the mark that keeps it out of the
    main chain elsewhere.  Only complete lines are consumed; the client may be in the middle of one.
    """
    fd = _open(path)
    if fd < 0:
        return None
    try:
        stat = os.fstat(fd)
        goes_on = last is not None and _goes_on(fd, path, last, stat)
        is_passed = False
        if last is not None and goes_on and stat.st_size - last["offset"] <= MAX_FORWARD_BYTES:
            state, start = last.copy(), last["offset"]
        else:
            from .transcript_tail import leap

            known = last if goes_on else None
            start, state, is_passed = leap(fd, path, known, stat, max_tail_bytes, sidechain)
        seen: list[str] = []
        _forward(fd, start, stat.st_size, state, seen, sidechain)
        return Scan(state, seen, is_passed)
    except OSError:  # the file went away, or its disk did
        return None
    finally:
        os.close(fd)


# --- the file --------------------------------------------------------------------------------------------


def _open(path: str) -> int:
    """A descriptor of the regular file, or -1.  Looks first: opening a FIFO would wait for a writer."""
    try:
        if os.stat(path).st_mode & _TYPE_MASK != _REGULAR:
            return -1
        return os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError):
        return -1


def _goes_on(fd: int, path: str, last: Transcript, stat: os.stat_result) -> bool:
    """Whether the file still begins with what was consumed.  A rewind rewrites it."""
    offset = last["offset"]
    if last["path"] != path or last["inode"] != stat.st_ino or not 0 <= offset <= stat.st_size:
        return False
    return offset == 0 or read_at(fd, offset - 1, 1) == b"\n"


def read_at(fd: int, offset: int, count: int) -> bytes:
    os.lseek(fd, offset, os.SEEK_SET)
    parts = []
    while count > 0:
        part = os.read(fd, count)
        if not part:
            break
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _forward(fd: int, start: int, size: int, state: Transcript, seen: list[str], sidechain: bool) -> None:
    """Consume the complete lines between ``start`` and ``size``, as far as the time allows."""
    until = time.monotonic() + BUDGET_S
    os.lseek(fd, start, os.SEEK_SET)
    pieces: list[bytes] = []  # of a line that spans chunks
    left = size - start
    while left > 0:
        chunk = os.read(fd, min(_CHUNK, left))
        if not chunk:
            return
        left -= len(chunk)
        lines = chunk.split(b"\n")
        for line in lines[:-1]:
            if pieces:
                pieces.append(line)
                line = b"".join(pieces)
                pieces = []
            state["offset"] += len(line) + 1
            if _may_matter(line):
                record = parsed(line, sidechain)
                if record is not None:
                    try:
                        _take(record, state, seen)
                    except (TypeError, ValueError, ArithmeticError, LookupError, RecursionError):
                        pass  # of a shape that nobody thought of
                    if len(seen) > 2 * MAX_SEEN:
                        from .transcript_tail import bound

                        bound(seen)
                if time.monotonic() > until:
                    return
        if lines[-1]:
            pieces.append(lines[-1])


def _may_matter(line: bytes) -> bool:
    """Cheap: snapshots, progress and queue records, of whatever size, are never parsed."""
    return b'"user"' in line or b'"usage"' in line or b'"attachment"' in line or b"compact_boundary" in line


def parsed(line: bytes, sidechain: bool) -> dict[str, Any] | None:
    """The parsed line if it belongs to the conversation that is measured."""
    # The mark stands at the front of a record; a subagent's megabytes need not be parsed to be left out.
    if not sidechain and b'"isSidechain":true' in line[:512]:
        return None
    try:
        record = wire.loads(line)
    except (ValueError, RecursionError):  # broken, or nested deeper than any client nests
        return None
    if not isinstance(record, dict) or (record.get("isSidechain") is True and not sidechain):
        return None
    return record


# --- what a record means ---------------------------------------------------------------------------------


def _take(record: dict[str, Any], state: Transcript, seen: list[str]) -> None:
    kind = record.get("type")
    if kind == "assistant":
        _take_assistant(record, state, seen)
    elif kind == "user":
        _take_user(record, state, seen)
    elif kind == "attachment":
        _take_attachment(record, state)
    elif kind == "system":
        from .transcript_tail import take_system

        take_system(record, state)


def _take_assistant(record: dict[str, Any], state: Transcript, seen: list[str]) -> None:
    usage = usage_of(record)
    if usage is None:  # an error text of the client's own
        return
    message = record["message"]
    content = message.get("content")
    base = occupancy(usage)
    seen.extend("in:" + call for call in _ids(content, "tool_use", "id"))
    if not base:  # a call that was shown nothing is none: some gateways report no usage, or not yet
        state["after"] += _weigh(content)
        return
    written, said = _weigh(content), count(usage.get("output_tokens"))
    name = bounded_id(str(message.get("id") or record.get("uuid") or ""))
    if name and name == state["message_id"]:
        # Usage is written twice: a few tokens when the message begins, its true size at its end.  Until
        # that came, the blocks themselves are the better figure.
        state["output"] = said if said >= state["output"] else state["output"] + written
    else:
        state["message_id"] = name
        state["output"] = max(said, written)
        state["after"] = 0
    state["base"] = base
    state["boundary"] = False
    model = message.get("model")
    if isinstance(model, str):
        state["model"] = model
    requested = record.get("requestedModel")  # with the `[1m]` that `message.model` lacks
    if isinstance(requested, str):
        state["requested"] = requested


def _take_user(record: dict[str, Any], state: Transcript, seen: list[str]) -> None:
    message = record.get("message")
    if not isinstance(message, dict):
        return
    if record.get("isCompactSummary") is True:  # the compaction's own figure holds it already
        return
    content = message.get("content")  # not `toolUseResult`: it repeats the content for the client's own use
    state["after"] += _weigh(content)
    results = _ids(content, "tool_result", "tool_use_id")
    seen.extend(results)
    if not results and record.get("isMeta") is not True and "prompt" not in seen:
        seen.append("prompt")


def _take_attachment(record: dict[str, Any], state: Transcript) -> None:
    attachment = record.get("attachment")
    if not isinstance(attachment, dict):
        return
    if attachment.get("type") in _REMINDERS:
        state["reminder"] = state["offset"]
    if "rendered" in record:  # newer clients write down what the model is shown of it
        state["after"] += _weigh(record["rendered"])
    elif attachment.get("type") not in _SILENT_ATTACHMENTS:
        state["after"] += _weigh(attachment.get("content", attachment))


def usage_of(record: dict[str, Any]) -> dict[str, Any] | None:
    """The usage of a real model call; None for the client's own texts."""
    message = record.get("message")
    if record.get("type") != "assistant" or not isinstance(message, dict):
        return None
    if record.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
        return None
    usage = message.get("usage")
    return usage if isinstance(usage, dict) and "input_tokens" in usage else None


def occupancy(usage: dict[str, Any]) -> int:
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(count(usage.get(name)) for name in names)


def count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MAX_COUNT:
        return 0  # neither an infinity nor "no number" is between the two
    return int(value)


def _ids(content: object, kind: str, field: str) -> list[str]:
    if not isinstance(content, list):
        return []
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") == kind]
    return [bounded_id(block[field]) for block in blocks if isinstance(block.get(field), str)]


def _weigh(content: object) -> int:
    """Tokens of a message's content: a text, or a list of blocks, which may hold lists again."""
    total, inner = 0, [content]
    while inner:
        found = inner.pop()
        if isinstance(found, str):
            total += textweight.tokens(found)
        elif isinstance(found, list):
            for block in found:
                if isinstance(block, dict):
                    total += _weigh_block(block, inner)
                else:
                    inner.append(block)
        elif found is not None:
            total += textweight.value_tokens(found)
    return total


def _weigh_block(block: dict[str, Any], inner: list[object]) -> int:
    """Tokens of the block itself; what it holds is left for later, in ``inner``."""
    kind = block.get("type")
    if kind == "image":
        return textweight.PICTURE_TOKENS
    if kind == "document":
        from .transcript_tail import weigh_document

        return weigh_document(block.get("source"))
    if kind == "tool_use":
        return textweight.value_tokens(block.get("input"))
    for field in ("text", "thinking", "content"):
        if field in block:
            inner.append(block[field])
            return 0
    return textweight.value_tokens(block)
