"""The host's status line: what the user's own command prints there, and below it how full the context is.

It is no hook: its answer is text, and it runs whenever the host draws. The user's own command runs beside
it, gets the same bytes and has its output passed on as it is; nothing of ours may take that away. What the
host states here of window and usage is recorded in the session's journal, where it is news to it.
"""

from __future__ import annotations

import gc
import os
import sys
import time

from . import finder, runtime, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Optional

    from .child import Result
    from .hook import Hook
    from .shapes import Record, SessionState

    Theirs = Callable[[], Result]

LIMIT_S = 3.0  # for the user's own command; behind that our line is shown without it
MAX_BYTES = 256 * 1024  # of its output
MAX_LOG_BYTES = 50_000
INSIDE = "SAFEPOINT_STATUSLINE"  # set for that command: one that leads back here ends here
OURS = b"session_statusline"


def main(hooks_dir: str, command: Optional[str] = None) -> None:
    """Print the status line for the payload on stdin and end the process. Never raises, always exits 0.

    `command` runs beside it; None: the one that is found by `wrapped`.
    """
    gc.disable()
    finder.install()
    data, output, line = b"", b"", ""
    theirs: Optional[Theirs] = None
    try:
        runtime.set_deadline(runtime.DEADLINE_S)
        data = _read()
        if INSIDE not in os.environ:
            theirs = _started(wrapped() if command is None else command, data)
            line = _own_line(data, hooks_dir)
    except BaseException as error:
        runtime.set_deadline(0)
        _log(error)
    runtime.set_deadline(0)
    try:
        if theirs is not None:
            _, output, errors = theirs()
            _write(2, errors)
    except BaseException as error:
        _log(error)
    if line:
        output += (b"\n" if output and not output.endswith(b"\n") else b"") + line.encode() + b"\n"
    runtime.leave(output)


def _read() -> bytes:
    """All of the payload, as it came."""
    data = wire.read(0, wire.CHUNK)
    if data.rstrip(wire.SPACE).endswith(b"}") and wire.peek(data) is not None:
        return data
    from .wire_pipe import collect

    return b"".join(collect(data, 0, runtime.SILENCE_S)[0])


# --- the user's own command ------------------------------------------------------------------------------


def _started(command: str, data: bytes) -> Optional[Theirs]:
    """The command, running already where that can be; called, it waits for the end. None for no command."""
    if not command:
        return None
    from . import child

    words, environment = ["sh", "-c", command], {**os.environ, INSIDE: "1"}
    if not hasattr(os, "posix_spawnp"):
        return lambda: child.run(words, environment, LIMIT_S, max_bytes=MAX_BYTES, data=data)
    running = child.Child(words, environment, data)
    return lambda: running.finish(LIMIT_S, MAX_BYTES)


def wrapped() -> str:
    """The command that would stand here without us: what ours replaced (its argument), else the next one that
    the host would go by, the project's, then the user's. These may change, so they are read each time."""
    if len(sys.argv) > 1:
        return " ".join(sys.argv[1:])
    project = os.environ.get("CLAUDE_PROJECT_DIR", "")
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    for path in ([project + "/.claude/settings.json"] if project else []) + [home + "/settings.json"]:
        command = _command_in(path)
        if command:
            return command
    return ""


def _command_in(path: str) -> str:
    from .files import read_bytes

    try:
        content = read_bytes(path)
        if OURS in content or b"statusLine" not in content:
            return ""
        settings = wire.loads(content)
    except (OSError, ValueError):
        return ""
    entry = settings.get("statusLine") if isinstance(settings, dict) else None
    command = entry.get("command") if isinstance(entry, dict) and entry.get("type") == "command" else None
    return command if isinstance(command, str) else ""


# --- our line --------------------------------------------------------------------------------------------


def _own_line(data: bytes, hooks_dir: str) -> str:
    """'' where Safepoint is switched off, or the payload is none."""
    from .events import STATUS_LINE, Event
    from .hosts.fields import identifier
    from .hosts.status_line import folder, model, stated
    from .status_text import line

    settings = runtime.read_settings(hooks_dir)
    payload = wire.peek(data)
    if payload is None or settings["mode"] == "off" or _is_off():
        return ""
    runtime.set_deadline(settings["deadlines"]["hook_s"])
    event = Event(STATUS_LINE, "claude_code", identifier(payload, "session_id"))
    event.now = time.time()
    event.model = model(payload)
    event.cwd = event.project = folder(payload)
    event.project = runtime.find_project(event)
    tokens, window = stated(payload)
    if not event.session_id or not event.project:
        return line(tokens, window, "green", "", {"done": 0, "total": 0, "current_item": ""})
    from .hook import Hook

    return _of_session(Hook(event, settings, hooks_dir), tokens, window)


def _is_off() -> bool:
    if "SAFEPOINT" not in os.environ:
        return False
    from .switches import from_environment

    return from_environment(os.environ) == "off"


def _of_session(hook: Hook, tokens: Optional[int], window: Optional[int]) -> str:
    """The line of a session that the hooks may know. It is told what the host states."""
    from .policies import todos
    from .status_text import line

    state = hook.store.load()
    level = state["level"]
    if state["project"]:  # else no hook has seen it, and nothing is begun for it here
        record = news(state, tokens, window, hook.event.model)
        if record:
            _tell(hook, state, record)
        reading, level = hook.read(state)
        tokens = max(tokens or 0, reading["tokens"] or 0) or None
        window = reading["window"] or window
    campaign = state["campaign_slug"] if state["campaign_by"] != "session" else ""  # a name that nobody gave
    return line(tokens, window, level, campaign, todos.progress(state["todos"]))


def news(state: SessionState, tokens: Optional[int], window: Optional[int], model: str) -> Optional[Record]:
    """What the session does not know yet of what the host states; None for nothing.

    On Claude Code the transcript has the usage as well, and more of it. Cursor's figure holds for the last
    model call, so the same one again says nothing of what came since; its events may name models otherwise.
    """
    from .meters.window import same_model

    meter = state["meter"]
    record: Record = {}
    is_cursor = state["host"] == "cursor"
    model = meter.get("model", "") if is_cursor else model
    known = meter.get("window_source") == "host" and same_model(model, meter)
    if window and not (known and meter.get("window") == window):
        record["window"], record["model"] = window, model
    if tokens and meter.get("stated") != tokens and (is_cursor or "transcript" not in meter):
        record["context_tokens"] = tokens
    return record or None


def _tell(hook: Hook, state: SessionState, record: Record) -> None:
    """One line in the journal, without a lock, as a Green guard writes its own; folded here to be shown."""
    from .events import STATUS_LINE
    from .session import apply

    record["kind"], record["at"] = STATUS_LINE, round(hook.event.now, 3)
    hook.store.append(record)
    apply(state, record)
    if "window" in record:
        from .stores.learned import remember

        remember(hook.paths, state["host"], state["meter"].get("model", ""), record["window"])


# --- the way out -----------------------------------------------------------------------------------------


def _log(error: BaseException) -> None:
    """A line in the error log while that is short: what fails here fails each time the host draws."""
    try:
        from .faults import report_without_hook
        from .stores.paths import Paths

        log = Paths(os.environ.get("CLAUDE_PROJECT_DIR", "").rstrip("/")).errors()
        if not os.path.exists(log) or os.path.getsize(log) < MAX_LOG_BYTES:
            report_without_hook(error, "status_line", {})
    except BaseException:
        pass


def _write(fd: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(fd, data) :]
    except OSError:
        pass
