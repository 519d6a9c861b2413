"""A small git repository on a branch of its own, for hooks to work in."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "basket.py").write_text("def total(): ...\n")
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"],
                    ["checkout", "-q", "-b", "fix-basket"]):  # fmt: skip
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder
