"""The registered command lines, run: each has to answer, and at Red the guard has to deny."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .. import shipped
from . import registered
from .findings import Finding, Site, listed
from .registered import Entry
from .trial import Scratch, scratch

FULL = 0.99  # of the window: above every Red there can be, and below what would prove a larger window
PARALLEL = 4
GUARDS = {"cursor": "preToolUse", "claude_code": "PreToolUse"}
HOSTS = {"cursor": "Cursor", "claude_code": "Claude Code"}


def commands(site: Site) -> Iterator[Finding]:
    """Run every command of ours once with a small payload of its event."""
    ours = [entry for entry in registered.in_project(site) if entry.is_ours]
    if not ours:
        return
    with scratch(site) as trial, ThreadPoolExecutor(PARALLEL) as pool:
        answers = pool.map(lambda entry: _try(trial, entry), ours)
        troubles = [f"{entry.event} {one}" for entry, one in zip(ours, answers, strict=True) if one]
    if troubles:
        text = f"{len(troubles)} of {len(ours)} registered commands fail: {listed(troubles, 3)}"
        remedy = "See what is said about the interpreter and the files; then install again."
        yield Finding("commands", "problem", text, remedy, "install")
    else:
        yield Finding("commands", "ok", f"{len(ours)} registered commands answer.")


def _try(trial: Scratch, entry: Entry) -> str:
    payload = trial.payload(entry.host, entry.event, f"{entry.host}-{entry.event}")
    return trial.run(entry.command, payload).trouble


def deny(site: Site) -> Iterator[Finding]:
    """Fill a made-up context, and see the installed guard save the state and stop the tool."""
    if site.settings is None:
        return
    guards = {
        entry.host: entry
        for entry in registered.in_project(site)
        if entry.is_ours and entry.event == GUARDS[entry.host]
    }
    for host, entry in guards.items():
        with scratch(site) as trial:
            trouble = _deny_trouble(trial, host, entry)
        if trouble:
            remedy = "Install again; if it stays so, see .cursor/.session/errors.jsonl."
            yield Finding("deny", "problem", f"{HOSTS[host]}: {trouble}", remedy)
        else:
            yield Finding("deny", "ok", f"{HOSTS[host]}: a full context is saved, then the tool is denied.")


def _deny_trouble(trial: Scratch, host: str, guard: Entry) -> str:
    session, window = "doctor-2", _window(trial, host)
    if not window:
        return "the settings cannot be read"
    stated = {"model_params": [{"id": "context", "value": f"{window // 1000}k"}]} if host == "cursor" else {}

    def send(entrypoint: str, event: str, **fields: Any) -> None:
        command = guard.command.replace("session_budget_guard", entrypoint)
        trial.run(command, trial.payload(host, event, session, **stated, **fields))

    tokens = int(FULL * window)
    if host == "cursor":
        send("session_bootstrap", "sessionStart")
        send("session_prompt", "beforeSubmitPrompt")
        send("session_compact", "preCompact", context_tokens=tokens, context_window_size=window)
    else:
        trial.fill(tokens)
        send("session_bootstrap", "SessionStart")
    answer = trial.run(guard.command, trial.payload(host, guard.event, session, **stated))
    if answer.trouble:
        return f"the guard {answer.trouble}"
    if not _denies(answer.value):
        return f"the guard let a tool go on in a full context; it answered {answer.out[:120]!r}"
    saved = trial.project / ".cursor/.session" / f"handoff-{session}.md"
    return "" if saved.is_file() else "the guard denied a tool whose state it had not saved"


def _window(trial: Scratch, host: str) -> int:
    try:
        return int(trial.settings["windows"][host]["default"])
    except (LookupError, TypeError, ValueError):
        return 0


def _denies(answer: dict[str, Any]) -> bool:
    specific = answer.get("hookSpecificOutput") or {}
    return "deny" in (answer.get("permission"), specific.get("permissionDecision"))


def foreign_link(site: Site) -> Iterator[Finding]:
    """A hooks folder behind a link runs whatever stands at its other end."""
    folder = site.project.file(shipped.HOOKS)
    if folder.is_symlink():
        text = f"{shipped.HOOKS} is a link to {folder.resolve()}: what is there runs with every tool."
        yield Finding("files", "note", text, "Put a real folder there if that is not wanted.")
