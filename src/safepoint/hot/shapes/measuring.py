"""What is known of how full a context is."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypedDict
else:  # pydantic wants the backport below 3.12
    from typing_extensions import NotRequired, TypedDict

from .terms import Host, TokenSource, WindowSource


class Reading(TypedDict):
    """How full the context is. `tokens` = `measured` + `estimated`; None = not known."""

    tokens: int | None
    measured: int | None  # the part a host stated
    estimated: int  # growth since then, by our own weighing
    window: int | None
    source: TokenSource
    window_source: WindowSource
    margin: NotRequired[int]  # how far `tokens` may be too high, as its errors were so far
    host: NotRequired[Host]  # where thresholds of one host or model are set: whose reading this is
    model: NotRequired[str]


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
    found: bool  # `tout` is a guess
    exact: bool  # `tout` is the weight of the content itself
    partial: bool  # a read that may be of a part of its file
    content: int  # the weight of the whole file's,
    chars: int  # and its characters
    shown: int  # characters that the model was shown of it
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
    found: int  # tokens guessed of what no hook was shown the size of
    found_sum: int
    lost: int  # results that never arrived
    lost_sum: int
    prompt: int
    doubt: int  # `doubt` of the meter when it began
    settled: int  # the input sum that was accounted for; it comes twice
    mixed: bool  # the context was compacted in the middle of it
    heard: bool  # the output sum has no room for calls that no hook saw


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
    found: int  # tokens since `exact` guessed of results whose size no hook was shown, before `found_ratio`
    found_ratio: float  # true size / guess, learned
    found_sigma: float  # how sure that is
    unsure: int  # tokens that the sum it was solved from leaves `exact` uncertain by
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
    window_marked: bool  # stated with the model's name, not by the status line
    model: str
    lost: int  # calls whose payload never arrived, since `exact`
    compacted: bool  # the host compacted since the last solved figure
    doubt: int  # how much is lacking until `exact`, which may be too high, is borne out by further turns
    doubted_calls: int  # calls counted in the turn that raised the doubt
    misled: int  # figures that later ones have proved too high: calls were made that no hook saw
    risen: int  # tokens of `exact` that may be calls which no hook saw
    recounts: int  # solutions in a row that took the counted calls for too few
    rejected: int  # solutions in a row that were not believed
    stated: int  # the last figure of the host's status line that was taken
    error: float  # of the estimated growth, as the figures after it have shown
