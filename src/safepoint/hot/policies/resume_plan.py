"""How an orchestrator goes on after an interruption: one table over what the files say. Pure.

A row is (what the resume point says, what the step's envelope says, how its workers ended). Every
combination has its row; those that cannot come about by themselves are conflicts, and a person is asked.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..shapes import Envelope, Plan, PlanAction, ResumePoint, SkillCheckpoint

# What the resume point says.
NO_POINT, NO_STEP, STEP = "no_point", "no_step", "step"
# What the envelope of the step says. `early`: complete, but before the point says that it was broken off.
NONE, INCOMPLETE, COMPLETE, EARLY, BLOCKED, FATAL, BROKEN, TWO_OPEN = (
    "none", "incomplete", "complete", "early", "blocked", "fatal", "broken", "two_open",
)  # fmt: skip
# How the workers ended: all well, one broken off (its envelope tells), one that left nothing at all.
ALL_WELL, INTERRUPTED, LOST = "all_well", "interrupted", "lost"

POINTS = (NO_POINT, NO_STEP, STEP)
ENVELOPES = (NONE, INCOMPLETE, COMPLETE, EARLY, BLOCKED, FATAL, BROKEN, TWO_OPEN)
WORKERS = (ALL_WELL, INTERRUPTED, LOST)

_REDISPATCH: PlanAction = "redispatch_step"
_GENERATE: PlanAction = "generate_envelope"
_WORKER: PlanAction = "resume_worker"
_CONTINUE: PlanAction = "continue"
_NOTHING: PlanAction = "nothing"
_ASK: PlanAction = "ask_user"

# (point, envelope, workers) -> (action, why). What is not here is in `_ASKED`.
TABLE: dict[tuple[str, str, str], tuple[PlanAction, str]] = {
    (NO_POINT, NONE, ALL_WELL): (_NOTHING, "nothing_open"),
    (NO_POINT, NONE, INTERRUPTED): (_WORKER, "worker_interrupted"),
    (NO_POINT, INCOMPLETE, ALL_WELL): (_REDISPATCH, "envelope_only"),
    (NO_POINT, INCOMPLETE, INTERRUPTED): (_WORKER, "worker_interrupted"),
    (NO_POINT, COMPLETE, ALL_WELL): (_NOTHING, "step_complete"),
    (NO_STEP, NONE, ALL_WELL): (_CONTINUE, "no_step"),
    (NO_STEP, NONE, INTERRUPTED): (_WORKER, "worker_interrupted"),
    (NO_STEP, NONE, LOST): (_CONTINUE, "no_step_worker_lost"),
    (NO_STEP, INCOMPLETE, ALL_WELL): (_REDISPATCH, "envelope_newer"),
    (NO_STEP, INCOMPLETE, INTERRUPTED): (_WORKER, "worker_interrupted"),
    (NO_STEP, INCOMPLETE, LOST): (_REDISPATCH, "worker_lost"),
    (NO_STEP, COMPLETE, ALL_WELL): (_CONTINUE, "no_step"),
    (NO_STEP, COMPLETE, LOST): (_CONTINUE, "no_step_worker_lost"),
    (STEP, NONE, ALL_WELL): (_GENERATE, "point_only"),
    (STEP, NONE, INTERRUPTED): (_GENERATE, "point_only"),
    (STEP, NONE, LOST): (_GENERATE, "point_only"),
    (STEP, INCOMPLETE, ALL_WELL): (_REDISPATCH, "step_interrupted"),
    (STEP, INCOMPLETE, INTERRUPTED): (_WORKER, "worker_interrupted"),
    (STEP, INCOMPLETE, LOST): (_REDISPATCH, "worker_lost"),
    (STEP, COMPLETE, ALL_WELL): (_NOTHING, "step_complete"),
}

# Envelope -> why a person is asked, whatever the rest says.
_ASKED = {
    BLOCKED: "step_blocked", FATAL: "step_fatal", BROKEN: "envelope_broken", TWO_OPEN: "two_open_steps",
    EARLY: "complete_before_interruption",
}  # fmt: skip


def row(point: str, envelope: str, workers: str) -> tuple[PlanAction, str]:
    """The action of one row, and its name."""
    if envelope in _ASKED:
        return _ASK, _ASKED[envelope]
    known = TABLE.get((point, envelope, workers))
    if known is not None:
        return known
    if point == NO_POINT and workers == LOST:  # that one ran is only known from a point
        return _ASK, "worker_of_no_session"
    return _ASK, "worker_of_a_complete_step"


def plan_resume(
    point: ResumePoint | None,
    steps: Sequence[Envelope],
    workers: Sequence[Envelope],
    checkpoint: SkillCheckpoint | None = None,
) -> Plan:
    """What is to be done first. `steps` and `workers` are the envelopes of the point's campaign."""
    number = step_number(point["workflow_step"]) if point else 0
    envelope, says = _of_step(point, number, steps)
    mine = [one for one in workers if _concerns(one, envelope["step"] if envelope else number)]
    broken_off = [one for one in mine if one["status"] != "complete"]
    lost = _lost(point, mine)
    ended = INTERRUPTED if broken_off else LOST if lost else ALL_WELL
    stands = NO_POINT if point is None else STEP if number else NO_STEP
    action, why = row(stands, says, ended)
    return _plan(action, why, point, envelope, number, broken_off, mine, lost, checkpoint)


def step_number(step: str) -> int:
    """2 of "step2"; 0 for no step, or one with another name."""
    digits = step.strip().lower().replace("step", "", 1).strip()
    return int(digits) if digits.isdigit() and digits.isascii() else 0


def _of_step(
    point: ResumePoint | None, number: int, steps: Sequence[Envelope]
) -> tuple[Envelope | None, str]:
    """The envelope that counts, and what it says."""
    broken = [one for one in steps if one["problem"]]
    if broken:
        return broken[0], BROKEN
    own = [one for one in steps if one["step"] == number]
    is_open = [one for one in steps if one["status"] == "incomplete"]
    if len(is_open) > 1:
        return is_open[-1], TWO_OPEN
    if own and own[0]["status"] in (BLOCKED, FATAL):
        return own[0], own[0]["status"]
    if is_open:  # the point's step, or one that somebody went on to since
        moved_on = not number or not own or own[0]["status"] == COMPLETE
        same = is_open[0]["step"] == number
        return is_open[0], INCOMPLETE if same or moved_on else TWO_OPEN
    if own:
        return own[0], EARLY if _is_early(point, own[0]) else COMPLETE
    if number or not steps:
        return None, NONE
    last = steps[-1]
    return last, last["status"] if last["status"] in (BLOCKED, FATAL) else COMPLETE


def _is_early(point: ResumePoint | None, envelope: Envelope) -> bool:
    """Said to be complete before the session that was in it was broken off."""
    from ..utc import utc

    return bool(point and envelope["updated"] and envelope["updated"] < utc(point["interrupted_at_unix"]))


def _concerns(worker: Envelope, step: int) -> bool:
    """Workers of other steps are history; one of no step is everybody's."""
    return not worker["step"] or worker["step"] == step


def _lost(point: ResumePoint | None, workers: Sequence[Envelope]) -> list[str]:
    """Subagents that were running and left no envelope, by kind as far as it is known."""
    left = [one["agent_type"] for one in workers]
    lost = []
    for name in point["subagents_running"] if point else []:
        if name in left:
            left.remove(name)
        elif "" in left:
            left.remove("")
        else:
            lost.append(name)
    return lost


def _plan(
    action: PlanAction,
    why: str,
    point: ResumePoint | None,
    envelope: Envelope | None,
    number: int,
    broken_off: list[Envelope],
    workers: list[Envelope],
    lost: list[str],
    checkpoint: SkillCheckpoint | None,
) -> Plan:
    parts = envelope["substeps"] if envelope else point.get("substeps", []) if point else []
    first = next((at for at, part in enumerate(parts, 1) if part["status"] == "open"), None)
    said = envelope["resume_from"] if envelope else ""
    return {
        "action": action,
        "why": why,
        "campaign": (point["campaign_slug"] if point else "") or (envelope["campaign"] if envelope else ""),
        "step": (envelope["step"] if envelope else number) or None,
        "phase": (envelope["phase"] if envelope else "") or (point["orchestrator_phase"] if point else ""),
        "resume_from": said or _resume_from(point, first, parts),
        "substep": first,
        "substeps": list(parts),
        "inputs": _inputs(point, envelope),
        "envelope": envelope["path"] if envelope else "",
        "workers": broken_off,
        "reports": [one for one in workers if one["status"] == "complete"],
        "lost": lost,
        "checkpoint": checkpoint if checkpoint and checkpoint["status"] != "complete" else None,
        "next_action": point["next_action"]["description"] if point else "",
        "question": _question(envelope) if action == "ask_user" else "",
    }


def _resume_from(point: ResumePoint | None, first: int | None, parts: Sequence[object]) -> str:
    if first is not None:
        return f"sub-step {first}/{len(parts)}"
    progress = point["todo_progress"] if point else None
    if progress and progress["done"] < progress["total"]:
        return f"todo {progress['done'] + 1}/{progress['total']}"
    return ""


def _inputs(point: ResumePoint | None, envelope: Envelope | None) -> list[str]:
    """The step's own inputs; where it names none, what the resume point would read."""
    own = envelope["inputs"] if envelope else []
    step_inputs = point.get("step_inputs", []) if point else []
    return list(own or step_inputs or (point["next_action"]["inputs_to_read"] if point else []))


def _question(envelope: Envelope | None) -> str:
    """The fact that a person has to judge."""
    if envelope is None:
        return ""
    return envelope["problem"] or envelope["reason"] or envelope["status"]
