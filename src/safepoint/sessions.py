"""What the session states of a project say, for people: read only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from .errors import SafepointError
from .hot import wire
from .hot.files import read_bytes
from .hot.meters.overrides import chosen
from .hot.meters.reading import hysteresis, thresholds
from .hot.policies import todos
from .hot.shapes import Record, SessionState, Settings
from .hot.stores import pending
from .hot.stores.paths import Paths
from .hot.stores.session_store import SessionStore
from .unknown_name import instead_of, listed

TOLD_MARGIN = 500  # tokens; less decides nothing that a person would ask about
_STATE, _JOURNAL = ".state.json", ".journal.jsonl"


@dataclass(frozen=True)
class Session:
    """One session as its store has it. `key` is the stem of its files."""

    key: str
    state: SessionState


def load_all(project: str) -> list[Session]:
    """Every session of the project, the one that was last active first."""
    paths = Paths(project)
    try:
        names = os.listdir(paths.session)
    except (FileNotFoundError, NotADirectoryError):
        return []
    keys = {name[: -len(_STATE)] for name in names if name.endswith(_STATE)}
    keys |= {name[: -len(_JOURNAL)] for name in names if name.endswith(_JOURNAL)}
    sessions = [Session(key, load(paths, key)) for key in sorted(keys)]
    return sorted(sessions, key=lambda session: session.state["last_at"], reverse=True)


def load(paths: Paths, key: str) -> SessionState:
    """The state of one session, folded up to its journal's last whole line."""
    return SessionStore(paths, key, key, "", "claude_code").load()


def find(project: str, wanted: str) -> Session:
    """The session whose id (or key) is or begins with `wanted`; the newest where that is empty."""
    sessions = load_all(project)
    if not sessions:
        raise SafepointError(
            f"{project}: no session has been seen here yet;"
            " run an agent here with the hooks installed, or name another folder"
        )
    if not wanted:
        return sessions[0]
    exact = [s for s in sessions if wanted in (s.key, s.state["session_id"])]
    found = exact or [s for s in sessions if s.key.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        which = listed([s.key for s in found])
        raise SafepointError(f"more than one session begins with {wanted!r}; say which: {which}")
    raise SafepointError(f"no session {wanted!r}{instead_of(wanted, [s.key for s in sessions])}")


def summary(session: Session, settings: Settings, offered: set[str]) -> dict[str, Any]:
    """One session as `status` shows it."""
    state = session.state
    yellow, red = thresholds(state["reading"], settings, state["extended"])
    return {
        "session_id": state["session_id"],
        "agent_id": state["agent_id"],
        "host": state["host"],
        "level": state["level"],
        "campaign_slug": state["campaign_slug"],
        "reading": state["reading"],
        "thresholds": {"yellow_tokens": yellow, "red_tokens": red, "extended_tokens": state["extended"]},
        "todo_progress": todos.progress(state["todos"]),
        "stopped": state["latch"] is not None and settings["mode"] == "enforce" and not state["paused"],
        "paused": state["paused"],
        "handoff_pending": session.key in offered,
        "tool_calls": state["tool_calls"],
        "model": state["meter"].get("model") or state["model"],
        "started_at_unix": int(state["started_at"]),
        "last_at_unix": int(state["last_at"]),
        "ended": state["ended"],
    }


def status(project: str, settings: Settings) -> dict[str, Any]:
    """All sessions, newest first, and what is pending."""
    offers = pending.listed(Paths(project))
    keys = {item.key for item in offers}
    return {
        "project": project,
        "sessions": [summary(session, settings, keys) for session in load_all(project)],
        "pending": [
            {
                "id": item.key,
                "campaign_slug": item.handoff["campaign_slug"],
                "host": item.handoff["host"],
                "reason": item.handoff["reason"],
                "created_at_unix": item.handoff["created_at_unix"],
                "branch": item.handoff["branch"],
                "handoff": item.handoff["handoff"],
                "claimed_by": item.claim["session_id"] if item.claim else None,
            }
            for item in offers
        ],
    }


def last_judged(paths: Paths, key: str) -> Record | None:
    """The last journal record that carries a level: what was decided about last."""
    try:
        lines = read_bytes(paths.journal(key)).splitlines()
    except FileNotFoundError:
        return None
    for line in reversed(lines):
        try:
            record = wire.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and "level" in record:
            return record  # type: ignore[return-value]
    return None


def explain(project: str, session: Session, settings: Settings) -> dict[str, Any]:
    """Why the last decision was taken: the reading and its sources, the thresholds, the level."""
    state, paths = session.state, Paths(project)
    record = last_judged(paths, session.key) or {}
    reading = record.get("reading", state["reading"])
    yellow, red = thresholds(reading, settings, state["extended"])
    level = record.get("level", state["level"])
    budget = settings["budget_thresholds"]
    override = chosen(budget.get("overrides", []), reading)
    return {
        "session_id": state["session_id"],
        "host": state["host"],
        "model": state["meter"].get("model") or state["model"],
        "event": record.get("kind"),
        "tool": record.get("tool"),
        "at_unix": record.get("at"),
        "level": level,
        "reading": reading,
        "thresholds": {
            "yellow_tokens": yellow,
            "red_tokens": red,
            "extended_tokens": state["extended"],
            "margin_tokens": reading.get("margin", 0),
            "observed_error": state["meter"].get("error"),
            "hysteresis_tokens": hysteresis(reading, settings),
            "override": override,
        },
        "mode": settings["mode"],
        "paused": state["paused"],
        "latch": state["latch"],
        "grace_used": state["grace_used"],
        "deny_on": budget["deny_on"],
        "reasons": _reasons(state, settings, level, reading, yellow, red),
    }


def _reasons(
    state: SessionState, settings: Settings, level: str, reading: Any, yellow: int, red: int
) -> list[str]:
    tokens = reading["tokens"]
    if tokens is None:
        return ["nothing measurable has been seen yet; unknown is never full"]
    reasons = [
        f"{tokens:,} tokens = {reading['measured'] or 0:,} measured ({reading['source']})"
        f" + {reading['estimated']:,} estimated since",
        f"window {reading['window'] or 0:,} tokens ({reading['window_source']}):"
        f" yellow from {yellow:,}, red from {red:,}",
    ]
    override = chosen(settings["budget_thresholds"].get("overrides", []), reading)
    if override is not None:
        named = ", ".join(f"{key} {value}" for key, value in override.items())
        reasons.append(f"thresholds of one model or host apply: {named}")
    margin = reading.get("margin", 0)
    if margin >= TOLD_MARGIN or tokens >= red > tokens - margin:
        error = state["meter"].get("error")
        known = "assumed" if error is None else f"estimates were {error:.0%} off in this session"
        reasons.append(f"the reading may be {margin:,} too high ({known}): it is red from {red + margin:,}")
    if tokens < yellow and level == "yellow":
        reasons.append(f"green again below {yellow - hysteresis(reading, settings):,}")
    if tokens >= red and level != "red":
        if tokens - margin < red:
            reasons.append("above red, but not by more than the reading may be off, so it stays yellow")
        elif reading["window_source"] in ("ambiguous", "unknown"):
            reasons.append("above red, but the window is not certain, so it stays yellow")
        else:
            reasons.append(f"above red, but a reading from {reading['source']} may not deny (deny_on)")
    if settings["mode"] != "enforce" or state["paused"]:
        reasons.append("nothing is denied: " + ("paused" if state["paused"] else f"mode {settings['mode']}"))
    elif state["latch"]:
        reasons.append(f"tools are denied: {state['latch']['cause']}, state {state['latch']['phase']}")
    return reasons
