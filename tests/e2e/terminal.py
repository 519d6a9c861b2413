"""The real client as a person has it: interactive, in a terminal of its own."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Optional
from uuid import uuid4

from claude_client import MODEL_ID, Client, Run
from model_stub import Model
from scratch_project import Project

ROWS, COLUMNS = 50, 160
ENTER, PASTE = b"\r", b"\x1b[200~%b\x1b[201~"
_CODES = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07")


class Terminal:
    """One interactive session. `close` ends it; what it wrote is in `run`, as for a run of `claude -p`."""

    def __init__(
        self,
        claude: Client,
        project: Project,
        model: Model,
        *,
        model_id: str = MODEL_ID,
        resume: Optional[str] = None,
        flags: Sequence[str] = (),
        env: Optional[Mapping[str, str]] = None,
        allowed: str = "Bash Read Write Edit Agent",
    ) -> None:
        self.session_id = resume or str(uuid4())
        self.home = claude.home
        self._trust(project.path)
        session = ["--resume", resume] if resume else ["--session-id", self.session_id]
        words = [str(claude.binary), *session, "--model", model_id, "--allowedTools", allowed,
                 *project.client_flags, *flags]  # fmt: skip
        environment = {**claude.environment(model), "TERM": "xterm-256color", **(env or {})}
        self.output = b""
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(project.path)
            os.execve(words[0], words, environment)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def _trust(self, project: Path) -> None:
        """What a person has answered on the first start: theme, key, folder."""
        settings = self.home / ".claude.json"
        known = json.loads(settings.read_text("utf-8")) if settings.exists() else {}
        answered = {"approved": ["dummy"], "rejected": []}
        known.update(hasCompletedOnboarding=True, theme="dark", customApiKeyResponses=answered)
        known.setdefault("projects", {}).setdefault(str(project), {}).update(
            hasTrustDialogAccepted=True, hasCompletedProjectOnboarding=True
        )
        settings.write_text(json.dumps(known), "utf-8")

    def send(self, prompt: str, taken: Callable[[], Any]) -> Any:
        """Type a prompt and press Enter until it is `taken`: a client that is busy drawing misses keys."""
        self.until(lambda: b"\xe2\x9d\xaf" in self.output)  # the prompt's own sign
        os.write(self._fd, PASTE % prompt.encode())
        return self.until(taken, keys=ENTER)

    def until(self, fact: Callable[[], Any], keys: bytes = b"", timeout_s: float = 30) -> Any:
        """What `fact` says as soon as that is something; meanwhile `keys` are pressed once a second."""
        end = time.monotonic() + timeout_s
        while True:
            if keys:
                self._read_for(0.3)
                os.write(self._fd, keys)
            self._read_for(0.7)
            found = fact()
            if found:
                return found
            assert time.monotonic() < end, f"not within {timeout_s} s; the screen ends: {self.screen[-800:]}"

    @property
    def screen(self) -> str:
        """What was drawn, in order, without the terminal's control codes."""
        return _CODES.sub("", self.output.decode("utf-8", "replace"))

    def _read_for(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self._fd], [], [], left)[0]:
                try:
                    self.output += os.read(self._fd, 65536)
                except OSError:  # it has ended
                    return

    @property
    def run(self) -> Run:
        return Run(self.session_id, self.home, 0, "", "", 0.0)

    def close(self) -> None:
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self._fd)
        os.waitpid(self.pid, 0)
