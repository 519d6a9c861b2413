"""Which files of a work tree differ from its index, by name; and which of them a snapshot of it may hold."""

from __future__ import annotations

import os

from .gitfacts import entries

# A status fails as a whole on one file that a filter fails on. These two look into fewer files: into those
# alone whose time is that of the index.
ASK_CHANGED = ["diff-files", "--name-status", "-z", "--ignore-submodules=dirty"]
ASK_UNTRACKED = ["ls-files", "-o", "--exclude-standard", "-z"]


class Names:
    """Names from the top of the work tree: of tracked files that differ, and of those that git does not know.

    `deleted` and `unmerged` ones are among the changed as well. A repository inside this one ends in a slash.
    """

    __slots__ = ("changed", "deleted", "unmerged", "untracked")

    def __init__(self) -> None:
        self.changed: list[bytes] = []
        self.deleted: list[bytes] = []
        self.unmerged: list[bytes] = []
        self.untracked: list[bytes] = []

    def add(self, state: str, name: bytes) -> None:
        self.changed.append(name)
        if state == "D":
            self.deleted.append(name)
        elif state == "U":
            self.unmerged.append(name)

    def __len__(self) -> int:
        return len(self.changed) + len(self.untracked)


def of_status(output: bytes) -> Names:
    """By an answer to `gitfacts.STATUS`."""
    names = Names()
    for kind, state, name, old in entries(output):
        if kind == "?":
            names.untracked.append(os.fsencode(name))
        elif kind == "u":
            names.add("U", os.fsencode(name))
        elif kind in ("1", "2") and state[1:] != ".":
            names.add(state[1:], os.fsencode(name))
            if old:
                names.add("D", os.fsencode(old))
    return names


def of_lists(changed: bytes, untracked: bytes) -> Names:
    """By the answers to `ASK_CHANGED` and `ASK_UNTRACKED`."""
    names, fields = Names(), changed.split(b"\0")
    for state, name in dict(zip(fields[1::2], fields[::2])).items():
        names.add(name.decode("ascii", "replace"), state)
    names.untracked = untracked.split(b"\0")[:-1]
    return names


def displaced(top: bytes, names: Names) -> list[bytes]:
    """Files in whose place something else is: a folder, or whatever a link leads to."""
    found, real_top = [], os.path.realpath(top)
    behind_link: dict[bytes, bool] = {}  # by folder: many files lie in one
    for name in [*names.deleted, *names.unmerged]:
        path = top + b"/" + name
        folder = os.path.dirname(path)
        if folder not in behind_link:
            behind_link[folder] = os.path.realpath(folder) != real_top + folder[len(top) :]
        if behind_link[folder] or (os.path.isdir(path) and not os.path.lexists(path + b"/.git")):
            found.append(name)
    return found


def size(path: bytes) -> int:
    """Bytes of a file that can be read, 0 of a link; -1 of anything else."""
    try:
        info = os.lstat(path)
    except OSError:
        return -1
    kind = info.st_mode & 0o170000
    if kind == 0o120000:
        return 0
    return info.st_size if kind == 0o100000 and os.access(path, os.R_OK) else -1


def kind(name: bytes) -> bytes:
    return os.path.splitext(name)[1]


def cut(names: list[bytes]) -> int:
    """Where to part them, which are sorted by kind: beside the kind in the middle, else in the middle."""
    middle = len(names) // 2
    kinds = [kind(name) for name in names]
    first, behind = kinds.index(kinds[middle]), len(kinds) - kinds[::-1].index(kinds[middle])
    if first:
        return first
    return behind if behind < len(kinds) else middle
