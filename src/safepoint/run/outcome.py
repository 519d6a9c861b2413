"""Why a session ended, and what comes next. Pure."""

from __future__ import annotations

from typing import NamedTuple

from ..counted import counted
from .plan import RETRIES, UNCHANGED

# Why a session ended.
RED, COMPACTED, FINISHED, OVERLOADED, RATE_LIMITED, REFUSED, ERROR, CRASHED, HUNG, NOT_STARTED = (
    "red", "compacted", "finished", "overloaded", "rate_limited", "refused", "error", "crashed", "hung",
    "not_started",
)
# Why a run asked its session to end.
INTERRUPTED, TIME = "interrupted", "time_limit"
# How a run ends, with its exit status.
DONE, FAILED, LIMIT, STUCK = "done", "failed", "limit", "stuck"
EXIT = {DONE: 0, FAILED: 1, LIMIT: 4, STUCK: 5, INTERRUPTED: 130}
# What comes next.
FRESH, RESUME, STOP = "fresh", "resume", "stop"

_BUSY = {429: RATE_LIMITED}
_PASSING = frozenset({408, 429, 500, 502, 503, 504, 529})


class Ended(NamedTuple):
    """A session's process that is over."""

    exit_status: int = 0  # below 0: the signal that ended it
    started: bool = True  # it told that it had begun
    has_result: bool = True
    is_error: bool = False
    api_status: int = 0
    words: str = ""  # what it said of its failure
    asked: str = ""  # INTERRUPTED or TIME, where we asked it to end
    hung: bool = False  # it had to be ended, some time after its result
    latch: str = ""  # "full" or "compacted", where its state was saved and its tools denied
    worked: bool = True  # it has used a tool
    seen: bool = True  # a hook of it has left a state
    refused: int = 0  # tools that it was not allowed, with nobody there to ask


class Left(NamedTuple):
    """What the campaign or the todo list says of the work that is left."""

    steps: int = 0
    steps_open: int = 0
    stopped: str = ""  # a step that says it is blocked or fatal, with its reason
    todos: int = 0
    todos_open: int = 0

    @property
    def is_done(self) -> bool:
        """By the steps where there are any, else by the todo list; False where there is neither."""
        if self.steps:
            return not self.steps_open
        return self.todos > 0 and not self.todos_open

    @property
    def is_open(self) -> bool:
        return self.steps_open > 0 if self.steps else self.todos_open > 0


class Counts(NamedTuple):
    """How far the run is, this session included."""

    sessions: int
    max_sessions: int
    unchanged: int  # sessions in a row that changed nothing
    retries: int  # in a row, of this session


class Next(NamedTuple):
    action: str  # FRESH, RESUME or STOP
    outcome: str = ""  # with STOP
    why: str = ""


def reason(ended: Ended) -> str:
    """Why the session ended, in one word."""
    if ended.asked:
        return ended.asked
    if ended.latch:  # whatever came after: there is nothing to go back to
        return RED if ended.latch == "full" else COMPACTED
    if ended.is_error and ended.api_status in _PASSING:
        return _BUSY.get(ended.api_status, OVERLOADED)
    if ended.is_error and ended.api_status:
        return REFUSED
    if not ended.has_result:
        if ended.exit_status >= 0 and not ended.started and not ended.worked:
            return NOT_STARTED
        return CRASHED
    if ended.is_error:
        return ERROR
    return HUNG if ended.hung else FINISHED


TIME_IS_UP = "the time is up"
NOT_ALLOWED = (
    "the agent was not allowed {count} of its tools, and changed nothing. Permission flags for it stand"
    " behind --, as you would give them to the agent itself"
)
NO_HOOK = (
    "the session ended by itself, but no hook of it was seen, so nothing is known of its state. Whether the"
    " hooks run here is said by the command doctor"
)


def decide(why: str, left: Left, counts: Counts, ended: Ended) -> Next:
    """What comes after a session that ended for the reason `why`."""
    words = ended.words
    if why == INTERRUPTED:
        return Next(STOP, INTERRUPTED)
    if left.is_done:
        return Next(STOP, DONE, "every step is complete" if left.steps else "the todo list is complete")
    if why == FINISHED and ended.refused and counts.unchanged:
        return Next(STOP, FAILED, NOT_ALLOWED.format(count=ended.refused))
    if why in (FINISHED, HUNG) and not ended.seen:  # with steps open too: the next would go unseen as well
        return Next(STOP, FAILED, NO_HOOK)
    if why in (FINISHED, HUNG) and not left.is_open:
        return Next(STOP, DONE, "the session ended by itself with nothing open")
    if why == TIME:
        return Next(STOP, LIMIT, TIME_IS_UP)
    if why == NOT_STARTED:
        silent = f"it ended with status {ended.exit_status} and said nothing"
        return Next(STOP, FAILED, f"the agent did not start: {words or silent}")
    if why == REFUSED:
        return Next(STOP, FAILED, f"the model refused the request: {words}")
    if why in (OVERLOADED, RATE_LIMITED):
        if counts.retries < RETRIES:
            return Next(RESUME)
        return Next(STOP, FAILED, f"the model could not be reached {counts.retries + 1} times: {words}")
    if left.stopped and why == FINISHED:
        return Next(STOP, STUCK, left.stopped)
    if counts.unchanged >= UNCHANGED:
        still = f", and {counted(left.todos_open, 'item')} of the todo list open" if left.todos_open else ""
        return Next(STOP, STUCK, f"{counts.unchanged} sessions in a row changed nothing{still}")
    if counts.sessions >= counts.max_sessions:
        return Next(STOP, LIMIT, f"{counted(counts.sessions, 'session')}, the most that were allowed")
    return Next(FRESH)
