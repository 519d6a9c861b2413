"""One session's journal and state: append a line, fold the new lines, save the fold.

The journal is the truth. The state file spares the next hook the reading of the whole of it and may be
lost at any time. Both are read without a lock: a line is whole once its newline is there.
"""

from __future__ import annotations

import os

from .. import wire
from ..files import NOFOLLOW, append_line, make_private_dir, read_bytes, write_atomic
from ..session import SNAPSHOT, apply, new_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..flock import Lock
    from ..shapes import Host, Record, SessionState
    from .paths import Paths

SEGMENT_BYTES = 512 * 1024  # a rebuild reads at most about two of these
STATE_VERSION = 1
HEAD_BYTES = 32  # `{"at":1764520000.123,"kind":"x` or `{"kind":"snapshot","segment":1`
_SNAPSHOT_HEAD = b'{"kind":"snapshot"'
_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)


class SessionStore:
    """`state` is valid after `load`. Writing and saving belong inside `with store.locked(...)`."""

    __slots__ = ("_base", "_head", "_lock", "_offset", "_previous", "_segment", "agent_id", "host", "key",
                 "paths", "rebuilt", "session_id", "state")  # fmt: skip

    def __init__(self, paths: Paths, key: str, session_id: str, agent_id: str, host: Host) -> None:
        self.paths, self.key = paths, key
        self.session_id, self.agent_id, self.host = session_id, agent_id, host
        self.state: SessionState = new_state(session_id, agent_id, host)
        self.rebuilt = ""  # why the state had to be rebuilt, if it had to be
        self._segment = self._offset = self._previous = 0
        self._base = 0  # bytes of the snapshot that the current segment begins with
        self._head = b""  # how the current journal begins: tells one segment from the next
        self._lock: Lock | None = None

    # --- reading ---

    def load(self) -> SessionState:
        """The state as of the newest whole line of the journal."""
        for _ in (1, 2):  # a rotation between the two reads shows as another head
            if not self._read_state():
                return self._rebuild()
            head = _head(self.paths.journal(self.key))
            if head == self._head:
                self._fold_new_lines()
                return self.state
        next_segment = self.paths.journal_segment(self.key, self._segment + 1)
        if head.startswith(_SNAPSHOT_HEAD) or _exists(next_segment):
            return self._rebuild()  # a rotation was cut off before it saved its state
        self._head, self._offset = head, 0  # the journal was taken away; what the state knows still holds
        self._fold_new_lines()
        return self.state

    def _read_state(self) -> bool:
        path = self.paths.state(self.key)
        try:
            data = read_bytes(path)
        except FileNotFoundError:
            return False
        try:
            saved: Any = wire.loads(data)
            if saved["schema_version"] != STATE_VERSION:
                raise ValueError("another version wrote this")
            place = saved["journal"]
            blank = new_state(self.session_id, self.agent_id, self.host)
            blank.update(saved["state"])
            self.state = blank
            self._segment, self._offset = int(place["segment"]), int(place["offset"])
            self._previous, self._head = int(place["previous"]), str(place["head"]).encode()
            self._base = int(place["base"])
            return True
        except _MALFORMED:
            self.rebuilt = "state"
            _set_aside(path)
            return False

    def _fold_new_lines(self) -> None:
        if self._segment:
            self._fold_late_lines()
        self._offset = self._fold_file(self.paths.journal(self.key), self._offset)

    def _fold_late_lines(self) -> None:
        """A hook that had the old segment open may have written to it after the rotation."""
        archive = self.paths.journal_segment(self.key, self._segment)
        self._previous = self._fold_file(archive, self._previous)

    def _fold_file(self, path: str, offset: int) -> int:
        """Fold the whole lines of `path` behind `offset`; the offset behind them."""
        try:
            fd = os.open(path, os.O_RDONLY | NOFOLLOW)
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
                self._restore(record)
                self._base = len(line) + 1
            else:
                self.state = apply(self.state, record)
        except _MALFORMED:
            return  # a torn or foreign line tells nothing; the lines around it stand

    def _restore(self, record: dict[str, Any]) -> None:
        blank = new_state(self.session_id, self.agent_id, self.host)
        blank.update(record["state"])
        self.state = blank
        self._segment, self._previous = int(record["segment"]), int(record["previous"])
        self._fold_late_lines()

    def _rebuild(self) -> SessionState:
        """Fold everything that is needed again: the newest archived segment, then the current one."""
        self.state = new_state(self.session_id, self.agent_id, self.host)
        self._segment = self._offset = self._previous = self._base = 0
        newest = 0
        while _exists(self.paths.journal_segment(self.key, newest + 1)):
            newest += 1
        if newest:
            self._previous = self._fold_file(self.paths.journal_segment(self.key, newest), 0)
            self._segment = newest
        journal = self.paths.journal(self.key)
        self._head = _head(journal)
        self._offset = self._fold_file(journal, 0)
        return self.state

    # --- writing ---

    def append(self, record: Record) -> None:
        """One line, one system call; nothing is folded. Needs no lock."""
        line = wire.dumps({"at": 0.0, **record}).encode("ascii") + b"\n"  # a head needs its time
        try:
            append_line(self.paths.journal(self.key), line)
        except FileNotFoundError:
            self.prepare()
            append_line(self.paths.journal(self.key), line)

    def write(self, record: Record) -> None:
        """Append, then fold what is new: this record and what others wrote in between, in file order."""
        self.append(record)
        if not self._head:
            self._head = _head(self.paths.journal(self.key))
        self._fold_new_lines()

    def save(self) -> None:
        """Replace the state file by the fold, and begin a new segment when this one has grown."""
        if self._offset - self._base > SEGMENT_BYTES and self._lock is not None and self._lock.held:
            self._rotate()  # without the lock two of us could archive one segment over the other
        place = {"segment": self._segment, "offset": self._offset, "previous": self._previous,
                 "base": self._base, "head": self._head.decode("ascii", "replace")}  # fmt: skip
        saved = {"schema_version": STATE_VERSION, "journal": place, "state": self.state}
        write_atomic(self.paths.state(self.key), wire.dumps(saved).encode("ascii"))

    def _rotate(self) -> None:
        journal, number = self.paths.journal(self.key), self._segment + 1
        try:
            os.rename(journal, self.paths.journal_segment(self.key, number))
        except OSError:  # Windows, while another hook has it open: the next save tries again
            return
        snapshot = {"kind": SNAPSHOT, "segment": number, "previous": self._offset, "state": self.state}
        line = wire.dumps(snapshot).encode("ascii") + b"\n"
        append_line(journal, line)
        self._segment, self._previous, self._offset, self._base = number, self._offset, 0, len(line)
        self._head = _head(journal)
        self._fold_new_lines()

    def prepare(self) -> None:
        """Make the state folders: private, and kept out of commits by a file of their own."""
        from .paths import ROOT, STATE_FOLDERS

        for name in STATE_FOLDERS:
            folder = f"{self.paths.project}/{ROOT}/{name}"
            make_private_dir(folder)
            if not _exists(folder + "/.gitignore"):
                write_atomic(folder + "/.gitignore", b"*\n")
        make_private_dir(self.paths.pending)

    def locked(self, deadline_s: float) -> Lock:
        """The session's lock. It may not be held at the deadline: see `flock`."""
        from ..flock import Lock

        if not _exists(self.paths.session):
            self.prepare()
        self._lock = Lock(self.paths.lock(self.key), deadline_s)
        return self._lock


def _exists(path: str) -> bool:
    try:
        os.lstat(path)
    except OSError:
        return False
    return True


def _head(path: str) -> bytes:
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


def _set_aside(path: str) -> None:
    try:
        os.replace(path, f"{path}.broken-{os.getpid()}")
    except OSError:
        pass
