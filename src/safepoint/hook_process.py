"""Hooks as processes and as objects, for the command line: the real scripts, the installed settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from .called_as import to_type
from .errors import SafepointError
from .hot import runtime
from .hot.events import PROMPT, Event
from .hot.hook import Hook
from .hot.shapes import Settings
from .registration import HOOK_PREFIX, entrypoint_of, hook_names
from .sessions import Session
from .shipped import PACKAGE, source_root
from .unknown_name import instead_of

INSTALLED = ".cursor/hooks"
_STATUS_LINE = (
    "import sys; sys.path.insert(0, sys.argv[1]); from safepoint.hot import statusline;"
    " statusline.main(sys.argv[2], sys.argv[3])"
)


def find_project(path: str) -> str:
    """The folder that is meant: PATH, or the nearest one above that Safepoint knows; PATH where none is."""
    start = Path(path).expanduser()
    if not start.is_dir():
        raise SafepointError(f"{path}: there is no such folder")
    start = start.resolve()
    for folder in (start, *start.parents):
        if _is_known(folder):
            return str(folder)
    return str(start)


def known_project(path: str) -> str:
    """The same for what needs an installation. Raises SafepointError where there is none."""
    project = find_project(path)
    if not _is_known(Path(project)):
        raise SafepointError(not_installed(project))
    return project


def not_installed(project: str) -> str:
    """What is said of a folder without an installation, and what to do where no plugin's hooks run there."""
    said = f"Safepoint is not installed in {project}, nor in a folder above it."
    if _is_known(Path(project)):
        return f"{said} Hooks have run here, as those of a plugin do."
    return f"{said} Install it: {to_type('install', project)}"


def _is_known(folder: Path) -> bool:
    """Whether hooks are installed there, or have run there, be it as a plugin."""
    hooks = folder / INSTALLED
    is_installed = (hooks / "settings.json").is_file() or (hooks / "install-record.json").is_file()
    return is_installed or (folder / ".cursor/.session").is_dir()


def hooks_dir(project: str) -> Path:
    """The installed hooks of the project, else those of this source tree."""
    installed = Path(project) / INSTALLED
    return installed if (installed / "settings.json").is_file() else source_root() / "hooks"


def settings_of(project: str) -> Settings:
    """The compiled settings that the hooks of this project read."""
    try:
        return runtime.read_settings(str(hooks_dir(project)))
    except (OSError, ValueError) as error:
        raise SafepointError(
            f"{hooks_dir(project) / 'settings.json'}: {error}."
            f" It is written anew by: {to_type('generate', project)}"
        ) from error


def hook_for(project: str, session: Session, settings: Settings) -> Hook:
    """A hook of one session, for a command that changes it as a prompt in it would."""
    state = session.state
    event = Event(PROMPT, state["host"], state["session_id"])
    event.agent_id, event.project, event.now = state["agent_id"], project, time.time()
    return Hook(event, settings, str(hooks_dir(project)))


def script_of(name: str, project: str) -> Path:
    """The entrypoint of the hook NAME: as a person calls it, or with `session_` and `.py` as its file."""
    short = name.removesuffix(".py").removeprefix(HOOK_PREFIX)
    if short not in hook_names():
        raise SafepointError(f"{name!r} is no hook{instead_of(short, hook_names())}")
    script = hooks_dir(project) / f"{HOOK_PREFIX}{short}.py"
    if not script.is_file():
        raise SafepointError(f"{script} is not there. It is written anew by: {to_type('install', project)}")
    return script


def run_hook(script: Path, payload: bytes, project: str) -> subprocess.CompletedProcess[bytes]:
    """Run one entrypoint as a host does: the payload on stdin, the project in the environment."""
    return _run([str(script)], payload, project)


def run_status_line(payload: bytes, project: str, theirs: str) -> subprocess.CompletedProcess[bytes]:
    """Our own status line, with the project's settings, and with the command `theirs` ("": none) beside it.

    It is drawn for any folder that a chat is opened in, before anybody has trusted it. So of the project
    only data are read: neither its entrypoint nor a command that its settings name is run.
    """
    code = ["-c", _STATUS_LINE, str(PACKAGE.parent), str(hooks_dir(project)), theirs]
    return _run(code, payload, project)


def _run(arguments: list[str], payload: bytes, project: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": project}
    return subprocess.run(
        [sys.executable, "-I", "-S", *arguments],
        input=payload, env=environment, cwd=project, capture_output=True, timeout=20,
    )  # fmt: skip


def replay_payload(data: bytes, project: str) -> dict[str, Any]:
    """Run the hook that is registered for this payload's event; without a project in a scratch folder."""
    try:
        payload = json.loads(data)
        event = payload["hook_event_name"]
    except (ValueError, KeyError, TypeError) as error:
        raise SafepointError(f"the payload is no JSON object with a hook_event_name ({error!r})") from error
    name = entrypoint_of("cursor" if "cursor_version" in payload else "claude_code", event)
    if name is None:
        raise SafepointError(f"no hook is registered for the event {event!r}")
    with tempfile.TemporaryDirectory(prefix="safepoint-replay-") as scratch:
        folder = project or scratch
        began = time.perf_counter()
        answer = run_hook(script_of(name, folder), data, folder)
        seconds = time.perf_counter() - began
    return {
        "hook": name, "event": event, "project": project or None, "exit": answer.returncode,
        "seconds": round(seconds, 4), "answer": answer.stdout.decode("utf-8", "replace"),
        "stderr": answer.stderr.decode("utf-8", "replace"),
    }  # fmt: skip
