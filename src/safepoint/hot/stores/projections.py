"""Files that only repeat what a session's state says: resume point, turns, tracker."""

from __future__ import annotations

from .. import wire
from ..files import append_line, read_bytes, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from ..shapes import ResumePoint
    from .paths import Paths

LIVE_S = 15 * 60  # a session that wrote within so many seconds is taken to be alive
OVER = ("session_end", "red_guard", "compact_handoff")  # the campaign is the next session's


def write_resume_point(paths: Paths, point: ResumePoint, lock_s: float) -> str:
    """Write the campaign's resume point; a second live session of a campaign writes beside it."""
    from ..flock import Lock

    slug = point["campaign_slug"]
    with Lock(paths.campaign_lock(slug), lock_s):
        path = paths.resume_point(slug)
        there, _ = _read(path)
        if _is_live_other(there, point):
            path = paths.resume_point(slug, point["orig_session_id"])
        _write(path, point)
    return path


def write_pulled(paths: Paths, point: ResumePoint, lock_s: float) -> str:
    """Write the resume point that came from elsewhere. The campaign's file is the newest session's, and what
    another session has there goes on beside it: the handoff of either keeps its own."""
    from ..flock import Lock

    slug = point["campaign_slug"]
    with Lock(paths.campaign_lock(slug), lock_s):
        path = paths.resume_point(slug)
        there, data = _read(path)
        other = _other(there, point)
        if other is not None:
            owner, at = other
            if at > point["interrupted_at_unix"] or _is_live_other(there, point):
                path = paths.resume_point(slug, point["orig_session_id"])
            else:
                write_atomic(paths.resume_point(slug, owner), data)
        _write(path, point)
    return path


def _read(path: str) -> tuple[Any, bytes]:
    """The resume point that lies there and its bytes; (None, b"") where none can be read."""
    try:
        data = read_bytes(path)
        return wire.loads(data), data
    except (OSError, ValueError):
        return None, b""


def _write(path: str, point: ResumePoint) -> None:
    write_atomic(path, wire.dump_fields(point).encode("ascii") + b"\n")  # type: ignore[arg-type]


def _other(there: Any, point: ResumePoint) -> Optional[tuple[str, float]]:
    """(session, time) of a resume point that is another session's."""
    try:
        owner, at = there["orig_session_id"], there["interrupted_at_unix"]
    except (KeyError, TypeError):
        return None
    is_sound = isinstance(owner, str) and type(at) in (int, float)
    return (owner, at) if is_sound and owner != point["orig_session_id"] else None


def _is_live_other(there: Any, point: ResumePoint) -> bool:
    """Whether it is that of another session, which is still at work."""
    try:
        owner, at = there["orig_session_id"], there["interrupted_at_unix"]
        ended = there["trigger"] in OVER
        age = point["interrupted_at_unix"] - at
    except (KeyError, TypeError):
        return False
    return bool(owner != point["orig_session_id"] and not ended and age < LIVE_S)


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


def append_turn(paths: Paths, key: str, role: str, text: str, at: float) -> None:
    """One turn of the conversation, for people to look at; `text` is redacted and cut already."""
    line = wire.dumps({"at": round(at, 3), "role": role, "text": text}).encode("ascii")
    append_line(paths.turns(key), line)
