"""When something of ours fails: one line in the error log, one word to the user per session and kind."""

from __future__ import annotations

import os

from . import wire
from .files import CLOEXEC, NOFOLLOW, append_line, safe_name
from .redact import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .decisions import Decision
    from .hook import Hook

# Kinds that people meet; any other error is told as "internal".
_KINDS = {
    "DeadlineError": "deadline", "WireError": "payload", "PermissionError": "permission",
    "FileNotFoundError": "files", "OSError": "disk",
}  # fmt: skip


def report(hook: Hook | None, error: BaseException) -> bytes:
    """Log `error`; the answer that lets the tool go on and, the first time, says so."""
    if hook is None:  # no session to speak of: `safepoint hook NAME` by hand shows the trouble
        return _without_settings(error) if type(error).__name__ == "SettingsError" else b""
    kind = _KINDS.get(type(error).__name__, "internal")
    log(hook, kind, error)
    if not tell_once(hook, kind):
        return b""
    from .answer import _adapter
    from .decisions import Decision

    text = hook.say("fault_user", kind=kind, log=hook.paths.relative(hook.paths.errors()))
    data: bytes
    data, _ = _adapter(hook.event.host).render(hook.event, Decision(user=text), 2048)
    return data


def _without_settings(error: BaseException) -> bytes:
    from .texts import say

    language = "ja" if os.environ.get("LANG", "").startswith("ja") else "en"
    return wire.dumps({"systemMessage": say(language, "no_settings_user", error=str(error))}).encode("ascii")


def tell_rebuilt(hook: Hook, decision: Decision | None) -> Decision | None:
    """Add a line for the user, once, when this session's state was damaged and folded anew."""
    from .decisions import Decision

    if not tell_once(hook, "rebuilt"):
        return decision
    decision = decision or Decision()
    text = hook.say("state_rebuilt_user")
    decision.user = f"{decision.user}\n{text}" if decision.user else text
    return decision


def log(hook: Hook, kind: str, error: BaseException) -> None:
    """One line in `errors.jsonl`, as far as it can be written at all."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    line = {
        "at": round(hook.event.now, 3), "session_id": hook.event.session_id, "kind": kind,
        "event": hook.event.host_event, "error": capture(f"{type(error).__name__}: {error}", 600),
        "where": where,
    }  # fmt: skip
    try:
        append_line(hook.paths.errors(), wire.dumps(line).encode("ascii"))
    except OSError:
        pass


def tell_once(hook: Hook, kind: str) -> bool:
    """True the first time in this session. The mark is a file: the state may be what is failing."""
    name = f"{hook.session_key}.told-{kind}"
    uid = os.getuid() if hasattr(os, "getuid") else 0
    spare = f"{os.environ.get('TMPDIR', '/tmp')}/safepoint-{uid}-{safe_name(hook.event.project)}-{name}"
    for path in (f"{hook.paths.session}/{name}", spare):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | NOFOLLOW | CLOEXEC, 0o600))
            return True
        except FileExistsError:
            return False
        except OSError:
            continue
    return False
