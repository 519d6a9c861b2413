"""Handoffs that a new chat may take: one small file each in `.session/pending`.

`ID.json` offers, `ID.claim` (exclusive create) takes, and both move to `.session/settled` once the
taker has gone on, or a person dismissed the handoff. Nothing is deleted, except by the session itself
when it goes on.
"""

from __future__ import annotations

import os

from .. import wire
from ..files import make_private_dir, read_bytes, write_atomic, write_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Claim, PendingHandoff
    from .paths import Paths


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


def listed(paths: Paths) -> list[Offered]:
    """All pending handoffs, newest first. Unreadable files are passed over."""
    try:
        names = os.listdir(paths.pending)
    except OSError:
        return []
    found = []
    for name in names:
        if name.endswith(".json"):
            handoff = _read(paths.offer(name[:-5]))
            if handoff is not None and isinstance(handoff.get("session_id"), str):
                found.append(Offered(name[:-5], handoff, _read(paths.claim(name[:-5]))))  # type: ignore[arg-type]
    found.sort(key=lambda item: item.handoff.get("created_at_unix", 0), reverse=True)
    return found


def claim(paths: Paths, key: str, by: Claim) -> Claim | None:
    """Take a handoff for a session. None when it is ours now, else the claim that came first."""
    try:
        write_once(paths.claim(key), wire.dumps(by).encode("ascii"), mode=0o600)
    except FileExistsError:
        first = _read(paths.claim(key))
        if isinstance(first, dict) and first.get("session_id") == by["session_id"]:
            return None
        return first or by  # type: ignore[return-value]
    _point(paths)
    return None


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


def settle(paths: Paths, key: str) -> None:
    """The taker has gone on, or a person dismissed it: the handoff is pending no more."""
    make_private_dir(os.path.dirname(paths.settled(key)))
    try:
        os.replace(paths.offer(key), paths.settled(key))
    except FileNotFoundError:
        pass
    _remove(paths.claim(key))
    _point(paths)


def withdraw(paths: Paths, key: str) -> None:
    """The session itself goes on, so there is nothing to hand over."""
    if os.path.exists(paths.offer(key)):
        settle(paths, key)


def _point(paths: Paths) -> None:
    """Keep the pointer file true that the always-on rule tells the model to read."""
    open_offers = [item for item in listed(paths) if item.claim is None and item.handoff.get("inject", True)]
    if not open_offers:
        _remove(paths.pointer())
        return
    handoff = open_offers[0].handoff
    text = f"[{handoff['campaign_slug']}]({os.path.basename(handoff['handoff'])})\n\n{handoff['handoff']}\n"
    write_atomic(paths.pointer(), text.encode("utf-8", "replace"))


def _read(path: str) -> dict[str, object] | None:
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
