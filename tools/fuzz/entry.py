"""A hook's real entry function, called in this process: what it printed, and no failure swallowed.

Three things differ from a hook process: it does not end, no timer runs, and an error that the hook would log
and tell (ADR 0003) is raised here, unless it is one that the outside can cause.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
KINDS = (
    "session_start", "prompt", "before_tool", "after_tool", "batch", "compact", "turn_end", "session_end",
)  # fmt: skip


class Hooks:
    """Hooks of one scratch project; a context that leaves the process as it was."""

    def __init__(self) -> None:
        from safepoint.hot import runtime, wire

        self._runtime, self._answer = runtime, b""
        self._caused_outside = (wire.WireError, runtime.SettingsError, OSError)
        self._real = {name: getattr(runtime, name) for name in ("leave", "_failed", "set_deadline")}
        self._install = runtime.finder.install
        self.folder = Path(tempfile.mkdtemp(prefix="safepoint-fuzz-"))
        self.project = self.folder / "project"
        self.project.mkdir()
        self._stdin = open(self.folder / "stdin", "w+b")  # noqa: SIM115 - closed at the end of the context
        self._old_stdin = os.dup(0)
        self._environment = dict(os.environ)

    def __enter__(self) -> Hooks:
        os.dup2(self._stdin.fileno(), 0)
        for name in list(os.environ):
            if name.startswith(("CLAUDE", "CURSOR", "SAFEPOINT", "GIT_")):
                del os.environ[name]
        for name in ("HOME", "TMPDIR"):
            os.environ[name] = str(self.folder)
        os.environ["CLAUDE_PROJECT_DIR"] = str(self.project)
        return self

    def __exit__(self, *exc_info: object) -> None:
        os.dup2(self._old_stdin, 0)
        os.close(self._old_stdin)
        self._stdin.close()
        os.environ.clear()
        os.environ.update(self._environment)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, kind: str, data: bytes) -> dict[str, Any]:
        """The answer to `data` on stdin, which has to be one JSON object or nothing."""
        file = self._stdin.fileno()
        os.ftruncate(file, 0)
        os.pwrite(file, data, 0)
        os.lseek(file, 0, 0)
        self._answer = b""
        for name, value in (("leave", self._leave), ("_failed", self._failed), ("set_deadline", _no_timer)):
            setattr(self._runtime, name, value)
        self._runtime.finder.install = _nothing
        try:
            self._runtime.main(kind, str(ROOT / "hooks"))
        finally:
            self._runtime.finder.install = self._install
            for name, value in self._real.items():
                setattr(self._runtime, name, value)
        if not self._answer:
            return {}
        answer = json.loads(self._answer.decode("ascii"))
        if not isinstance(answer, dict):
            raise AssertionError(f"no object: {self._answer!r}")
        return answer

    def clean(self) -> None:
        """Forget every session."""
        state = self.project / ".cursor"
        if state.exists():
            shutil.rmtree(state)

    def _leave(self, answer: bytes) -> None:
        self._answer = answer

    def _failed(self, hook: Any, error: BaseException, kind: str, payload: Any) -> bytes:
        if not isinstance(error, self._caused_outside):
            raise error
        answer: bytes = self._real["_failed"](hook, error, kind, payload)
        return answer


def _no_timer(seconds: float) -> None:
    pass


def _nothing() -> None:
    pass


def find_package() -> None:
    """Make `safepoint` importable where it is not installed."""
    source = str(ROOT / "src")
    if source not in sys.path:
        sys.path.insert(0, source)
