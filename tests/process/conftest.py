"""A scratch repository with the hooks installed, under a path that shells and parsers trip over."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from host_process import install


def make_repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "basket.py").write_text("def total(): ...\n")
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"],
                    ["checkout", "-q", "-b", "fix-basket"]):  # fmt: skip
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = make_repository(tmp_path / "お店 'shop' $x")
    install(folder)
    return folder
