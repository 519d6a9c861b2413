"""What a handler works with: the event, the settings, and the session it belongs to."""

from __future__ import annotations

import os

from . import records
from .hosts.fields import event_key
from .meters import reading as readings
from .stores.paths import Paths, session_key
from .stores.session_store import SessionStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .events import Event
    from .shapes import Level, Reading, Record, SessionState, Settings


class Hook:
    """One event on its way through a handler."""

    __slots__ = ("event", "hooks_dir", "key", "paths", "session_key", "settings", "store", "unread")

    def __init__(self, event: Event, settings: Settings, hooks_dir: str) -> None:
        self.event, self.settings, self.hooks_dir = event, settings, hooks_dir
        self.paths = Paths(event.project)
        self.session_key = session_key(event.session_id, event.agent_id)
        self.store = SessionStore(
            self.paths, self.session_key, event.session_id, event.agent_id, event.host
        )
        self.key = event_key(event)
        self.unread: OSError | None = None  # why the transcript could not be read, if it could not

    def observe(self, state: SessionState) -> Record:
        """The event's record, with what the transcript holds since the last look (Claude Code)."""
        event = self.event
        record = records.make(event, self.key)
        if not state["project"]:  # the first record says whose journal this is
            record["project"], record["host"] = event.project, event.host
            record["session_id"] = event.session_id[:200]
            if event.agent_id:
                record["agent_id"] = event.agent_id[:200]
        if event.host_version and event.host_version != state["host_version"]:
            record["host_version"] = event.host_version
        if event.host == "claude_code" and event.transcript_path:
            self._scan_transcript(state, record)
        return record

    def _scan_transcript(self, state: SessionState, record: Record) -> None:
        from .meters import transcript

        path, event = self.event.transcript_path, self.event
        if event.agent_id:
            from .meters.transcript_tail import subagent_transcript

            path = subagent_transcript(path, event.session_id, event.agent_id)
        scan = transcript.scan(path, state["meter"].get("transcript"), sidechain=bool(event.agent_id))
        if scan is None:
            if os.path.exists(path):  # a new chat has none yet
                from .meters.transcript_tail import why_unread

                self.unread = why_unread(path)
        else:
            if scan.transcript != state["meter"].get("transcript"):
                record["transcript"] = scan.transcript
            if scan.seen:
                record["seen"] = scan.seen
            if scan.is_passed:
                from .meters.transcript_tail import no_figure

                self.unread = no_figure(path)

    def read(self, state: SessionState) -> tuple[Reading, Level]:
        """How full the context is, and what that means here."""
        reading = readings.reading(
            state["meter"], state["host"], "", self.settings, os.environ
        )
        if reading["tokens"] is None:
            reading = readings.proxy_reading(
                state["prompts"], state["shell_bytes"], self.settings, reading
            )
        return reading, readings.level(reading, self.settings, state["extended"], state["level"])

    def record(self, kind: str, **fields: Any) -> Record:
        """A record of our own, made at the time of the event."""
        made: Record = {"at": round(self.event.now, 3), "kind": kind}
        made.update(fields)  # type: ignore[typeddict-item]
        return made

    def say(self, key: str, **facts: object) -> str:
        """A text in the language of the settings."""
        from .texts import say

        return say(self.settings["language"], key, **facts)

    def may_remind(self, requests: int) -> bool:
        """Whether a reminder could be due after so many requests: asked before what decides is imported."""
        log, limits = self.store.state["todo_log"], self.settings["reminders"]
        idle = min(limits["stale"]["after_requests"], limits["no_call"]["after_requests"])
        if requests - log["updated"] < idle or not self.is_main or not self.store.state["known_origin"]:
            return False
        given = max(log["reminded"].values(), default=-(10**9))
        cooldown = min(limits["stale"]["cooldown_requests"], limits["no_call"]["cooldown_requests"])
        return requests - given >= cooldown

    @property
    def lock_s(self) -> float:
        return self.settings["deadlines"]["lock_s"]

    @property
    def is_main(self) -> bool:
        """False in a subagent that has its own id beside its parent's (Claude Code)."""
        return not self.event.agent_id
