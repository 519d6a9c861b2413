"""The work in progress as a commit, in repositories of every shape. Nothing of the user's changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from git_command import git, have_a_filter_that_fails

from safepoint.hot import work_commit
from safepoint.hot.work_commit import AT_RED, BY_COMMAND, Limits, WorkCommit, WorkCommitError


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for name in ("kept.py", "changed.py", "gone.py"):
        (folder / name).write_text(f"{name}\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


def make(folder: Path, limits: Limits = BY_COMMAND, deadline_s: float = 30.0) -> WorkCommit:
    """The commit; index, refs and status are the same before and after, and no file is left behind."""
    spare = folder.parent / "spare"
    spare.mkdir(exist_ok=True)
    before = _seen(folder)
    try:
        return work_commit.make(str(folder), str(spare), "Work", deadline_s, limits)
    finally:
        assert _seen(folder) == before
        assert list(spare.iterdir()) == []


def _seen(folder: Path) -> tuple[object, ...]:
    index = Path(git(folder, "rev-parse", "--git-path", "index"))
    index = index if index.is_absolute() else folder / index
    return (
        index.read_bytes() if index.exists() else None, git(folder, "for-each-ref"),
        git(folder, "--no-optional-locks", "status", "--porcelain", "-z"),
        (folder / ".git").is_dir() and (folder / ".git/HEAD").read_text(),
    )  # fmt: skip


def files(folder: Path, made: WorkCommit) -> dict[str, str]:
    """Mode by path of what the commit holds."""
    lines = git(folder, "ls-tree", "-r", "-z", made.sha).split("\0")
    return {line.partition("\t")[2]: line.split(" ")[0] for line in lines if line}


def content(folder: Path, made: WorkCommit, name: str) -> str:
    return git(folder, "show", f"{made.sha}:{name}")


def test_changes_of_every_kind(shop: Path) -> None:
    (shop / "changed.py").write_text("new\n")
    (shop / "gone.py").unlink()
    (shop / "割引.py").write_text("新\n")
    (shop / "run.sh").write_text("#!/bin/sh\n")
    (shop / "run.sh").chmod(0o755)
    (shop / "link").symlink_to("nowhere")
    (shop / "new\nline").write_text("odd\n")
    (shop / "staged.py").write_text("staged\n")
    git(shop, "add", "staged.py")
    (shop / "later.py").write_text("intended\n")
    git(shop, "add", "-N", "later.py")
    (shop / ".gitignore").write_text("*.log\n")
    (shop / "big.log").write_text("ignored\n")
    made = make(shop)
    assert made.base == git(shop, "rev-parse", "HEAD") == git(shop, "rev-parse", f"{made.sha}^")
    assert files(shop, made) == {
        ".gitignore": "100644", "changed.py": "100644", "kept.py": "100644", "later.py": "100644",
        "link": "120000", "new\nline": "100644", "run.sh": "100755", "staged.py": "100644",
        "割引.py": "100644",
    }  # fmt: skip
    assert content(shop, made, "changed.py") == "new" and content(shop, made, "later.py") == "intended"


def test_nothing_changed_is_head_itself(shop: Path) -> None:
    made = make(shop)
    assert made.sha == made.base == git(shop, "rev-parse", "HEAD")


def test_file_changed_in_the_moment_of_the_index_is_seen(shop: Path) -> None:
    """Nothing but its content tells: git has to look into it, as it does by the time of its own index."""
    git(shop, "config", "core.trustctime", "false")
    path, moment = shop / "changed.py", 1_700_000_000_000_000_000
    path.write_text("aaaa\n")
    os.utime(path, ns=(moment, moment))
    git(shop, "add", "changed.py")
    os.utime(shop / ".git/index", ns=(moment, moment))
    path.write_text("bbbb\n")
    os.utime(path, ns=(moment, moment))
    assert content(shop, make(shop), "changed.py") == "bbbb"


def test_files_whose_place_another_kind_has_taken(shop: Path) -> None:
    """A file becomes a folder, a folder a file, and a folder a link to another one with the same names."""
    for name in ("file.py", "folder/a.py", "folder/b", "linked/a.py", "linked/b.py"):
        (shop / name).parent.mkdir(exist_ok=True)
        (shop / name).write_text("old\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "More")
    for name in ("file.py", "folder/a.py", "folder/b", "linked/a.py", "linked/b.py"):
        (shop / name).unlink()
    (shop / "file.py").mkdir()
    (shop / "file.py/new").write_text("new\n")
    (shop / "folder").rmdir()
    (shop / "folder").write_text("new\n")
    (shop / "elsewhere").mkdir()
    (shop / "elsewhere/a.py").write_text("of elsewhere\n")
    (shop / "linked").rmdir()
    (shop / "linked").symlink_to("elsewhere")
    made = make(shop)
    assert made.left_out == []
    assert files(shop, made) == {
        "changed.py": "100644", "elsewhere/a.py": "100644", "file.py/new": "100644", "folder": "100644",
        "gone.py": "100644", "kept.py": "100644", "linked": "120000",
    }  # fmt: skip


def test_renames_in_the_index_and_in_the_files(shop: Path) -> None:
    git(shop, "mv", "kept.py", "moved.py")
    (shop / "changed.py").rename(shop / "renamed.py")
    git(shop, "add", "-N", "renamed.py")
    assert set(files(shop, make(shop))) == {"gone.py", "moved.py", "renamed.py"}


@pytest.mark.parametrize("shown", ["no", "normal"])
def test_untracked_files_are_in_it_whatever_the_user_has_git_show(shop: Path, shown: str) -> None:
    git(shop, "config", "status.showUntrackedFiles", shown)
    git(shop, "config", "status.relativePaths", "true")
    git(shop, "config", "status.showStash", "true")
    (shop / "new").mkdir()
    (shop / "new/a.py").write_text("new\n")
    (shop / "changed.py").write_text("stashed\n")
    git(shop, "stash", "-q")
    assert "new/a.py" in files(shop, make(shop))


def test_before_the_first_commit(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "a.py").write_text("a\n")
    made = make(folder)
    assert made.base == "" and files(folder, made) == {"a.py": "100644"}


def test_detached_head(shop: Path) -> None:
    git(shop, "checkout", "-q", "--detach")
    (shop / "changed.py").write_text("new\n")
    assert content(shop, make(shop), "changed.py") == "new"


def test_second_work_tree(shop: Path) -> None:
    git(shop, "worktree", "add", "-q", "-b", "side", "../side")
    side = shop.parent / "side"
    (side / "changed.py").write_text("side\n")
    (shop / "changed.py").write_text("main\n")
    assert content(side, make(side), "changed.py") == "side"
    assert content(shop, make(shop), "changed.py") == "main"


def test_project_below_the_top(shop: Path) -> None:
    below = shop / "packages/basket"
    below.mkdir(parents=True)
    (below / "a.py").write_text("a\n")
    (shop / "changed.py").write_text("new\n")
    spare = shop.parent / "spare"
    spare.mkdir()
    made = work_commit.make(str(below), str(spare), "Work", 30, BY_COMMAND)
    assert "packages/basket/a.py" in files(shop, made) and content(shop, made, "changed.py") == "new"


def have_a_conflict(shop: Path, name: str) -> None:
    """A merge in progress, of two branches that both changed the file."""
    git(shop, "checkout", "-q", "-b", "side")
    (shop / name).write_text("side\n")
    git(shop, "commit", "-q", "-am", "Side")
    git(shop, "checkout", "-q", "main")
    (shop / name).write_text("main\n")
    git(shop, "commit", "-q", "-am", "Main")
    git(shop, "merge", "side", check=False)


def test_merge_in_progress_is_kept_with_its_marks(shop: Path) -> None:
    have_a_conflict(shop, "changed.py")
    assert "UU changed.py" in git(shop, "status", "--porcelain")
    assert "<<<<<<<" in content(shop, make(shop), "changed.py")


@pytest.mark.parametrize("kind", ["filter", "folder", "pipe"])
def test_a_conflict_that_git_cannot_take_costs_no_other_work(shop: Path, kind: str) -> None:
    (shop / "a.bin").write_text("base\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Base")
    have_a_conflict(shop, "a.bin")
    (shop / "changed.py").write_text("hours of work\n")
    if kind == "filter":
        have_a_filter_that_fails(shop)
    else:
        (shop / "a.bin").unlink()
        (shop / "a.bin").mkdir() if kind == "folder" else os.mkfifo(shop / "a.bin")
    made = make(shop)
    assert content(shop, made, "changed.py") == "hours of work"
    if kind == "folder":
        assert made.left_out == [] and "a.bin" not in files(shop, made)
    else:
        assert made.left_out == ["a.bin"] and content(shop, made, "a.bin") == "main"


def test_submodule_is_its_commit_and_its_dirt_stays_there(shop: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    git(lib, "init", "-q")
    (lib / "l.py").write_text("1\n")
    git(lib, "add", "-A")
    git(lib, "commit", "-q", "-m", "One")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "lib")
    git(shop, "commit", "-q", "-m", "Lib")
    (shop / "lib/l.py").write_text("2\n")
    made = make(shop)
    assert made.sha == made.base
    git(shop / "lib", "commit", "-q", "-am", "Two")
    (shop / "lib/l.py").write_text("3\n")
    made = make(shop)
    assert files(shop, made)["lib"] == "160000"
    assert git(shop, "rev-parse", f"{made.sha}:lib") == git(shop / "lib", "rev-parse", "HEAD")


@pytest.mark.parametrize("commits", [0, 1])
def test_repository_inside_is_left_out_and_named(shop: Path, commits: int) -> None:
    inner = shop / "vendor/inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    (inner / "x.py").write_text("x\n")
    if commits:
        git(inner, "add", "-A")
        git(inner, "commit", "-q", "-m", "Inner")
    (shop / "changed.py").write_text("new\n")
    made = make(shop)
    assert made.left_out == ["vendor/inner/"] and content(shop, made, "changed.py") == "new"


def test_file_that_a_filter_fails_on_is_left_out_alone_and_named(shop: Path) -> None:
    for number in range(9):
        (shop / f"old-{number}.py").write_text("old\n")
    (shop / "old.bin").write_text("old\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Old")
    have_a_filter_that_fails(shop)
    for name in (*(f"old-{number}.py" for number in range(9)), "old.bin", "new.bin", "new.py", "新.py"):
        (shop / name).write_text("work\n")
    (shop / "gone.py").unlink()
    made = make(shop)
    assert made.left_out == ["new.bin", "old.bin"]
    held = files(shop, made)
    assert content(shop, made, "old.bin") == "old" and not {"new.bin", "gone.py"} & set(held)
    for name in (*(f"old-{number}.py" for number in range(9)), "new.py", "新.py"):
        assert content(shop, made, name) == "work", name


def test_many_files_that_git_fails_on_cost_few_commands_and_not_the_others(shop: Path) -> None:
    """Each of them alone would be two thousand commands, and there would be no commit in time."""
    have_a_filter_that_fails(shop)
    log = shop.parent / "calls"
    git(shop, "config", "filter.missing.clean", f"echo >> '{log}'; false")
    bad = [f"{number:03}-{kind}.bin" for number in range(500) for kind in ("old", "new")]
    for name in bad:
        if "old" in name:
            (shop / name).write_text("old\n")
    works = ("-c", "filter.missing.clean=cat")
    git(shop, *works, "add", "-A")
    git(shop, *works, "commit", "-q", "-m", "Old")
    good = [name.replace(".bin", ".py") for name in bad]
    for name in (*bad, *good):
        (shop / name).write_text("some work\n")
    made = make(shop, AT_RED)
    assert made.left_out == sorted(bad)
    assert set(good) <= set(files(shop, made)) and content(shop, made, "000-old.bin") == "old"
    assert len(log.read_text().splitlines()) < 100
    message = git(shop, "log", "-1", "--format=%B", made.sha).splitlines()
    assert message[2] == 'Left-out: "000-new.bin"' and message[-1] == "Left-out-total: 1000"


def test_name_with_a_secret_is_not_told_in_the_message(shop: Path) -> None:
    have_a_filter_that_fails(shop)
    secret = "gh" + "p_" + "a1B2" * 9
    (shop / f"{secret}.bin").write_text("new\n")
    (shop / "changed.py").write_text("new\n")
    assert secret not in git(shop, "log", "-1", "--format=%B", make(shop).sha)


def test_git_that_can_take_nothing_is_an_error(shop: Path) -> None:
    (shop / "changed.py").write_text("work\n")
    objects = shop / ".git/objects"
    kept = shop.parent / "objects"
    objects.rename(kept)
    objects.symlink_to(os.devnull)
    try:
        with pytest.raises(WorkCommitError) as told:
            work_commit.make(str(shop), str(shop.parent), "Work", 30.0, BY_COMMAND)
    finally:
        objects.unlink()
        kept.rename(objects)
    assert told.value.why == "failed"


def test_split_index_leaves_no_file_of_its_own(shop: Path) -> None:
    git(shop, "config", "core.splitIndex", "true")
    git(shop, "update-index", "--split-index")
    (shop / "changed.py").write_text("work\n")
    before = sorted(path.name for path in (shop / ".git").glob("sharedindex.*"))
    assert content(shop, make(shop), "changed.py") == "work"
    assert sorted(path.name for path in (shop / ".git").glob("sharedindex.*")) == before != []


def test_large_untracked_file_is_left_out_and_named(shop: Path) -> None:
    (shop / "data.bin").write_bytes(b"x" * 2000)
    (shop / "small.bin").write_bytes(b"x" * 200)
    made = make(shop, Limits(10**9, 100, 1000, 10**6, 9))
    assert made.left_out == ["data.bin"] and "small.bin" in files(shop, made)


@pytest.mark.parametrize(
    ("limits", "detail"),
    [(Limits(10, 100, 1000, 10**6, 9), "index"), (Limits(10**9, 1, 1000, 10**6, 9), "untracked"),
     (Limits(10**9, 100, 1000, 10, 9), "untracked")],
)  # fmt: skip
def test_too_much_is_said_and_nothing_is_made(shop: Path, limits: Limits, detail: str) -> None:
    for name in ("one", "two"):
        (shop / name).write_text("some text\n")
    with pytest.raises(WorkCommitError, match=detail) as told:
        make(shop, limits)
    assert told.value.why == "large"


def test_slow_git_is_a_timeout(shop: Path) -> None:
    (shop / ".gitattributes").write_text("*.slow filter=slow\n")
    git(shop, "config", "filter.slow.clean", "sleep 20")
    (shop / "a.slow").write_text("a\n")
    with pytest.raises(WorkCommitError) as told:
        make(shop, deadline_s=0.5)
    assert told.value.why == "timeout"


def test_filters_make_pointers_of_large_files(shop: Path) -> None:
    """As Git LFS does it: what is kept of a file is what its clean filter makes of it."""
    (shop / ".gitattributes").write_text("*.psd filter=pointer\n")
    git(shop, "config", "filter.pointer.clean", "printf 'pointer to '; wc -c | tr -d ' '")
    (shop / "a.psd").write_bytes(b"\0" * 5000)
    assert content(shop, make(shop), "a.psd") == "pointer to 5000"


def test_sparse_checkout_keeps_what_is_not_checked_out(shop: Path) -> None:
    for name in ("in", "out"):
        (shop / name).mkdir()
        (shop / name / "a.py").write_text("a\n")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "Folders")
    git(shop, "sparse-checkout", "set", "in")
    assert not (shop / "out").exists()
    (shop / "in/a.py").write_text("b\n")
    (shop / "out").mkdir()
    (shop / "out/new.py").write_text("c\n")
    assert set(files(shop, make(shop))) >= {"in/a.py", "out/a.py", "out/new.py"}


def test_split_index(shop: Path) -> None:
    git(shop, "update-index", "--split-index")
    (shop / "changed.py").write_text("new\n")
    assert content(shop, make(shop), "changed.py") == "new"


def test_line_ends_that_git_would_refuse_to_add(shop: Path) -> None:
    git(shop, "config", "core.autocrlf", "input")
    git(shop, "config", "core.safecrlf", "true")
    (shop / "dos.txt").write_bytes(b"one\r\ntwo\r\n")
    assert "dos.txt" in files(shop, make(shop))


def test_shallow_clone(shop: Path, tmp_path: Path) -> None:
    (shop / "changed.py").write_text("second\n")
    git(shop, "commit", "-q", "-am", "Second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{shop}", "shallow")
    shallow = tmp_path / "shallow"
    (shallow / "changed.py").write_text("new\n")
    assert content(shallow, make(shallow), "changed.py") == "new"


def test_names_that_differ_in_case_alone(shop: Path) -> None:
    (shop / "A.txt").write_text("big\n")
    (shop / "a.txt").write_text("small\n")
    made = make(shop)
    assert (content(shop, made, "A.txt"), content(shop, made, "a.txt")) == ("big", "small")


def test_no_repository_and_a_bare_one(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(WorkCommitError, match="not in the work tree"):
        work_commit.make(str(tmp_path / "plain"), str(tmp_path), "Work", 5, BY_COMMAND)
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    with pytest.raises(WorkCommitError, match="not in the work tree"):
        work_commit.make(str(tmp_path / "bare.git"), str(tmp_path), "Work", 5, BY_COMMAND)


def test_ref_is_set_only_where_it_is_what_was_expected(shop: Path) -> None:
    first, ref = git(shop, "rev-parse", "HEAD"), "refs/safepoint/local/s"
    (shop / "changed.py").write_text("new\n")
    second = make(shop).sha
    assert work_commit.point(str(shop), ref, first, 5, "")
    assert not work_commit.point(str(shop), ref, second, 5, "")
    assert not work_commit.point(str(shop), ref, second, 5, second)
    assert work_commit.point(str(shop), ref, second, 5, first)
    assert git(shop, "rev-parse", ref) == second
