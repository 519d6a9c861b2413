"""A scratch repository with Safepoint installed in it, and chats that work there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from safepoint import registration
from safepoint.carry_out import carry_out
from safepoint.install import Wish, plan_install
from safepoint.project import find

from .processes import Finished, run

STATE_FOLDERS = (".session", ".tracking", ".artifacts")
FILES = 300


class Repository:
    """A git repository of so many files, a few of them changed, with the hooks of both hosts."""

    def __init__(self, folder: Path, python: str, files: int = FILES) -> None:
        self.folder, self.files = folder, files
        self.hooks = folder / ".cursor/hooks"
        folder.mkdir(parents=True)
        self.environment = _environment(folder, python)
        self._make_files()
        root = find(folder)
        carry_out(lambda: plan_install(root, Wish(None, None, None, None)), root)
        self._git("add", "-A")
        self._git("commit", "-q", "-m", "A scratch repository")
        for number in range(5):
            (folder / f"src/part{number}/module0.py").write_text("changed = True\n", encoding="utf-8")

    def _make_files(self) -> None:
        for part in range(20):
            (self.folder / f"src/part{part}").mkdir(parents=True)
        repeated = 20 if self.files <= FILES else 1
        for number in range(self.files):
            path = self.folder / f"src/part{number % 20}/module{number // 20}.py"
            path.write_text(f"def answer() -> int:\n    return {number}\n" * repeated, encoding="utf-8")
        self._git("init", "-q", "-b", "work")

    def _git(self, *words: str) -> None:
        identity = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
        subprocess.run(["git", *identity, *words], cwd=self.folder, env=self.environment, check=True)

    def send(self, host: str, payload: dict[str, Any]) -> Finished:
        """One event through its registered command."""
        finished = run(command_of(host, payload), encoded(payload), self.environment, str(self.folder))
        if finished.code or not finished.answer.startswith(b"{"):
            raise RuntimeError(f"{payload['hook_event_name']}: exit {finished.code}, {finished.answer!r}")
        return finished

    def drop_pyc(self) -> None:
        for folder in list(self.hooks.rglob("__pycache__")):
            shutil.rmtree(folder)

    def state(self) -> State:
        return State(self.folder)

    def errors(self) -> str:
        """What the hooks logged of their own failures."""
        path = self.folder / ".cursor/.session/errors.jsonl"
        return path.read_text(encoding="utf-8") if path.exists() else ""


class State:
    """The state folders as they are now, to be put back before every run of a case."""

    def __init__(self, project: Path) -> None:
        self.folders = [project / ".cursor" / name for name in STATE_FOLDERS]
        self.files = {file: file.read_bytes() for folder in self.folders for file in _files(folder)}

    def put_back(self) -> None:
        for folder in self.folders:
            for file in _files(folder):
                if file not in self.files:
                    file.unlink()
        for file, content in self.files.items():
            if not file.exists() or file.read_bytes() != content:
                if file.exists() and not os.access(file, os.W_OK):
                    file.unlink()
                file.write_bytes(content)


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def command_of(host: str, payload: dict[str, Any]) -> str:
    name = registration.entrypoint_of(host, payload["hook_event_name"])
    assert name is not None
    return registration.command(name)


def encoded(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def _environment(project: Path, python: str) -> dict[str, str]:
    """Nothing of the user's own. `python3` is the interpreter that is asked for."""
    shims = project.parent / "python"
    shims.mkdir(exist_ok=True)
    if not (shims / "python3").exists():
        (shims / "python3").symlink_to(python)
    return {
        "PATH": f"{shims}:/usr/local/bin:/usr/bin:/bin", "HOME": str(project.parent), "LANG": "C.UTF-8",
        "CLAUDE_PROJECT_DIR": str(project), "GIT_CONFIG_NOSYSTEM": "1",
    }  # fmt: skip
