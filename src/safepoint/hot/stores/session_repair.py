"""What a session's store does once in a thousand events: begin a new segment, or fold all of it again."""

from __future__ import annotations

import os

from .. import wire
from ..files import append_line
from ..session import SNAPSHOT, new_state
from .session_store import exists, head_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..shapes import SessionState
    from .session_store import SessionStore


def rebuild(store: SessionStore) -> SessionState:
    """Fold everything that is needed again: the newest archived segment, then the current one."""
    store.state = new_state(store.session_id, store.agent_id, store.host)
    store.segment = store.offset = store.previous = store.base = 0
    newest = 0
    while exists(store.paths.journal_segment(store.key, newest + 1)):
        newest += 1
    if newest:
        store.previous = store.fold_file(store.paths.journal_segment(store.key, newest), 0)
        store.segment = newest
    journal = store.paths.journal(store.key)
    store.head = head_of(journal)
    store.offset = store.fold_file(journal, 0)
    return store.state


def restore(store: SessionStore, record: dict[str, Any], size: int) -> None:
    """Take the state from the snapshot that a segment begins with; `size` is its line's."""
    blank = new_state(store.session_id, store.agent_id, store.host)
    blank.update(record["state"])
    store.state = blank
    store.segment, store.previous = int(record["segment"]), int(record["previous"])
    store.fold_late_lines()
    store.base = size


def rotate(store: SessionStore) -> None:
    """Archive the current segment and begin the next with a snapshot. The session's lock is held."""
    journal, number = store.paths.journal(store.key), store.segment + 1
    try:
        os.rename(journal, store.paths.journal_segment(store.key, number))
    except OSError:  # Windows, while another hook has it open: the next save tries again
        return
    snapshot = {"kind": SNAPSHOT, "segment": number, "previous": store.offset, "state": store.state}
    line = wire.dumps(snapshot).encode("ascii") + b"\n"
    append_line(journal, line)
    store.segment, store.previous, store.offset, store.base = number, store.offset, 0, len(line)
    store.head = head_of(journal)
    store.fold_new_lines()


def set_aside(path: str) -> None:
    """Keep a file that cannot be used where a person finds it."""
    try:
        os.replace(path, f"{path}.broken-{os.getpid()}")
    except OSError:
        pass
