"""One session's journal and state: append a line, fold the new lines, save the fold.

The journal is the truth. The state file spares the next hook the reading of the whole of it and may be
lost at any time. Both are read without a lock: a line is whole once its newline is there.
"""

from __future__ import annotations

import os

from .. import wire
from ..events import short_key
from ..files import NOFOLLOW, append_line, is_folder, open_regular, read_bytes, write_atomic
from ..session import SNAPSHOT, apply, is_sound, new_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..flock import Lock
    from ..shapes import Host, Record, SessionState
    from .paths import Paths

SEGMENT_BYTES = 512 * 1024  # a rebuild reads at most about two of these
STATE_VERSION = 1
_STATE = ',"state":'
HEAD_BYTES = 32  # `{"at":1764520000.123,"kind":"x` or `{"kind":"snapshot","segment":1`
_SNAPSHOT_HEAD = b'{"kind":"snapshot"'
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)


class SessionStore:
    """`state` is valid after `load`. Writing and saving belong inside `with store.locked(...)`."""

    __slots__ = ("_lock", "agent_id", "base", "head", "host", "key", "offset", "paths", "previous", "rebuilt",
                 "segment", "session_id", "state", "unsaved")  # fmt: skip

    def __init__(self, paths: Paths, key: str, session_id: str, agent_id: str, host: Host) -> None:
        self.paths, self.key = paths, key
        self.session_id, self.agent_id, self.host = session_id, agent_id, host
        self.state: SessionState = new_state(session_id, agent_id, host)
        self.rebuilt = ""  # why the state had to be rebuilt, if it had to be
        self.unsaved: OSError | None = None  # why the state file could not be written, if it could not
        # How far the state reaches: in the current journal, and in the newest archived segment
        self.segment = self.offset = self.previous = 0
        self.base = 0  # bytes of the snapshot that the current segment begins with
        self.head = b""  # how the current journal begins: tells one segment from the next
        self._lock: Lock | None = None

    # --- reading ---

    def load(self) -> SessionState:
        """The state as of the newest whole line of the journal."""
        for _ in (1, 2):  # a rotation between the two reads shows as another head
            if not self._read_state():
                return self._rebuild()
            head = head_of(self.paths.journal(self.key))
            if head == self.head:
                self.fold_new_lines()
                return self.state
        next_segment = self.paths.journal_segment(self.key, self.segment + 1)
        if head.startswith(_SNAPSHOT_HEAD) or exists(next_segment):
            return self._rebuild()  # a rotation was cut off before it saved its state
        self.head, self.offset = head, 0  # the journal was taken away; what the state knows still holds
        self.fold_new_lines()
        return self.state

    def _read_state(self) -> bool:
        path = self.paths.state(self.key)
        try:
            data = read_bytes(path)
        except FileNotFoundError:
            return False
        except OSError:  # the journal says the same, and is what counts
            self._set_state_aside(path)
            return False
        try:
            saved: Any = wire.loads(data)
            if saved["schema_version"] != STATE_VERSION:
                raise ValueError("another version wrote this")
            if saved["check"] != short_key(state_text(data)):
                raise ValueError("a part of it is not what was written")
            place = saved["journal"]
            blank = new_state(self.session_id, self.agent_id, self.host)
            blank.update(saved["state"])
            self.state = blank
            self.segment, self.offset = int(place["segment"]), int(place["offset"])
            self.previous, self.head = int(place["previous"]), str(place["head"]).encode()
            self.base = int(place["base"])
            return True
        except MALFORMED:
            self._set_state_aside(path)
            return False

    def _set_state_aside(self, path: str) -> None:
        from .session_repair import set_aside

        self.rebuilt = "state"
        set_aside(path)

    def fold_new_lines(self) -> None:
        """Fold what has been appended since the last look."""
        if self.segment:
            self.fold_late_lines()
        self.offset = self.fold_file(self.paths.journal(self.key), self.offset)

    def fold_late_lines(self) -> None:
        """A hook that had the old segment open may have written to it after the rotation."""
        archive = self.paths.journal_segment(self.key, self.segment)
        self.previous = self.fold_file(archive, self.previous)

    def fold_file(self, path: str, offset: int) -> int:
        """Fold the whole lines of `path` behind `offset`; the offset behind them."""
        try:
            fd = open_regular(path, os.O_RDONLY | NOFOLLOW)
        except FileNotFoundError:
            return 0
        try:
            size = os.fstat(fd).st_size
            if size <= offset:
                return size
            data = _read_range(fd, offset, size)
        finally:
            os.close(fd)
        end = data.rfind(b"\n") + 1
        for line in data[:end].splitlines():
            self._fold_line(line)
        return offset + end

    def _fold_line(self, line: bytes) -> None:
        try:
            record: Any = wire.loads(line)
            if record.get("kind") == SNAPSHOT:
                from . import session_repair

                session_repair.restore(self, record, len(line) + 1)
            elif is_sound(record):
                self.state = apply(self.state, record)
        except MALFORMED:
            return  # a torn or foreign line tells nothing; the lines around it stand

    def _rebuild(self) -> SessionState:
        if not self.rebuilt and not exists(self.paths.journal(self.key)) and not self._has_archive():
            # A session's first event. The state may hold what was only applied to measure.
            self.state = new_state(self.session_id, self.agent_id, self.host)
            return self.state
        from .session_repair import rebuild

        return rebuild(self)

    def _has_archive(self) -> bool:
        return exists(self.paths.journal_segment(self.key, 1))

    # --- writing ---

    def append(self, record: Record) -> None:
        """One line, one system call; nothing is folded. Needs no lock."""
        line = wire.dumps({"at": 0.0, **record}).encode("ascii") + b"\n"  # a head needs its time
        if not is_folder(self.paths.session):
            self.prepare()
        append_line(self.paths.journal(self.key), line)

    def write(self, record: Record) -> None:
        """Append, then fold what is new: this record and what others wrote in between, in file order."""
        self.append(record)
        if not self.head:
            self.head = head_of(self.paths.journal(self.key))
        self.fold_new_lines()

    def save(self) -> None:
        """Replace the state file by the fold, and begin a new segment when this one has grown.

        A state file that cannot be written is no failure: the next hook folds the journal's lines again.
        """
        if self.offset - self.base > SEGMENT_BYTES and self._lock is not None and self._lock.held:
            from .session_repair import rotate

            rotate(self)  # without the lock two of us could archive one segment over the other
        if not self.head:  # lines that were appended and folded, none of them by `write`
            self.head = head_of(self.paths.journal(self.key))
        place = {"segment": self.segment, "offset": self.offset, "previous": self.previous,
                 "base": self.base, "head": self.head.decode("ascii", "replace")}  # fmt: skip
        text = wire.dumps(self.state)
        front = {"schema_version": STATE_VERSION, "journal": place, "check": short_key(text)}
        saved = f"{wire.dumps(front)[:-1]}{_STATE}{text}}}"
        try:
            write_atomic(self.paths.state(self.key), saved.encode("ascii"))
        except OSError as error:
            self.unsaved = error

    def prepare(self) -> None:
        """Make the state folders."""
        from .folders import prepare

        prepare(self.paths)

    def locked(self, deadline_s: float) -> Lock:
        """The session's lock. It may not be held at the deadline: see `flock`."""
        from ..flock import Lock

        if not is_folder(self.paths.session):
            self.prepare()
        self._lock = Lock(self.paths.lock(self.key), deadline_s)
        return self._lock


def state_text(data: bytes) -> str:
    """The state in a state file as it was written: what its check was made of."""
    return data.partition(_STATE.encode())[2][:-1].decode("ascii", "replace")


def exists(path: str) -> bool:
    try:
        os.lstat(path)
    except OSError:
        return False
    return True


def head_of(path: str) -> bytes:
    """The first bytes of a journal: a time to the millisecond, or a snapshot's number."""
    try:
        return read_bytes(path, HEAD_BYTES).split(b"\n", 1)[0]
    except OSError:
        return b""


def _read_range(fd: int, start: int, end: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(fd, end - start, start)
    os.lseek(fd, start, 0)
    return os.read(fd, end - start)
