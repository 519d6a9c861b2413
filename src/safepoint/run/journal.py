"""What a run did: one JSON line for each of its events, in a file of its own."""

from __future__ import annotations

import os
import time
from typing import Any

from ..errors import SafepointError
from ..hot import redact, wire
from ..hot.files import append_line, read_bytes
from ..hot.flock import Lock
from ..hot.stores.folders import make_private_dir, prepare
from ..hot.stores.paths import Paths
from . import processes

TEXT_BYTES = 1000
LISTED, ALL = 20, 10_000
ENDED, BROKEN_OFF = "run_ended", "run_broken_off"
GONE = "its process ended without a word: it was killed, or the machine went down"


class Journal:
    """Appends events. Once the first is written, a failure is kept in `trouble` and stops nothing."""

    def __init__(self, paths: Paths, key: str) -> None:
        self.paths, self.key = paths, key
        self.trouble = ""
        self._has_begun = False

    def prepare(self) -> None:
        """Make the folder that runs lie in. Raises SafepointError where that does not work."""
        try:
            prepare(self.paths)
            make_private_dir(os.path.dirname(self.paths.run_journal(self.key)))
        except OSError as error:
            raise _cannot_write(error, self.paths) from error

    def add(self, event: dict[str, Any]) -> dict[str, Any]:
        """Append one event; what of it was kept."""
        kept: dict[str, Any] = without_secrets(event)
        line = wire.dumps(kept).encode("ascii")
        try:
            append_line(self.paths.run_journal(self.key), line)
        except OSError as error:
            if not self._has_begun:
                raise _cannot_write(error, self.paths) from error
            self.trouble = f"{self.paths.run_journal(self.key)}: {error.strerror or error}"
        self._has_begun = True
        return kept


def _cannot_write(error: OSError, paths: Paths) -> SafepointError:
    return SafepointError(
        f"{error.filename or paths.session}: {error.strerror or error}."
        " A run keeps its sessions' state there; nothing was started."
    )


def without_secrets(value: Any) -> Any:
    """Texts as they may be kept: known forms of secrets taken out, then cut."""
    if isinstance(value, str):
        return redact.capture(value, TEXT_BYTES)
    if isinstance(value, dict):
        return {name: without_secrets(item) for name, item in value.items()}
    if isinstance(value, list):
        return [without_secrets(item) for item in value]
    return value


def listed(paths: Paths, most: int = LISTED) -> list[dict[str, Any]]:
    """The newest runs of a project, the newest first, each as `status` shows it."""
    try:
        names = sorted(name for name in os.listdir(f"{paths.session}/runs") if name.endswith(".jsonl"))
    except OSError:
        return []
    found: list[dict[str, Any]] = []
    later: set[str] = set()
    for name in names[: -most - 1 : -1]:
        one = _read(paths, f"{paths.session}/runs/{name}", later)
        if one is not None:
            found.append(one)
            later.add(one["campaign_slug"])
    return found


def newest(paths: Paths, slug: str, besides: str = "") -> dict[str, Any] | None:
    """The newest run on this campaign, but for the one with the key `besides`."""
    found = [run for run in listed(paths) if run["campaign_slug"] == slug and run["run"] != besides]
    return found[0] if found else None


def _read(paths: Paths, path: str, later: set[str]) -> dict[str, Any] | None:
    """`later`: campaigns that a later run works on."""
    events = []
    try:
        for line in read_bytes(path).splitlines():
            value = wire.loads(line)
            if isinstance(value, dict):
                events.append(value)
    except (OSError, ValueError):
        pass  # a torn last line: what stands before it holds
    try:
        return _summary(paths, events, later)
    except (LookupError, TypeError):
        return None


def _summary(paths: Paths, events: list[dict[str, Any]], later: set[str]) -> dict[str, Any] | None:
    if not events:
        return None
    begin, end = events[0], events[-1] if events[-1]["event"] == ENDED else None
    told = events[-1] if events[-1]["event"] == BROKEN_OFF else None
    started = [event for event in events if event["event"] == "session_started"]
    agents = [event for event in events if "agent_began" in event]
    agent, agent_began = (agents[-1]["agent_pid"], agents[-1]["agent_began"]) if agents else (None, "")
    ids = [event["session_id"] for event in events if event.get("session_id")]
    going = "running" if end is None and told is None and _is_going(paths, begin, later) else "broken_off"
    is_over = end is not None or told is not None
    if is_over or agent is None or not agent_began or not processes.is_running(agent, agent_began):
        agent, agent_began = None, ""
    return {
        "run": begin["run"], "pid": begin["pid"], "agent": begin["agent"],
        "campaign_slug": begin["campaign_slug"], "task": begin["task"],
        "state": end["outcome"] if end else going,
        "why": end["why"] if end else GONE if going == "broken_off" else "",
        "is_tidy": is_over,  # and nothing that its agent left is still at work
        "agent_pid": agent, "agent_began": agent_began,
        "handoff": end["handoff"] if end else None, "sessions": len(started),
        "session_id": ids[-1] if ids else "", "given": started[-1]["handoff"] if started else None,
        "started_at_unix": begin["at_unix"], "last_at_unix": events[-1 if told is None else -2]["at_unix"],
    }  # fmt: skip


def _is_going(paths: Paths, begin: dict[str, Any], later: set[str]) -> bool:
    """By its process. A number of another machine, or of another container, tells nothing here: there the
    campaign's lock tells, unless a later run has it."""
    known = begin.get("pid_began", "")
    if not known or processes.is_from_here(known):
        if not processes.is_running(begin["pid"], known):
            return False
        if known:
            return True
    path = paths.run_lock(begin["campaign_slug"])
    if begin["campaign_slug"] in later or not os.path.exists(path):
        return False
    with Lock(path, 0) as lock:
        return not lock.held


def event(run: str, name: str, **fields: Any) -> dict[str, Any]:
    """One event of a run. Times are whole seconds since 1970."""
    head = {"schema_version": 1, "command": "run", "run": run, "event": name, "at_unix": int(time.time())}
    return {**head, **fields}
