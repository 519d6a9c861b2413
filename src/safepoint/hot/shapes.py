"""The shapes that more than one part of Safepoint speaks, each declared once.

Hot modules import this file only while type checking, so it costs a hook nothing. The cold path
validates what people and other programs wrote with ``pydantic.TypeAdapter`` over the same classes.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypedDict
else:  # pydantic wants the backport below 3.12
    from typing_extensions import NotRequired, TypedDict

from annotated_types import Ge, Gt, Le, MinLen

Host = Literal["cursor", "claude_code"]
Level = Literal["green", "yellow", "red"]
Language = Literal["en", "ja"]
Mode = Literal["enforce", "warn", "off"]
TokenSource = Literal["host", "transcript", "turn_sum", "estimate", "proxy", "unknown"]
WindowSource = Literal["host", "learned", "model_table", "ambiguous", "host_default", "unknown"]
OnCompact = Literal["handoff", "continue"]
Known = Literal["verified", "carried"]
Standing = Literal["holds", "changed since", "gone"]  # completed work, looked at again
StepStatus = Literal["incomplete", "complete", "blocked", "fatal"]
PlanAction = Literal[
    "redispatch_step", "generate_envelope", "resume_worker", "continue", "nothing", "ask_user"
]

Ratio = Annotated[float, Gt(0), Le(1)]
Count = Annotated[int, Ge(0)]
Positive = Annotated[int, Gt(0)]
Text = Annotated[str, MinLen(1)]


# --- settings: manifest.yaml -> `framework`, compiled to settings.json -------------------------


class Tier(TypedDict):
    """Thresholds for windows of up to `window` tokens (the largest tier also serves larger ones)."""

    window: Positive
    yellow_ratio: Ratio
    red_ratio: Ratio
    yellow_tokens: NotRequired[Positive]  # absolute caps: the smaller of ratio and cap counts
    red_tokens: NotRequired[Positive]


class ProxyLimit(TypedDict):
    yellow: Positive
    red: Positive


class Proxies(TypedDict):
    """Used when nothing better is known; a proxy reaches Yellow at most."""

    prompts: ProxyLimit
    shell_bytes: ProxyLimit


class BudgetThresholds(TypedDict):
    tiers: Annotated[list[Tier], MinLen(1)]
    proxies: Proxies
    deny_on: list[Literal["host", "transcript", "turn_sum", "estimate"]]
    extend_tokens: Positive  # what `safepoint extend` adds when no number is given


class WindowTable(TypedDict):
    """Context windows in tokens by model id; `default` serves an id that is not listed."""

    default: Positive
    models: dict[str, Positive]
    ambiguous: list[str]  # models sold with two windows: Yellow at most until the window is known


class Grace(TypedDict):
    """What may still run at Red: `calls` in all, and `commands`, each one simple command."""

    calls: Count
    commands: list[Text]


class Bilingual(TypedDict):
    en: Text
    ja: Text


class Section(Bilingual):
    id: Literal["position", "completed", "next_action", "resume_point"]


class Handoff(TypedDict):
    manifest_required_sections: Annotated[list[Section], MinLen(4)]
    recovery_constraints: Annotated[list[Bilingual], MinLen(1)]
    on_compact: dict[Host, OnCompact]
    open_link: bool
    max_age_days: Positive


class Inject(TypedDict):
    """Byte budgets of one answer's added context."""

    max_bytes: Annotated[int, Ge(1024), Le(9000)]
    shared_max_bytes: Annotated[int, Ge(1024), Le(9000)]  # where other tools' hooks answer too


class Deadlines(TypedDict):
    """Seconds."""

    hook_s: Annotated[float, Gt(0), Le(10)]
    stdin_silence_s: Annotated[float, Gt(0), Le(2)]
    git_s: Annotated[float, Gt(0), Le(5)]
    git_end_s: Annotated[float, Gt(0), Le(1)]
    lock_s: Annotated[float, Gt(0), Le(5)]


class CampaignSettings(TypedDict):
    report_dir: Text
    artifact_dir: Text


class TodoSettings(TypedDict):
    """Rules for the todo list. `models_with_tools`: where Claude Code has todo tools without being asked."""

    mode: Literal["strict", "warn", "off"]
    max_open: Positive
    wait_ms: Annotated[int, Ge(0), Le(1500)]
    live_hours: Positive
    models_with_tools: list[Text]


class StaleLimits(TypedDict):
    """Requests. The pause between two reminders doubles from the `back_off_after`-th unanswered one on."""

    after_requests: Positive
    cooldown_requests: Positive
    back_off_after: Positive
    max_cooldown_requests: Positive


class InitialLimits(TypedDict):
    cooldown_requests: Positive


class NoCallLimits(TypedDict):
    after_requests: Positive
    cooldown_requests: Positive


class ListWorth(TypedDict):
    """When work is of the kind that a list is for; one of these is enough."""

    steps: Positive
    tool_calls: Positive
    files: Positive


class ReminderSettings(TypedDict):
    mode: Literal["on", "off"]
    stale: StaleLimits
    initial: InitialLimits
    no_call: NoCallLimits
    worth: ListWorth


class Settings(TypedDict):
    """What a hook knows about its configuration (compiled; `settings.local.json` may override `mode`)."""

    schema_version: Literal[1]
    manifest_sha256: str
    language: Language
    mode: Mode
    budget_thresholds: BudgetThresholds
    windows: dict[Host, WindowTable]
    grace: Grace
    handoff: Handoff
    inject: Inject
    deadlines: Deadlines
    campaign: CampaignSettings
    todo: TodoSettings
    reminders: ReminderSettings
    shared_events: dict[Host, list[str]]  # host events on which other tools' hooks stand as well


# --- measuring ------------------------------------------------------------------------------------


class Reading(TypedDict):
    """How full the context is. `tokens` = `measured` + `estimated`; None = not known."""

    tokens: int | None
    measured: int | None  # the part a host stated
    estimated: int  # growth since then, by our own weighing
    window: int | None
    source: TokenSource
    window_source: WindowSource


class Transcript(TypedDict):
    """Where the forward reading of Claude's transcript stands."""

    path: str
    inode: int
    offset: int  # bytes consumed
    message_id: str
    base: int | None  # input + cache creation + cache read of the last main response
    output: int  # its output tokens
    after: int  # estimated tokens of the main-chain records behind it
    model: str
    boundary: bool  # a compaction boundary came after the last usage
    requested: NotRequired[str]  # the model as it was asked for, `[1m]` included
    reminder: NotRequired[int]  # offset behind the last todo reminder of the client's own


class OpenCall(TypedDict, total=False):
    """Cursor: what is known so far of one tool call of the present batch (tokens by our own weighing)."""

    tool: str
    tin: int
    tout: int
    done: bool
    lost: bool  # given up on
    unknown: bool  # and a large unknown growth stands in for its result
    exact: bool  # `tout` is the weight of the content itself
    aside: bool  # no model call asked for it: attached to the prompt
    command_key: str
    file: str
    shell: int  # how much came of Cursor's shell event pair: 1 began, 2 ended


class TurnMeter(TypedDict, total=False):
    """Cursor: what happened since the last prompt, to solve the turn's token sums for its last call.

    `*_sum` add up, over the model calls so far, what had come before each of them.
    """

    generation: str
    previous: str  # the generation of the turn before
    start: int  # context expected at the first call
    sigma: float  # its uncertainty
    calls: int  # model calls so far
    said: int  # tokens seen of what the model wrote: tool inputs and the response
    said_sum: int
    got: int  # tokens seen of what it was given back
    got_sum: int
    lost: int  # results that never arrived
    lost_sum: int
    prompt: int
    settled: int  # the input sum that was accounted for; it comes twice
    mixed: bool  # the context was compacted in the middle of it


class Meter(TypedDict, total=False):
    host: Host
    transcript: Transcript
    scan_at: float  # when the record that brought it was made
    unseen: dict[str, int]  # tool_use_id (or "in:" + it, or "prompt") -> tokens not yet in the transcript
    older: list[str]  # keys of `unseen` that have outlived one model message already
    covered: list[str]  # what the transcript has shown since its last message but one
    requests: int  # model calls that ended in tool calls, since the session began
    exact: int  # last figure a host stated, or solved from a turn's sum
    exact_source: TokenSource
    growth: int  # estimated tokens since `exact`, before `ratio`
    ratio: float  # true growth / estimated growth, learned
    hidden: int  # tokens that a model call writes unseen (thoughts), learned
    extra: int  # and what else comes in unseen after one, learned
    calls: int  # model calls since `exact`
    turn: TurnMeter
    open: dict[str, OpenCall]  # Cursor: the calls of the present batch
    batch: list[str]  # Claude: the calls of the last batch
    batch_at: float  # when a call of the present batch last ended
    began_at: float  # when one last began
    window: int
    window_source: WindowSource
    window_model: str  # the model that `window` was stated for
    model: str
    lost: int  # calls whose payload never arrived, since `exact`
    compacted: bool  # the host compacted since the last solved figure
    recounts: int  # solutions in a row that took the counted calls for too few, or too many
    rejected: int  # solutions in a row that were not believed


# --- what a session knows -------------------------------------------------------------------------


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


class Substep(TypedDict):
    """One part of a step, in the order in which the parts are done."""

    text: Text
    status: Literal["open", "done"]


class StepEnvelope(TypedDict):
    """Front matter of `{artifact_dir}/{slug}--step{N}.md`, and of a worker's envelope beside it.

    `step` is absent only in the envelope of a worker that belonged to no step.
    """

    campaign: Text
    step: NotRequired[Positive]
    phase: NotRequired[str]
    status: StepStatus
    reason: NotRequired[str]  # why it is blocked or fatal
    inputs: NotRequired[list[Text]]  # what to read before the step
    outputs: NotRequired[list[Text]]  # what came of it
    substeps: NotRequired[list[Substep]]
    resume_from: NotRequired[str]
    started: NotRequired[str]
    updated: NotRequired[str]
    sessions: NotRequired[list[Text]]  # those that worked on it by command
    session: NotRequired[str]  # the one that was broken off in it
    worker: NotRequired[str]  # id of the subagent, in a worker's envelope
    agent_type: NotRequired[str]


class Envelope(TypedDict):
    """An envelope as a hook reads it: every field there, `problem` says what is wrong with the file."""

    path: str  # relative to the project
    campaign: str
    step: int  # 0: of no step
    phase: str
    status: str
    reason: str
    inputs: list[str]
    substeps: list[Substep]
    resume_from: str
    updated: str
    worker: str
    agent_type: str
    problem: str


class Contract(TypedDict):
    """`checkpoint:` in a heavy skill's front matter."""

    artifact: Text
    update: Text
    resume: Text


class SkillCheckpoint(TypedDict):
    """How far a heavy skill has come, from `{artifact_dir}/{slug}--checkpoint.md`."""

    path: str
    skill: str
    phase: str
    status: str  # open, complete
    next: str
    update: str  # the words of the skill's contract
    resume: str


class Plan(TypedDict):
    """How an orchestrator goes on. `why` names the row of the recovery table."""

    action: PlanAction
    why: str
    campaign: str
    step: int | None
    phase: str
    resume_from: str
    substep: int | None  # the first that is not done, counted from 1
    substeps: list[Substep]
    inputs: list[str]
    envelope: str
    workers: list[Envelope]  # interrupted ones, to be gone on with
    reports: list[Envelope]  # workers that ended while nobody could take their result
    lost: list[str]  # subagents that were running and left nothing
    checkpoint: SkillCheckpoint | None
    next_action: str
    question: str


class GitSnapshot(TypedDict, total=False):
    base_commit_sha: str
    branch: str
    changed_files: list[str]
    changed_total: int
    untracked_total: int
    truncated: bool
    unavailable: str  # why there is no snapshot


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
    reason: Literal["red", "compact"]
    campaign_slug: str
    branch: str
    base_commit_sha: str
    checkpoint: str  # path, relative to the project
    handoff: str
    inject: bool  # False where the session's origin is not known: listed, never injected
    picked: NotRequired[bool]  # a person chose it for the next new chat


class Claim(TypedDict):
    """`.cursor/.session/pending/{session_id}.claim`: who took a handoff (exclusive create)."""

    session_id: str
    host: Host
    at: float


Json = dict[str, Any]


# --- the journal ----------------------------------------------------------------------------------


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


class Offer(TypedDict):
    """A handoff that this session was shown, or is to be shown."""

    session_id: str  # whose handoff
    shown: bool
    claimed: bool
    settled: bool  # this session has gone on from it: it used a tool
    doubtful: NotRequired[list[str]]  # completed work of it that does not hold any more


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
    report: str
    workflow_step: str
    orchestrator_phase: str
    substeps: list[Substep]  # of the open step
    step_inputs: list[str]
    offer: Offer | None
    told: list[str]  # kinds of trouble the user has been told of
    waiting: list[tuple[str, str]]  # context parts (name, text) that no answer could carry yet
