"""When something of ours fails: a line in the error log, one word to the user per session and kind."""

from __future__ import annotations

import os
import time

from . import wire
from .files import CLOEXEC, NOFOLLOW, is_folder, safe_name
from .stores import error_log
from .stores.paths import Paths, session_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .decisions import Decision
    from .hook import Hook

# Kinds that people meet; any other error is told as "internal".
_KINDS = {
    "DeadlineError": "deadline", "WireError": "payload", "PermissionError": "permission",
    "FileNotFoundError": "files", "OSError": "disk", "SettingsError": "settings",
}  # fmt: skip


def report(hook: Hook, error: BaseException) -> bytes:
    """Log `error`; the answer that lets the tool go on and, the first time, says so."""
    kind = _KINDS.get(type(error).__name__, "internal")
    log(hook, kind, error)
    from .answer import _adapter
    from .decisions import Decision

    decision = Decision(user=_words(hook, kind, error))
    if hook.event.host == "cursor":  # which has no line to the user here; nothing can be kept for later
        decision.context.append(("note", decision.user))
    data: bytes
    data, _ = _adapter(hook.event.host).render(hook.event, decision, 2048)
    return data if len(data) > len(b"{}") and tell_once(hook, kind) else b""


def _words(hook: Hook, kind: str, error: BaseException) -> str:
    if hook.settings:
        return hook.say("fault_user", kind=kind, log=hook.paths.relative(hook.paths.errors()))
    return _say_without_settings("no_settings_user", error)


def _say_without_settings(key: str, error: BaseException) -> str:
    from .texts import say

    language = "ja" if os.environ.get("LANG", "").startswith("ja") else "en"
    return say(language, key, error=f"{type(error).__name__}: {error}")


def report_without_hook(error: BaseException, kind: str, payload: dict[str, Any]) -> bytes:
    """The same where no hook could be made of the payload ({}: none could be read): code is damaged.

    So of the host's ways to tell only those are left that need no adapter: Claude Code shows a line at every
    event but the two that nobody reads, Cursor's model passes one on at the start of a chat, in versions that
    deliver it. Where the session is not known, the start is told, since that comes once.
    """
    project = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if not project or not os.path.isdir(project + "/.cursor"):
        return b""
    paths = Paths(project.rstrip("/"))
    cursor = "CURSOR_VERSION" in os.environ or "cursor_version" in payload
    session = payload.get("conversation_id") if cursor else None
    session = session or payload.get("session_id")
    session = session if isinstance(session, str) else ""
    error_log.append(
        paths,
        {"at": round(time.time(), 3), "session_id": session[:200], "kind": "internal", "event": kind},
        error,
    )
    is_start = kind == "session_start"
    if not is_start and (cursor or not session or kind in ("compact", "session_end", "status_line")):
        return b""
    if session and not _first_time(paths, session, "internal"):
        return b""
    text = _say_without_settings("broken_user", error)
    return wire.dumps({"additional_context" if cursor else "systemMessage": text}).encode("ascii")


def tell_troubles(hook: Hook, decision: Decision | None) -> Decision | None:
    """Add a line for the user, once for each kind, about what was done without: a state that was damaged or
    could not be read, one that could not be written, a transcript that could not be read."""
    store = hook.store
    if hook.event.kind == "compact" and hook.event.host == "claude_code":
        return decision  # where nobody would read it
    if store.rebuilt and tell_once(hook, "rebuilt"):
        decision = _add_line(hook.say("state_rebuilt_user"), decision)
    for kind, error in (("unsaved", store.unsaved), ("unread", hook.unread)):
        if error is not None and tell_once(hook, kind):
            log(hook, kind, error)
            decision = _add_line(hook.say(f"{kind}_user", why=error.strerror or "?"), decision)
    return decision


def _add_line(text: str, decision: Decision | None) -> Decision:
    from .decisions import Decision

    decision = decision or Decision()
    decision.user = f"{decision.user}\n{text}" if decision.user else text
    return decision


def tell_git(hook: Hook, decision: Decision | None) -> Decision | None:
    """Add a line for the user, once, where git should have told of a saved state's work tree and did not."""
    why = hook.store.state["git"].get("unavailable", "")
    if not why or (why == "not a repository" and not _has_repository(hook)) or not tell_once(hook, "git"):
        return decision
    return _add_line(hook.say("git_user", why=why), decision)


def _has_repository(hook: Hook) -> bool:
    from .git_files import root

    return bool(root(hook.event.project))


def log(hook: Hook, kind: str, error: BaseException) -> None:
    """One line in `errors.jsonl`, as far as it can be written at all."""
    line = {"at": round(hook.event.now, 3), "session_id": hook.event.session_id, "kind": kind,
            "event": hook.event.host_event}  # fmt: skip
    error_log.append(hook.paths, line, error)


def tell_once(hook: Hook, kind: str) -> bool:
    """True the first time in this session, its subagents' events among them."""
    return _first_time(hook.paths, hook.event.session_id, kind)


def _first_time(paths: Paths, session_id: str, kind: str) -> bool:
    """The mark of it is a file: the state may be what is failing."""
    name = f"{session_key(session_id)}.told-{kind}"
    uid = os.getuid() if hasattr(os, "getuid") else 0
    spare = f"{os.environ.get('TMPDIR', '/tmp')}/safepoint-{uid}-{safe_name(paths.project)}-{name}"
    own = [f"{paths.session}/{name}"] if is_folder(paths.session) else []
    for path in [*own, spare]:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | NOFOLLOW | CLOEXEC, 0o600))
            return True
        except FileExistsError:
            return False
        except OSError:
            continue
    return False
