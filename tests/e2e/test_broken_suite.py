"""The suite broken in every way that happens to files: each tool of the real client still runs."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, Optional

import pytest
from claude_client import Client
from model_script import bash, call, turn
from safepoint_install import Safepoint, told
from scratch_project import Project

SESSION = "5afe0000-0000-4000-8000-000000000001"
Environment = Mapping[str, str]


def package(safepoint: Safepoint) -> Path:
    (folder,) = safepoint.hooks.glob("_safepoint_*")
    return folder


def missing_entry(safepoint: Safepoint) -> None:
    (safepoint.hooks / "session_budget_guard.py").unlink()


def syntax_error(safepoint: Safepoint) -> None:
    (runtime,) = package(safepoint).rglob("runtime.py")
    runtime.write_text("def main(:\n")


def error_in_a_handler(safepoint: Safepoint) -> None:
    (before,) = package(safepoint).rglob("handlers/before.py")
    before.write_text("raise SystemExit(2)\n")


def empty_package(safepoint: Safepoint) -> None:
    for path in package(safepoint).rglob("*.py"):
        path.unlink()


def zero_bytes(safepoint: Safepoint) -> None:
    for path in safepoint.hooks.rglob("*.py"):
        path.write_bytes(b"")


def wrong_permissions(safepoint: Safepoint) -> None:
    for path in safepoint.hooks.rglob("*.py"):
        path.chmod(0)


def settings_of_another_shape(safepoint: Safepoint) -> None:
    (safepoint.hooks / "settings.json").write_text('[{"mode": "enforce"}]')


def state_folder_is_a_file(safepoint: Safepoint) -> None:
    safepoint.session.write_text("in the way")


def module_is_a_folder(safepoint: Safepoint) -> None:
    (hook,) = package(safepoint).rglob("hook.py")
    hook.unlink()
    hook.mkdir()


def state_of_another_version(safepoint: Safepoint) -> None:
    safepoint.session.mkdir(mode=0o700)
    state = '{"schema_version": 99, "journal": [], "state": 0}'
    (safepoint.session / f"{SESSION}.state.json").write_text(state)
    (safepoint.session / f"{SESSION}.journal.jsonl").write_text('{"at": "then", "kind": ["future"]}\n')


def dangling_link(safepoint: Safepoint) -> None:
    entry = safepoint.hooks / "session_budget_guard.py"
    entry.unlink()
    entry.symlink_to("/nowhere/session_budget_guard.py")


def no_python(safepoint: Safepoint) -> Environment:
    """Everything else is where it was."""
    return {"PATH": str(commands_without_python(safepoint.project.path.parent / "bin"))}


def another_python(safepoint: Safepoint) -> Environment:
    """A `python3` that is no Python: it complains and fails, as a shim without a version does."""
    folder = commands_without_python(safepoint.project.path.parent / "bin")
    shim = folder / "python3"
    shim.write_text("#!/bin/sh\necho 'python3: no version is set' >&2\necho '[1, 2'\nexit 126\n")
    shim.chmod(0o755)
    return {"PATH": str(folder)}


def commands_without_python(folder: Path) -> Path:
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for command in Path(place).glob("*") if os.path.isdir(place) else ():
            link = folder / command.name
            if not command.name.startswith("python") and not link.is_symlink():
                link.symlink_to(command)
    return folder


WAYS: list[Callable[[Safepoint], Optional[Environment]]] = [
    missing_entry, syntax_error, error_in_a_handler, empty_package, zero_bytes, wrong_permissions,
    settings_of_another_shape, state_folder_is_a_file, module_is_a_folder, state_of_another_version,
    dangling_link, no_python, another_python,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_tool_runs(
    claude: Client, project: Project, model: Any, way: Callable[[Safepoint], Optional[Environment]]
) -> None:
    environment = way(Safepoint(project))
    tools = turn(
        bash("touch by-bash"),
        call("Write", file_path=str(project.path / "by-write"), content="x"),
        call("Read", file_path=str(project.path / "README.md")),
        tokens=40_000,
    )
    stub = model(tools, turn(bash("touch later")), turn(bash("touch at-the-end")), "Done here.")
    run = claude.run(project, stub, "go on", session_id=SESSION, env=environment)
    assert (run.status, run.text, stub.unplayed) == (0, "Done here.", 0), run
    assert all((project.path / name).exists() for name in ("by-bash", "by-write", "later", "at-the-end"))
    shown = "".join(request.new_text for request in stub.main[1:])
    assert "# A scratch project" in shown and "hook error" not in shown and "blocked" not in shown
    assert len(told(run)) == len(set(told(run))), "the user is told the same twice"


@pytest.mark.parametrize("way", [error_in_a_handler, state_folder_is_a_file], ids=lambda way: way.__name__)
def test_the_user_is_told(
    claude: Client, project: Project, model: Any, way: Callable[[Safepoint], Optional[Environment]]
) -> None:
    way(Safepoint(project))
    run = claude.run(project, model(turn(bash("echo 1")), turn(bash("echo 2"))), "go on")
    assert len(told(run)) == 1 and told(run)[0].startswith("Safepoint"), told(run)
