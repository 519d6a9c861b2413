"""A session of 100,000 events: whole, in segments, and no more for a hook to read than of a short one."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from safepoint.hot.stores.paths import Paths
from safepoint.hot.stores.session_store import SEGMENT_BYTES, SessionStore

CALLS = 50_000  # of two events each
BATCH = 250  # calls between two hooks that fold and save
KEY = "long"


def store_in(project: Path) -> SessionStore:
    return SessionStore(Paths(str(project)), KEY, KEY, "", "claude_code")


def call(number: int) -> tuple[Any, Any]:
    shared = {"call": f"c{number}", "tool": "Shell", "command": f"make part{number % 7}",
              "command_key": f"k{number % 7}"}  # fmt: skip
    fails = number % 5 == 0
    return (
        {"at": 1e9 + number, "kind": "before_tool", "key": f"b{number}", **shared},
        {"at": 1e9 + number, "kind": "after_tool", "key": f"a{number}", **shared, "ok": not fails,
         "exit": int(fails), "file": f"f{number % 300}.py"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    store_in(folder).prepare()
    for start in range(0, CALLS, BATCH):
        store = store_in(folder)
        with store.locked(5):
            store.load()
            for number in range(start, start + BATCH):
                for made in call(number):
                    store.append(made)
            store.fold_new_lines()
            store.save()
    return folder


@pytest.fixture
def bytes_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of all that is read from now on."""
    sizes: list[int] = []
    read, pread = os.read, os.pread

    def counted(data: bytes) -> bytes:
        sizes.append(len(data))
        return data

    monkeypatch.setattr(os, "read", lambda fd, size: counted(read(fd, size)))
    monkeypatch.setattr(os, "pread", lambda fd, size, at: counted(pread(fd, size, at)))
    return sizes


def test_every_event_counts_once(project: Path) -> None:
    state = store_in(project).load()
    assert state["tool_calls"] == CALLS and state["open_calls"] == {}
    assert [command["exit"] for command in state["recent_commands"]][-5:] == [1, 0, 0, 0, 0]


def test_each_segment_begins_with_a_snapshot_and_holds_what_came_after(project: Path) -> None:
    paths = Paths(str(project))
    count = sum(os.path.exists(paths.journal_segment(KEY, number)) for number in range(1, 1000))
    segments = [Path(paths.journal_segment(KEY, number)) for number in range(1, count + 1)]
    assert len(segments) > 10
    keys: list[str] = []
    for number, path in enumerate([*segments, Path(paths.journal(KEY))]):
        assert path.stat().st_size < 2 * SEGMENT_BYTES
        records = [json.loads(line) for line in path.read_bytes().splitlines()]
        assert (records[0]["kind"] == "snapshot") == (number > 0)
        keys += [record["key"] for record in records if "key" in record]
    assert len(keys) == len(set(keys)) == 2 * CALLS


def test_a_hook_reads_the_state_and_its_new_lines_alone(project: Path, bytes_read: list[int]) -> None:
    state = store_in(project).load()
    assert state["tool_calls"] == CALLS
    assert sum(bytes_read) < 20_000


def test_without_its_state_file_it_reads_two_segments_at_most(
    project: Path, tmp_path: Path, bytes_read: list[int]
) -> None:
    was = store_in(project).load()
    shutil.copytree(project, tmp_path / "copy")
    os.unlink(Paths(str(tmp_path / "copy")).state(KEY))
    bytes_read.clear()
    assert store_in(tmp_path / "copy").load() == was
    assert sum(bytes_read) < 3 * SEGMENT_BYTES
