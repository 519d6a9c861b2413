"""`safepoint run` as a process of its own, with the real client behind it."""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

from claude_client import MODEL_ID, TOOLS, Client
from model_stub import Model
from scratch_project import Project

FLAGS = ("--model", MODEL_ID, "--allowedTools", TOOLS)


class RunProcess:
    """One run. `events` are what it told so far, with `--json`; `text` is all that it printed."""

    def __init__(
        self,
        client: Client,
        project: Project,
        model: Model,
        *words: str,
        flags: Sequence[str] = FLAGS,
        env: Optional[Mapping[str, str]] = None,
        as_json: bool = True,
        terminal: bool = False,
        agent: Sequence[str] = (),
        stdin: str = "",
    ) -> None:
        chosen = agent or ("--agent-path", str(client.binary))
        command = [sys.executable, "-m", "safepoint", "run", *chosen, *words,
                   *(["--json"] if as_json else []), "--", *flags]  # fmt: skip
        environment = {**client.environment(model), "CLAUDE_CODE_MAX_RETRIES": "0", **(env or {})}
        self._client, self._out = client, b""
        self._fd, child = os.openpty() if terminal else os.pipe()
        self.process = subprocess.Popen(
            command, cwd=project.path, env=environment, stdin=child if terminal else subprocess.PIPE,
            stdout=child, stderr=child, start_new_session=True,
            preexec_fn=_take_terminal if terminal else None,
        )  # fmt: skip
        os.close(child)
        if self.process.stdin is not None:
            self.process.stdin.write(stdin.encode())
            self.process.stdin.close()

    def type(self, text: str) -> None:
        """Keys of a person at the terminal: "\\x03" is Ctrl-C."""
        os.write(self._fd, text.encode())

    @property
    def text(self) -> str:
        while select.select([self._fd], [], [], 0)[0]:
            try:
                data = os.read(self._fd, 65536)
            except OSError:  # the other end of a pty is closed
                break
            if not data:
                break
            self._out += data
        return self._out.decode("utf-8", "replace")

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines(keepends=True) if line.endswith("\n")]

    def of(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == name]

    @property
    def end(self) -> dict[str, Any]:
        (ended,) = self.of("run_ended")
        return ended

    def until(self, condition: Callable[[], Any], timeout_s: float = 60) -> Any:
        began = time.monotonic()
        while time.monotonic() - began < timeout_s:
            found = condition()
            if found:
                return found
            assert self.process.poll() is None, f"ended with {self.process.returncode}: {self.text[-3000:]}"
            time.sleep(0.05)
        raise AssertionError(f"did not come about: {self.text[-3000:]}")

    def wait(self, timeout_s: float = 120) -> int:
        began = time.monotonic()
        while self.process.poll() is None:  # reading as well: a full pipe would stop it
            assert self.text is not None
            if time.monotonic() - began > timeout_s:
                self.close()
                raise AssertionError(f"still runs after {timeout_s} s: {self.text[-3000:]}")
            time.sleep(0.05)
        assert self.text is not None
        return self.process.returncode

    def close(self) -> None:
        """At the end of a test: nothing of it stays."""
        for number in (signal.SIGINT, signal.SIGINT):  # twice: it ends its agent at once
            if self.process.poll() is None:
                self.process.send_signal(number)
                time.sleep(0.2)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _take_terminal() -> None:
    """In the child: its stdin becomes the terminal that sends it SIGINT at Ctrl-C."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def files_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("part-*"))}
