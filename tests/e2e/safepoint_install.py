"""Safepoint in a scratch project, put there by its own installer, and what it leaves on disk."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional, Union

from claude_client import Run
from scratch_project import Project

HEADER = "[CONTEXT_BUDGET_RESUME]"


class Safepoint:
    def __init__(self, project: Project, *options: str) -> None:
        self.project = project
        self.hooks = project.path / ".cursor" / "hooks"
        self.session = project.path / ".cursor" / ".session"
        self.command("install", str(project.path), "--yes", *options)
        project.commit("Add hooks")

    def command(self, *words: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        """`safepoint WORDS` in the project, as a person types it in a terminal."""
        command = [sys.executable, "-m", "safepoint", *words]
        done = subprocess.run(command, cwd=self.project.path, capture_output=True, text=True)
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done

    def set(self, old: str, new: str) -> None:
        """Changes one place in the manifest and compiles it."""
        manifest = self.hooks / "manifest.yaml"
        text = manifest.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the manifest"
        manifest.write_text(text.replace(old, new), "utf-8")
        self.command("generate", ".")

    def status(self, key: str = "sessions") -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.command("status", "--json").stdout)[key]
        return found

    def validate(self, *paths: Path) -> str:
        return self.command("validate", *map(str, paths)).stdout

    def json(self, name: str) -> Any:
        return json.loads((self.session / name).read_text("utf-8"))

    def state(self, run: Run) -> dict[str, Any]:
        state: dict[str, Any] = self.json(f"{run.session_id}.state.json")["state"]
        return state

    def resume_point(self, slug: str) -> dict[str, Any]:
        point: dict[str, Any] = self.json(f"resume-point-{slug}.json")
        return point

    def handoff(self, session: Union[Run, str]) -> Path:
        return self.session / f"handoff-{_id(session)}.md"

    def notes(self, session: Union[Run, str]) -> Path:
        return self.session / f"handoff-{_id(session)}.notes.md"

    def checkpoints(self, session_id: str) -> list[Path]:
        return sorted(self.session.glob(f"red-checkpoint-{session_id}*.json"))

    def pending(self) -> list[str]:
        """Ids of the handoffs that wait for a new chat."""
        return sorted(path.stem for path in (self.session / "pending").glob("*.json"))

    @property
    def errors(self) -> list[dict[str, Any]]:
        """What hooks logged of their own failures."""
        log = self.session / "errors.jsonl"
        return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


def _id(session: Union[Run, str]) -> str:
    return session.session_id if isinstance(session, Run) else session


def told(run: Run) -> list[str]:
    """The lines that Safepoint showed to the user in this run, in order."""
    found = []
    for record in run.records("attachment"):
        said: Optional[Mapping[str, Any]] = record.get("attachment")
        if said and said.get("type") == "hook_system_message":
            found.append(str(said.get("content", "")))
    return found
