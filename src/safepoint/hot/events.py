"""One event of a host, in neutral words. Host adapters make it; everything else reads only this."""

from __future__ import annotations

from .redact import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .shapes import Host

# Kinds of event, and the entrypoint that is registered for each.
SESSION_START = "session_start"
PROMPT = "prompt"
BEFORE_TOOL = "before_tool"
BEFORE_SHELL = "before_shell"  # Cursor: describes a call that before_tool has announced
BEFORE_READ = "before_read"  # Cursor: carries a file's content
AFTER_TOOL = "after_tool"
AFTER_SHELL = "after_shell"  # Cursor: describes a call that after_tool will describe again
TOOL_FAILED = "tool_failed"
BATCH = "batch"  # Claude: all calls of one model message are done
SUBAGENT_START = "subagent_start"
SUBAGENT_STOP = "subagent_stop"
RESPONSE = "response"  # Cursor: the agent's text at a turn's end, with the turn's token sum
COMPACT = "compact"
TURN_END = "turn_end"
SESSION_END = "session_end"
MODEL_SWITCH = "model_switch"
STATUS_LINE = "status_line"  # no hook: what the host states where it draws its status line
UNKNOWN = "unknown"

BEFORE = frozenset({BEFORE_TOOL, BEFORE_SHELL, BEFORE_READ, SUBAGENT_START})

# Neutral tool names; a tool that no adapter knows keeps the host's name.
SHELL, READ, WRITE, EDIT, DELETE, SEARCH = "Shell", "Read", "Write", "Edit", "Delete", "Search"
SUBAGENT, TODO_WRITE, TASK_CREATE, TASK_UPDATE = "Subagent", "TodoWrite", "TaskCreate", "TaskUpdate"
TASK_LIST, TASK_GET, TOOL_SEARCH = "TaskList", "TaskGet", "ToolSearch"
OWN_TODO = "OwnTodo"  # a tool of Safepoint's own todo server, which judges and records by itself
TODO_TOOLS = frozenset({TODO_WRITE, TASK_CREATE, TASK_UPDATE, TASK_LIST, TASK_GET, OWN_TODO})

MAX_ID = 200
_PRIME = 2**44 - 17


class Event:
    """What happened. A field that the host did not send has its empty value; nothing is invented.

    `tokens_in` / `tokens_out` are the weighed sizes (tokens) of what the event shows of the context: a prompt
    or a call's input; a call's output, a file, a response. Several events can show the same call.
    """

    __slots__ = (
        "agent_id",
        "agent_transcript_path",
        "agent_type",
        "background",
        "calls",
        "chars",
        "child_id",
        "child_session_id",
        "command",
        "context_tokens",
        "cwd",
        "duration_s",
        "error",
        "exit_code",
        "file_path",
        "files",
        "generation_id",
        "host",
        "host_event",
        "host_version",
        "input_tokens",
        "interrupted",
        "kind",
        "loop_count",
        "model",
        "now",
        "ok",
        "output",
        "output_tokens",
        "parallel",
        "parent_call",
        "parent_id",
        "partial",
        "payload_bytes",
        "percent",
        "project",
        "prompt",
        "prompt_id",
        "reason",
        "session_id",
        "source",
        "status",
        "stop_hook_active",
        "summary",
        "text",
        "tokens_in",
        "tokens_out",
        "tool",
        "tool_input",
        "tool_name",
        "tool_use_id",
        "transcript_path",
        "trigger",
        "unsized",
        "window",
    )

    def __init__(self, kind: str, host: Host, session_id: str) -> None:
        self.kind = kind
        self.host: Host = host
        self.session_id = session_id
        self.host_event = ""  # the host's own spelling, needed by some answers
        self.host_version = ""
        self.agent_id = ""  # the Claude subagent that acts; Cursor's have a session_id of their own
        self.agent_type = ""
        self.agent_transcript_path = ""
        self.parent_id = ""
        self.parent_call = ""  # Cursor, newest builds: the call that started the subagent which acts
        self.child_id = ""  # subagent start and stop, events of the parent: the subagent they are about
        self.child_session_id = ""  # Cursor, newest builds, subagent stop: the session_id of its own events
        self.parallel = False  # Cursor: a worker beside others
        self.generation_id = ""
        self.tool_use_id = ""
        self.tool = ""
        self.tool_name = ""
        self.tool_input: dict[str, Any] = {}
        self.command = ""
        self.file_path = ""
        self.cwd = ""
        self.output: Any = None
        self.exit_code: int | None = None
        self.ok = True
        self.error = ""
        self.duration_s: float | None = None
        self.interrupted = False  # the user stopped it, or a time limit did
        self.calls: list[dict[str, Any]] = []  # batch: {"tool_use_id", "tool_name", "tool"}
        self.files: list[str] = []  # subagent stop: what it changed
        self.prompt = ""
        self.prompt_id = ""  # Claude: of the prompt that this event is part of the answer to
        self.text = ""
        self.summary = ""
        self.source = ""  # session start: startup, resume, clear, compact, fork
        self.trigger = ""  # compact: auto, manual
        self.reason = ""  # session end; a failed tool: the host's word for the kind of failure
        self.status = ""
        self.background = False
        self.stop_hook_active = False  # this turn goes on because a hook made it
        self.loop_count = 0  # Cursor: how often
        self.model = ""
        self.window: int | None = None
        self.context_tokens: int | None = None  # the host's own figure of the whole context
        self.percent: float | None = None  # Cursor, compact: how full the host says the context is
        self.input_tokens: int | None = None  # Cursor: sum over the turn's model calls
        self.output_tokens: int | None = None
        self.tokens_in = 0
        self.tokens_out = 0
        self.chars = 0  # Cursor: of a file's content; of what the model was shown of one
        self.partial = False  # Cursor: a read that may be of a part of its file
        self.unsized = False  # `tokens_out` is a guess: the payload does not show how large the result was
        self.transcript_path = ""
        self.project = ""
        self.payload_bytes = 0
        self.now = 0.0


def short_key(text: str) -> str:
    """Up to 11 hex digits, the same in every process. They tell events apart, load no library, and hold too
    little to give a text away."""
    return f"{int.from_bytes(text.encode('utf-8', 'surrogatepass'), 'big') % _PRIME:x}"


def bounded_id(text: str) -> str:
    """An id from outside as it is, unless it is longer than any host's or holds a secret: then a short key of
    it, which tells it from others all the same."""
    return text if len(text) <= MAX_ID and redact(text) == text else "h" + short_key(text)
