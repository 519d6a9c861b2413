"""One line of a session's journal."""

from __future__ import annotations

import sys
from typing import Any, Literal

if sys.version_info >= (3, 12):
    from typing import TypedDict
else:  # pydantic wants the backport below 3.12
    from typing_extensions import TypedDict

from .measuring import Reading, Transcript
from .terms import Host, Level
from .work import GitSnapshot, TodoItem


class TodoChange(TypedDict, total=False):
    """What a todo tool call did. `write` and `sync` (a host's own list) replace it, others touch one item."""

    op: Literal["write", "sync", "create", "update", "delete"]
    items: list[TodoItem]
    id: str
    content: str
    status: str
    active_form: str
    owner: str


class TodoIntent(TypedDict):
    """What a call that has not ended is about to do to the list."""

    call: str
    todo: TodoChange


class TodoLog(TypedDict):
    """What todo rules and reminders go by. Requests are numbered as `meter["requests"]` counts them."""

    tools: list[str]  # todo tools that were called here, the newest last
    called: int  # the request of the last todo call
    updated: int  # the request of the last change of the list
    tool_calls: int  # as of the last todo call, like the next two
    prompts: int
    files: list[str]  # changed since
    reminded: dict[str, int]  # kind of reminder, "host" for its own -> the request before it
    unanswered: int  # stale reminders since the list changed
    intents: list[TodoIntent]


class Record(TypedDict, total=False):
    """One line of a session's journal. The session state is the fold of these, nothing else.

    Texts are redacted and cut before they get here.
    """

    kind: str  # an event kind (`events`), or one of the decision kinds in `journal_kinds`
    at: float  # unix seconds
    key: str  # names the host event; a second record with the same key changes nothing
    host: Host
    host_version: str
    project: str  # in the first record, with session_id, agent_id and host
    session_id: str
    agent_id: str
    generation: str
    model: str
    # a tool call
    call: str  # tool_use_id, or a key of our own where the host gives none
    tool: str
    tool_name: str
    tokens_in: int
    tokens_out: int
    chars: int  # Cursor: of a file's content, or of what a read showed the model
    partial: bool  # Cursor: a read that may be of a part of its file
    unsized: bool  # `tokens_out` is a guess: the host does not show how large the result was
    payload_bytes: int
    command: str
    command_key: str  # short key of the exact command: joins the two Cursor events of one shell call
    cwd: str
    file: str  # relative to the project where it lies inside
    exit: int | None
    ok: bool
    error: str
    summary: str
    background: bool
    child: str  # the subagent that a call has started, or that has ended
    todo: TodoChange
    calls: list[str]  # batch: the tool_use_ids of the message
    # a turn
    text: str
    source: str
    trigger: str
    reason: str
    status: str
    input_sum: int  # Cursor: token sums of the turn
    output_sum: int
    # measuring
    context_tokens: int  # the host's own figure
    window: int
    learned: int  # the window that this host once stated for this model
    transcript: Transcript
    seen: list[str]  # call ids (and "prompt") that the transcript now holds
    # decisions
    level: Level
    reading: Reading
    verdict: str  # deny, brief (a further call of the same message), grace
    red_tokens: int
    tokens: int  # extend
    name: str
    value: Any
    git: GitSnapshot
    checkpoint: str
    handoff: str
