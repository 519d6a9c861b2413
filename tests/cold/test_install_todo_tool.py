"""`install --with-todo-tool`: the server in the users' own files, in a real repository, and out again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from safepoint.carry_out import carry_out
from safepoint.errors import SafepointError
from safepoint.install import Wish, plan_install
from safepoint.install_record import PATH
from safepoint.project import find
from safepoint.uninstall import plan_uninstall

MINE = '{\n  // mine\n  "mcpServers": {"other": {"command": "x"}}\n}\n'
FILES = (".cursor/mcp.json", ".mcp.json")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def install(folder: Path, **wish: object) -> None:
    project = find(folder)
    carry_out(lambda: plan_install(project, Wish(language="en", **wish)), project)  # type: ignore[arg-type]


def uninstall(folder: Path) -> None:
    project = find(folder)
    carry_out(lambda: plan_uninstall(project, purge=False), project)


def servers(folder: Path, path: str) -> str:
    file = folder / path
    return file.read_text() if file.exists() else ""


def test_only_when_asked_for(repository: Path) -> None:
    install(repository)
    assert not any((repository / path).exists() for path in FILES)


def test_in_and_out_again_to_the_byte(repository: Path) -> None:
    (repository / ".mcp.json").write_text(MINE)
    install(repository, todo_tool=True)
    assert '"safepoint"' in servers(repository, ".mcp.json") and "// mine" in servers(repository, ".mcp.json")
    entry = json.loads(servers(repository, ".cursor/mcp.json"))["mcpServers"]["safepoint"]
    assert entry["args"][-3:] == ["mcp", "--project", "${workspaceFolder}"]
    uninstall(repository)
    assert servers(repository, ".mcp.json") == MINE
    assert not (repository / ".cursor").exists()


def test_it_stays_until_it_is_taken_back(repository: Path) -> None:
    install(repository, todo_tool=True)
    install(repository)
    assert all("safepoint" in servers(repository, path) for path in FILES)
    install(repository, todo_tool=False)
    assert not any((repository / path).exists() for path in FILES)
    assert (repository / ".cursor/hooks.json").exists()


def test_one_host_gets_its_own_file_only(repository: Path) -> None:
    install(repository, hosts=("claude_code",), todo_tool=True)
    assert (repository / ".mcp.json").exists() and not (repository / ".cursor/mcp.json").exists()


def test_installation_without_a_record_is_recognised(repository: Path) -> None:
    (repository / ".mcp.json").write_text(MINE)
    install(repository, todo_tool=True)
    (repository / PATH).unlink()
    uninstall(repository)
    assert json.loads(servers(repository, ".mcp.json").replace("// mine", "")) == {
        "mcpServers": {"other": {"command": "x"}}
    }


def test_server_of_that_name_of_somebody_else_stops_the_installation(repository: Path) -> None:
    (repository / ".mcp.json").write_text('{"mcpServers": {"safepoint": {"command": "mine"}}}')
    with pytest.raises(SafepointError, match=r"\.mcp\.json:1:\d+: a server safepoint is there already"):
        install(repository, todo_tool=True)
    assert not (repository / ".cursor").exists()


def test_alone_it_goes_into_no_file_that_git_has(repository: Path) -> None:
    (repository / ".mcp.json").write_text(MINE)
    subprocess.run(["git", "-C", str(repository), "add", ".mcp.json"], check=True)
    with pytest.raises(SafepointError, match=r"--local: \.mcp\.json is in git"):
        install(repository, scope="local", todo_tool=True)
