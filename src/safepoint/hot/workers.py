"""The envelope of a subagent that was broken off, or that ended while nobody could take its result."""

from __future__ import annotations

import os

from . import front_lists, front_matter
from .files import safe_name, write_atomic
from .quoting import quote, safe
from .stores import project_file, task_report
from .stores.folders import make_private_dir
from .utc import utc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import Record, SessionState

ENDED_WELL = ("", "completed", "complete", "success")
KEEP_FILES, REPORT_CHARS = 50, 1200


def at_red(hook: Hook) -> None:
    """A subagent's own context is full: what it did is told before its next tool is denied.

    A host may end such a subagent without another event. The subagent's lock is held, its parent's is not.
    """
    event, state = hook.event, hook.store.state
    parent = _state_of(hook, "")
    task = _task(parent, event.agent_type)
    _write(hook, parent, state, event.agent_id, event.agent_type, "incomplete", "", task)


def at_stop(hook: Hook, record: Record, child: SessionState | None, parent_before: SessionState) -> None:
    """A subagent stopped: write its envelope where it did not end well, or its parent is stopped itself."""
    event, parent = hook.event, parent_before
    broken_off = event.status.lower() not in ENDED_WELL or (child is not None and child["latch"] is not None)
    if not broken_off and parent["latch"] is None:
        return
    summary = record.get("summary", "")
    status = "complete" if summary and not broken_off else "incomplete"
    name = event.child_id or event.child_session_id or event.tool_use_id or "unnamed"
    did = child or {**parent, "files_changed": (record.get("value") or {}).get("files", []),
                    "last_completed": None}  # fmt: skip
    _write(hook, parent, did, name, event.agent_type, status, summary, _task(parent, event.agent_type))


def _state_of(hook: Hook, agent_id: str) -> SessionState:
    from .stores.paths import session_key
    from .stores.session_store import SessionStore

    event = hook.event
    key = session_key(event.session_id, agent_id)
    return SessionStore(hook.paths, key, event.session_id, agent_id, event.host).load()


def _task(parent: SessionState, agent_type: str) -> str:
    """What it was told to do, where only one open call can have started it."""
    calls = [call for call in parent["open_calls"].values() if call["tool"] == "Subagent"]
    calls = [call for call in calls if call["agent_type"] in ("", agent_type)] or calls
    return calls[0]["subject"] if len(calls) == 1 else ""


def _write(
    hook: Hook,
    parent: SessionState,
    did: SessionState,
    name: str,
    agent_type: str,
    status: str,
    summary: str,
    task: str,
) -> None:
    from .policies.resume_plan import step_number
    from .redact import capture

    slug = parent["campaign_slug"] or f"session-{hook.session_key[:8]}"
    folder = project_file.relative(hook.event.project, hook.settings["campaign"]["artifact_dir"])
    if not folder:
        return
    number = step_number(parent["workflow_step"])
    of_step = f"step{number}." if number else ""
    path = f"{hook.event.project}/{folder}/{slug}--{of_step}worker-{safe_name(name)[:40]}.md"
    last = did["last_completed"]
    fields = {
        "campaign": slug, "status": status, "worker": safe(capture(name, 80), 80),
        "agent_type": safe(capture(agent_type, 80), 80), "phase": safe(parent["orchestrator_phase"], 80),
        "resume_from": safe(f"after {last['tool']}: {last['summary']}", 400)
        if last and status != "complete" else "",
        "updated": utc(hook.event.now), "session": hook.event.session_id[:200],
    }  # fmt: skip
    if number:
        fields["step"] = str(number)
    lists = {"inputs": parent["step_inputs"], "outputs": did["files_changed"][-KEEP_FILES:]}
    body = [hook.say("worker_task", task=task)] if task else []
    body += [hook.say("worker_report"), *quote(summary, REPORT_CHARS)] if summary else []
    _put(path, fields, lists, "\n".join(body or [hook.say("worker_silent")]))


def _put(path: str, fields: dict[str, str], lists: dict[str, list[str]], body: str) -> None:
    """Write the envelope, or bring the one that is there up to date. Raises OSError."""

    def edit(text: str) -> str:
        text = front_matter.patch(text, fields)
        text = front_lists.patch(text, lists)
        return task_report.update_section(text, body)

    if os.path.lexists(path):
        project_file.rewrite(path, edit)
        return
    make_private_dir(os.path.dirname(path))
    title = f"# {fields['agent_type'] or 'subagent'} {fields['worker']}\n"
    write_atomic(path, project_file.encode(edit(title)))
