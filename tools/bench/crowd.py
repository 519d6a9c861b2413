"""A crowded repository: other live sessions, sessions of long ago, and very many files."""

from __future__ import annotations

import os
import statistics
import time
from pathlib import Path

from safepoint.hot.stores.paths import Paths
from safepoint.hot.stores.session_store import SessionStore

from . import cases
from .cases import Case
from .chats import ClaudeChat
from .latency import Clock, Row, wall
from .scratch import Repository

LIVE, STALE, FILES = 50, 1_000, 100_000
FLAT = 1.10  # so many times what it costs in an empty repository
DAY_S = 86_400
HOOK_MS = 2_000.0  # what a hook has in all, git included


def sessions(folder: Path, python: str, runs: int, clock: Clock = wall) -> list[Row]:
    """Guard, tracker and the start of a chat beside other sessions, each against the same alone."""
    rows = []
    alone = _hooks(Repository(folder / "alone/shop", python))
    for name, fill in ((f"{LIVE} live sessions", _live), (f"{STALE:,} stale sessions", _stale)):
        repository = Repository(folder / f"{name.split()[1]}/shop", python)
        fill(repository)
        Path(Paths(str(repository.folder)).prune_mark()).touch()  # today's look is done
        for empty, full in zip(alone, _hooks(repository), strict=True):
            ratios = [clock(full.run()) / clock(empty.run()) for _ in range(runs)]
            rows.append(Row(f"{empty.name}: beside {name}", statistics.median(ratios), "× alone", FLAT))
    return rows


def daily_look(folder: Path, python: str) -> list[Row]:
    """A day's first start among sessions of long ago, which then go: it keeps the hook's deadline as well."""
    repository = Repository(folder / "daily/shop", python)
    _stale(repository)
    chat = ClaudeChat(repository, "bench-daily")
    finished = repository.send(chat.host, chat.start())
    left = len(list((repository.folder / ".cursor/.session").glob("stale-*.state.json")))
    name, ms = f"a day's first start: {STALE:,} stale sessions", finished.seconds * 1000
    return [Row(name, ms, "ms", HOOK_MS, note=f"{STALE - left:,} moved away")]


def many_files(folder: Path, python: str, runs: int) -> list[Row]:
    """Red and a turn's end, which ask git, where it has much to look at."""
    repository = Repository(folder / "files/shop", python, FILES)
    chat = ClaudeChat(repository, "bench-files")
    for payload in chat.day(3):
        repository.send(chat.host, payload)
    repository.send(chat.host, chat.after("touch src/part0/module0.py"))
    stop = cases.case("stop", None, chat, chat.stop(), repository.state())
    red = cases.rare(repository, quick=True)[0]
    rows = []
    for one in (stop, red):
        ms = statistics.median(one.run().seconds for _ in range(runs)) * 1000
        rows.append(Row(f"{one.name}: repository of {FILES:,} files", ms, "ms", HOOK_MS))
    return rows


def _hooks(repository: Repository) -> list[Case]:
    """Of one chat, in the repository as it is by now."""
    chat = ClaudeChat(repository, "bench-crowd")
    for payload in chat.day(cases.CALLS // 4):
        repository.send(chat.host, payload)
    state = repository.state()
    return [
        cases.case("guard", None, chat, chat.before(), state),
        cases.case("tracker", None, chat, chat.after(), state),
        cases.case("bootstrap", None, chat, cases.other_start(chat), state),
    ]


def _live(repository: Repository) -> None:
    for number in range(LIVE):
        chat = ClaudeChat(repository, f"live-{number}")
        for payload in chat.day(2):
            repository.send(chat.host, payload)


def _stale(repository: Repository) -> None:
    """As hooks left them a hundred days ago; written by their own store, since a hook knows today only."""
    paths, then = Paths(str(repository.folder)), time.time() - 100 * DAY_S
    for number in range(STALE):
        key = f"stale-{number}"
        store = SessionStore(paths, key, key, "", "claude_code")
        with store.locked(1.0):
            store.load()
            store.write({"at": then, "kind": "session_start", "project": paths.project, "host": "claude_code",
                         "session_id": key, "model": "claude-sonnet-4-5"})  # fmt: skip
            store.save()
        for path in (paths.journal(key), paths.state(key), paths.lock(key)):
            if os.path.exists(path):
                os.utime(path, (then, then))
