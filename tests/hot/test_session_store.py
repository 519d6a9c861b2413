from __future__ import annotations

import copy
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import RECORDS, SESSION, ran, record, state_of, wrote

from safepoint.hot import events as ev
from safepoint.hot import wire
from safepoint.hot.session import apply
from safepoint.hot.shapes import Record, SessionState
from safepoint.hot.stores import session_store
from safepoint.hot.stores.paths import Paths
from safepoint.hot.stores.session_store import SessionStore

KEY = "s-1"
FEW = settings(max_examples=25, deadline=None)
ENV = {"PYTHONPATH": str(Path(session_store.__file__).parents[3])}
SMALL = 1500  # bytes of a segment, so that a few records fill it


def store_in(project: Path | str) -> SessionStore:
    return SessionStore(Paths(str(project)), KEY, SESSION, "", "claude_code")


def loaded(project: Path | str) -> dict[str, Any]:
    return plain(store_in(project).load())


def plain(state: SessionState) -> dict[str, Any]:
    """As it is after a way through a file."""
    return json.loads(wire.dumps(state))  # type: ignore[no-any-return]


def event(number: int, **fields: Any) -> Record:
    """A file of its own was read: what is lost shows, whatever the order."""
    made: Any = {**wrote(f"{number}.py", ev.READ), "key": f"k{number}", "call": f"c{number}",
                 "at": 1000.0 + number, **fields}  # fmt: skip
    return made  # type: ignore[no-any-return]


def keep(project: Path, *records: Record) -> SessionState:
    store = store_in(project)
    with store.locked(5) as lock:
        assert lock.held
        store.load()
        for made in records:
            store.write(made)
        store.save()
    return store.state


def journal(project: Path) -> Path:
    return Path(Paths(str(project)).journal(KEY))


def state_file(project: Path) -> Path:
    return Path(Paths(str(project)).state(KEY))


def archives(project: Path) -> list[Path]:
    """The segments that were closed."""
    return sorted(journal(project).parent.glob(f"{KEY}.journal.*.jsonl"))


# --- the state is the fold of the journal ----------------------------------------------------------------


@FEW
@given(st.lists(RECORDS, max_size=12), st.lists(st.sampled_from(["append", "write", "save", "load"])))
def test_state_is_the_fold_of_what_was_written(records: list[Record], ways: list[str]) -> None:
    with tempfile.TemporaryDirectory() as project:
        store = store_in(project)
        store.load()
        for number, made in enumerate(copy.deepcopy(records)):
            way = ways[number % len(ways)] if ways else "write"
            if way == "append":
                store_in(project).append(made)
                continue
            if way == "load":
                store = store_in(project)
                store.load()
            store.write(made)
            if way == "save":
                store.save()
        lines: list[Any] = [{"at": 0.0, **made} for made in json.loads(wire.dumps(records))]
        expected = plain(state_of(*lines))
        assert loaded(project) == expected
        Path(Paths(project).state(KEY)).unlink(missing_ok=True)
        assert loaded(project) == expected


def test_session_that_nobody_wrote_is_new(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    assert store.load() == state_of()
    assert store.rebuilt == ""
    assert not list(tmp_path.iterdir())


def test_what_was_applied_only_to_measure_is_gone_at_the_next_load(tmp_path: Path) -> None:
    """Else a first event at Red would find itself seen already, and be let through."""
    store = store_in(tmp_path)
    apply(store.load(), event(1))
    assert store.load()["seen_keys"] == []


def test_other_writers_lines_are_folded_with_ones_own(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.load()
    store.write(event(1))
    store_in(tmp_path).append(event(2))
    store.write(event(3))
    assert store.state["files_read"] == ["1.py", "2.py", "3.py"]


def test_appended_lines_that_were_folded_and_saved_count_once(tmp_path: Path) -> None:
    """More of them than keys are remembered, so that a second fold would show."""
    store = store_in(tmp_path)
    with store.locked(1):
        store.load()
        for number in range(300):
            store.append(event(number))
        store.fold_new_lines()
        store.save()
    assert loaded(tmp_path)["tool_calls"] == 300


def test_line_in_the_journal_starts_with_its_time(tmp_path: Path) -> None:
    """The head of a journal tells one from the next."""
    keep(tmp_path, record(ev.PROMPT, at=1764520000.123))
    assert journal(tmp_path).read_bytes().startswith(b'{"at":1764520000.123,"kind":"prompt"')


def test_state_of_an_older_shape_gets_the_new_fields(tmp_path: Path) -> None:
    keep(tmp_path, event(1))
    saved = json.loads(state_file(tmp_path).read_text())
    del saved["state"]["granted"]
    state_file(tmp_path).write_text(json.dumps(saved))
    assert loaded(tmp_path)["granted"] == []


# --- a state file that is lost or broken -----------------------------------------------------------------


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: b"\0" * len(data), id="zeros"),
        pytest.param(lambda data: b"not json", id="prose"),
        pytest.param(lambda data: b"[]", id="list"),
        pytest.param(lambda data: b"null", id="null"),
        pytest.param(lambda data: b"{}", id="no-fields"),
        pytest.param(lambda data: data.replace(b'"schema_version":1', b'"schema_version":2'), id="future"),
        pytest.param(lambda data: data.replace(b'"state":{', b'"state":[{') + b"]}", id="broken-state"),
        pytest.param(lambda data: data.replace(b'"offset":', b'"offset":1e999,"x":'), id="infinite-offset"),
        pytest.param(lambda data: b"\xff\xfe" + data, id="not-utf8"),
    ],
)
def test_broken_state_is_set_aside_and_rebuilt(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    was = plain(keep(tmp_path, *[event(n) for n in range(5)]))
    state_file(tmp_path).write_bytes(damage(state_file(tmp_path).read_bytes()))
    store = store_in(tmp_path)
    assert plain(store.load()) == was
    aside = [path for path in state_file(tmp_path).parent.iterdir() if ".broken-" in path.name]
    assert (store.rebuilt, len(aside)) == ("state", 1)
    store.load()
    assert store.rebuilt == "state"


def test_state_cut_at_any_byte_is_rebuilt(tmp_path: Path) -> None:
    was = plain(keep(tmp_path, event(1), ran("make", 1), event(2)))
    whole = state_file(tmp_path).read_bytes()
    for cut in range(0, len(whole), 7):
        state_file(tmp_path).write_bytes(whole[:cut])
        assert loaded(tmp_path) == was


def test_lost_state_file_is_no_fault(tmp_path: Path) -> None:
    was = plain(keep(tmp_path, event(1)))
    state_file(tmp_path).unlink()
    store = store_in(tmp_path)
    assert plain(store.load()) == was
    assert store.rebuilt == ""


# --- a torn or foreign line ------------------------------------------------------------------------------


def test_torn_last_line_costs_only_itself_wherever_it_is_cut(tmp_path: Path) -> None:
    keep(tmp_path, event(1), event(2))
    whole, saved = journal(tmp_path).read_bytes(), state_file(tmp_path).read_bytes()
    last = wire.dumps(event(3)).encode() + b"\n"
    for cut in range(len(last)):
        journal(tmp_path).write_bytes(whole + last[:cut])
        for kept in (saved, None):
            state_file(tmp_path).unlink(missing_ok=True)
            if kept is not None:
                state_file(tmp_path).write_bytes(kept)
            assert loaded(tmp_path)["files_read"] == ["1.py", "2.py"]
        store_in(tmp_path).append(event(4))
        seen = ["1.py", "2.py", "3.py", "4.py"] if cut == len(last) - 1 else ["1.py", "2.py", "4.py"]
        assert loaded(tmp_path)["files_read"] == seen


def test_first_line_cut_anywhere_does_not_hide_the_next(tmp_path: Path) -> None:
    line = wire.dumps({"at": 1.5, **event(1)}).encode()
    for cut in range(len(line)):
        project = tmp_path / str(cut)
        store = store_in(project)
        store.prepare()
        journal(project).write_bytes(line[:cut])
        keep(project, event(2))
        store_in(project).append(event(3))
        assert loaded(project)["files_read"] == ["2.py", "3.py"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FOREIGN = st.one_of(
    JSON.map(lambda value: wire.dumps(value).encode()),
    st.binary(max_size=30),
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["snapshot", "prompt", "offer", "waiting", "inherit", "deny"])},
        optional={"value": JSON, "state": JSON, "segment": JSON, "previous": JSON, "calls": JSON},
    ).map(lambda value: wire.dumps(value).encode()),
)  # fmt: skip


@FEW
@given(st.lists(FOREIGN, max_size=5))
def test_foreign_line_never_raises(lines: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as project:
        keep(Path(project), event(1))
        with journal(Path(project)).open("ab") as file:
            file.write(b"\n".join(lines) + b"\n")
        loaded(project)


# --- rotation --------------------------------------------------------------------------------------------


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_store, "SEGMENT_BYTES", SMALL)


def reads(project: Path) -> list[int]:
    return sorted(int(name[:-3]) for name in loaded(project)["files_read"])


def test_small_journal_is_one_segment(tmp_path: Path) -> None:
    keep(tmp_path, *[event(n) for n in range(100)])
    assert archives(tmp_path) == []


@pytest.mark.usefixtures("small_segments")
def test_rotation_changes_no_state(tmp_path: Path) -> None:
    for number in range(60):
        was = plain(keep(tmp_path, event(number)))
        assert loaded(tmp_path) == was
    assert archives(tmp_path)
    assert journal(tmp_path).read_bytes().startswith(b'{"kind":"snapshot","segment":')
    assert was["tool_calls"] == 60
    state_file(tmp_path).unlink()
    assert loaded(tmp_path) == was


@pytest.mark.usefixtures("small_segments")
def test_no_segment_is_archived_over_another(tmp_path: Path) -> None:
    for number in range(60):
        keep(tmp_path, event(number))
    lines = b"".join(path.read_bytes() for path in [*archives(tmp_path), journal(tmp_path)]).splitlines()
    keys = [json.loads(line).get("key") for line in lines]
    assert sorted(key for key in keys if key) == sorted(f"k{number}" for number in range(60))


@pytest.mark.usefixtures("small_segments")
def test_writer_without_the_lock_does_not_rotate(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    other = store_in(tmp_path)
    with other.locked(1), store.locked(0) as lock:
        assert not lock.held
        store.load()
        for number in range(20):
            store.write(event(number))
        store.save()
    assert archives(tmp_path) == []
    keep(tmp_path, event(20))
    assert len(archives(tmp_path)) == 1
    assert reads(tmp_path) == list(range(21))


def rotated(project: Path, count: int = 20) -> tuple[bytes, dict[str, Any]]:
    """A session that has just rotated; the state file as it was before, and the state that was."""
    keep(project, event(0))
    before = state_file(project).read_bytes()
    was = keep(project, *[event(number) for number in range(1, count)])
    assert len(archives(project)) == 1
    return before, plain(was)


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("state_was_lost", [False, True], ids=["old-state", "no-state"])
@pytest.mark.parametrize("point", ["renamed", "snapshot-begun", "snapshot-written"])
def test_crash_in_the_middle_of_a_rotation_loses_nothing(
    tmp_path: Path, point: str, state_was_lost: bool
) -> None:
    before, was = rotated(tmp_path)
    snapshot = journal(tmp_path).read_bytes()
    cuts = {
        "renamed": [-1],
        "snapshot-begun": range(0, len(snapshot), 97),
        "snapshot-written": [len(snapshot)],
    }
    for cut in cuts[point]:
        project = tmp_path / f"at{cut}"
        shutil.copytree(tmp_path / ".cursor", project / ".cursor")
        if state_was_lost:
            state_file(project).unlink()
        else:
            state_file(project).write_bytes(before)
        if cut < 0:
            journal(project).unlink()
        else:
            journal(project).write_bytes(snapshot[:cut])
        assert loaded(project) == was
        store_in(project).append(event(100))
        assert reads(project) == [*range(20), 100]
        keep(project, *[event(number) for number in range(101, 120)])
        assert reads(project) == [*range(20), *range(100, 120)]
        state_file(project).unlink()
        assert reads(project) == [*range(20), *range(100, 120)]


@pytest.mark.usefixtures("small_segments")
@pytest.mark.parametrize("loads_between", [False, True], ids=["not-loaded", "loaded"])
@pytest.mark.parametrize("state_is_lost", [False, True], ids=["state", "no-state"])
def test_line_that_a_lock_free_writer_adds_to_the_archived_segment_counts(
    tmp_path: Path, loads_between: bool, state_is_lost: bool
) -> None:
    keep(tmp_path, event(0))
    late = os.open(journal(tmp_path), os.O_WRONLY | os.O_APPEND)  # as a guard that was just about to write
    keep(tmp_path, *[event(number) for number in range(1, 20)])
    assert len(archives(tmp_path)) == 1
    for number in (20, 21):
        os.write(late, wire.dumps({"at": 1.0, **event(number)}).encode() + b"\n")
        keep(tmp_path, event(number + 10)) if loads_between else store_in(tmp_path).append(event(number + 10))
    os.close(late)
    if state_is_lost:
        state_file(tmp_path).unlink()
    assert reads(tmp_path) == [*range(22), 30, 31]
    assert loaded(tmp_path)["tool_calls"] == 24


@pytest.mark.usefixtures("small_segments")
def test_late_line_between_the_last_look_and_the_rotation_counts_at_once(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with store.locked(5):
        store.load()
        for number in range(20):
            store.write(event(number))
        store_in(tmp_path).append(event(20))
        store.save()
        assert len(archives(tmp_path)) == 1
        assert store.state["tool_calls"] == 21
    assert loaded(tmp_path)["tool_calls"] == 21


@pytest.mark.parametrize("rotates", [False, True], ids=["one-segment", "rotated"])
def test_journal_taken_away_leaves_what_the_state_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rotates: bool
) -> None:
    if rotates:
        monkeypatch.setattr(session_store, "SEGMENT_BYTES", SMALL)
    keep(tmp_path, *[event(number) for number in range(20)])
    journal(tmp_path).unlink()
    assert reads(tmp_path) == list(range(20))
    store_in(tmp_path).append(event(20, at=9.0))
    keep(tmp_path, event(21))
    assert reads(tmp_path) == list(range(22))


# --- folders ---------------------------------------------------------------------------------------------


def test_state_folders_are_private_and_kept_out_of_commits(tmp_path: Path) -> None:
    store_in(tmp_path).append(event(1))
    for name in (".session", ".tracking", ".artifacts"):
        folder = tmp_path / ".cursor" / name
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert (folder / ".gitignore").read_text() == "*\n"
    assert {stat.S_IMODE(path.stat().st_mode) for path in [journal(tmp_path)]} == {0o600}


def test_own_gitignore_of_a_person_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / ".cursor" / ".artifacts"
    folder.mkdir(parents=True)
    (folder / ".gitignore").write_text("# mine\n")
    store_in(tmp_path).prepare()
    assert (folder / ".gitignore").read_text() == "# mine\n"


def test_state_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".cursor" / ".session").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic link"):
        store_in(tmp_path).prepare()


# --- processes -------------------------------------------------------------------------------------------

WRITER = """
import sys
from safepoint.hot.stores import session_store
from safepoint.hot.stores.paths import Paths
session_store.SEGMENT_BYTES = int(sys.argv[4])
project, who, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
def store():
    return session_store.SessionStore(Paths(project), "s-1", "s", "", "claude_code")
sys.stdin.readline()
for number in range(count):
    key = f"{who}-{number}"
    record = {"kind": "after_tool", "at": 1000.0 + number, "key": key, "tool": "Read", "ok": True,
              "call": key, "file": key, "summary": key}
    mine = store()
    if number % 2:
        mine.load()
        mine.append(record)
        continue
    with mine.locked(30) as lock:
        assert lock.held
        mine.load()
        mine.write(record)
        mine.save()
"""


def start(project: Path, who: int, count: int, segment: int) -> subprocess.Popen[bytes]:
    arguments = [str(project), str(who), str(count), str(segment)]
    return subprocess.Popen([sys.executable, "-S", "-c", WRITER, *arguments], stdin=subprocess.PIPE, env=ENV)


def go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    process.stdin.close()
    process.stdin = None


def whole_lines(project: Path) -> set[str]:
    keys = set()
    there = [journal(project)] if journal(project).exists() else []  # a writer may be killed as it rotates
    for path in [*archives(project), *there]:
        for line in path.read_bytes().split(b"\n")[:-1]:
            try:
                keys.add(json.loads(line)["key"])
            except (ValueError, KeyError):
                continue
    return keys


def test_32_parallel_writers_lose_nothing(tmp_path: Path) -> None:
    store_in(tmp_path).prepare()
    processes = [start(tmp_path, who, 50, 60_000) for who in range(32)]
    for process in processes:
        go(process)
    assert [process.wait(60) for process in processes] == [0] * 32
    assert len(whole_lines(tmp_path)) == 32 * 50
    assert loaded(tmp_path)["tool_calls"] == 32 * 50
    assert archives(tmp_path)
    state_file(tmp_path).unlink()
    assert loaded(tmp_path)["tool_calls"] == 32 * 50


@pytest.mark.parametrize("segment", [30_000, 10_000_000], ids=["rotating", "one-segment"])
def test_killed_writer_loses_no_whole_line(tmp_path: Path, segment: int) -> None:
    dice = random.Random(segment)
    for round_number in range(12):
        process = start(tmp_path, round_number, 100_000, segment)
        go(process)
        deadline = time.monotonic() + 10
        while f"{round_number}-0".encode() not in (
            journal(tmp_path).read_bytes() if journal(tmp_path).exists() else b""
        ) and time.monotonic() < deadline:  # fmt: skip
            time.sleep(0.002)
        time.sleep(dice.uniform(0, 0.05))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        store = store_in(tmp_path)
        assert store.load()["tool_calls"] == len(whole_lines(tmp_path))
        assert store.rebuilt == ""


SOUND = {"tokens": 1, "measured": 1, "estimated": 0, "window": 2, "source": "host", "window_source": "host"}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param({"kind": "before_tool", "reading": {**SOUND, "tokens": "many"}}, id="type-in-reading"),
        pytest.param({"kind": "before_tool", "reading": {"tokens": 1}}, id="short-reading"),
        pytest.param({"kind": "before_tool", "reading": [1]}, id="no-reading"),
        pytest.param({"kind": "before_tool", "reading": SOUND, "level": 3}, id="level"),
        pytest.param({"kind": "offer", "value": {"session_id": "x"}}, id="offer"),
        pytest.param({"kind": "waiting", "value": [["note"]]}, id="waiting"),
        pytest.param({"kind": "waiting", "value": 7}, id="no-waiting"),
        pytest.param({"kind": "git", "git": "main"}, id="git"),
    ],
)
def test_line_of_a_wrong_shape_tells_nothing(tmp_path: Path, line: dict[str, Any]) -> None:
    """Found by fuzzing: it went into the state as it was, and each later hook failed on it."""
    was = plain(keep(tmp_path, event(1)))
    with journal(tmp_path).open("ab") as file:
        file.write(json.dumps(line).encode() + b"\n")
    assert loaded(tmp_path) == was
