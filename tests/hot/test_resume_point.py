from __future__ import annotations

import copy

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from sessions import RECORDS, SESSION, before, ran, record, state_of, todo, todos_written, wrote

from safepoint.hot import events as ev
from safepoint.hot import session, shapes
from safepoint.hot.policies import resume_point
from safepoint.hot.shapes import Record

ADAPTER = TypeAdapter(shapes.ResumePoint)


@settings(max_examples=40, deadline=None)
@given(st.lists(RECORDS, max_size=20), st.sampled_from(["cursor", "claude_code"]))
def test_resume_point_of_any_state_has_its_declared_shape(records: list[Record], host: shapes.Host) -> None:
    point = resume_point.build(state_of(*copy.deepcopy(records), host=host), "after_tool", 1764520000)
    ADAPTER.validate_python(point, strict=True)
    assert set(point) == set(shapes.ResumePoint.__annotations__)


def test_resume_point_says_where_the_session_stands() -> None:
    state = state_of(
        record(ev.PROMPT, text="Fix the login"),
        record(session.CAMPAIGN, name="fix-login", text="docs/report.md"),
        record(session.STEP, name="step3", text="implementation"),
        record(session.GIT, git={"branch": "main"}),
        todos_written(todo(1, "a", "completed"), todo(2, "b", "in_progress")),
        wrote("a.py"),
        ran("make", 1),
    )
    point = resume_point.build(state, "red_guard", 1764520000)
    assert (point["campaign_slug"], point["workflow_step"]) == ("fix-login", "step3")
    assert (point["orig_session_id"], point["trigger"]) == (SESSION, "red_guard")
    assert point["todo_progress"] == {"done": 1, "total": 2, "current_item": "b"}
    assert point["next_action"]["description"] == "b"
    assert point["files_changed"] == ["a.py"]
    assert [item["description"] for item in point["completed_work"]] == ["a", "Write a.py"]
    assert point["git_snapshot"] == {"branch": "main"}


def test_given_slug_wins() -> None:
    assert resume_point.build(state_of(), "red_guard", 1, "session-5f1c")["campaign_slug"] == "session-5f1c"


def test_failed_command_is_no_completed_work_however_long_ago_it_failed() -> None:
    state = state_of(ran("make"), ran("make", 1), *[ran(f"npm run {n}") for n in range(30)])
    work = resume_point.build(state, "after_tool", 1)["completed_work"]
    assert "make" not in [item["description"] for item in work]


def test_newest_work_and_reads_are_shown() -> None:
    state = state_of(*[ran(f"make {n}") for n in range(50)], *[wrote(f"{n}.py", ev.READ) for n in range(60)])
    point = resume_point.build(state, "after_tool", 1)
    assert len(point["completed_work"]) == resume_point.PROJECTED_WORK
    assert point["completed_work"][-1]["description"] == "make 49"
    assert (len(point["files_read"]), point["files_read"][-1]) == (50, "59.py")


def test_running_subagents_are_named_as_well_as_they_are_known() -> None:
    state = state_of(
        before("c1", tool=ev.SUBAGENT, name="explore"), before("c2", tool=ev.SUBAGENT), before("c3")
    )
    assert resume_point.build(state, "after_tool", 1)["subagents_running"] == ["explore", "c2"]
