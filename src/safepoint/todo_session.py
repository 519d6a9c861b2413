"""Whose todo list is meant: by name, by the environment of an agent's child, else the one live chat."""

from __future__ import annotations

import time
from collections.abc import Mapping

from .errors import SafepointError
from .hot import events as ev
from .hot.shapes import Host
from .hot.stores.paths import Paths, session_key
from .sessions import Session, find, load, load_all

# What a host gives the children of an agent's shell, and to the servers it starts.
VARIABLES: dict[str, Host] = {
    "CURSOR_CONVERSATION_ID": "cursor",
    "CLAUDE_CODE_SESSION_ID": "claude_code",
}


class NoSessionError(SafepointError):
    """No chat, or several, could be meant. `candidates` are the keys of those that could."""

    def __init__(self, project: str, candidates: list[str], how: str) -> None:
        self.candidates = candidates
        if candidates:
            what = f"{len(candidates)} chats are live in {project}: {', '.join(candidates[:8])}. Name one"
        else:
            what = f"no live chat is known in {project}. Name one"
        super().__init__(f"{what}: {how}, or set {' or '.join(VARIABLES)} to its id.")


def resolve(
    project: str, named: str, environment: Mapping[str, str], live_s: float, how: str = "--session ID"
) -> Session:
    """The session that is meant. `how` says how a caller names one."""
    if named:
        return find(project, named)
    told = _from_environment(project, environment)
    if told is not None and not told.state["ended"]:
        return told
    live = _live(project, live_s)
    if len(live) > 1:
        live = [session for session in live if _is_calling(session)] or live
    if len(live) == 1:
        return live[0]
    if told is not None and not live:
        return told  # its chat has ended, and no other has begun
    raise NoSessionError(project, [session.key for session in live], how)


def _from_environment(project: str, environment: Mapping[str, str]) -> Session | None:
    for name, host in VARIABLES.items():
        session_id = environment.get(name, "")
        if session_id:
            key = session_key(session_id)
            state = load(Paths(project), key)
            if not state["started_at"]:  # its hooks have not run yet
                state["session_id"], state["host"] = session_id, host
            return Session(key, state)
    return None


def _live(project: str, live_s: float) -> list[Session]:
    """Chats of people: neither ended nor long silent, and no subagents."""
    since = time.time() - live_s
    return [
        session
        for session in load_all(project)
        if not session.state["ended"]
        and not session.state["agent_id"]
        and session.state["known_origin"]
        and session.state["last_at"] >= since
    ]


def _is_calling(session: Session) -> bool:
    """Whether its hooks have just announced a call of our own tool: then it is the one that asks."""
    return any(call["tool"] == ev.OWN_TODO for call in session.state["open_calls"].values())
