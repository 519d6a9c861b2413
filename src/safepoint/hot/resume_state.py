"""A handoff looked at again before it is shown: what of it still holds, and how the work goes on."""

from __future__ import annotations

from . import wire
from .files import read_bytes
from .policies import completed, resume_plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .hook import Hook
    from .shapes import CompletedWork, Envelope, Plan, RedCheckpoint, ResumePoint

SHOWN_PATHS = 6


class Now:
    """`point` has only completed work that holds; `doubtful` is the rest, with how it stands and why."""

    __slots__ = ("doubtful", "freshness", "plan", "plan_line", "point")

    def __init__(
        self,
        point: ResumePoint,
        doubtful: Sequence[tuple[CompletedWork, str, str]],
        freshness: tuple[str, str],
        plan: Plan,
        plan_line: str,
    ) -> None:
        self.point, self.doubtful, self.freshness = point, doubtful, freshness
        self.plan, self.plan_line = plan, plan_line


def look_again(hook: Hook, checkpoint: RedCheckpoint, point: ResumePoint) -> Now | None:
    """The handoff of `point` as it stands now; None where it belongs to another repository."""
    from .freshness import compare
    from .stores import envelope_facts, skill_checkpoints

    found = compare(hook, checkpoint)
    if found.kind == "foreign":
        return None
    work = completed.check(
        point["completed_work"], completed.Evidence(found.files, found.moved, found.reachable)
    )
    doubtful = [(item, stands, reason) for item, stands, reason in work if stands != "holds"]
    point = {**point, "completed_work": [item for item, stands, _ in work if stands == "holds"]}
    slug = point["campaign_slug"]
    steps, workers = envelope_facts.of_campaign(hook.paths, hook.settings, slug)
    skill = skill_checkpoints.facts(hook.paths, hook.settings, slug)
    plan = resume_plan.plan_resume(point, steps, workers, skill)
    return Now(point, doubtful, found.told, plan, plan_line(plan, hook.settings["language"]))


def inherited(hook: Hook, checkpoint: RedCheckpoint) -> ResumePoint:
    """What a session takes over: of completed work only what holds. Starts no process, as a lock is held."""
    from .freshness import standing
    from .git_files import head

    point, now = newest_point(hook, checkpoint), head(hook.event.project)
    same = now is not None and now["sha"] == point["git_snapshot"].get("base_commit_sha", "")
    files = {mark["path"]: standing(hook.event.project, mark) for mark in checkpoint["file_marks"]}
    evidence = completed.Evidence(files, [] if same else None, True)
    work = completed.check(point["completed_work"], evidence)
    return {**point, "completed_work": [item for item, stands, _ in work if stands == "holds"]}


def newest_point(hook: Hook, checkpoint: RedCheckpoint) -> ResumePoint:
    """The session's last resume point: a tool that still ran at the checkpoint has reported there since."""
    point = checkpoint["resume_point"]
    slug, session = point["campaign_slug"], point["orig_session_id"]
    for path in (hook.paths.resume_point(slug, session), hook.paths.resume_point(slug)):
        try:
            later: Any = wire.loads(read_bytes(path))
        except (OSError, ValueError):
            continue
        if _is_later(later, point):
            return later  # type: ignore[no-any-return]
    return point


def _is_later(later: Any, point: ResumePoint) -> bool:
    """Of the same session and campaign, no older, and of the same make: a projection may be anything."""
    if not isinstance(later, dict):
        return False
    same = all(later.get(name) == point[name] for name in ("orig_session_id", "campaign_slug", "host"))  # type: ignore[literal-required]
    if not same or any(
        type(later.get(name)) is not type(value) and value is not None for name, value in point.items()
    ):
        return False
    return bool(later["interrupted_at_unix"] >= point["interrupted_at_unix"])


def plan_line(plan: Plan, language: str) -> str:
    """The plan in one line of facts."""
    from .texts import say

    def paths(envelopes: Sequence[Envelope]) -> str:
        return ", ".join([one["path"] for one in envelopes[:SHOWN_PATHS]]) or "-"

    where = plan["resume_from"] or say(language, "plan_start")
    key = f"plan_{plan['action']}"
    if not plan["step"] and plan["action"] in ("nothing", "resume_worker"):  # no other speaks of a step then
        key += "_no_step"
    parts = [
        say(
            language, key, step=str(plan["step"] or "-"), where=where,
            inputs=", ".join(plan["inputs"][:SHOWN_PATHS]) or "-", envelope=plan["envelope"] or "-",
            workers=paths(plan["workers"]), why=plan["why"], question=plan["question"] or "-",
            status="complete" if plan["why"] == "step_complete" else "-",
        )
    ]  # fmt: skip
    if plan["workers"] and plan["action"] not in ("resume_worker",):
        parts.append(say(language, "plan_lost", names=paths(plan["workers"])))
    if plan["reports"]:
        parts.append(say(language, "plan_reports", paths=paths(plan["reports"])))
    if plan["lost"]:
        parts.append(say(language, "plan_lost", names=", ".join(plan["lost"][:SHOWN_PATHS])))
    skill = plan["checkpoint"]
    if skill:
        parts.append(
            say(language, "plan_checkpoint", skill=skill["skill"], phase=skill["phase"], path=skill["path"])
        )
    return " ".join(parts)
