"""Does completed work still hold? Each item against the files and commits as they are now. Pure.

A file holds while its content is the one that was there. A commit holds while HEAD contains it. A command
that passed holds while nothing it could have looked at has changed since. What is only said (a todo ticked,
a subagent's report) cannot be compared with anything but history: it holds while HEAD contains the commit
that the work was built on.
"""

from __future__ import annotations

from .. import events as ev

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..shapes import CompletedWork, Standing

_FILE_TOOLS = (ev.WRITE, ev.EDIT, ev.DELETE)


class Evidence:
    """What is known of files and commits now. `since` are paths in commits made since; None: not known."""

    __slots__ = ("files", "reachable", "since")

    def __init__(self, files: Mapping[str, Standing], since: Sequence[str] | None, reachable: bool) -> None:
        self.files, self.since, self.reachable = files, since, reachable


def check(work: Sequence[CompletedWork], now: Evidence) -> list[tuple[CompletedWork, Standing, str]]:
    """Each item with how it stands, and the reason ('' where it holds)."""
    changed = [path for path, stands in now.files.items() if stands != "holds"]
    changed += [path for path in now.since or () if now.files.get(path) != "holds" and path not in changed]
    return [(item, *_judge(item, work, now, changed)) for item in work]


def _judge(
    item: CompletedWork, work: Sequence[CompletedWork], now: Evidence, changed: list[str]
) -> tuple[Standing, str]:
    tool, path = file_of(item)
    if tool:
        return _file(tool, path, now)
    if not now.reachable:
        return "gone", "commit"
    if item["known"] != "verified" or is_commit(item):
        return "holds", ""
    if now.since is None:
        return "changed since", "history"
    later = [file_of(other)[1] for other in work if other["at"] > item["at"] and file_of(other)[0]]
    touched = later + changed
    return ("changed since", touched[0]) if touched else ("holds", "")


def _file(tool: str, path: str, now: Evidence) -> tuple[Standing, str]:
    stands = now.files.get(path, "holds")  # not marked: too many files at once to say more
    return (stands, "") if stands == "holds" else (stands, path)


def file_of(item: CompletedWork) -> tuple[str, str]:
    """(tool, path) of an item that is a file's change, else ('', '')."""
    if item["evidence"] != "file":
        return "", ""
    tool, _, path = item["description"].partition(" ")
    return (tool, path) if tool in _FILE_TOOLS else ("", "")


def is_commit(item: CompletedWork) -> bool:
    """A command that made a commit, so its result is in the history and not in the files."""
    words = item["description"].split()
    return "git" in words and "commit" in words[words.index("git") :]
