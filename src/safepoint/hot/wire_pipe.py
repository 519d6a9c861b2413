"""A payload that does not arrive in one piece: larger than the pipe, dripping, or cut off."""

from __future__ import annotations

import os

from . import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Optional

_GRACE_S = 0.002


def read_rest(first: bytes, fd: int, silence_s: float) -> tuple[dict[str, Any], int]:
    """The object that begins with ``first`` and goes on at ``fd``, and the size of all that came."""
    chunks, found = collect(first, fd, silence_s)
    size = sum([len(chunk) for chunk in chunks])
    if found is not None:
        return found, size
    data = b"".join(chunks)
    chunks.clear()  # 20 MB need not lie in memory twice
    return wire.first_object(data), size


def collect(first: bytes, fd: int, silence_s: float) -> tuple[list[bytes], Optional[dict[str, Any]]]:
    """The chunks read, and the object they hold where that had to be looked at to know when to stop.

    Ends at end of file, at one complete object with nothing behind it, or after ``silence_s`` seconds without
    a byte.  Never raises: a closed or broken descriptor reads as its end.
    On Windows pipes cannot be polled: there it looks after each chunk that ends in a brace and was not full.
    """
    wait = _waiter(fd)
    chunks = [first]
    size, scanned = len(first), 0
    while True:
        # An object can only have ended at a brace.  Looking costs time in proportion to what is there, so
        # it is done once the pipe is quiet, and again only when the text has doubled: linear, however it
        # drips.
        if wait is None:
            may_be_whole = size >= 2 * scanned or len(chunks[-1]) < wire.CHUNK
        else:
            may_be_whole = size >= 2 * scanned
        if may_be_whole and _ends_in_brace(chunks) and (wait is None or not wait(_GRACE_S + size * 1e-9)):
            scanned = size
            chunks = [b"".join(chunks)]
            found = wire.peek(chunks[0])
            if found is not None:
                return chunks, found
        if wait is not None and not wait(silence_s):
            break
        chunk = wire.read(fd, wire.CHUNK)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return chunks, None


def _waiter(fd: int) -> Optional[Callable[[float], bool]]:
    """A function that waits up to so many seconds and says whether a read would return at once.

    None where only a read tells (Windows).
    """
    if os.name == "nt":
        return None
    try:
        from select import select
    except ImportError:
        return None

    def wait(seconds: float) -> bool:
        try:
            return bool(select([fd], [], [], seconds)[0])
        except (OSError, ValueError):  # not a descriptor that can be waited on: let the read say so
            return True

    return wait


def _ends_in_brace(chunks: list[bytes]) -> bool:
    for chunk in reversed(chunks):
        tail = chunk[-256:].rstrip(wire.SPACE) or chunk.rstrip(wire.SPACE)
        if tail:
            return tail.endswith(b"}")
    return False
