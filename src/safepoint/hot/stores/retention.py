"""Which files of sessions have had their time, by age and by size. Looks, and changes nothing."""

from __future__ import annotations

import os
import time

from ..files import is_folder
from .paths import ROOT, STATE_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional

    from ..shapes import Housekeeping
    from .paths import Paths

DAY_S = 86_400
LIVE_S = 2 * DAY_S  # a session that wrote something since then may go on
TEMP_S = 3_600  # no hook lives that long, so nobody finishes such a file any more
MB = 1_000_000
DEFAULTS: Housekeeping = {"mode": "on", "max_age_days": 30, "max_mb": 200, "keep_days": 7}

_ENDINGS = (".journal.", ".state.json", ".turns.jsonl", ".saving.lock", ".lock", ".told-")
_FRONTS = ("red-checkpoint-", "handoff-", "pre-compact-", "tracker-")
_TAILS = (".notes.md", ".md", ".json", ".claim")


class Group:
    """The files of one session: paths below ``.cursor``, when the newest was written, how much they hold."""

    __slots__ = ("bytes", "files", "is_owner", "key", "newest", "segments")

    def __init__(self, key: str) -> None:
        self.key = key
        self.files: list[str] = []
        self.segments: list[tuple[int, str, float]] = []  # number, path, time of archived journal segments
        self.newest = 0.0
        self.bytes = 0
        self.is_owner = False  # has a journal or a state, so that its key is surely one


class Plan:
    """What would go. `sessions` are with the reason, age or size."""

    __slots__ = ("segments", "sessions", "temps")

    def __init__(self, sessions: list[tuple[Group, str]], segments: list[str], temps: list[str]) -> None:
        self.sessions, self.segments, self.temps = sessions, segments, temps


def plan(paths: Paths, limits: Housekeeping, now: float, until: float = float("inf")) -> Optional[Plan]:
    """None where looking takes longer than `until` (monotonic): half of a look must not decide."""
    groups: dict[str, Group] = {}
    temps: list[str] = []
    for path, name, size, at in _files(paths):
        if time.monotonic() > until:
            return None
        if _is_temp(name):
            if now - at > TEMP_S:
                temps.append(path)
            continue
        key = _key_of(path, name)
        if key:
            _add(groups.setdefault(key, Group(key)), path, name, size, at)
    _join_numbered(groups)
    kept = _kept(paths, groups, now)
    gone = _decide([group for group in groups.values() if group.key not in kept], groups, limits, now)
    going = {group.key for group, _ in gone}
    stay = [group for group in groups.values() if group.key not in going]
    return Plan(gone, [path for group in stay for path in _old_segments(group, now)], temps)


def _files(paths: Paths) -> Iterator[tuple[str, str, int, float]]:
    """(path below `.cursor`, name, size, time) of the files that may be of a session, or left of a hook."""
    for folder in (*STATE_FOLDERS, ".session/settled", ".session/pending", ".session/runs"):
        try:
            if not is_folder(f"{paths.project}/{ROOT}/{folder}"):
                continue  # a link: what it leads to is somebody else's
            entries = os.scandir(f"{paths.project}/{ROOT}/{folder}")
        except OSError:
            continue
        with entries:
            for entry in entries:
                try:
                    if entry.is_file(follow_symlinks=False):
                        seen = entry.stat(follow_symlinks=False)
                        yield f"{folder}/{entry.name}", entry.name, seen.st_size, seen.st_mtime
                except OSError:
                    continue  # gone in between


def _is_temp(name: str) -> bool:
    """Half of a file that a killed hook left: `.{name}.{pid}-{n}-{time}.tmp`, or git's lock on an index."""
    whole = name[:-5] if name.endswith(".tmp.lock") else name
    return name[:1] == "." and whole.endswith(".tmp") and whole[:-4].rpartition(".")[2].count("-") == 2


def _key_of(path: str, name: str) -> str:
    """The session that a file is of; '' for what belongs to none, or is not to go by itself."""
    if path.startswith((".session/pending/", ".artifacts/")) or name.startswith(("resume-point-", ".")):
        return ""
    if path.startswith(".session/runs/"):
        return name[:-6] if name.endswith(".jsonl") else ""
    if not path.startswith(".tracking/"):
        for ending in _ENDINGS:
            if ending in name:
                return name.partition(ending)[0]
    for front in ("",) if path.startswith(".session/settled/") else _FRONTS:
        if name.startswith(front):
            for tail in _TAILS:
                if name.endswith(tail):
                    return name[len(front) : -len(tail)]
    return ""


def _add(group: Group, path: str, name: str, size: int, at: float) -> None:
    group.files.append(path)
    group.newest = max(group.newest, at)
    group.bytes += size
    group.is_owner = group.is_owner or ".journal." in name or name.endswith(".state.json")
    number = name.rpartition(".journal.")[2][: -len(".jsonl")]
    if ".journal." in name and number.isdecimal() and size:
        group.segments.append((int(number), path, at))


def _join_numbered(groups: dict[str, Group]) -> None:
    """A second checkpoint is `KEY-2`: it goes with its session."""
    for key in list(groups):
        owner = groups.get(key.rpartition("-")[0])
        is_number = key.rpartition("-")[2].isdecimal()
        if is_number and owner is not None and owner.is_owner and not groups[key].is_owner:
            second = groups.pop(key)
            owner.files += second.files
            owner.bytes += second.bytes
            owner.newest = max(owner.newest, second.newest)


def _kept(paths: Paths, groups: dict[str, Group], now: float) -> set[str]:
    """Sessions that may go on, or whose handoff is pending, and the subagents of these."""
    try:
        first = {name[:-5] for name in os.listdir(paths.pending) if name.endswith(".json")}
    except OSError:
        first = set()
    first |= {group.key for group in groups.values() if now - group.newest <= LIVE_S}
    return first | {key for key in groups if key.partition(".")[0] in first}


def _decide(
    free: list[Group], groups: dict[str, Group], limits: Housekeeping, now: float
) -> list[tuple[Group, str]]:
    total = sum([group.bytes for group in groups.values()])
    gone = []
    for group in sorted(free, key=lambda group: group.newest):
        reason = "age" if now - group.newest > limits["max_age_days"] * DAY_S else ""
        reason = reason or ("size" if total > limits["max_mb"] * MB else "")
        if not reason:
            break
        gone.append((group, reason))
        total -= group.bytes
    return gone


def _old_segments(group: Group, now: float) -> list[str]:
    """Archived segments but the newest, which a rebuild reads: they only tell the history."""
    archived = sorted(group.segments)[:-1]
    return [path for _, path, at in archived if now - at > LIVE_S]
