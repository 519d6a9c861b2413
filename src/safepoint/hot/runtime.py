"""One hook process: read the payload, let its handler answer, print, leave.

Whatever goes wrong in between, the host gets `{}` and the tool goes on (ADR 0003); it is told once.
"""

from __future__ import annotations

import gc
import os
import time

from . import finder, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .decisions import Decision
    from .events import Event
    from .hook import Hook
    from .shapes import Settings

DEADLINE_S = 2.0  # until the settings are read
SILENCE_S = 0.3  # on stdin, where there are no settings
NOTHING = b"{}"
# What is in every settings.json, whatever version compiled it.
SECTIONS = (
    "manifest_sha256", "language", "mode", "budget_thresholds", "windows", "grace", "handoff", "inject",
    "deadlines", "campaign", "todo", "reminders", "shared_events",
)  # fmt: skip
_INSTALLED = "/.cursor/hooks"  # where an installation lies in its project

# Event kind -> the module in `handlers` that answers it.
_HANDLERS = {
    "before_tool": "before", "before_shell": "before", "before_read": "before",
    "subagent_start": "before", "after_tool": "after", "after_shell": "after", "tool_failed": "after",
    "subagent_stop": "after", "response": "after", "prompt": "prompt", "session_start": "start",
    "model_switch": "start", "batch": "batch", "compact": "compact", "turn_end": "stop",
    "session_end": "end",
}  # fmt: skip


class SettingsError(Exception):
    """The compiled settings are not there or not whole, so nothing is guarded."""


class DeadlineError(BaseException):
    """The process has used up its time; what it has not finished is not done.

    No Exception: code that recovers from those must not swallow it.
    """


def main(default_kind: str, hooks_dir: str) -> None:
    """Answer the payload on stdin and end the process. Never raises, always exits 0."""
    answer, hook, payload = _silence(default_kind), None, None
    gc.disable()  # in so short a life it finds nothing, and costs 3 to 6 % of it
    finder.install()
    try:
        set_deadline(DEADLINE_S)
        if "CLAUDE_PLUGIN_ROOT" in os.environ or "CURSOR_PLUGIN_ROOT" in os.environ:
            hooks_dir = _of_project(hooks_dir)
        settings = settings_or_trouble(hooks_dir)
        deadlines = settings["deadlines"] if isinstance(settings, dict) else None
        if deadlines is not None:
            set_deadline(deadlines["hook_s"])
        payload, size = wire.read_payload(silence_s=deadlines["stdin_silence_s"] if deadlines else SILENCE_S)
        hook = prepare(default_kind, hooks_dir, settings, payload, size)
        if hook is not None and isinstance(settings, Exception):
            raise SettingsError(str(settings))
        if hook is not None:
            answer = respond(hook)
    except BaseException as error:
        set_deadline(0)
        answer = _failed(hook, error, default_kind, payload) or answer
    leave(answer)


def _of_project(hooks_dir: str) -> str:
    """A plugin's hook goes by the settings of a project that has an installation of its own: the two run
    side by side, and which one comes first must not matter."""
    for name in ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
        installed = os.environ.get(name, "") + "/.cursor/hooks"
        if os.path.isfile(installed + "/settings.json"):
            return installed
    return hooks_dir


def _silence(kind: str) -> bytes:
    """What says nothing: at Claude's PreCompact any output would go to its summariser."""
    return b"" if kind == "compact" else NOTHING


def prepare(
    default_kind: str, hooks_dir: str, settings: Settings | Exception, payload: dict[str, Any], size: int
) -> Hook | None:
    """The hook of this payload; None where there is nothing to do for it.

    Where the settings cannot be read it has none: it tells to whom that has to be said.
    """
    mode = ""
    if "SAFEPOINT" in os.environ:
        from .switches import from_environment

        mode = from_environment(os.environ)
    known: Settings = {} if isinstance(settings, Exception) else settings  # type: ignore[typeddict-item]
    if mode == "warn" and known:
        known["mode"] = "warn"
    if mode == "off" or _mode_of_clone(known, hooks_dir) == "off":
        return None
    event = parse(payload, default_kind)
    event.payload_bytes = size
    event.now = time.time()
    event.project = find_project(event, hooks_dir)
    if event.kind not in _HANDLERS or not event.session_id or not event.project:
        return None
    from .hook import Hook

    return Hook(event, known, hooks_dir)


def _mode_of_clone(settings: Settings, hooks_dir: str) -> str:
    """Without settings, what a person has set beside them still counts: who is off is told nothing."""
    if settings:
        return settings["mode"]
    from .switches import from_file

    return from_file(hooks_dir)


def parse(payload: dict[str, Any], default_kind: str) -> Event:
    """The payload as an event; which host speaks is told from the payload itself."""
    if "cursor_version" in payload:
        from .hosts import cursor

        return cursor.parse(payload, default_kind)
    from .hosts import claude_code

    return claude_code.parse(payload, default_kind)


def settings_or_trouble(hooks_dir: str) -> Settings | Exception:
    """The settings, or why they cannot be read: the payload is taken off the pipe all the same."""
    try:
        return read_settings(hooks_dir)
    except (OSError, ValueError) as error:
        return error


def read_settings(hooks_dir: str) -> Settings:
    """The compiled settings, with what `settings.local.json` says of the mode.

    Raises OSError, and ValueError where they are damaged so that it can be seen at a glance.
    """
    from .files import read_bytes

    settings: Settings = wire.loads(read_bytes(hooks_dir + "/settings.json"))
    if not isinstance(settings, dict):
        raise ValueError("it holds no JSON object")
    missing = [name for name in SECTIONS if name not in settings]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    deadlines: object = settings["deadlines"]
    for name in ("hook_s", "stdin_silence_s"):  # used before there is a session that could be told
        if type(deadlines.get(name) if isinstance(deadlines, dict) else None) not in (float, int):
            raise ValueError(f"deadlines.{name} is no number")
    if settings["mode"] != "enforce" or os.path.lexists(hooks_dir + "/settings.local.json"):
        from .switches import of_clone

        settings["mode"] = of_clone(settings["mode"], hooks_dir)  # type: ignore[typeddict-item]
    return settings


def find_project(event: Event, hooks_dir: str = "") -> str:
    """The project folder: what the host says in the environment, else in the payload, else by `.git`.

    A folder that is not there is none (a shell may have mangled its name): the one that the hooks lie in is.
    """
    from .hosts.fields import path

    for name in ("CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
        folder = path(os.environ.get(name, ""))
        if folder and os.path.isdir(folder):
            return folder.rstrip("/") or "/"
    folder = event.project or event.cwd
    if not folder or not os.path.isdir(folder):
        here = path(hooks_dir)
        return here[: -len(_INSTALLED)] if here.endswith(_INSTALLED) else ""
    if event.host == "cursor":
        return folder.rstrip("/") or "/"
    start = folder
    while start and start != "/" and not os.path.exists(start + "/.git"):
        start = os.path.dirname(start) if os.path.dirname(start) != start else ""
    return start if start and start != "/" else folder.rstrip("/")


def respond(hook: Hook) -> bytes:
    """The host's answer to this event."""
    # importlib.import_module would do the same at the price of importing importlib
    handler = __import__("handlers." + _HANDLERS[hook.event.kind], globals(), None, ["handle"], 1)
    decision: Decision | None = handler.handle(hook)
    if hook.store.rebuilt or hook.store.unsaved or hook.unread:
        from .faults import tell_troubles

        decision = tell_troubles(hook, decision)
    if decision is None and not hook.store.state["waiting"] and hook.event.kind != "compact":
        return NOTHING
    from .answer import answer

    return answer(hook, decision)


def set_deadline(seconds: float) -> None:
    """Raise DeadlineError in `seconds`; 0 takes it back. Windows has no timer: the host's own counts."""
    import _signal  # type: ignore[import-not-found]

    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _expired)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _expired(_signum: int, _frame: object) -> None:
    raise DeadlineError


def _failed(hook: Hook | None, error: BaseException, kind: str, payload: dict[str, Any] | None) -> bytes:
    """The answer after a failure (empty: nothing to add): logged, and the user told once."""
    try:
        from .faults import report, report_without_hook

        return report(hook, error) if hook is not None else report_without_hook(error, kind, payload or {})
    except BaseException:
        return b""


def leave(answer: bytes) -> None:
    """Print and end without the interpreter's farewell, which costs a quarter of its start."""
    try:
        while answer:
            answer = answer[os.write(1, answer) :]
    except OSError:
        pass
    os._exit(0)
