"""Handoffs that a new chat may take: one small file each in `.session/pending`.

`ID.json` offers, `ID.claim` (exclusive create) takes, and both move to `.session/settled` once the
taker has gone on, the session itself goes on, or a person dismissed the handoff.
"""

from __future__ import annotations

import os

from .. import wire
from ..durable import write_once
from ..files import read_bytes, write_atomic
from ..quoting import safe
from .folders import make_private_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..shapes import Claim, PendingHandoff
    from .paths import Paths


_TEXTS = (
    "session_id", "host", "reason", "campaign_slug", "branch", "base_commit_sha", "checkpoint", "handoff",
)  # fmt: skip
_UNKNOWN: Claim = {"session_id": "", "host": "", "at": 0.0}  # type: ignore[typeddict-item]


class Offered:
    """A pending handoff with the claim on it, if there is one."""

    __slots__ = ("claim", "handoff", "key")

    def __init__(self, key: str, handoff: PendingHandoff, claim: Claim | None) -> None:
        self.key, self.handoff, self.claim = key, handoff, claim


def offer(paths: Paths, key: str, handoff: PendingHandoff) -> None:
    """Make the session's handoff pending (again): an older claim on it is over."""
    make_private_dir(paths.pending)
    _remove(paths.claim(key))
    write_atomic(paths.offer(key), wire.dumps(handoff, indent=2).encode("ascii"), fsync=True)
    _point(paths)


def listed(paths: Paths, unread: list[str] | None = None) -> list[Offered]:
    """All pending handoffs, newest first. What cannot be read is passed over, and named in `unread`."""
    try:
        names = os.listdir(paths.pending)
    except OSError:
        return []
    found = []
    for name in sorted(names):
        if name.endswith(".json"):
            handoff = _read_handoff(paths.offer(name[:-5]))
            if handoff is not None:
                found.append(Offered(name[:-5], handoff, _read_claim(paths.claim(name[:-5]))))
            elif unread is not None and os.path.lexists(paths.offer(name[:-5])):  # not settled in between
                unread.append(paths.relative(paths.offer(name[:-5])))
    found.sort(key=lambda item: item.handoff["created_at_unix"], reverse=True)
    return found


def named(offers: list[Offered], name: str) -> list[Offered]:
    """The one whose id is `name`, else all whose ids begin with it: a person means one where it is one."""
    if not name:
        return []
    return [item for item in offers if item.key == name] or [
        item for item in offers if item.key.startswith(name)
    ]


def claim(paths: Paths, key: str, by: Claim) -> Claim | None:
    """Take a handoff for a session. None when it is ours now, else the claim that came first."""
    if os.path.exists(paths.offer(key)):
        try:
            write_once(paths.claim(key), wire.dumps(by).encode("ascii"), mode=0o600)
            if os.path.exists(paths.offer(key)):
                _point(paths)
                return None
            _remove(paths.claim(key))  # it was settled in between
        except FileExistsError:
            pass
    first = _read_claim(paths.claim(key)) or _settled_for(paths, key)
    return None if first["session_id"] == by["session_id"] else first


def prefer(paths: Paths, key: str) -> None:
    """The next new chat is shown this one, whatever its age, branch or claim: a person chose it."""
    for item in listed(paths):
        if item.key == key:
            handoff: PendingHandoff = {**item.handoff, "picked": True, "inject": True}
            unclaim(paths, key)
            write_atomic(paths.offer(key), wire.dumps(handoff, indent=2).encode("ascii"))
    _point(paths)


def unclaim(paths: Paths, key: str) -> None:
    """Free a handoff whose taker never went on from it; a person asked for it."""
    _remove(paths.claim(key))
    _point(paths)


def settle(paths: Paths, key: str) -> None:
    """The taker has gone on, or a person dismissed it: the handoff is pending no more."""
    make_private_dir(os.path.dirname(paths.settled(key)))
    _remove(_settled_claim(paths, key))  # one from an earlier round
    for path, settled in (
        (paths.offer(key), paths.settled(key)),
        (paths.claim(key), _settled_claim(paths, key)),
    ):
        try:
            os.replace(path, settled)
        except FileNotFoundError:
            pass
    _point(paths)


def withdraw(paths: Paths, key: str) -> None:
    """The session itself goes on, so there is nothing to hand over."""
    if os.path.exists(paths.offer(key)):
        settle(paths, key)


def taker(paths: Paths, key: str) -> str:
    """Id of the session that has taken a handoff, whether or not it has gone on from it; "" for none."""
    is_pending = os.path.exists(paths.offer(key))
    found = _read_claim(paths.claim(key) if is_pending else _settled_claim(paths, key))
    return found["session_id"] if found is not None else ""


def _point(paths: Paths) -> None:
    """Keep the pointer file true that the always-on rule tells the model to read.

    It only points: where it cannot be replaced, that is logged, and all else stands.
    """
    try:
        _write_pointer(paths)
    except OSError as error:
        import time

        from .error_log import append

        append(paths, {"at": round(time.time(), 3), "kind": "pointer"}, error)


def _write_pointer(paths: Paths) -> None:
    """Looks again after writing: of two processes at once, the later writer could have looked earlier."""
    text = _pointer_text(paths)
    for _ in range(5):
        if text:
            write_atomic(paths.pointer(), text)
        else:
            try:
                os.unlink(paths.pointer())
            except FileNotFoundError:
                pass
        written, text = text, _pointer_text(paths)
        if text == written:
            return


def _pointer_text(paths: Paths) -> bytes:
    offers = sorted(listed(paths), key=lambda item: not item.handoff.get("picked", False))
    for item in offers:
        if item.claim is None and item.handoff.get("inject", True):
            slug, path = safe(item.handoff["campaign_slug"], 80), safe(item.handoff["handoff"], 400)
            return wire.utf8(f"[{slug}]({os.path.basename(path)})\n\n{path}\n")
    return b""


def _settled_claim(paths: Paths, key: str) -> str:
    return os.path.splitext(paths.settled(key))[0] + ".claim"


def _settled_for(paths: Paths, key: str) -> Claim:
    """Who has a handoff that is pending no more: its taker, else the session that wrote it."""
    taken = _read_claim(_settled_claim(paths, key))
    if taken is not None:
        return taken
    handoff = _read_handoff(paths.settled(key))
    if handoff is None:
        return _UNKNOWN
    return {"session_id": handoff["session_id"], "host": handoff["host"], "at": handoff["created_at_unix"]}


def _read_handoff(path: str) -> PendingHandoff | None:
    """None for a file that is no handoff: whatever lies there must not stop one that is being made."""
    value = _read(path)
    if value is None or not all(isinstance(value.get(name), str) for name in _TEXTS):
        return None
    return value if type(value.get("created_at_unix")) in (int, float) else None


def _read_claim(path: str) -> Claim | None:
    """A claim that cannot be read is one all the same, by nobody knows whom: a person can free it."""
    value = _read(path)
    if value is None:
        return _UNKNOWN if os.path.exists(path) else None
    if not isinstance(value.get("session_id"), str) or type(value.get("at")) not in (int, float):
        return _UNKNOWN
    return {**_UNKNOWN, **value}


def _read(path: str) -> Any:
    """The object in this file; None where there is none."""
    try:
        value = wire.loads(read_bytes(path))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
