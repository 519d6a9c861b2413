from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot import durable, files, slugs
from safepoint.hot.stores import folders

posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and links")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def run_together(code: str, path: Path, count: int) -> list[int]:
    """Exit codes of that many processes that run ``code`` at the same moment."""
    start = "import sys; from safepoint.hot import durable, files; path, who = sys.argv[1:]; who = int(who);"
    start += " input()"
    env = {"PYTHONPATH": str(Path(files.__file__).parents[2])}
    processes = [
        subprocess.Popen(
            [sys.executable, "-S", "-c", start + code, str(path), str(who)], stdin=subprocess.PIPE, env=env
        )
        for who in range(count)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
    return [process.returncode for process in processes]


@pytest.fixture
def small_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that takes at most three bytes a call."""
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:3])))


@pytest.fixture
def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def link(source: str, target: str) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", link)


# --- write_atomic ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fsync", [False, True], ids=["fast", "durable"])
def test_atomic_write_replaces_the_file(tmp_path: Path, fsync: bool) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(b"old and longer")
    files.write_atomic(str(path), b"new", fsync=fsync)
    assert path.read_bytes() == b"new"
    assert names_in(tmp_path) == ["state.json"]


@posix_only
def test_written_file_is_private(tmp_path: Path) -> None:
    files.write_atomic(str(tmp_path / "a"), b"")
    durable.write_once(str(tmp_path / "b"), b"")
    files.append_line(str(tmp_path / "c"), b"")
    assert [mode_of(tmp_path / name) for name in "abc"] == [0o600, 0o400, 0o600]


@posix_only
def test_atomic_write_does_not_follow_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"theirs")
    link = tmp_path / "link"
    link.symlink_to(target)
    files.write_atomic(str(link), b"ours")
    assert target.read_bytes() == b"theirs"
    assert not link.is_symlink()
    assert link.read_bytes() == b"ours"


def test_failed_replace_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        files.write_atomic(str(tmp_path / "taken"), b"x")
    assert names_in(tmp_path) == ["taken"]


def test_full_disk_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(b"old")

    def write(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError):
        files.write_atomic(str(path), b"new")
    assert names_in(tmp_path) == ["state.json"]
    assert path.read_bytes() == b"old"


@pytest.mark.usefixtures("small_writes")
def test_short_writes_are_finished(tmp_path: Path) -> None:
    files.write_atomic(str(tmp_path / "a"), b"0123456789")
    files.append_line(str(tmp_path / "b"), b"0123456789")
    assert (tmp_path / "a").read_bytes() == b"0123456789"
    assert (tmp_path / "b").read_bytes() == b"0123456789\n"


def test_long_name_fits_its_temporary_name(tmp_path: Path) -> None:
    path = tmp_path / ("日" * 80)
    files.write_atomic(str(path), b"x")
    assert path.read_bytes() == b"x"


# --- write_once ------------------------------------------------------------------------------------------


@pytest.fixture(params=["links", "no-links"])
def any_file_system(request: pytest.FixtureRequest) -> None:
    if request.param == "no-links":
        request.getfixturevalue("no_links")


@pytest.mark.usefixtures("any_file_system")
def test_second_write_once_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.json"
    durable.write_once(str(path), b"first")
    with pytest.raises(FileExistsError):
        durable.write_once(str(path), b"second")
    assert path.read_bytes() == b"first"
    assert names_in(tmp_path) == ["checkpoint.json"]


@posix_only
@pytest.mark.usefixtures("any_file_system")
def test_write_once_does_not_follow_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        durable.write_once(str(tmp_path / "link"), b"x")
    assert names_in(tmp_path) == ["link"]


CLAIM = """
try:
    durable.write_once(path, b"%d" % who)
except FileExistsError:
    sys.exit(1)
"""


def test_one_of_many_creators_wins(tmp_path: Path) -> None:
    path = tmp_path / "claim"
    codes = run_together(CLAIM, path, 6)
    winners = [who for who, code in enumerate(codes) if code == 0]
    assert [b"%d" % who for who in winners] == [path.read_bytes()]
    assert names_in(tmp_path) == ["claim"]


# --- append_line -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(None, b"new\n", id="no-file"),
        pytest.param(b"", b"new\n", id="empty"),
        pytest.param(b"old\n", b"old\nnew\n", id="whole-line"),
        pytest.param(b'old\n{"to', b'old\n{"to\nnew\n', id="torn-line-is-closed"),
    ],
)
def test_line_is_appended(tmp_path: Path, before: bytes | None, after: bytes) -> None:
    path = tmp_path / "journal"
    if before is not None:
        path.write_bytes(before)
    files.append_line(str(path), b"new")
    assert path.read_bytes() == after


def test_line_brings_its_own_newline(tmp_path: Path) -> None:
    files.append_line(str(tmp_path / "journal"), b"new\n")
    assert (tmp_path / "journal").read_bytes() == b"new\n"


def test_two_lines_are_not_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one line"):
        files.append_line(str(tmp_path / "journal"), b"a\nb")
    assert names_in(tmp_path) == []


@posix_only
@pytest.mark.parametrize("what", ["fifo", "folder"])
def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path, what: str) -> None:
    path = tmp_path / "x"
    os.mkfifo(path) if what == "fifo" else path.mkdir()
    for use in (lambda: files.read_bytes(str(path)), lambda: files.append_line(str(path), b"x")):
        with pytest.raises(OSError):
            use()


@posix_only
def test_appending_through_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(OSError) as caught:
        files.append_line(str(tmp_path / "link"), b"x")
    assert caught.value.errno in {errno.ELOOP, errno.EMLINK}


APPEND = """
for n in range(50):
    files.append_line(path, b"%d:%d:" % (who, n) + b"x" * 500)
"""


def test_parallel_lines_stay_whole(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    assert run_together(APPEND, path, 6) == [0] * 6
    lines = [line for line in path.read_bytes().splitlines() if line]
    assert sorted(lines) == sorted(b"%d:%d:" % (w, n) + b"x" * 500 for w in range(6) for n in range(50))


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"")), min_size=1), st.integers(0, 40))
def test_any_cut_costs_one_line_at_most(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "journal"
    for line in lines:
        files.append_line(str(path), line)
    whole = path.read_bytes()
    kept = whole[: max(0, len(whole) - cut)]
    path.write_bytes(kept)
    files.append_line(str(path), b"after")
    closed = kept if not kept or kept.endswith(b"\n") else kept + b"\n"
    assert path.read_bytes() == closed + b"after\n"


# --- reading and folders ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("max_bytes", "expected"),
    [(None, b"x" * 10_000), (3, b"xxx"), (0, b""), (20_000, b"x" * 10_000)],
    ids=["all", "three", "none", "more-than-there-is"],
)
def test_read_bytes(tmp_path: Path, max_bytes: int | None, expected: bytes) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10_000)
    assert files.read_bytes(str(tmp_path / "a"), max_bytes) == expected


def test_missing_file_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        files.read_bytes(str(tmp_path / "none"))


@posix_only
@pytest.mark.parametrize("tail", ["", "/"], ids=["plain", "trailing-slash"])
def test_folders_are_created_private(tmp_path: Path, tail: str) -> None:
    folders.make_private_dir(f"{tmp_path}/a/b/c{tail}")
    folders.make_private_dir(f"{tmp_path}/a/b/c{tail}")
    assert [mode_of(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3


@posix_only
def test_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.chmod(tmp_path / "a", 0o755)
    folders.make_private_dir(str(tmp_path / "a"))
    assert mode_of(tmp_path / "a") == 0o755


@posix_only
@pytest.mark.parametrize("tail", ["", "/"], ids=["plain", "trailing-slash"])
@pytest.mark.parametrize("kind", ["link", "dangling", "file"])
def test_what_is_no_folder_is_refused(tmp_path: Path, kind: str, tail: str) -> None:
    (tmp_path / "real").mkdir()
    path = tmp_path / "x"
    if kind == "file":
        path.write_bytes(b"")
    else:
        path.symlink_to(tmp_path / ("real" if kind == "link" else "none"))
    with pytest.raises(folders.PathError) as caught:
        folders.make_private_dir(str(path) + tail)
    assert caught.value.filename == str(path)


def test_no_path_is_refused() -> None:
    with pytest.raises(folders.PathError):
        folders.make_private_dir("")


# --- names -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a", "0197f5a0-3c1e-7cc1-b2a4-5a8c7e6d5f40", "A.b_c-9", "x" * 80])
def test_plain_id_is_kept(text: str) -> None:
    assert files.safe_name(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "-rf",
        ".hidden",
        "a/b",
        "../x",
        "a\\b",
        "a b",
        "a\nb",
        "a\0b",
        "日本",
        "\ud800",
        "x" * 81,
    ],
)
def test_other_id_is_hashed(text: str) -> None:
    name = files.safe_name(text)
    assert len(name) == 25
    assert name[0] == "h"
    assert int(name[1:], 16) >= 0


@given(st.text())
def test_safe_name_is_always_one_path_component(text: str) -> None:
    name = files.safe_name(text)
    assert os.path.basename(name) == name
    assert name not in {"", ".", ".."}
    assert files.safe_name(name) == name


@pytest.mark.parametrize(
    ("name", "start"),
    [
        pytest.param("Feature/Login", "feature-login-", id="branch"),
        pytest.param("a  --  b", "a-b-", id="runs-become-one"),
        pytest.param("a--b", "a-b-", id="double-dash"),
        pytest.param("認証の改修", "campaign-", id="japanese"),
        pytest.param("認証 refactor", "refactor-", id="mixed"),
        pytest.param("..", "campaign-", id="dots"),
        pytest.param("", "campaign-", id="empty"),
        pytest.param("x" * 500, "x" * 53 + "-", id="long"),
    ],
)
def test_changed_slug_carries_a_digest(name: str, start: str) -> None:
    slug = slugs.slugify(name)
    assert slug.startswith(start)
    assert len(slug) == len(start) + 6


@pytest.mark.parametrize("name", ["login", "v1.2_x", "feature-login", "x" * 60])
def test_plain_slug_is_kept(name: str) -> None:
    assert slugs.slugify(name) == name


@given(st.text())
def test_slug_is_settled(name: str) -> None:
    slug = slugs.slugify(name)
    assert slugs.slugify(slug) == slug
    assert 0 < len(slug) <= 60
    assert files.safe_name(slug) == slug


def test_names_that_look_alike_get_two_slugs() -> None:
    assert len({slugs.slugify(name) for name in ("a b", "a/b", "A-b", "a-b", "a--b")}) == 5
