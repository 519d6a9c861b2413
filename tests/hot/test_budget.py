from __future__ import annotations

import itertools
from typing import Any

import pytest
from sessions import after, before, record, state_of

from safepoint.hot import events as ev
from safepoint.hot import session
from safepoint.hot.events import Event
from safepoint.hot.policies import budget
from safepoint.hot.policies.budget import DENY, DENY_BRIEF, GO, GRACE, SAVE, WARN, YELLOW
from safepoint.hot.shapes import Host, Level, Record, SessionState, Settings

COMMANDS = ["git status", "git diff", "git add", "git commit"]
PROJECT = "/home/dev/shop"
FOLDER = ".cursor/.session"
HANDOFF, NOTES, REPORT = f"{FOLDER}/handoff-s.md", f"{FOLDER}/handoff-s.notes.md", "docs/report.md"
OWN = budget.OwnFiles(HANDOFF, NOTES, REPORT)


def framework(mode: str = "enforce", calls: int = 5) -> Settings:
    made: Any = {"mode": mode, "grace": {"calls": calls, "commands": COMMANDS}}
    return made  # type: ignore[no-any-return]


def call(
    tool: str = ev.WRITE, kind: str = ev.BEFORE_TOOL, host: Host = "claude_code", **fields: str
) -> Event:
    event = Event(kind, host, "s")
    event.tool, event.project = tool, PROJECT
    for name, value in fields.items():
        setattr(event, name, value)
    return event


def latched(phase: str, cause: str = "full") -> list[Record]:
    latches = [record(session.LATCH, status="saving", reason=cause)]
    if phase != "saving":
        latches.append(record(session.LATCH, status=phase, reason=cause, checkpoint="c", handoff="h"))
    return latches


def denied(name: str, state: SessionState, verdict: str = DENY) -> Record:
    return record(session.DENY, call=name, name=budget.message_key(state), verdict=verdict)


def graced(*calls: str) -> list[Record]:
    return [made for name in calls for made in (before(name), record(session.GRACE, call=name))]


# --- judge -----------------------------------------------------------------------------------------------

ORDINARY = call(ev.SHELL, command="make")
SAVING_WORDS = call(ev.SHELL, command="git commit -m done")
PHASES = [None, "saving", "saved", "failed"]
LEVELS: list[Level] = ["green", "yellow", "red"]


def expected(phase: str | None, level: Level, mode: str, paused: bool, used_up: bool, ordinary: bool) -> str:
    """What the design says, said once more in other words."""
    stops = mode == "enforce" and not paused
    if phase is None:
        return {"green": GO, "yellow": YELLOW, "red": SAVE if stops else YELLOW if paused else WARN}[level]
    if not stops:
        return GO
    if not ordinary and not used_up:
        return GRACE
    return DENY if phase == "saved" else SAVE


@pytest.mark.parametrize("ordinary", [True, False], ids=["ordinary", "grace-kind"])
@pytest.mark.parametrize("used_up", [False, True], ids=["grace-left", "grace-used"])
@pytest.mark.parametrize("paused", [False, True], ids=["running", "paused"])
@pytest.mark.parametrize("mode", ["enforce", "warn"])
def test_verdict(mode: str, paused: bool, used_up: bool, ordinary: bool) -> None:
    event = ORDINARY if ordinary else SAVING_WORDS
    for phase, level in itertools.product(PHASES, LEVELS):
        records = latched(phase) if phase else []
        records += graced("g1", "g2") if used_up else []
        state = state_of(*records, record(session.PAUSE, value=paused))
        verdict = budget.judge(state, event, level, framework(mode, calls=2), OWN)
        assert verdict == expected(phase, level, mode, paused, used_up, ordinary), (phase, level)


@pytest.mark.parametrize("level", ["yellow", "red"])
def test_yellow_is_told_once(level: Level) -> None:
    state = state_of(record(session.YELLOW, value=True), record(session.PAUSE, value=True))
    assert budget.judge(state, ORDINARY, level, framework(), OWN) == GO


def test_red_that_may_not_deny_is_told_once_and_no_yellow_after_it() -> None:
    state = state_of(record(session.TOLD, name=budget.RED_TOLD))
    for level in LEVELS:
        assert budget.judge(state, ORDINARY, level, framework("warn"), OWN) == GO


def test_after_green_both_levels_are_news_again() -> None:
    state = state_of(record(session.TOLD, name=budget.RED_TOLD), record(session.YELLOW, value=False))
    verdicts = [budget.judge(state, ORDINARY, level, framework("warn"), OWN) for level in LEVELS]
    assert verdicts == [GO, YELLOW, WARN]


def test_full_reason_once_per_message() -> None:
    state = state_of(*latched("saved"))
    assert budget.judge(state, ORDINARY, "red", framework(), OWN) == DENY
    session.apply(state, denied("c1", state))
    assert budget.judge(state, ORDINARY, "red", framework(), OWN) == DENY_BRIEF
    session.apply(state, denied("c2", state, DENY_BRIEF))
    session.apply(state, record(ev.BATCH, calls=["c1", "c2"]))
    assert budget.judge(state, ORDINARY, "red", framework(), OWN) == DENY


@pytest.mark.parametrize(
    "made",
    [record(ev.PROMPT, text="go on"), before("c9", generation="g2")],
    ids=["prompt", "generation"],
)
def test_new_turn_is_told_the_full_reason(made: Record) -> None:
    state = state_of(*latched("saved"))
    session.apply(state, denied("c1", state))
    session.apply(state, made)
    assert budget.judge(state, ORDINARY, "red", framework(), OWN) == DENY


@pytest.mark.parametrize(
    ("event", "grace"),
    [
        pytest.param(call(ev.READ, file_path=f"{PROJECT}/{HANDOFF}"), True, id="read-handoff"),
        pytest.param(call(ev.READ, file_path=NOTES), True, id="read-notes"),
        pytest.param(call(ev.READ, ev.BEFORE_READ, file_path=REPORT), True, id="content-of-report"),
        pytest.param(call(ev.READ, file_path=f"{PROJECT}/src/a.py"), False, id="read-source"),
        pytest.param(call(ev.WRITE, file_path=f"{PROJECT}/{NOTES}"), True, id="write-notes"),
        pytest.param(call(ev.EDIT, file_path="./" + REPORT), True, id="edit-report"),
        pytest.param(call(ev.WRITE, file_path=HANDOFF), False, id="write-handoff"),
        pytest.param(call(ev.EDIT, file_path=f"{PROJECT}/src/a.py"), False, id="edit-source"),
        pytest.param(call(ev.WRITE, file_path=f"/elsewhere/{NOTES}"), False, id="same-name-elsewhere"),
        pytest.param(call(ev.WRITE, file_path=f"{NOTES}/../../x"), False, id="path-with-dots"),
        pytest.param(call(ev.WRITE, file_path=""), False, id="write-nowhere"),
        pytest.param(call(ev.DELETE, file_path=NOTES), False, id="delete-notes"),
        pytest.param(call(ev.TODO_WRITE), True, id="todo-write"),
        pytest.param(call(ev.TASK_UPDATE), True, id="task-update"),
        pytest.param(call(ev.TOOL_SEARCH), True, id="tool-search"),
        pytest.param(call(ev.SUBAGENT), False, id="subagent"),
        pytest.param(call("", ev.SUBAGENT_START), False, id="subagent-start"),
        pytest.param(call("WebFetch"), False, id="unknown-tool"),
        pytest.param(call(ev.SHELL, command="git status"), True, id="git-status"),
        pytest.param(call(ev.SHELL, ev.BEFORE_SHELL, command="git diff"), True, id="shell-event"),
        pytest.param(call(ev.SHELL, command="git push"), False, id="git-push"),
    ],
)
def test_grace_saves_words_and_commits_and_nothing_else(event: Event, grace: bool) -> None:
    state = state_of(*latched("saved"))
    assert budget.is_grace(event, state, framework(), OWN) is grace
    assert not budget.is_grace(event, state, framework(calls=0), OWN)


def test_without_a_report_no_unnamed_file_is_open() -> None:
    own = budget.OwnFiles(HANDOFF, NOTES, "")
    for path in ("", "/", "./", PROJECT, PROJECT + "/"):
        assert not budget.is_grace(call(ev.WRITE, file_path=path), state_of(), framework(), own)


# --- Cursor asks twice for one call ----------------------------------------------------------------------


def test_both_events_of_one_shell_call_use_one_grace() -> None:
    asks = call(ev.SHELL, ev.BEFORE_SHELL, host="cursor", command="git status")
    state = state_of(
        *latched("saved"),
        before("c1", command="git status"),
        record(session.GRACE, call="c1"),
        record(ev.BEFORE_SHELL, call="Shell:g:1", command="git status"),
        host="cursor",
    )
    assert budget.judge(state, asks, "red", framework(calls=1), OWN) == GRACE
    session.apply(state, record(session.GRACE, call="Shell:g:1"))
    assert state["grace_used"] == 1
    other = call(ev.SHELL, ev.BEFORE_SHELL, host="cursor", command="git diff")
    assert budget.judge(state, other, "red", framework(calls=1), OWN) == DENY
    again = call(ev.SHELL, host="cursor", command="git status")
    assert budget.judge(state, again, "red", framework(calls=1), OWN) == DENY


def test_content_of_a_granted_read_uses_no_second_grace() -> None:
    state = state_of(
        *latched("saved"),
        before("c1", tool=ev.READ, file=REPORT),
        record(session.GRACE, call="c1"),
        host="cursor",
    )
    content = call(ev.READ, ev.BEFORE_READ, host="cursor", file_path=f"{PROJECT}/{REPORT}")
    assert budget.judge(state, content, "red", framework(calls=1), OWN) == GRACE
    other = call(ev.READ, ev.BEFORE_READ, host="cursor", file_path=f"{PROJECT}/{HANDOFF}")
    assert budget.judge(state, other, "red", framework(calls=1), OWN) == DENY


def test_shell_event_alone_uses_a_grace_of_its_own() -> None:
    state = state_of(
        *latched("saved"),
        record(ev.BEFORE_SHELL, call="Shell:g:1", command="git status"),
        record(session.GRACE, call="Shell:g:1"),
        host="cursor",
    )
    assert state["grace_used"] == 1


# --- simple commands -------------------------------------------------------------------------------------


# --- the fold --------------------------------------------------------------------------------------------


def test_latch_counts_its_attempts_and_keeps_the_checkpoints() -> None:
    state = state_of(*latched("failed"), *latched("saved"))
    assert state["latch"] == {
        "cause": "full", "at": 1000.0, "phase": "saved", "checkpoint": "c", "handoff": "h", "attempts": 2,
    }  # fmt: skip
    assert state["checkpoints"] == ["c"]


def test_release_starts_over() -> None:
    state = state_of(*latched("saved"), *graced("g1"))
    session.apply(state, denied("c1", state))
    session.apply(state, record(session.RELEASE))
    assert (state["latch"], state["grace_used"], state["granted"]) == (None, 0, [])
    assert state["deny"] == {"message": "", "full_told": False, "calls": [], "messages": 0}


def test_extensions_add_up() -> None:
    state = state_of(record(session.EXTEND, tokens=20_000), record(session.EXTEND, tokens=5_000))
    assert state["extended"] == 25_000


def test_denied_call_is_open_no_more_and_its_turn_is_told() -> None:
    state = state_of(*latched("saved"), before("c1", generation="g7"))
    session.apply(state, denied("c1", state))
    assert state["open_calls"] == {}
    assert state["told_generation"] == "g7"


# --- halting ---------------------------------------------------------------------------------------------


def message(state: SessionState, calls: dict[str, str]) -> None:
    """One model message: each call denied, or let through by grace, then its batch."""
    for name, fate in calls.items():
        session.apply(state, before(name))
        if fate == "grace":
            session.apply(state, record(session.GRACE, call=name))
            session.apply(state, after(name))
        elif fate == "denied":
            told = budget.judge(state, ORDINARY, "red", framework(), OWN)
            session.apply(state, denied(name, state, told))
    session.apply(state, record(ev.BATCH, calls=list(calls)))


ALL_DENIED, WITH_GRACE = {"a": "denied", "b": "denied"}, {"a": "denied", "b": "grace"}


@pytest.mark.parametrize(
    ("messages", "halts"),
    [
        pytest.param([ALL_DENIED] * 2, False, id="two"),
        pytest.param([ALL_DENIED] * 3, True, id="three"),
        pytest.param([ALL_DENIED] * 4, True, id="four"),
        pytest.param([ALL_DENIED, ALL_DENIED, WITH_GRACE, ALL_DENIED], False, id="grace-between"),
        pytest.param([ALL_DENIED, ALL_DENIED, WITH_GRACE] + [ALL_DENIED] * 3, True, id="three-after-grace"),
        pytest.param([ALL_DENIED] * 2 + [{"a": "unseen"}], False, id="call-that-no-hook-saw"),
        pytest.param([ALL_DENIED] * 2 + [{}], False, id="message-without-calls"),
    ],
)
def test_turn_ends_after_three_messages_that_were_all_denied(
    messages: list[dict[str, str]], halts: bool
) -> None:
    state = state_of(*latched("saved"))
    for number, calls in enumerate(messages):
        message(state, {f"{number}{name}": fate for name, fate in calls.items()})
    assert budget.must_halt(state) is halts


def test_released_session_never_halts() -> None:
    state = state_of(*latched("saved"))
    for number in range(3):
        message(state, {f"{number}": "denied"})
    session.apply(state, record(session.RELEASE))
    assert not budget.must_halt(state)


# --- releasing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause", ["full", "compacted"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("source", ["host", "transcript", "turn_sum", "estimate", "proxy", "unknown"])
def test_only_a_context_known_to_have_shrunk_opens_a_full_latch(
    cause: str, level: Level, source: str
) -> None:
    reading = {"tokens": 1, "measured": 1, "estimated": 0, "window": 9, "source": source,
               "window_source": "host"}  # fmt: skip
    state = state_of(*latched("saved", cause), before(reading=reading, level=level))
    is_measured = source in ("host", "transcript", "turn_sum", "unconfirmed")
    opens = cause == "full" and level == "green" and is_measured
    assert budget.may_release(state, level) is opens


@pytest.mark.parametrize(
    ("meter", "cause", "opens"),
    [
        ({"transcript": {"boundary": True, "base": None}}, "full", True),
        ({"transcript": {"boundary": True, "base": None}}, "compacted", False),
        ({"transcript": {"boundary": True, "base": 170_000}}, "full", False),
        ({"transcript": {"boundary": False, "base": None}}, "full", False),
        ({"compacted": True, "calls": 1}, "full", True),
        ({"compacted": True}, "full", False),  # only about to be
    ],
)
def test_a_compaction_without_a_figure_is_knowledge_enough(meter: Any, cause: str, opens: bool) -> None:
    state = state_of(*latched("saved", cause))
    state["meter"] = meter
    assert budget.may_release(state, "yellow") is opens  # of a proxy: the session has been long


def test_there_is_nothing_to_release_without_a_latch() -> None:
    assert not budget.may_release(state_of(), "green")
