"""Installing where people keep their repositories: odd names, worktrees, beside others, while hooks run."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import payloads
import pytest
from git_command import git
from host_process import COPIED, install, install_really, registered, run, state
from scratch_repository import make_repository

from safepoint import project, shipped, uninstall
from safepoint.carry_out import carry_out
from safepoint.install import Wish, plan_install

NAMES = ["a b", "it's", 'the "shop"', "$HOME", "お店", "🛒", "100%", "-x", "a;b&c", "`x`", "#1",
         "back\\slash"]  # fmt: skip


def files(root: Path) -> dict[str, bytes | str]:
    """Every file and link below `root`, git's own apart."""
    found: dict[str, bytes | str] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif name.split("/")[0] != ".git":
            found[name] = path.read_bytes() if path.is_file() else ""
    return found


def take_out(root: Path) -> None:
    found = project.find(root)
    carry_out(lambda: uninstall.plan_uninstall(found, True), found)


def send(root: Path, event: str, session: str = "s1", **fields: Any) -> dict[str, Any]:
    payload = payloads.claude(event, session_id=session, cwd=str(root), **fields)
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(root)}
    (command,) = registered(root, "claude_code")[event]
    return run(command, payload, environment, root, "pipe")


@pytest.mark.parametrize("name", NAMES)
def test_hooks_run_under_any_name_and_leave_nothing(name: str, tmp_path: Path) -> None:
    root = make_repository(tmp_path / name / "repo")
    before = files(root)
    install_really(root)
    send(root, "SessionStart")
    send(root, "PreToolUse")
    send(root, "PostToolUse")
    assert state(root, "s1")["tool_calls"] == 1
    take_out(root)
    assert files(root) == before


@pytest.mark.parametrize("name", [*NAMES, "new\nline"])
def test_local_installation_under_any_name_is_kept_from_git_and_leaves_nothing(
    name: str, tmp_path: Path
) -> None:
    root = make_repository(tmp_path / name / "repo")
    before, exclude = files(tmp_path), (root / ".git/info/exclude").read_bytes()
    found = project.find(root)
    carry_out(lambda: plan_install(found, Wish(scope="local")), found)
    assert git(root, "--no-optional-locks", "status", "--porcelain") == ""
    take_out(root)
    assert files(tmp_path) == before
    assert (root / ".git/info/exclude").read_bytes() == exclude


@pytest.mark.parametrize("language", ["en", "ja"])
def test_copied_installation_of_the_tests_is_what_install_makes(language: str, tmp_path: Path) -> None:
    made, copied = make_repository(tmp_path / "made 'x' $y"), make_repository(tmp_path / "copied")
    install_really(made, "full", language)
    install(copied, "full", language)
    assert contents(made) == contents(copied)
    assert {path.name for path in made.iterdir()} == {*COPIED, "basket.py", ".git"}
    done = subprocess.run(["git", "status", "--short", "-uall"], cwd=made, capture_output=True, check=True)
    again = subprocess.run(["git", "status", "--short", "-uall"], cwd=copied, capture_output=True, check=True)
    assert done.stdout == again.stdout


def contents(root: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and content of every file and folder but git's and compiled modules."""
    return {
        path.relative_to(root).as_posix(): (path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
        for path in root.rglob("*")
        if ".git" not in path.parts and "__pycache__" not in path.parts
    }


def test_a_worktree_has_an_installation_of_its_own(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main")
    tree = tmp_path / "the tree"
    subprocess.run(["git", "worktree", "add", "-q", "-b", "other", str(tree)], cwd=main, check=True)
    before = files(main), files(tree)
    install_really(tree)
    assert files(main) == before[0]
    send(tree, "SessionStart")
    send(tree, "UserPromptSubmit")
    assert state(tree, "s1")["campaign_slug"] == "other"
    take_out(tree)
    assert (files(main), files(tree)) == before


def test_other_tools_hooks_keep_their_place_and_run(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repo")
    theirs = {"version": 1, "hooks": {"preToolUse": [{"command": "echo first"}, {"command": "echo second"}],
                                      "stop": [{"command": "echo third"}]}}  # fmt: skip
    (root / ".cursor").mkdir()
    text = json.dumps(theirs, indent=3) + "\n// the last line\n"
    (root / ".cursor/hooks.json").write_text(text)
    for events in ("base", "full", "base"):
        install_really(root, events=events)
        commands = registered_leniently(root)
        for event, own in theirs["hooks"].items():  # type: ignore[attr-defined]
            others = [command for command in commands[event] if "session_" not in command]
            assert others == [entry["command"] for entry in own]
            assert len(commands[event]) == len(own) + 1
    take_out(root)
    assert (root / ".cursor/hooks.json").read_text() == text


def registered_leniently(root: Path) -> dict[str, list[str]]:
    lines = [line for line in (root / ".cursor/hooks.json").read_text().splitlines() if "//" not in line]
    hooks = json.loads("\n".join(lines))["hooks"]
    return {event: [entry["command"] for entry in entries] for event, entries in hooks.items()}


def test_hooks_that_run_during_an_upgrade_all_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_repository(tmp_path / "repo")
    modules = shipped.hot_package()

    def release(version: str) -> None:
        monkeypatch.setattr(shipped, "version", lambda: version)
        package = {**modules, "__init__.py": f"# {version}\n".encode()}
        monkeypatch.setattr(shipped, "hot_package", lambda: package)
        install_really(root)

    release("0.0.9")
    assert (root / ".cursor/hooks/_safepoint_0_0_9").is_dir()
    send(root, "SessionStart")
    command = registered(root, "claude_code")["PreToolUse"][0]
    done, calls = threading.Event(), [0]
    failures: list[AssertionError] = []

    def agent() -> None:
        environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(root)}
        while not done.is_set():
            calls[0] += 1
            call = f"t{calls[0]}"
            payload = payloads.claude("PreToolUse", session_id="s1", cwd=str(root), tool_use_id=call)
            try:
                run(command, payload, environment, root, "pipe")
            except AssertionError as error:
                failures.append(error)

    thread = threading.Thread(target=agent)
    thread.start()
    for version in ("0.0.7", "0.0.8", "0.0.6"):
        release(version)
    done.set()
    thread.join()
    assert failures == [] and calls[0] > 1
    packages = [folder.name for folder in (root / ".cursor/hooks").glob("_safepoint_*")]
    assert packages == ["_safepoint_0_0_6"]
    # a hook whose modules went away under it lets its tool go on, and that one call is not written down
    assert len(state(root, "s1")["open_calls"]) >= min(64, calls[0]) - 3
