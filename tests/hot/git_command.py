"""Git as a person runs it, in a repository of a test."""

from __future__ import annotations

import subprocess
from pathlib import Path


def git(folder: Path, *words: str, check: bool = True, given: bytes = b"") -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, input=given)
    assert not check or done.returncode == 0, (words, done.stderr.decode())
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def have_a_filter_that_fails(folder: Path) -> None:
    """From now on git can take no `*.bin`, as where its LFS is missing."""
    (folder / ".git/info/attributes").write_text("*.bin filter=missing\n")
    git(folder, "config", "filter.missing.clean", "safepoint-no-such-command")
    git(folder, "config", "filter.missing.required", "true")
