"""A Python interpreter as a shell finds it: which one it is, and how long it takes to start."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from collections.abc import Mapping
from typing import NamedTuple

from .errors import SafepointError

OLDEST = (3, 9)
TRIES = 5
_ASK = "import sys;print(sys.executable);print('.'.join(map(str,sys.version_info[:3])))"


class Interpreter(NamedTuple):
    """`found` is what the command line names; `real` is what answers in the end."""

    found: str
    real: str
    version: tuple[int, ...]


def ask(word: str, environment: Mapping[str, str]) -> Interpreter | None:
    """Which interpreter a shell starts under this name."""
    quoted = shlex.quote(word)
    lines = _output(f"command -v {quoted} && {quoted} -I -S -c {shlex.quote(_ASK)}", environment)
    if len(lines) != 3:
        return None
    return Interpreter(lines[0], os.path.realpath(lines[1]), tuple(map(int, lines[2].split("."))))


def _output(line: str, environment: Mapping[str, str]) -> list[str]:
    try:
        done = subprocess.run(
            ["sh", "-c", line], env=dict(environment), stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def start_s(word: str, environment: Mapping[str, str]) -> float:
    """The shortest of a few starts: what remains when nothing else is going on."""
    best = 60.0
    command = ["sh", "-c", f"exec {shlex.quote(word)} -I -S -c pass"]
    for _ in range(TRIES):
        began = time.perf_counter()
        subprocess.run(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        best = min(best, time.perf_counter() - began)
    return best


def pinned(path: str) -> str:
    """`path` as a registered command line may begin with it. Raises where it is no Python for hooks."""
    if not os.path.isabs(path):
        raise SafepointError(f"--python {path}: the whole path is needed, since hooks run in any folder")
    found = ask(path, os.environ)
    if found is None or found.version < OLDEST:
        raise SafepointError(f"--python {path}: this does not run as Python 3.9 or later")
    return shlex.quote(path)
