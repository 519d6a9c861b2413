"""Work that comes back: onto its own commit, onto another, into a work tree apart; and what refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from git_command import git

from safepoint.errors import SafepointError
from safepoint.hot import work_commit
from safepoint.sync import restore


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text("".join(f"line {number}\n" for number in range(20)))
    (folder / "gone.py").write_text("gone\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


def change(folder: Path, line: int, text: str) -> None:
    lines = (folder / "a.py").read_text().splitlines()
    lines[line] = text
    (folder / "a.py").write_text("\n".join(lines) + "\n")


def put_aside(folder: Path) -> tuple[str, str]:
    """The work as (commit, base), after which the tree is clean again."""
    made = work_commit.make(str(folder), str(folder.parent), "Work", 30, work_commit.BY_COMMAND)
    git(folder, "reset", "-q", "--hard")
    git(folder, "clean", "-q", "-fd")
    return made.sha, made.base


@pytest.fixture
def work(shop: Path) -> tuple[str, str]:
    change(shop, 2, "worked on")
    (shop / "gone.py").unlink()
    (shop / "new.py").write_text("new\n")
    return put_aside(shop)


def test_onto_the_same_commit_all_is_as_it_was_unstaged(shop: Path, work: tuple[str, str]) -> None:
    index = (shop / ".git/index").read_bytes()
    found = restore.into_tree(str(shop), *work)
    assert found["files"] == ["a.py", "gone.py", "new.py"] and not found["merged"]
    assert (shop / ".git/index").read_bytes() == index
    assert git(shop, "status", "--porcelain").splitlines() == ["M a.py", " D gone.py", "?? new.py"]
    assert put_aside(shop)[0] != "" and "worked on" not in (shop / "a.py").read_text()


def test_onto_another_commit_both_changes_are_there(shop: Path, work: tuple[str, str]) -> None:
    change(shop, 15, "committed since")
    git(shop, "commit", "-q", "-am", "Since")
    found = restore.into_tree(str(shop), *work)
    text = (shop / "a.py").read_text()
    assert found["merged"] and found["conflicts"] == []
    assert "worked on" in text and "committed since" in text and (shop / "new.py").exists()


def test_conflicts_are_named_and_marked(shop: Path, work: tuple[str, str]) -> None:
    change(shop, 2, "committed since")
    git(shop, "commit", "-q", "-am", "Since")
    found = restore.into_tree(str(shop), *work)
    assert found["conflicts"] == ["a.py"] and "<<<<<<<" in (shop / "a.py").read_text()
    git(shop, "checkout", "--", "a.py")
    assert "committed since" in (shop / "a.py").read_text()


def test_commits_between_the_work_and_here_do_not_come_along(shop: Path) -> None:
    git(shop, "checkout", "-q", "-b", "side")
    (shop / "side.py").write_text("of the side\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Side")
    change(shop, 2, "worked on")
    work = put_aside(shop)
    git(shop, "checkout", "-q", "main")
    restore.into_tree(str(shop), *work)
    assert "worked on" in (shop / "a.py").read_text() and not (shop / "side.py").exists()


@pytest.mark.parametrize("staged", [False, True])
def test_dirty_tree_is_refused(shop: Path, work: tuple[str, str], staged: bool) -> None:
    change(shop, 10, "mine")
    if staged:
        git(shop, "add", "-A")
    before = git(shop, "diff", "HEAD")
    with pytest.raises(SafepointError, match=r"a\.py"):
        restore.into_tree(str(shop), *work)
    assert git(shop, "diff", "HEAD") == before and not (shop / "new.py").exists()


def test_untracked_file_in_the_way_is_named_and_stays(shop: Path, work: tuple[str, str]) -> None:
    (shop / "new.py").write_text("mine\n")
    (shop / ".git/info/exclude").write_text("new.py\n")
    with pytest.raises(SafepointError, match=r"new\.py would be laid over"):
        restore.into_tree(str(shop), *work)
    assert (shop / "new.py").read_text() == "mine\n" and "worked on" not in (shop / "a.py").read_text()


def test_untracked_file_that_is_the_same_is_no_obstacle(shop: Path, work: tuple[str, str]) -> None:
    (shop / "new.py").write_text("new\n")
    (shop / "other.py").write_text("mine\n")
    restore.into_tree(str(shop), *work)
    assert "worked on" in (shop / "a.py").read_text() and (shop / "other.py").read_text() == "mine\n"


def test_link_out_of_the_tree_is_not_written_through(shop: Path, tmp_path: Path) -> None:
    (shop / "folder").mkdir()
    (shop / "folder/x.py").write_text("x\n")
    work = put_aside(shop)
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop / "folder").symlink_to(outside)
    with pytest.raises(SafepointError, match="folder"):
        restore.into_tree(str(shop), *work)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "link", "dangling"])
def test_ignored_file_or_link_where_the_work_has_a_folder_is_named_and_stays(
    shop: Path, tmp_path: Path, kind: str
) -> None:
    (shop / "data/deep").mkdir(parents=True)
    (shop / "data/deep/x.py").write_text("x\n")
    work = put_aside(shop)
    (shop / ".git/info/exclude").write_text("data\n")
    if kind == "file":
        (shop / "data").write_text("the only copy\n")
    else:
        (shop / "data").symlink_to(tmp_path if kind == "link" else tmp_path / "nowhere")
    with pytest.raises(SafepointError, match="nothing was restored: data would be laid over"):
        restore.into_tree(str(shop), *work)
    lying = shop / "data"
    assert lying.read_text() == "the only copy\n" if kind == "file" else lying.is_symlink()


def test_ignored_folder_where_the_work_has_a_file_is_named_and_stays(shop: Path) -> None:
    (shop / "data").write_text("of the work\n")
    work = put_aside(shop)
    (shop / ".git/info/exclude").write_text("data\n")
    (shop / "data").mkdir()
    (shop / "data/x").write_text("the only copy\n")
    with pytest.raises(SafepointError, match="data would be laid over"):
        restore.into_tree(str(shop), *work)
    assert (shop / "data/x").read_text() == "the only copy\n"


def test_tracked_file_that_became_a_folder_and_the_other_way_round(shop: Path) -> None:
    (shop / "folder").mkdir()
    (shop / "folder/in.py").write_text("in\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Folder")
    (shop / "gone.py").unlink()
    (shop / "gone.py").mkdir()
    (shop / "gone.py/x").write_text("x\n")
    (shop / "folder/in.py").unlink()
    (shop / "folder").rmdir()
    (shop / "folder").write_text("a file now\n")
    work = put_aside(shop)
    (shop / ".git/info/exclude").write_text("*.ignored\n")
    (shop / "folder/my.ignored").write_text("mine\n")
    with pytest.raises(SafepointError, match="folder would be laid over"):
        restore.into_tree(str(shop), *work)
    assert (shop / "folder/my.ignored").read_text() == "mine\n" and (shop / "gone.py").is_file()
    (shop / "folder/my.ignored").unlink()
    restore.into_tree(str(shop), *work)
    assert (shop / "gone.py/x").read_text() == "x\n" and (shop / "folder").read_text() == "a file now\n"


def test_dirt_in_a_submodule_is_no_obstacle_and_stays(shop: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    git(lib, "init", "-q")
    (lib / "l.py").write_text("1\n")
    git(lib, "add", "-A")
    git(lib, "commit", "-q", "-m", "One")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "lib")
    git(shop, "commit", "-q", "-m", "Lib")
    change(shop, 2, "worked on")
    work = put_aside(shop)
    (shop / "lib/l.py").write_text("dirt\n")
    restore.into_tree(str(shop), *work)
    assert "worked on" in (shop / "a.py").read_text() and (shop / "lib/l.py").read_text() == "dirt\n"


def test_into_a_work_tree_of_its_own_whatever_the_state_here(
    shop: Path, work: tuple[str, str], tmp_path: Path
) -> None:
    change(shop, 10, "mine")
    there = tmp_path / "with space/作業"
    found = restore.into_worktree(str(shop), *work, str(there))
    assert found["folder"] == str(there) and git(there, "rev-parse", "HEAD") == work[1]
    assert git(there, "status", "--porcelain").splitlines() == ["M a.py", " D gone.py", "?? new.py"]
    assert "mine" in (shop / "a.py").read_text()
    with pytest.raises(SafepointError, match="is there already"):
        restore.into_worktree(str(shop), *work, str(there))


def test_folder_with_a_dash_in_front_is_a_folder(
    shop: Path, work: tuple[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert restore.into_worktree(str(shop), *work, "--force")["folder"] == str(tmp_path / "--force")


def test_before_the_first_commit(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "a.py").write_text("a\n")
    made = work_commit.make(str(folder), str(tmp_path), "Work", 30, work_commit.BY_COMMAND)
    (folder / "a.py").unlink()
    assert made.base == ""
    restore.into_tree(str(folder), made.sha, made.base)
    assert (folder / "a.py").read_text() == "a\n"
    assert git(folder, "status", "--porcelain") == "?? a.py"
    restore.into_worktree(str(folder), made.sha, made.base, str(tmp_path / "tree"))
    assert (tmp_path / "tree/a.py").read_text() == "a\n"


def test_merge_in_progress_is_a_dirty_tree(shop: Path, work: tuple[str, str]) -> None:
    git(shop, "checkout", "-q", "-b", "side")
    change(shop, 2, "side")
    git(shop, "commit", "-q", "-am", "Side")
    git(shop, "checkout", "-q", "main")
    change(shop, 2, "main")
    git(shop, "commit", "-q", "-am", "Main")
    git(shop, "merge", "side", check=False)
    with pytest.raises(SafepointError, match=r"a\.py"):
        restore.into_tree(str(shop), *work)
