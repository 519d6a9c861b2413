"""A recorded chat as the moments at which hooks ran: Claude Code's transcript, or a session's own journal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .errors import SafepointError
from .hot import events as ev
from .hot import session, wire
from .hot.files import open_regular
from .hot.hook import Hook
from .hot.hosts import claude_code
from .hot.meters import transcript
from .hot.shapes import Level, Reading, Record, SessionState, Settings
from .hot.stores.session_store import MALFORMED
from .hot.utc import utc


class Moment(NamedTuple):
    """A line of the file, and the record that a hook would make of what it tells; None: nothing yet."""

    line: int
    at: str
    record: Record | None
    judged: bool  # a guard runs here


class Chat:
    """The state that is folded, and the hook that measures it. Its store is never written."""

    def __init__(self, settings: Settings, scratch: str) -> None:
        self.settings, self.scratch = settings, scratch
        self.state: SessionState = session.new_state("simulated", "", "claude_code")

    def hook(self, event: ev.Event) -> Hook:
        event.project = self.scratch
        return Hook(event, self.settings, self.scratch)

    def fold(self, record: Record) -> bool:
        """False for a damaged record, which tells nothing, as to the store that a hook folds it with."""
        try:
            if record.get("kind") == session.SNAPSHOT:  # what a later segment begins with
                self.state = _restored(record["state"])  # type: ignore[typeddict-item]
                return True
            sound = session.is_sound(record)
            self.state = session.apply(self.state, record) if sound else self.state
            return sound
        except MALFORMED:
            return False

    def read(self) -> tuple[Reading, Level]:
        return self.hook(ev.Event(ev.BEFORE_TOOL, self.state["host"], "simulated")).read(self.state)


def _restored(kept: dict[str, Any]) -> SessionState:
    """The state of a snapshot. Raises what Python raises on a value of a wrong type."""
    blank = session.new_state("simulated", "", "claude_code")
    for name, value in blank.items():
        if value is not None and name in kept and not isinstance(kept[name], type(value)):
            raise TypeError(name)
    blank.update(kept)  # type: ignore[typeddict-item]
    return blank


def moments_of(form: str, lines: BinaryIO, chat: Chat) -> Iterator[Moment]:
    """`form` as `form_of` tells it."""
    return _of_journal(lines, chat) if form == "journal" else _of_transcript(lines, chat)


# --- a session's journal ---------------------------------------------------------------------------------


def _of_journal(lines: BinaryIO, chat: Chat) -> Iterator[Moment]:
    number = 0
    for number, line in enumerate(lines, 1):
        record = _loads(line)
        if isinstance(record, dict):
            record.pop("level", None)  # as it was judged then
            judged = record.get("kind") == ev.BEFORE_TOOL
            yield Moment(number, _clock(record.get("at")), record, judged)  # type: ignore[arg-type]
    yield Moment(number, "", None, False)


def _clock(at: object) -> str:
    return utc(at) if isinstance(at, (int, float)) and 0 <= at < 2.5e11 else ""


# --- a transcript of Claude Code -------------------------------------------------------------------------


def _of_transcript(lines: BinaryIO, chat: Chat) -> Iterator[Moment]:
    """The file grows line by line; at each event a hook scans what has come since the last one."""
    copy = Path(chat.scratch) / "transcript.jsonl"
    with copy.open("wb") as grown:
        for number, line in enumerate(lines, 1):
            grown.write(line)
            found = transcript.parsed(line, sidechain=False)
            stated = (found or {}).get("timestamp")
            at = stated if isinstance(stated, str) and _unix(stated) else ""  # any other text is not shown
            yield Moment(number, at, None, False)
            for name, fields in _events(found or {}):
                grown.flush()
                event = claude_code.parse(
                    {"hook_event_name": name, "session_id": "simulated", "cwd": chat.scratch,
                     "transcript_path": str(copy), **fields},
                    name,
                )  # fmt: skip
                event.now = _unix(at)
                record = chat.hook(event).observe(chat.state)
                yield Moment(number, at, record, name == "PreToolUse")


def _events(record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The hook events (name, own fields) that a record stands for."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if record.get("type") == "user" and isinstance(content, str) and record.get("isMeta") is not True:
        yield "UserPromptSubmit", {"prompt": content}
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            continue
        if record.get("type") == "assistant" and block.get("type") == "tool_use":
            yield "PreToolUse", {"tool_name": block.get("name"), "tool_input": block.get("input"),
                                 "tool_use_id": block.get("id")}  # fmt: skip


def _unix(at: str) -> float:
    try:
        return datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


# --- which of the two it is ------------------------------------------------------------------------------


def form_of(path: Path) -> str:
    """By the first lines: `kind` names a record of ours, `type` one of the client's."""
    try:
        with open_chat(path) as file:
            for line, _ in zip(file, range(50), strict=False):
                record = _loads(line)
                if isinstance(record, dict) and "kind" in record:
                    return "journal"
                if isinstance(record, dict) and isinstance(record.get("type"), str):
                    return "transcript"
    except OSError as error:
        raise SafepointError(f"{path}: {error.strerror}") from error
    raise SafepointError(
        f"{path}: neither a transcript of Claude Code (~/.claude/projects/…/ID.jsonl)"
        " nor a session's journal (.cursor/.session/ID.journal.jsonl)"
    )


def open_chat(path: Path) -> BinaryIO:
    """A regular file: a pipe or a device may have no end."""
    return os.fdopen(open_regular(str(path), os.O_RDONLY), "rb")


def _loads(line: bytes) -> Any:
    try:
        return wire.loads(line)
    except ValueError:
        return None
