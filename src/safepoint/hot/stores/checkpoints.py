"""The red checkpoint: written once, read back, never changed."""

from __future__ import annotations

import os
import stat

from .. import wire
from ..digest import sha256_hex
from ..durable import write_once
from ..files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..shapes import FileMark, RedCheckpoint
    from .paths import Paths

MARKED_FILES = 50
HASHED_BYTES, HASHED_TOTAL = 1024 * 1024, 8 * 1024 * 1024  # of one file, of all: a safepoint has a deadline


class CheckpointError(Exception):
    """A checkpoint or handoff that is not what was written. `path` names it."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path = path


def digest(checkpoint: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of everything but the digest itself."""
    return sha256_hex(wire.canonical({k: v for k, v in checkpoint.items() if k != "sha256"}))


def write(paths: Paths, key: str, checkpoint: RedCheckpoint) -> str:
    """Write under the first free number and read back; the path. Raises OSError or CheckpointError."""
    checkpoint["sha256"] = digest(checkpoint)  # type: ignore[arg-type]
    data = wire.dumps(checkpoint, indent=2).encode("ascii") + b"\n"
    number = 1
    while True:
        path = paths.red_checkpoint(key, number)
        try:
            write_once(path, data)
            break
        except FileExistsError:
            number += 1
    read(path)
    return path


def read(path: str) -> RedCheckpoint:
    """The checkpoint at `path`. Raises CheckpointError where it is not whole."""
    try:
        checkpoint: Any = wire.loads(read_bytes(path))
    except (OSError, ValueError) as error:
        raise CheckpointError(path, str(error)) from error
    if not isinstance(checkpoint, dict) or checkpoint.get("sha256") != digest(checkpoint):
        raise CheckpointError(path, "its content does not match its digest")
    return checkpoint  # type: ignore[return-value]


def mark_files(project: str, names: list[str]) -> list[FileMark]:
    """Size, time of change and digest of the newest of `names`, to tell later whether they changed since."""
    marks: list[FileMark] = []
    room = HASHED_TOTAL
    for name in reversed(names[-MARKED_FILES:]):
        path = name if os.path.isabs(name) else f"{project}/{name}"
        mark: FileMark = {"path": name, "size": -1, "mtime_ns": 0}
        try:
            info = os.stat(path)
            mark["size"], mark["mtime_ns"] = info.st_size, info.st_mtime_ns
            if stat.S_ISREG(info.st_mode) and info.st_size <= min(HASHED_BYTES, room):
                room -= info.st_size
                mark["sha256"] = sha256_hex(read_bytes(path, HASHED_BYTES))
        except (OSError, ValueError):
            pass
        marks.append(mark)
    marks.reverse()
    return marks
