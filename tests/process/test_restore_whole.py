"""A restore is made whole or not at all, and what it says it did is what it did."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from git_command import git
from syscall_killer import is_possible, run_until

from safepoint.errors import SafepointError
from safepoint.hot import work_commit
from safepoint.sync import restore
from safepoint.sync.exchange import Exchange, mark

WITHOUT_RIGHTS = ("setpriv", "--inh-caps=-all", "--bounding-set=-all") if os.geteuid() == 0 else ()
RESTORE = "import sys; from safepoint.sync import restore; restore.into_tree(*sys.argv[1:])"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    for name in ("a.py", "big.txt", "gone.py", "in/i.py", "out/o.py", "out/gone.py", "z/last.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name}\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    return folder


@pytest.fixture
def work(shop: Path) -> tuple[str, str]:
    """Work of every kind as (commit, base); the tree is clean again."""
    (shop / "a.py").write_text("worked on\n")
    (shop / "big.txt").write_text("0123456789abcde\n" * 20_000)
    for name in ("gone.py", "out/gone.py"):
        (shop / name).unlink()
    new = ("in/new.py", "out/new.py", "fresh/deep/new.py", "z/new.py")
    for name in ("in/i.py", "out/o.py", "z/last.py", *new):
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text("worked on\n")
    return put_aside(shop)


def put_aside(folder: Path) -> tuple[str, str]:
    made = work_commit.make(str(folder), str(folder.parent), "Work", 30, work_commit.BY_COMMAND)
    git(folder, "reset", "-q", "--hard")
    git(folder, "clean", "-q", "-fd")
    return made.sha, made.base


def everything(folder: Path) -> dict[str, Any]:
    """Each file and folder of the work tree, and that nothing of a restore is left in git's."""
    assert list((folder / ".git").glob("safepoint-*")) == []
    found: dict[str, Any] = {"index": (folder / ".git/index").read_bytes()}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if not name.startswith(".git"):
            file = None if path.is_dir() else (path.read_bytes(), mark(str(path)))
            found[name] = (path.lstat().st_mode, file)
    return found


def at_check_out(folder: Path, command: str) -> None:
    """Git runs `command` in the work tree while it writes z/last.py out: between the look and the change."""
    (folder / ".git/info/attributes").write_text("z/last.py filter=late\n")
    script = folder.parent / "late.sh"
    script.write_text(f"#!/bin/sh\ncat\ncd '{folder}' && {command}\n")
    script.chmod(0o755)
    git(folder, "config", "filter.late.smudge", f"'{script}'")


IN_BETWEEN = {
    "a file where one has to go": ("echo mine > z/new.py", "z/new.py", "z/new.py"),
    "an ignored file": ("echo z/new.py > .git/info/exclude; echo mine > z/new.py", "z/new.py", "z/new.py"),
    "a folder where a file has to go": ("mkdir -p z/new.py/deep; echo mine > z/new.py/deep/x", "z/new.py",
                                        "z/new.py/deep/x"),
    "a file where a folder has to go": ("echo mine > fresh", "fresh", "fresh"),
    "a file that was saved": ("echo mine > z/last.py", "z/last.py", "z/last.py"),
    "a link that leads out": ("mv z ../elsewhere; ln -s ../elsewhere z", "z", "z/last.py"),
}  # fmt: skip


@pytest.mark.parametrize("kind", IN_BETWEEN)
def test_what_is_made_between_the_look_and_the_change_stays_and_nothing_else_changes(
    shop: Path, work: tuple[str, str], kind: str
) -> None:
    command, named, theirs = IN_BETWEEN[kind]
    at_check_out(shop, command)
    before = everything(shop)
    with pytest.raises(SafepointError, match=r"^nothing was restored: \S*" + named):
        restore.into_tree(str(shop), *work)
    after = everything(shop)
    if kind == "a link that leads out":
        assert (shop.parent / "elsewhere/last.py").read_text() == "z/last.py\n"
    else:
        assert (shop / theirs).read_text() == "mine\n"
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert {name for name in changed if not name.startswith(named)} == set()


def test_full_disk_changes_nothing(shop: Path, work: tuple[str, str]) -> None:
    """No file may grow above 100 kB: git can write those before and behind the large one."""
    before = everything(shop)
    done = restored(shop, work, limit="ulimit -f 100; trap '' XFSZ; ")
    assert "nothing was restored: " in done and "big.txt" in done
    assert everything(shop) == before


def test_folder_that_cannot_be_written_changes_nothing(shop: Path, work: tuple[str, str]) -> None:
    (shop / "z").chmod(0o555)
    before = everything(shop)
    done = restored(shop, work, *WITHOUT_RIGHTS)
    assert "nothing was restored: " in done and "z/last.py: Permission denied" in done
    assert everything(shop) == before


def restored(
    shop: Path, work: tuple[str, ...], *within: str, limit: str = "", code: str = RESTORE
) -> str:
    """What a restore in a process of its own, which has to fail, says."""
    shell = [*within, "sh", "-c", f'{limit}exec "$@"', "sh"]
    command = [sys.executable, "-c", code, str(shop), *work]
    done = subprocess.run([*shell, *command], capture_output=True, text=True)
    assert done.returncode == 1, done
    return done.stderr


def test_what_is_neither_aside_nor_in_its_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("one\n")
    exchange = Exchange(str(tmp_path), str(tmp_path / "aside"))
    exchange.take("one", mark(str(tmp_path / "one")))
    shutil.rmtree(tmp_path / "aside")
    assert exchange.undo() == ["one"]


def test_file_that_became_a_submodule_keeps_nothing_else_back(shop: Path) -> None:
    inner = shop.parent / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    git(inner, "commit", "-q", "--allow-empty", "-m", "Begin")
    git(shop, "rm", "-q", "gone.py")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "gone.py")
    (shop / "a.py").write_text("worked on\n")
    made = work_commit.make(str(shop), str(shop.parent), "Work", 30, work_commit.BY_COMMAND)
    shutil.rmtree(shop / "gone.py")
    (shop / ".gitmodules").unlink()
    git(shop, "reset", "-q", "--hard")
    restored_now = restore.into_tree(str(shop), made.sha, made.base)
    assert [one["path"] for one in restored_now["not_laid_out"]] == ["gone.py"]
    assert (shop / "a.py").read_text() == "worked on\n" and (shop / "gone.py").read_text() == "gone.py\n"


def test_link_to_a_folder_that_became_a_folder_is_laid_out(shop: Path) -> None:
    (shop / "link").symlink_to("z")
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "A link")
    (shop / "link").unlink()
    (shop / "link").mkdir()
    (shop / "link/last.py").write_text("worked on\n")
    restore.into_tree(str(shop), *put_aside(shop))
    assert (shop / "link/last.py").read_text() == "worked on\n" and not (shop / "link").is_symlink()
    assert (shop / "z/last.py").read_text() == "z/last.py\n"


def test_folder_that_cannot_be_looked_into_changes_nothing(shop: Path, work: tuple[str, str]) -> None:
    before = everything(shop)
    (shop / "z").chmod(0)
    done = restored(shop, work, *WITHOUT_RIGHTS)
    (shop / "z").chmod(0o755)
    assert "SafepointError: nothing was restored: " in done and "Permission denied" in done
    assert everything(shop) == before


# `what` is done right before the first call of a kind that the restore makes.
AT_CALL = """
import os, shutil, sys
from safepoint.sync import restore
def at(event, what, name=""):
    done = []
    def hook(told, arguments):
        if told == event and name in str(arguments[0]) and not done:
            done.append(told)
            what(arguments)
    sys.addaudithook(hook)
"""


def test_file_that_is_written_to_while_it_is_aside_changes_nothing_else(
    shop: Path, work: tuple[str, str]
) -> None:
    """By somebody who has it open: git would have that written to nowhere."""
    writes = "log = open('a.py', 'a')\nat('os.link', lambda _: (log.write('mine\\n'), log.flush()))\n"
    before = everything(shop)
    code = f"{AT_CALL}os.chdir(sys.argv[1])\n{writes}restore.into_tree(*sys.argv[1:])"
    done = restored(shop, work, code=code)
    assert "nothing was restored: a.py: it was changed in the meantime" in done
    assert (shop / "a.py").read_text() == "a.py\nmine\n"
    after = everything(shop)
    assert {name for name in before if before[name] != after[name]} == {"a.py"}


def test_folder_that_another_restore_takes_for_one_that_is_over_is_made_again(
    shop: Path, work: tuple[str, str]
) -> None:
    code = (
        f"{AT_CALL}folder = lambda told: os.path.dirname(told[0])\n"
        "at('open', lambda told: os.rename(folder(told), folder(told) + '.over'), '/lock')\n"
        "print(restore.into_tree(*sys.argv[1:])['files'])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(shop), *work], capture_output=True, text=True)
    assert "z/new.py" in done.stdout, done.stderr
    assert (shop / "z/new.py").read_text() == "worked on\n"


def test_filter_that_fails_changes_nothing(shop: Path, work: tuple[str, str]) -> None:
    at_check_out(shop, "exit 1")
    git(shop, "config", "filter.late.required", "true")
    git(shop, "config", "filter.late.clean", "cat")
    before = everything(shop)
    with pytest.raises(SafepointError, match=r"(?s)^nothing was restored: .*z/last\.py"):
        restore.into_tree(str(shop), *work)
    assert everything(shop) == before


def test_what_cannot_be_put_back_is_named_and_kept(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    for name in ("one", "two"):
        (tmp_path / "tree" / name).write_text(f"{name}\n")
    exchange = Exchange(str(tmp_path / "tree"), str(tmp_path / "aside"))
    for name in ("one", "two"):
        exchange.take(name, mark(str(tmp_path / "tree" / name)))
    (tmp_path / "made").write_text("made\n")
    exchange.put("new", str(tmp_path / "made"))
    (tmp_path / "tree/one").write_text("somebody else's\n")
    with (tmp_path / "tree/new").open("a") as file:
        file.write("and worked on\n")
    assert exchange.undo() == ["new", "one"]
    assert (tmp_path / "tree/two").read_text() == "two\n" and (tmp_path / "aside/one").read_text() == "one\n"
    assert (tmp_path / "tree/one").read_text() == "somebody else's\n"
    assert (tmp_path / "tree/new").read_text().endswith("worked on\n")


@pytest.mark.skipif(not is_possible(), reason="this machine lets no process trace its child")
def test_killed_before_any_change_it_makes_everything_is_still_there(shop: Path) -> None:
    """And where something was moved aside, the next restore says where it is."""
    work = small_work(shop)
    before = contents(shop)
    restore.into_tree(str(shop), *work)
    after = contents(shop)
    told = 0
    for call in stops(shop, work, signal.SIGKILL):
        now = contents(shop)
        kept = next((shop / ".git").glob("safepoint-restore-*/before"), None)
        if kept is None or not contents(kept):
            assert now in (before, after), call
            continue
        aside = contents(kept)
        assert all(now.get(name) == text or aside[name] == text for name, text in before.items()), call
        told += 1
        with pytest.raises(SafepointError, match=r"was broken off .* is in \S*safepoint-restore-\S*/before"):
            restore.into_tree(str(shop), *work)
    assert told > 3 and contents(shop) == after


@pytest.mark.skipif(not is_possible(), reason="this machine lets no process trace its child")
def test_interrupted_before_any_change_it_makes_all_is_as_before_or_as_after(shop: Path) -> None:
    work = small_work(shop)
    before = contents(shop)
    restore.into_tree(str(shop), *work)
    after, back = contents(shop), 0
    for call in stops(shop, work, signal.SIGINT):
        assert contents(shop) in (before, after), call
        assert not any(map(contents, (shop / ".git").glob("safepoint-restore-*/before")))
        back += contents(shop) == before
    assert back > 3


def small_work(shop: Path) -> tuple[str, str]:
    (shop / "a.py").write_text("worked on\n")
    (shop / "gone.py").unlink()
    (shop / "new").mkdir()
    (shop / "new/x.py").write_text("worked on\n")
    return put_aside(shop)


def stops(shop: Path, work: tuple[str, str], send: int) -> Iterator[str]:
    """Each change that a restore makes, after one that got the signal right before it; the last is whole."""
    for number in itertools.count(1):
        clean(shop)
        calls = stopped_at(shop, work, number, send)
        if len(calls) < number:
            return
        yield calls[number - 1]


def stopped_at(shop: Path, work: tuple[str, str], number: int, send: int) -> list[str]:
    """The changes that a restore made, or was about to make, when the signal came before one of them."""
    command = [sys.executable, "-c", RESTORE, str(shop), *work]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return run_until(command, b"", environment, shop, number, send)[1]


def contents(folder: Path) -> dict[str, str]:
    paths = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {name.as_posix(): path.read_text() for name, path in paths.items() if ".git" not in name.parts}


def clean(shop: Path) -> None:
    for left in (shop / ".git").glob("safepoint-*"):
        shutil.rmtree(left)
    git(shop, "reset", "-q", "--hard")
    git(shop, "clean", "-q", "-fd")


def test_work_tree_that_cannot_be_made_whole_is_gone(
    shop: Path, work: tuple[str, str], tmp_path: Path
) -> None:
    trees, refs = git(shop, "worktree", "list"), git(shop, "for-each-ref")
    code = RESTORE.replace("into_tree", "into_worktree")
    there = tmp_path / "new/folder/tree"
    done = restored(shop, (*work, str(there)), code=code, limit="ulimit -f 100; trap '' XFSZ; ")
    assert "nothing was restored: " in done
    assert git(shop, "worktree", "list") == trees and git(shop, "for-each-ref") == refs
    assert not (tmp_path / "new").exists() and list((shop / ".git/worktrees").glob("*")) == []
    with pytest.raises(SafepointError, match="nothing was restored: "):
        restore.into_worktree(str(shop), work[0], "1" * 40, str(there))
    assert not (tmp_path / "new").exists()


# --- the report -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [("--cone",), ("--no-cone",), ("--cone", "--sparse-index")])
def test_sparse_checkout_has_the_work_whole_and_is_told_what_lies_outside(
    shop: Path, work: tuple[str, str], options: tuple[str, ...]
) -> None:
    git(shop, "sparse-checkout", "set", *options, "in")
    index = (shop / ".git/index").read_bytes()
    found = restore.into_tree(str(shop), *work)
    assert (shop / ".git/index").read_bytes() == index
    expected = {"out/o.py", "out/new.py", "fresh/deep/new.py", "z/last.py", "z/new.py"}
    assert expected <= set(found["outside_sparse"]) and "in/new.py" not in found["outside_sparse"]
    gone = [one for one in found["not_laid_out"] if one["path"] == "out/gone.py"]
    assert [one["why"] for one in gone] == ["outside_sparse"] and "out/gone.py" not in found["files"]
    for name in found["files"]:
        lines = (shop / name).read_text().splitlines() if name != "gone.py" else []
        assert set(lines) <= {"worked on", "0123456789abcde"} and bool(lines) == (name != "gone.py"), name
    assert not (shop / "gone.py").exists()
    assert "out/o.py" in git(shop, "status", "--porcelain")


def test_file_that_git_was_told_not_to_look_at_is_not_laid_over(shop: Path, work: tuple[str, str]) -> None:
    for flag in ("skip-worktree", "assume-unchanged"):
        git(shop, "update-index", f"--{flag}", "a.py")
        (shop / "a.py").write_text("my own settings\n")
        before = everything(shop)
        with pytest.raises(SafepointError, match=r"a\.py would be laid over"):
            restore.into_tree(str(shop), *work)
        assert everything(shop) == before
        git(shop, "update-index", f"--no-{flag}", "a.py")


def test_commit_of_a_submodule_is_not_laid_out_and_named(shop: Path, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    git(lib, "init", "-q")
    git(lib, "commit", "-q", "--allow-empty", "-m", "One")
    git(shop, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "lib")
    git(shop, "commit", "-q", "-m", "Lib")
    git(shop / "lib", "commit", "-q", "--allow-empty", "-m", "Two")
    (shop / "a.py").write_text("worked on\n")
    commit = git(shop / "lib", "rev-parse", "HEAD")
    work = put_aside(shop)
    git(shop, "submodule", "update", "-q")
    found = restore.into_tree(str(shop), *work)
    assert found["files"] == ["a.py"]
    assert found["not_laid_out"] == [{"path": "lib", "why": "submodule", "commit": commit}]


def test_files_of_a_filter_are_named(shop: Path) -> None:
    """What the filter drops is not in the commit, and so does not come back."""
    (shop / ".git/info/attributes").write_text("*.nb filter=strip\n")
    git(shop, "config", "filter.strip.clean", "grep -v output")
    (shop / "x.nb").write_text("input\noutput\n")
    (shop / "y.py").write_text("y\n")
    work = put_aside(shop)
    found = restore.into_tree(str(shop), *work)
    assert found["filtered"] == [{"path": "x.nb", "filter": "strip"}]
    assert (shop / "x.nb").read_text() == "input\n"


def test_ctrl_c_puts_back_what_was_changed(shop: Path, work: tuple[str, str]) -> None:
    """Git is interrupted with it, as a terminal does; then nothing of ours is done either."""
    at_check_out(shop, 'kill -INT "$RESTORE_PID"; sleep 1')
    before = everything(shop)
    code = "import os; os.environ['RESTORE_PID'] = str(os.getpid()); " + RESTORE
    done = subprocess.run([sys.executable, "-c", code, str(shop), *work], capture_output=True, text=True)
    assert done.returncode == -signal.SIGINT and everything(shop) == before
