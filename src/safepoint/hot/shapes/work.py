"""What an agent has done, and what is next."""

from __future__ import annotations

import sys
from typing import Literal

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypedDict
else:  # pydantic wants the backport below 3.12
    from typing_extensions import NotRequired, TypedDict

from .terms import Count, Known


class ToolDone(TypedDict):
    """One finished tool. `tool` is the neutral name (Shell, Read, Write, Edit, Task, ...)."""

    tool: str
    summary: str
    exit: NotRequired[int | None]
    ok: bool
    at: float
    artifact_refs: list[str]


class Command(TypedDict):
    """A shell command as it ran (redacted at capture)."""

    command: str
    exit: int | None
    cwd: str
    at: float


class OpenError(TypedDict):
    """A failure that nothing has shown to be gone. `key` is what a later success must match."""

    key: str
    tool: str
    message: str
    at: float


class CompletedWork(TypedDict):
    description: str
    known: Known
    evidence: str
    at: float


class TodoItem(TypedDict):
    """The one normal form of a todo, whatever the host's tool calls it."""

    id: str
    content: str
    status: Literal["pending", "in_progress", "completed"]
    active_form: str
    owner: NotRequired[str]


class TodoProgress(TypedDict):
    done: Count
    total: Count
    current_item: str


class NextAction(TypedDict):
    description: str
    inputs_to_read: list[str]
    source: Literal["todo", "substep", "failing_command", "prompt", "none"]


class GitSnapshot(TypedDict, total=False):
    base_commit_sha: str
    branch: str
    changed_files: list[str]
    changed_total: int
    untracked_total: int
    truncated: bool
    unavailable: str  # why there is no snapshot
    work_commit: str  # the work in progress as a commit, at Red
    work_skipped: str  # why there is none
    work_left_out: list[str]  # the first files that it does not hold
    work_left_out_total: int
