"""Steps, their envelopes, heavy skills, and the plan to resume by."""

from __future__ import annotations

import sys
from typing import Literal

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypedDict
else:  # pydantic wants the backport below 3.12
    from typing_extensions import NotRequired, TypedDict

from .terms import PlanAction, Positive, StepStatus, Text


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
