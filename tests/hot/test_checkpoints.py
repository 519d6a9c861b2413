from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resume_points import resume_point

from safepoint.hot import wire
from safepoint.hot.digest import sha256_hex
from safepoint.hot.shapes import RedCheckpoint
from safepoint.hot.stores import checkpoints
from safepoint.hot.stores.checkpoints import CheckpointError
from safepoint.hot.stores.paths import Paths
from safepoint.hot.stores.session_store import SessionStore

ENV = {"PYTHONPATH": str(Path(checkpoints.__file__).parents[3])}


def checkpoint(**changes: Any) -> RedCheckpoint:
    made: Any = {
        "schema_version": 1, "session_id": "s-1", "host": "cursor", "created_at_unix": 1764520000,
        "reason": "red_guard", "resume_point": resume_point(), "handoff": ".cursor/.session/handoff-s-1.md",
        "file_marks": [{"path": "a.py", "size": 3, "mtime_ns": 1764520000123456789}], "sha256": "", **changes,
    }  # fmt: skip
    return made  # type: ignore[no-any-return]


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    paths = Paths(str(tmp_path))
    SessionStore(paths, "s-1", "s-1", "", "cursor").prepare()
    return paths


def test_what_is_read_is_what_was_written(paths: Paths) -> None:
    written = checkpoint()
    path = checkpoints.write(paths, "s-1", written)
    assert path == paths.red_checkpoint("s-1")
    assert checkpoints.read(path) == written
    assert len(written["sha256"]) == 64


def test_checkpoint_is_for_reading_only(paths: Paths) -> None:
    path = checkpoints.write(paths, "s-1", checkpoint())
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o400
    assert [name for name in os.listdir(paths.session) if "tmp" in name] == []


def test_later_reds_get_numbers_and_the_first_stays(paths: Paths) -> None:
    written = [checkpoints.write(paths, "s-1", checkpoint(created_at_unix=at)) for at in (1, 2, 3)]
    assert [os.path.basename(path) for path in written] == [
        "red-checkpoint-s-1.json", "red-checkpoint-s-1-2.json", "red-checkpoint-s-1-3.json",
    ]  # fmt: skip
    assert [checkpoints.read(path)["created_at_unix"] for path in written] == [1, 2, 3]


def test_digest_is_of_the_canonical_form_without_itself(paths: Paths) -> None:
    path = checkpoints.write(paths, "s-1", checkpoint())
    kept = json.loads(Path(path).read_text())
    said = kept.pop("sha256")
    again = json.dumps(kept, sort_keys=True, separators=(",", ":")).encode()
    assert said == checkpoints.digest(kept) == sha256_hex(again)


def test_values_that_json_cannot_hold_are_no_reason_to_fail(paths: Paths) -> None:
    odd = checkpoint(reason="half \ud83d", file_marks=[{"path": float("nan"), 7: (1, 2)}])
    assert checkpoints.read(checkpoints.write(paths, "s-1", odd))["reason"] == "half \ud83d"


# --- tampering -------------------------------------------------------------------------------------------


SMALL = {"a": [1.5, None, True, "日本"], "b": ""}


def changed(paths: Paths, data: bytes) -> str:
    """A checkpoint file with this content."""
    path = os.path.join(paths.session, "changed.json")
    Path(path).write_bytes(data)
    return path


def test_changed_byte_is_found_wherever_it_is(paths: Paths) -> None:
    """But for white space between the values, and the case of an escape's digits: they say nothing."""
    whole = Path(checkpoints.write(paths, "s-1", checkpoint(resume_point=SMALL))).read_bytes()
    was = wire.loads(whole)
    for place, byte in enumerate(whole):
        for other in {byte ^ 1, byte ^ 0x20}:
            try:
                read = checkpoints.read(changed(paths, whole[:place] + bytes([other]) + whole[place + 1 :]))
            except CheckpointError:
                continue
            assert read == was
            assert chr(byte).isspace() or b"\\u" in whole[place - 5 : place]


def test_cut_checkpoint_is_found_wherever_it_is_cut(paths: Paths) -> None:
    whole = Path(checkpoints.write(paths, "s-1", checkpoint(resume_point=SMALL))).read_bytes()
    for cut in range(len(whole) - 1):
        with pytest.raises(CheckpointError) as caught:
            checkpoints.read(changed(paths, whole[:cut]))
        assert caught.value.path.endswith("changed.json")


@pytest.mark.parametrize(
    "data",
    [b"", b"null", b"[]", b"{}", b'{"sha256": null}', b"not json", b"\0" * 50],
    ids=["empty", "null", "list", "no-fields", "no-digest", "prose", "zeros"],
)
def test_what_is_no_checkpoint_is_refused(paths: Paths, data: bytes) -> None:
    with pytest.raises(CheckpointError):
        checkpoints.read(changed(paths, data))


def test_missing_checkpoint_is_refused(paths: Paths) -> None:
    with pytest.raises(CheckpointError, match="No such file"):
        checkpoints.read(paths.red_checkpoint("s-1"))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(checkpoint())), st.integers() | st.text(max_size=5) | st.none())
def test_changed_field_is_found(tmp_path_factory: pytest.TempPathFactory, field: str, value: Any) -> None:
    paths = Paths(str(tmp_path_factory.mktemp("changed")))
    SessionStore(paths, "s-1", "s-1", "", "cursor").prepare()
    written: Any = checkpoint()
    written["sha256"] = checkpoints.digest(written)
    other = {**written, field: value}
    if other == written:
        return
    with pytest.raises(CheckpointError):
        checkpoints.read(changed(paths, wire.dumps(other).encode()))


# --- processes -------------------------------------------------------------------------------------------

WRITE = """
import sys
from safepoint.hot.stores import checkpoints
from safepoint.hot.stores.paths import Paths
sys.stdin.readline()
print(checkpoints.write(Paths(sys.argv[1]), "s-1", {"session_id": sys.argv[2], "sha256": ""}))
"""


def test_checkpoints_written_at_the_same_moment_are_all_kept(paths: Paths) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-S", "-c", WRITE, paths.project, str(who)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV, text=True,
        )
        for who in range(6)
    ]  # fmt: skip
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    written = [process.communicate()[0].strip() for process in processes]
    assert len(set(written)) == 6
    assert [checkpoints.read(path)["session_id"] for path in written] == [str(who) for who in range(6)]


# --- file marks ------------------------------------------------------------------------------------------


def test_marks_say_what_a_file_is_like(paths: Paths, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("abc")
    info = (tmp_path / "a.py").stat()
    names = ["a.py", str(tmp_path / "a.py"), "gone.py", "a\0b"]
    marks = checkpoints.mark_files(str(tmp_path), names)
    assert [mark["path"] for mark in marks] == names
    assert [(mark["size"], mark["mtime_ns"]) for mark in marks] == [(3, info.st_mtime_ns)] * 2 + [(-1, 0)] * 2


def test_newest_files_are_marked(tmp_path: Path) -> None:
    marks = checkpoints.mark_files(str(tmp_path), [f"{n}.py" for n in range(60)])
    assert (len(marks), marks[-1]["path"]) == (checkpoints.MARKED_FILES, "59.py")
