"""A scratch repository with the hooks installed, under a path that shells and parsers trip over."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_process import install
from scratch_repository import make_repository


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = make_repository(tmp_path / "お店 'shop' $x")
    install(folder)
    return folder
