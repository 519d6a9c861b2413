"""`python -m tools.bench.sync`: the time of a push, a pull and a restore in a large repository.

A scratch repository of many files, some of them changed, and a bare remote beside it on the same disk. Every
figure is the median of three runs; each sends another change.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from safepoint.hot import campaign_refs as refs
from safepoint.hot import work_commit
from safepoint.sync import outgoing, restore
from safepoint.sync.git import Git

from .table import machine

FILES, PER_FOLDER = 100_000, 250
RUNS = 3
REF = "bench"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.sync", description=__doc__)
    parser.add_argument("--files", type=int, default=FILES)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="safepoint-bench-sync-"))
    try:
        print(_table(_measure(folder, asked.files), asked.files))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _repository(folder: Path, files: int) -> Path:
    shop = folder / "shop"
    shop.mkdir()
    for number in range(files):
        path = shop / f"m{number // PER_FOLDER}/f{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"number = {number}\n" * 20)
    _git(folder, "init", "-q", "--bare", "remote.git")
    for words in (["init", "-q", "-b", "main"], ["config", "user.name", "Bench"],
                  ["config", "user.email", "bench@localhost"], ["add", "-A"], ["commit", "-q", "-m", "Begin"],
                  ["remote", "add", "origin", "../remote.git"],
                  ["push", "-q", "origin", "main"]):  # fmt: skip
        _git(shop, *words)
    _git(shop, "fetch", "-q", "origin")
    return shop


def _change(shop: Path, number: int, count: int) -> None:
    """So many files changed, and as many new ones."""
    for at in range(count):
        folder = shop / f"m{at % 100}"
        old = (at % 100) * PER_FOLDER + at // 100
        (folder / f"f{old}.py").write_text(f"changed = {number}\n")
        (folder / f"new{at}.py").write_text(f"new = {number}\n")


class _Bench:
    """Times by what was done."""

    def __init__(self, folder: Path, files: int) -> None:
        self.folder, self.shop = folder, _repository(folder, files)
        self.spare = folder / "spare"
        self.spare.mkdir()
        self.times: dict[str, list[float]] = {}

    def timed(self, name: str, act: Callable[[], object]) -> object:
        began = time.perf_counter()
        result = act()
        self.times.setdefault(name, []).append(time.perf_counter() - began)
        print(f"bench: {name}: {self.times[name][-1]:.2f} s", file=sys.stderr, flush=True)
        return result

    def run(self, number: int) -> None:
        _change(self.shop, number, 100)
        made = self.timed("the work: 100 files changed, 100 new", lambda: self._make(work_commit.BY_COMMAND))
        assert isinstance(made, work_commit.WorkCommit)
        sha, base, shop = made.sha, made.base, str(self.shop)
        self.timed("the same at Red (said: too large)", lambda: self._make(work_commit.AT_RED))
        there = {"refs/heads/main": base}
        self.timed(
            "search for secrets in what is new", lambda: outgoing.secrets(Git(shop), sha, "origin", there, ())
        )
        ref = f"{sha}:{refs.ROOT}{REF}"
        self.timed("send", lambda: _git(self.shop, "push", "-q", "-f", "origin", ref))
        self.timed("fetch", lambda: refs.fetch(shop, "origin", [REF], 120))
        self._clean()
        self.timed("restore onto its own commit", lambda: restore.into_tree(shop, sha, base))
        self._clean()
        (self.shop / "m0/since.py").write_text(f"since = {number}\n")
        _git(self.shop, "add", "-A")
        _git(self.shop, "commit", "-q", "-m", "Since")
        self.timed("restore onto another commit", lambda: restore.into_tree(shop, sha, base))
        self._clean()
        tree = self.folder / f"tree{number}"
        self.timed(
            "restore into a new work tree", lambda: restore.into_worktree(shop, sha, base, str(tree))
        )
        _git(self.shop, "worktree", "remove", "--force", str(tree))
        self.timed("for comparison: git worktree add", lambda: _git(self.shop, "worktree", "add", str(tree)))
        _git(self.shop, "worktree", "remove", "--force", str(tree))

    def _make(self, limits: work_commit.Limits) -> work_commit.WorkCommit | str:
        try:
            return work_commit.make(str(self.shop), str(self.spare), "Work", 120, limits)
        except work_commit.WorkCommitError as error:
            return error.why

    def _clean(self) -> None:
        _git(self.shop, "reset", "-q", "--hard")
        _git(self.shop, "clean", "-q", "-fd")


def _measure(folder: Path, files: int) -> list[tuple[str, float]]:
    bench = _Bench(folder, files)
    for number in range(RUNS):
        bench.run(number)
    return [(name, statistics.median(found)) for name, found in bench.times.items()]


def _table(rows: list[tuple[str, float]], files: int) -> str:
    lines = [f"| {files:,} files | time |", "|---|---:|"]
    lines += [f"| {name} | {seconds:.2f} s |" for name, seconds in rows]
    return "\n".join([*lines, "", f"Medians of {RUNS} runs. {machine(sys.executable)}."])


if __name__ == "__main__":
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    sys.exit(main())
