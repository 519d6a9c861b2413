"""The commit of the work holds what `git add -A` would, in repositories that nobody thought of."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from git_command import git

from safepoint.hot import work_commit

NAMES = (
    "a", "b", "c.py", "c.py/in", "d", "d/x", "d/y.py", "d/e/z", "L/x", "日本", "sp ace", 'q"uote',
    "new\nline", "-dash", ":(top)m", "*.py", "ignored.log",
)  # fmt: skip
TARGETS = ("a", "d", "nowhere", "../..")


def clear(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def write(chance: random.Random, path: Path) -> None:
    if path.parent.is_symlink() or path.parent.is_file():
        path.parent.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    clear(path)
    path.write_text(f"{chance.randrange(5)}\n" * chance.randrange(1, 9))


def link(chance: random.Random, path: Path) -> None:
    clear(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(chance.choice(TARGETS))


def set_mode(chance: random.Random, path: Path) -> None:
    if path.is_file() and not path.is_symlink():
        path.chmod(chance.choice((0o644, 0o755)))


def by_git(chance: random.Random, folder: Path, name: str) -> None:
    literal = f":(literal){name}"
    words = chance.choice(
        (("add", "--", literal), ("add", "-N", "--", literal), ("rm", "-r", "-q", "--cached", "--", literal),
         ("mv", "--", name, chance.choice(NAMES)), ("stash", "-q"), ("commit", "-q", "-a", "-m", "More"))
    )  # fmt: skip
    git(folder, *words, check=False)


def change(chance: random.Random, folder: Path, most: int) -> None:
    for _ in range(chance.randrange(most)):
        name, kind = chance.choice(NAMES), chance.random()
        try:
            if kind < 0.45:
                write(chance, folder / name)
            elif kind < 0.62:
                clear(folder / name)
            elif kind < 0.7:
                link(chance, folder / name)
            elif kind < 0.76:
                set_mode(chance, folder / name)
            else:
                by_git(chance, folder, name)
        except OSError:
            continue  # as behind a link that leads nowhere


def commit_all(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "All")


def made_up(chance: random.Random, folder: Path) -> None:
    """A repository with a history, sometimes in the midst of a merge, and with changes of every kind."""
    git(folder, "init", "-q", "-b", "main")
    (folder / ".gitignore").write_text("*.log\n")
    change(chance, folder, 25)
    commit_all(folder)
    if chance.random() < 0.3:
        git(folder, "checkout", "-q", "-b", "side")
        change(chance, folder, 8)
        commit_all(folder)
        git(folder, "checkout", "-q", "-f", "main")
        change(chance, folder, 8)
        commit_all(folder)
        git(folder, "merge", "-q", "side", check=False)
    change(chance, folder, 25)


def added(folder: Path, index: Path) -> str:
    """The tree that `git add -A` makes, on an index of its own."""
    if (folder / ".git/index").exists():
        shutil.copy2(folder / ".git/index", index)
    environment = {**os.environ, "GIT_INDEX_FILE": str(index)}
    for words in (["add", "-A"], ["write-tree"]):
        command = ["git", "-C", str(folder), *words]
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
    return done.stdout.decode("ascii").strip()


@pytest.mark.parametrize("status", [None, b""], ids=["by status", "without one"])
@pytest.mark.parametrize("seed", range(12))
def test_it_is_what_git_would_add(tmp_path: Path, seed: int, status: bytes | None) -> None:
    folder, spare = tmp_path / "shop", tmp_path / "spare"
    folder.mkdir()
    spare.mkdir()
    made_up(random.Random(seed), folder)
    expected, before = added(folder, tmp_path / "index"), git(folder, "status", "--porcelain", "-z")
    made = work_commit.make(str(folder), str(spare), "Work", 30.0, work_commit.BY_COMMAND, status)
    assert (git(folder, "rev-parse", made.sha + "^{tree}"), made.left_out) == (expected, [])
    assert git(folder, "status", "--porcelain", "-z") == before and not list(spare.iterdir())
