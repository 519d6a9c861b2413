"""Every test gets a home of its own; the one of the person who runs the tests is out of reach."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

REAL_HOME = Path(os.path.expanduser("~"))
GUARDED = tuple(str(REAL_HOME / name) for name in (".cursor", ".claude", ".cache/safepoint"))
CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "shutil.rmtree"}


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: Safepoint's and the hosts' own folders in the real home are not to be touched."""
    if event == "open":
        path, mode, flags = (*arguments, None, None, None)[:3]
        writes = isinstance(mode, str) and set(mode) & set("wax+")
        writes = writes or (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        if not writes:
            return
    elif event in CHANGES:
        path = arguments[0]
    else:
        return
    if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(GUARDED):
        raise AssertionError(f"a test touches the real home: {event} {path}")


sys.addaudithook(_refuse)

# No test judges a time: on a busy machine an example takes as long as it takes.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def _no_host_folders_appear() -> Iterator[None]:
    """Processes that tests start are out of the audit hook's sight; what they leave is not."""
    absent = [path for path in GUARDED[:2] if not os.path.exists(path)]
    yield
    made = [path for path in absent if os.path.exists(path)]
    assert not made, f"a process that a test started made {made}"


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("CLAUDE", "CURSOR", "SAFEPOINT", "GIT_", "XDG_", "LC_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / f".{name.lower()}"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "test@example.invalid")
    return folder
