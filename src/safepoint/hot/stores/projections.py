"""Files that only repeat what a session's state says: resume point, turns, tracker."""

from __future__ import annotations

from .. import wire
from ..files import append_line, read_bytes, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..shapes import ResumePoint
    from .paths import Paths

LIVE_S = 15 * 60  # a session that wrote within so many seconds is taken to be alive
OVER = ("session_end", "red_guard", "compact_handoff")  # the campaign is the next session's


def write_resume_point(paths: Paths, point: ResumePoint, lock_s: float) -> str:
    """Write the campaign's resume point; a second live session of a campaign writes beside it."""
    from ..flock import Lock

    slug, data = point["campaign_slug"], wire.dump_fields(point).encode("ascii") + b"\n"  # type: ignore[arg-type]
    with Lock(paths.campaign_lock(slug), lock_s):
        path = paths.resume_point(slug)
        if _belongs_to_other(path, point):
            path = paths.resume_point(slug, point["orig_session_id"])
        write_atomic(path, data)
    return path


def write_pulled(paths: Paths, point: ResumePoint, lock_s: float) -> str:
    """Write the resume point that came from elsewhere. The campaign's file is the newest session's, and what
    another session has there goes on beside it: the handoff of either keeps its own."""
    from ..flock import Lock

    slug, own = point["campaign_slug"], paths.resume_point(point["campaign_slug"], point["orig_session_id"])
    with Lock(paths.campaign_lock(slug), lock_s):
        path = paths.resume_point(slug)
        there = _of_other(path, point)
        if there is not None:
            owner, at, data = there
            if at > point["interrupted_at_unix"] or _belongs_to_other(path, point):
                path = own
            else:
                write_atomic(paths.resume_point(slug, owner), data)
        write_atomic(path, wire.dump_fields(point).encode("ascii") + b"\n")  # type: ignore[arg-type]
    return path


def _of_other(path: str, point: ResumePoint) -> tuple[str, float, bytes] | None:
    """(session, time, content) of a resume point that is another session's."""
    try:
        data = read_bytes(path)
        there: Any = wire.loads(data)
        owner, at = there["orig_session_id"], there["interrupted_at_unix"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    is_sound = isinstance(owner, str) and type(at) in (int, float)
    return (owner, at, data) if is_sound and owner != point["orig_session_id"] else None


def resume_point_of(paths: Paths, slug: str, session_id: str) -> str:
    """Where the session's resume point lies: in the campaign's file, unless that is another session's."""
    first, own = paths.resume_point(slug), paths.resume_point(slug, session_id)
    try:
        read_bytes(own, 0)
        there: Any = wire.loads(read_bytes(first))
        return first if there["orig_session_id"] == session_id else own
    except FileNotFoundError:
        return first
    except (OSError, ValueError, KeyError, TypeError):
        return own


def _belongs_to_other(path: str, point: ResumePoint) -> bool:
    try:
        there: Any = wire.loads(read_bytes(path))
        owner, at = there["orig_session_id"], there["interrupted_at_unix"]
        ended = there["trigger"] in OVER
        age = point["interrupted_at_unix"] - at
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return bool(owner != point["orig_session_id"] and not ended and age < LIVE_S)


def append_turn(paths: Paths, key: str, role: str, text: str, at: float) -> None:
    """One turn of the conversation, for people to look at; `text` is redacted and cut already."""
    line = wire.dumps({"at": round(at, 3), "role": role, "text": text}).encode("ascii")
    append_line(paths.turns(key), line)
