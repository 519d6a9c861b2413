"""The recovery table: every row, every combination that contradicts itself, and what a plan carries."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resume_points import resume_point

from safepoint.hot.policies import resume_plan as rp
from safepoint.hot.resume_state import plan_line

ROWS = [
    ("no_point", "none", "all_well", "nothing", "nothing_open"),
    ("no_point", "none", "interrupted", "resume_worker", "worker_interrupted"),
    ("no_point", "incomplete", "all_well", "redispatch_step", "envelope_only"),
    ("no_point", "incomplete", "interrupted", "resume_worker", "worker_interrupted"),
    ("no_point", "complete", "all_well", "nothing", "step_complete"),
    ("no_step", "none", "all_well", "continue", "no_step"),
    ("no_step", "none", "interrupted", "resume_worker", "worker_interrupted"),
    ("no_step", "none", "lost", "continue", "no_step_worker_lost"),
    ("no_step", "incomplete", "all_well", "redispatch_step", "envelope_newer"),
    ("no_step", "incomplete", "interrupted", "resume_worker", "worker_interrupted"),
    ("no_step", "incomplete", "lost", "redispatch_step", "worker_lost"),
    ("no_step", "complete", "all_well", "continue", "no_step"),
    ("no_step", "complete", "lost", "continue", "no_step_worker_lost"),
    ("step", "none", "all_well", "generate_envelope", "point_only"),
    ("step", "none", "interrupted", "generate_envelope", "point_only"),
    ("step", "none", "lost", "generate_envelope", "point_only"),
    ("step", "incomplete", "all_well", "redispatch_step", "step_interrupted"),
    ("step", "incomplete", "interrupted", "resume_worker", "worker_interrupted"),
    ("step", "incomplete", "lost", "redispatch_step", "worker_lost"),
    ("step", "complete", "all_well", "nothing", "step_complete"),
]
ASKED = {
    "blocked": "step_blocked", "fatal": "step_fatal", "broken": "envelope_broken",
    "two_open": "two_open_steps", "early": "complete_before_interruption",
}  # fmt: skip


def envelope(step: int = 3, status: str = "incomplete", **changes: Any) -> Any:
    return {
        "path": f".cursor/.artifacts/fix-login--step{step}.md", "campaign": "fix-login", "step": step,
        "phase": "build", "status": status, "reason": "why" if status in ("blocked", "fatal") else "",
        "inputs": ["docs/design.md"], "substeps": [], "resume_from": "", "updated": "2026-01-01T00:00:00Z",
        "worker": "", "agent_type": "", "problem": "", **changes,
    }  # fmt: skip


def worker(status: str = "incomplete", step: int = 3, **changes: Any) -> Any:
    path = f".cursor/.artifacts/fix-login--step{step}.worker-a1.md"
    return envelope(step, status, path=path, worker="a1", agent_type="general-purpose", **changes)


@pytest.mark.parametrize(("point", "says", "workers", "action", "why"), ROWS)
def test_row(point: str, says: str, workers: str, action: str, why: str) -> None:
    assert rp.row(point, says, workers) == (action, why)


@pytest.mark.parametrize("key", itertools.product(rp.POINTS, rp.ENVELOPES, rp.WORKERS))
def test_every_other_combination_is_a_persons_to_decide(key: tuple[str, str, str]) -> None:
    if key in {row[:3] for row in ROWS}:
        return
    action, why = rp.row(*key)
    assert action == "ask_user"
    assert why == ASKED.get(key[1], "worker_of_a_complete_step" if key[0] != "no_point" else why)
    assert why in {*ASKED.values(), "worker_of_a_complete_step", "worker_of_no_session"}


def test_the_table_holds_exactly_these_rows() -> None:
    assert dict(rp.TABLE) == {row[:3]: row[3:] for row in ROWS}


AFTER = "2025-08-03T12:34:57Z"  # one second later than the resume point
BEFORE = "2025-08-03T12:34:55Z"


@pytest.mark.parametrize(
    ("point", "steps", "workers", "action", "why"),
    [
        pytest.param({}, [envelope()], [], "redispatch_step", "step_interrupted", id="spec-row-1"),
        pytest.param({}, [], [], "generate_envelope", "point_only", id="spec-row-3"),
        pytest.param({}, [envelope()], [worker()], "resume_worker", "worker_interrupted", id="spec-row-4"),
        pytest.param(None, [], [], "nothing", "nothing_open", id="nothing-at-all"),
        pytest.param(None, [envelope()], [], "redispatch_step", "envelope_only", id="envelope-alone"),
        pytest.param({"workflow_step": ""}, [], [], "continue", "no_step", id="no-steps"),
        pytest.param({"workflow_step": "design"}, [], [], "continue", "no_step", id="a-step-without-number"),
        pytest.param({}, [envelope(3, "complete", updated=AFTER)], [], "nothing", "step_complete", id="done"),
        pytest.param({}, [envelope(3, "complete", updated=BEFORE)], [], "ask_user",
                     "complete_before_interruption", id="said-done-too-early"),
        pytest.param({}, [envelope(3, "complete", updated=AFTER), envelope(4)], [], "redispatch_step",
                     "step_interrupted", id="somebody-went-on"),
        pytest.param({}, [envelope(3, "blocked")], [], "ask_user", "step_blocked", id="blocked"),
        pytest.param({}, [envelope(3, "fatal")], [worker()], "ask_user", "step_fatal", id="fatal"),
        pytest.param({}, [envelope(2), envelope(3)], [], "ask_user", "two_open_steps", id="two-open"),
        pytest.param({}, [envelope(3, "x", problem="status: x")], [], "ask_user", "envelope_broken",
                     id="broken"),
        pytest.param({"workflow_step": ""}, [envelope(2, "blocked")], [], "ask_user", "step_blocked",
                     id="last"),
        pytest.param({}, [envelope()], [worker(step=2)], "redispatch_step", "step_interrupted",
                     id="old-worker"),
        pytest.param({}, [envelope()], [worker("complete")], "redispatch_step", "step_interrupted",
                     id="report"),
        pytest.param({"subagents_running": ["explore"]}, [envelope()], [], "redispatch_step", "worker_lost",
                     id="lost"),
        pytest.param({"subagents_running": ["general-purpose"]}, [envelope()], [worker("complete")],
                     "redispatch_step", "step_interrupted", id="running-then-ended"),
        pytest.param({}, [envelope(3, "complete", updated=AFTER)], [worker()], "ask_user",
                     "worker_of_a_complete_step", id="worker-of-a-complete-step"),
    ],
)  # fmt: skip
def test_plan(point: Any, steps: Any, workers: Any, action: str, why: str) -> None:
    made = None if point is None else resume_point(**point)
    plan = rp.plan_resume(made, steps, workers)
    assert (plan["action"], plan["why"]) == (action, why)
    assert bool(plan["question"]) <= (action == "ask_user")


def test_plan_carries_what_the_step_needs() -> None:
    parts = [
        {"text": "a", "status": "done"},
        {"text": "b", "status": "open"},
        {"text": "c", "status": "open"},
    ]
    skill: Any = {"path": "c.md", "skill": "deep-thinking", "phase": "round-0", "status": "open", "next": "",
                  "update": "", "resume": ""}  # fmt: skip
    plan = rp.plan_resume(resume_point(), [envelope(substeps=parts)], [worker("complete")], skill)
    assert (plan["step"], plan["substep"], plan["resume_from"]) == (3, 2, "sub-step 2/3")
    assert plan["inputs"] == ["docs/design.md"] and plan["campaign"] == "fix-login"
    assert [one["worker"] for one in plan["reports"]] == ["a1"] and plan["workers"] == []
    assert plan["checkpoint"] == skill
    assert rp.plan_resume(resume_point(), [], [], {**skill, "status": "complete"})["checkpoint"] is None


def test_without_an_envelope_the_resume_point_says_where_and_what_to_read() -> None:
    plan = rp.plan_resume(resume_point(), [], [])
    assert (plan["resume_from"], plan["step"]) == ("todo 4/7", 3)
    assert plan["inputs"] == ["docs/report.md", "src/four.ts"]
    plan = rp.plan_resume(
        resume_point(step_inputs=["in.md"], substeps=[{"text": "a", "status": "open"}]), [], []
    )
    assert (plan["resume_from"], plan["inputs"]) == ("sub-step 1/1", ["in.md"])


STATUSES = st.sampled_from(["incomplete", "complete", "blocked", "fatal"])


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("point", [None, {"workflow_step": ""}, {"workflow_step": "x"}])
@pytest.mark.parametrize("workers", [[], [worker("incomplete", 0)], [worker("complete", 0)]])
@pytest.mark.parametrize("running", [[], ["explore"]])
def test_without_a_step_the_plan_names_none(language: Any, point: Any, workers: Any, running: Any) -> None:
    made = None if point is None else resume_point(**point, subagents_running=running)
    plan = rp.plan_resume(made, [], workers)
    line = plan_line(plan, language)
    assert plan["step"] is None and "step=" not in line and f"({plan['action']})" in line


@given(
    st.none() | st.sampled_from(["", "step1", "step2", "x"]),
    st.lists(st.tuples(st.integers(1, 3), STATUSES), max_size=3, unique_by=lambda one: one[0]),
    st.lists(st.tuples(st.integers(0, 3), STATUSES), max_size=2),
    st.lists(st.just("general-purpose"), max_size=2),
)
def test_any_files_have_a_plan(point: Any, steps: Any, workers: Any, running: Any) -> None:
    made = None if point is None else resume_point(workflow_step=point, subagents_running=running)
    plan = rp.plan_resume(made, [envelope(*one) for one in steps], [worker(s, n) for n, s in workers])
    if plan["action"] == "redispatch_step":
        assert plan["envelope"] and plan["step"]
    if plan["action"] == "resume_worker":
        assert plan["workers"]
    if plan["action"] == "generate_envelope":
        assert plan["step"] and not plan["envelope"]
    if plan["action"] == "nothing":
        assert not [status for _, status in steps if status == "incomplete"]
