"""What one session leaves to the next."""

from __future__ import annotations

import sys
from typing import Literal

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypedDict
else:  # pydantic wants the backport below 3.12
    from typing_extensions import NotRequired, TypedDict

from .measuring import Reading
from .terms import Host, Level
from .work import Command, CompletedWork, GitSnapshot, NextAction, OpenError, TodoItem, TodoProgress, ToolDone
from .workflow import Substep


class ResumePoint(TypedDict):
    """`.cursor/.session/resume-point-{campaign_slug}.json`: the last safe place, by machine."""

    schema_version: Literal[1]
    campaign_slug: str
    orig_session_id: str
    host: Host
    interrupted_at_unix: int
    trigger: str
    workflow_step: str
    orchestrator_phase: str
    level: Level
    reading: Reading
    last_completed: ToolDone | None
    next_action: NextAction
    git_snapshot: GitSnapshot
    todo_progress: TodoProgress
    todos: list[TodoItem]
    completed_work: list[CompletedWork]
    recent_commands: list[Command]
    open_errors: list[OpenError]
    files_read: list[str]
    files_changed: list[str]
    last_prompt: str
    subagents_running: list[str]
    substeps: NotRequired[list[Substep]]  # of the open step
    step_inputs: NotRequired[list[str]]


class FileMark(TypedDict):
    """Enough of a file to tell later whether it changed."""

    path: str
    size: int  # -1: there was none
    mtime_ns: int
    sha256: NotRequired[str]  # of a file that is not too large


class RedCheckpoint(TypedDict):
    """`.cursor/.session/red-checkpoint-{session_id}.json`: written once, never changed."""

    schema_version: Literal[1]
    session_id: str
    host: Host
    created_at_unix: int
    reason: str
    resume_point: ResumePoint
    file_marks: list[FileMark]
    handoff: str  # path, relative to the project
    sha256: str  # of the canonical JSON of all the other fields


class PendingHandoff(TypedDict):
    """`.cursor/.session/pending/{session_id}.json`: a handoff that a new chat may claim."""

    schema_version: Literal[1]
    session_id: str
    host: Host
    created_at_unix: int
    reason: Literal["red", "compact", "end", "moved"]
    campaign_slug: str
    branch: str
    base_commit_sha: str
    checkpoint: str  # path, relative to the project
    handoff: str
    inject: bool  # False where the session's origin is not known: listed, never injected
    picked: NotRequired[bool]  # a person chose it for the next new chat


class Bundle(TypedDict):
    """`bundle.json` of a campaign that travels by git."""

    schema_version: Literal[1]
    kind: str
    campaign: str
    created_at_unix: int
    by: str  # who pushed it, as git knows them
    machine: str
    session_id: str  # the chat to go on from
    host: Host
    reason: Literal["red", "compact", "end", "moved"]
    branch: str
    base_commit_sha: str  # HEAD when it was made; "" before the first commit
    work_sha: str  # the work in progress as a commit on top of it, or the base itself
    left_out: list[str]  # files that the work does not hold
    in_work: list[str]  # names in the bundle whose files the work holds as well
    report: str  # where the task report lies below the project; "" for none


class Claim(TypedDict):
    """`.cursor/.session/pending/{session_id}.claim`: who took a handoff (exclusive create)."""

    session_id: str
    host: Host
    at: float


class Offer(TypedDict):
    """A handoff that this session was shown, or is to be shown."""

    session_id: str  # whose handoff
    shown: bool
    claimed: bool
    settled: bool  # this session has gone on from it: it used a tool
    doubtful: NotRequired[list[str]]  # completed work of it that does not hold any more
