"""All that is known of one session: the fold of its journal."""

from __future__ import annotations

import sys
from typing import Literal

if sys.version_info >= (3, 12):
    from typing import TypedDict
else:  # pydantic wants the backport below 3.12
    from typing_extensions import TypedDict

from .handover import Offer
from .journal import TodoLog
from .measuring import Meter, Reading
from .terms import Host, Level
from .work import Command, CompletedWork, GitSnapshot, OpenError, TodoItem, ToolDone
from .workflow import Substep


class Latch(TypedDict):
    """Why tools are denied in this session, and since when."""

    cause: Literal["full", "compacted"]
    at: float
    phase: Literal["saving", "saved", "failed"]
    checkpoint: str  # paths, relative to the project; empty while saving
    handoff: str
    attempts: int


class DenyCount(TypedDict):
    """Denies of the current model message, and of the messages before it."""

    message: str  # names the model message
    full_told: bool
    calls: list[str]  # ids denied in this message
    messages: int  # messages in a row whose calls were all denied


class RunningCall(TypedDict):
    """A tool call that began and has not ended."""

    tool: str
    subject: str
    at: float
    command_key: str
    tokens_in: int
    agent_type: str


class SessionState(TypedDict):
    """All that is known of one session: the fold of its journal."""

    schema_version: Literal[1]
    session_id: str
    agent_id: str
    host: Host
    host_version: str
    project: str
    known_origin: bool  # a session start or a prompt of its own was seen
    started_at: float
    last_at: float
    ended: bool
    model: str
    generation: str
    seen_keys: list[str]  # the newest event keys; a second delivery changes nothing
    # counters
    prompts: int
    tool_calls: int
    shell_bytes: int
    # budget
    meter: Meter
    level: Level
    reading: Reading
    yellow_told: bool
    extended: int  # tokens added to Red by people
    paused: bool
    latch: Latch | None
    told_generation: str  # the turn in which a deny or a notice told the user
    deny: DenyCount
    grace_used: int
    granted: list[str]  # the calls that used it: Cursor asks twice for one call
    checkpoints: list[str]
    # work
    open_calls: dict[str, RunningCall]
    shell_seen: dict[str, int]  # command_key -> shell events less tool events of it (Cursor)
    last_completed: ToolDone | None
    completed_work: list[CompletedWork]
    recent_commands: list[Command]
    open_errors: list[OpenError]
    files_read: list[str]
    files_changed: list[str]
    last_prompt: str
    todos: list[TodoItem]
    todo_log: TodoLog
    git: GitSnapshot
    # workflow and handover
    campaign_slug: str
    campaign_by: str
    places: str  # key of all that campaign, step and tracker were last made from
    report: str
    workflow_step: str
    orchestrator_phase: str
    substeps: list[Substep]  # of the open step
    step_inputs: list[str]
    offer: Offer | None
    told: list[str]  # kinds of trouble the user has been told of
    waiting: list[tuple[str, str]]  # context parts (name, text) that no answer could carry yet
