import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Callable

import pytest
from claude_client import Client
from claude_install import ClientUnavailableError, client
from model_stub import Model
from safepoint_install import Safepoint
from scratch_project import Project

HERE = Path(__file__).parent
HOST_PREFIXES = ("CLAUDE", "ANTHROPIC_", "CURSOR_", "SAFEPOINT", "GIT_")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def client_binary() -> Path:
    # Session scope: npm needs the user's own home (its settings and cache), so it runs before the guard.
    try:
        return client()
    except ClientUnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def scratch_home_only(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in a test, hooks and git included, can find the real home folder or the session around it."""
    for name in [name for name in os.environ if name.startswith(HOST_PREFIXES)]:
        monkeypatch.delenv(name)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    assert Path.home() == home


@pytest.fixture
def claude(client_binary: Path, home: Path) -> Iterator[Client]:
    running = Client(client_binary, home)
    yield running
    running.close()


@pytest.fixture
def project(scratch_home_only: None, tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture
def safepoint(project: Project) -> Iterator[Safepoint]:
    """Installed in `project`; at the end of the test no hook may have failed."""
    installed = Safepoint(project)
    yield installed
    assert installed.errors == []


@pytest.fixture
def model() -> Iterator[Callable[..., Model]]:
    """model(*steps, subagents=..., summary=..., tokens=...) -> a Model, listening until the test ends."""
    with ExitStack() as stack:

        def start(*steps: Any, **options: Any) -> Model:
            return stack.enter_context(Model(*steps, **options))

        yield start
