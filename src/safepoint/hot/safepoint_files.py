"""The files of a safepoint: resume point, checkpoint, handoff, report, envelope, pending, in this order."""

from __future__ import annotations

from .policies import resume_point
from .session import GIT
from .stores import checkpoints, projections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from .hook import Hook
    from .shapes import GitSnapshot, RedCheckpoint, ResumePoint, SessionState

TRIGGERS = {"full": "red_guard", "compacted": "compact_handoff", "over": "session_over"}
REASONS: dict[str, Literal["red", "compact", "end"]] = {"full": "red", "compacted": "compact", "over": "end"}


def write_all(hook: Hook, cause: str, git: GitSnapshot) -> tuple[str, str]:
    """Write everything; the relative paths of checkpoint and handoff. The lock is held."""
    paths, key = hook.paths, hook.session_key
    hook.store.write(hook.record(GIT, git=git))
    from .campaign import refresh

    envelope = refresh(hook)
    state = hook.store.state
    slug = state["campaign_slug"] or f"session-{key[:8]}"
    point = resume_point.build(_without(hook, state), TRIGGERS[cause], int(hook.event.now), slug)
    if state["known_origin"] and hook.is_main:
        projections.write_resume_point(paths, point, hook.lock_s)
    handoff = paths.relative(paths.handoff(key))
    checkpoint: RedCheckpoint = {
        "schema_version": 1, "session_id": state["session_id"], "host": state["host"],
        "created_at_unix": int(hook.event.now), "reason": TRIGGERS[cause], "resume_point": point,
        "file_marks": checkpoints.mark_files(paths.project, _touched(point)), "handoff": handoff,
        "sha256": "",
    }  # fmt: skip
    written = paths.relative(checkpoints.write(paths, key, checkpoint))
    write_handoff(hook, point, REASONS[cause], written, envelope)
    if hook.is_main:
        _tell_campaign(hook, point, envelope, handoff)
        _offer(hook, cause, point, written, handoff)
    else:
        _tell_of_worker(hook)
    return written, handoff


def _tell_of_worker(hook: Hook) -> None:
    """A subagent's envelope says how far it came, whether or not the host tells of its end."""
    from . import workers

    try:
        workers.at_red(hook)
    except OSError as error:
        from .faults import log

        log(hook, "campaign", error)


def _without(hook: Hook, state: SessionState) -> SessionState:
    """The state but for the call that is being judged: it has begun in the journal, and is not to run."""
    from .records import call_id

    judged = call_id(hook.event)
    calls = {call: known for call, known in state["open_calls"].items() if call != judged}
    return {**state, "open_calls": calls}


def _touched(point: ResumePoint) -> list[str]:
    changed = point["files_changed"]
    return [name for name in point["git_snapshot"].get("changed_files", []) if name not in changed] + changed


def write_handoff(
    hook: Hook, point: ResumePoint, kind: str, checkpoint: str = "", envelope: str = ""
) -> None:
    """Write the handoff manifest and read it back."""
    from .files import read_bytes, write_atomic
    from .handoff_text import render

    paths, key, settings = hook.paths, hook.session_key, hook.settings
    text = render(
        point,
        language=settings["language"],
        sections=settings["handoff"]["manifest_required_sections"],
        constraints=settings["handoff"]["recovery_constraints"],
        kind=kind,
        checkpoint=checkpoint,
        resume_point_path=paths.relative(
            projections.resume_point_of(paths, point["campaign_slug"], point["orig_session_id"])
        ),
        notes=paths.relative(paths.notes(key)),
        report=hook.store.state["report"],
        envelope=envelope,
        session_id=hook.event.session_id,
    )
    data = text.encode("utf-8", "replace")
    write_atomic(paths.handoff(key), data, fsync=kind != "draft")
    if read_bytes(paths.handoff(key)) != data:
        raise checkpoints.CheckpointError(paths.handoff(key), "reads back differently")


def _tell_campaign(hook: Hook, point: ResumePoint, envelope: str, handoff: str) -> None:
    """The open step becomes incomplete, and the task report's own section says where things are.

    Both belong to people, who may have made them unwritable: that is logged, and no reason not to stop.
    """
    try:
        _update_campaign(hook, point, envelope, handoff)
    except OSError as error:
        from .faults import log

        log(hook, "campaign", error)


def _update_campaign(hook: Hook, point: ResumePoint, envelope: str, handoff: str) -> None:
    from .campaign import report_section
    from .stores import envelopes, task_report

    if envelope:
        envelopes.mark_incomplete(
            hook.paths.absolute(envelope), _where(point), hook.event.session_id, _iso(hook.event.now)
        )
    report = hook.store.state["report"]
    if report:
        task_report.write_section(hook.event.project, report, report_section(hook, point, handoff))


def _where(point: ResumePoint) -> str:
    """Where the step stands: its own parts say it best, else the todo list; '' where neither does."""
    parts = point.get("substeps", [])
    for number, part in enumerate(parts, 1):
        if part["status"] == "open":
            return f"sub-step {number}/{len(parts)}"
    progress = point["todo_progress"]
    return f"todo {progress['done'] + 1}/{progress['total']}" if point["todos"] else ""


def _offer(hook: Hook, cause: str, point: ResumePoint, checkpoint: str, handoff: str) -> None:
    from .stores import pending

    pending.offer(
        hook.paths,
        hook.session_key,
        {
            "schema_version": 1,
            "session_id": hook.event.session_id,
            "host": hook.event.host,
            "created_at_unix": int(hook.event.now),
            "reason": REASONS[cause],
            "campaign_slug": point["campaign_slug"],
            "branch": point["git_snapshot"].get("branch", ""),
            "base_commit_sha": point["git_snapshot"].get("base_commit_sha", ""),
            "checkpoint": checkpoint,
            "handoff": handoff,
            "inject": hook.store.state["known_origin"],
        },
    )


def _iso(at: float) -> str:
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
