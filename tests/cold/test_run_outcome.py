"""Why a session of a run ended, and what comes next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safepoint.run import outcome
from safepoint.run.backoff import pause_s
from safepoint.run.outcome import Counts, Ended, Left, Next, decide, reason

ENDED = [
    ("by itself", Ended(), "finished"),
    ("at red", Ended(latch="full"), "red"),
    ("after a compaction", Ended(latch="compacted"), "compacted"),
    ("at red, though the model then failed", Ended(1, is_error=True, api_status=529, latch="full"), "red"),
    ("killed", Ended(-9, has_result=False), "crashed"),
    ("killed before it began", Ended(-9, started=False, has_result=False, worked=False), "crashed"),
    ("killed at red", Ended(-9, has_result=False, latch="full"), "red"),
    ("no result, status 1", Ended(1, has_result=False), "crashed"),
    ("a wrong option", Ended(1, started=False, has_result=False, worked=False), "not_started"),
    ("said nothing, status 0", Ended(0, started=False, has_result=False, worked=False), "not_started"),
    ("overloaded", Ended(1, is_error=True, api_status=529), "overloaded"),
    ("rate limited", Ended(1, is_error=True, api_status=429), "rate_limited"),
    ("gateway", Ended(1, is_error=True, api_status=502), "overloaded"),
    ("key not valid", Ended(1, is_error=True, api_status=401), "refused"),
    ("most turns reached", Ended(1, is_error=True), "error"),
    ("hangs after its result", Ended(-15, hung=True), "hung"),
    ("asked by a person", Ended(-9, has_result=False, asked="interrupted"), "interrupted"),
    ("asked by the clock, at red", Ended(latch="full", asked="time_limit"), "time_limit"),
]


@pytest.mark.parametrize(("ended", "why"), [row[1:] for row in ENDED], ids=[row[0] for row in ENDED])
def test_reason(ended: Ended, why: str) -> None:
    assert reason(ended) == why


FIRST = Counts(sessions=1, max_sessions=10, unchanged=0, retries=0)
OPEN, DONE, NONE = Left(todos=4, todos_open=1), Left(todos=4), Left()
FRESH = Next("fresh")


def stop(name: str) -> str:
    return f"stop {name}"


DECIDED = [
    ("green, nothing listed", "finished", NONE, FIRST, stop("done")),
    ("green, list complete", "finished", DONE, FIRST, stop("done")),
    ("green, items open", "finished", OPEN, FIRST, "fresh"),
    ("green, list complete but a step open", "finished", Left(2, 1, "", 4, 0), FIRST, "fresh"),
    ("green, steps complete though items are open", "finished", Left(2, 0, "", 4, 2), FIRST, stop("done")),
    ("red", "red", NONE, FIRST, "fresh"),
    ("red, list complete", "red", DONE, FIRST, stop("done")),
    ("compacted", "compacted", OPEN, FIRST, "fresh"),
    ("crashed", "crashed", NONE, FIRST, "fresh"),
    ("an error", "error", NONE, FIRST, "fresh"),
    ("hung with nothing open", "hung", NONE, FIRST, stop("done")),
    ("overloaded", "overloaded", NONE, FIRST, "resume"),
    ("rate limited in the last session allowed", "rate_limited", NONE, Counts(10, 10, 1, 0), "resume"),
    ("overloaded for too long", "overloaded", NONE, Counts(1, 10, 0, 8), stop("failed")),
    ("refused", "refused", NONE, FIRST, stop("failed")),
    ("not started", "not_started", NONE, FIRST, stop("failed")),
    ("two that changed nothing", "red", OPEN, Counts(2, 10, 2, 0), stop("stuck")),
    ("the same, and the last allowed", "red", OPEN, Counts(10, 10, 2, 0), stop("stuck")),
    ("one that changed nothing", "red", OPEN, Counts(2, 10, 1, 0), "fresh"),
    ("the last allowed", "red", OPEN, Counts(10, 10, 0, 0), stop("limit")),
    ("a blocked step", "finished", Left(2, 1, "step 2 is blocked: no key"), FIRST, stop("stuck")),
    ("a blocked step at red", "red", Left(2, 1, "step 2 is blocked: no key"), FIRST, "fresh"),
    ("time", "time_limit", OPEN, FIRST, stop("limit")),
    ("interrupted with all done", "interrupted", DONE, FIRST, stop("interrupted")),
]


@pytest.mark.parametrize(
    ("why", "left", "counts", "expected"), [row[1:] for row in DECIDED], ids=[row[0] for row in DECIDED]
)
def test_decision(why: str, left: Left, counts: Counts, expected: str) -> None:
    step = decide(why, left, counts, Ended())
    assert f"{step.action} {step.outcome}".strip() == expected
    assert bool(step.why) == (step.action == "stop" and step.outcome != "interrupted")


@pytest.mark.parametrize(("unchanged", "came"), [(1, "failed"), (0, "done")])
def test_session_that_was_allowed_nothing_has_not_done_the_work(unchanged: int, came: str) -> None:
    counts = Counts(1, 10, unchanged, 0)
    assert decide("finished", NONE, counts, Ended(refused=2)).outcome == came


UNSEEN = Ended(seen=False)


@pytest.mark.parametrize("why", ["finished", "hung"])
@pytest.mark.parametrize(("left", "came"), [(NONE, "failed"), (OPEN, "failed"), (Left(2, 0), "done")])
def test_session_that_no_hook_has_seen_is_done_by_its_steps_only(why: str, left: Left, came: str) -> None:
    step = decide(why, left, FIRST, UNSEEN)
    assert (step.action, step.outcome) == ("stop", came)
    assert (step.why == outcome.NO_HOOK) == (came == "failed")


def test_agent_that_ends_without_a_word_is_told_with_its_status() -> None:
    ended = Ended(7, started=False, has_result=False, worked=False)
    assert decide("not_started", NONE, FIRST, ended).why.endswith("it ended with status 7 and said nothing")


def test_every_outcome_has_an_exit_status_of_its_own() -> None:
    assert len(set(outcome.EXIT.values())) == len(outcome.EXIT)
    assert not {2, 3} & set(outcome.EXIT.values()), "a wrong command line, and a bug"


@given(
    st.integers(1, 10_000), st.floats(0.01, 100), st.floats(0.01, 1000), st.floats(0, 1, exclude_max=True)
)
def test_pause_is_between_half_and_the_whole_of_what_it_may_be(
    attempt: int, first_s: float, most_s: float, chance: float
) -> None:
    longest = min(most_s, first_s * 2 ** min(attempt - 1, 30))
    assert longest / 2 <= pause_s(attempt, first_s, most_s, chance) <= longest


def test_pause_doubles() -> None:
    assert [pause_s(attempt, 15, 600, 0.5) for attempt in (1, 2, 3, 9)] == [11.25, 22.5, 45, 450]
