"""Journal records as the hooks write them, and states made of them, for the tests of what folds them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from safepoint.hot import events as ev
from safepoint.hot import session
from safepoint.hot.policies import todo_log
from safepoint.hot.records import command_key
from safepoint.hot.shapes import Host, Record, SessionState

SESSION = "5f1c7a52-0d0e-4d5c-9d55-0a3e8b1d2c3f"


def record(kind: str, **fields: Any) -> Record:
    made: Any = {"kind": kind, "at": 1000.0, **fields}
    if "command" in made:
        made.setdefault("command_key", command_key(made["command"]))
        made.setdefault("tool", ev.SHELL)
    return made  # type: ignore[no-any-return]


def before(call: str = "c1", tool: str = ev.SHELL, **fields: Any) -> Record:
    return record(ev.BEFORE_TOOL, call=call, tool=tool, **fields)


def after(call: str = "c1", tool: str = ev.SHELL, ok: bool = True, **fields: Any) -> Record:
    return record(ev.AFTER_TOOL if ok else ev.TOOL_FAILED, call=call, tool=tool, ok=ok, **fields)


def ran(command: str, code: int | None = 0, call: str = "c1", **fields: Any) -> Record:
    """A shell command that ended, as the host's tool event tells it."""
    return after(call, command=command, exit=code, ok=code in (0, None), summary=command, **fields)


def wrote(path: str, tool: str = ev.WRITE, ok: bool = True) -> Record:
    return after(tool=tool, file=path, ok=ok, summary=path)


def todo(number: int, content: str, status: str = "pending") -> dict[str, str]:
    return {"id": str(number), "content": content, "status": status, "active_form": content}


def todos_written(*items: dict[str, str]) -> Record:
    return after(tool=ev.TODO_WRITE, todo={"op": "write", "items": list(items)})


def state_of(*records: Record, host: Host = "claude_code") -> SessionState:
    state = session.new_state(SESSION, "", host)
    for made in records:
        state = session.apply(state, made)
    return state


# --- any sequence of records, in any order ---------------------------------------------------------------

_CALLS = st.sampled_from(["c1", "c2", "c3"])
_COMMANDS = st.sampled_from(["make", "git status", "echo 'あ' > x", "npm test && git commit -m x"])
_TEXTS = st.sampled_from(["", "one", "two words", "日本語", "\ud83d half"])
_TODOS = st.lists(
    st.builds(todo, st.integers(1, 3), _TEXTS, st.sampled_from(["pending", "in_progress", "completed"])),
    max_size=3,
)
_CHANGES = st.one_of(
    st.fixed_dictionaries({"op": st.sampled_from(["write", "sync"]), "items": _TODOS}),
    st.fixed_dictionaries({"op": st.just("create"), "id": st.sampled_from(["1", ""]), "content": _TEXTS}),
    st.fixed_dictionaries(
        {"op": st.sampled_from(["update", "delete"]), "id": st.sampled_from(["1", "2", ""]),
         "status": st.sampled_from(["completed", "in_progress", "deleted", ""])}
    ),
)  # fmt: skip
_READINGS = st.fixed_dictionaries(
    {"tokens": st.none() | st.integers(0, 200_000), "measured": st.none(), "estimated": st.integers(0, 9),
     "window": st.just(200_000), "source": st.sampled_from(["host", "estimate", "unknown"]),
     "window_source": st.just("model_table")}
)  # fmt: skip
_COMMON = {
    "key": st.sampled_from(["", "k1", "k2", "k3", "k4"]) | st.uuids().map(str),
    "at": st.integers(0, 5_000_000_000).map(lambda ms: ms / 1000),
    "generation": st.sampled_from(["g1", "g2"]),
    "model": st.sampled_from(["claude-sonnet-4-5", "default"]),
    "host_version": st.just("3.20.17"),
}
_TOOL = {
    "call": _CALLS, "tool": st.sampled_from([ev.READ, ev.WRITE, ev.SUBAGENT, ev.TODO_WRITE, "WebFetch"]),
    "tokens_in": st.integers(0, 5000), "tokens_out": st.integers(0, 5000), "file": _TEXTS,
    "ok": st.booleans(), "background": st.booleans(), "error": _TEXTS, "summary": _TEXTS, "todo": _CHANGES,
    "status": st.sampled_from(["", "denied", "completed"]), "reading": _READINGS,
    "level": st.sampled_from(["green", "yellow", "red"]),
}  # fmt: skip
_OFFER = st.fixed_dictionaries(
    {"session_id": st.just("other"), "shown": st.booleans(), "claimed": st.booleans(),
     "settled": st.booleans()}
)  # fmt: skip
_GIVEN = st.fixed_dictionaries(
    {"completed_work": st.just([{"description": "made", "known": "verified", "evidence": "", "at": 1.0}]),
     "todos": _TODOS, "files_changed": st.just(["a.py"]),
     "open_errors": st.just([{"key": "Shell:x", "tool": "Shell", "message": "broke", "at": 1.0}])}
)  # fmt: skip
_OWN = {
    "name": _TEXTS, "text": _TEXTS, "reason": st.sampled_from(["full", "compacted", "notification", ""]),
    "status": st.sampled_from(["saving", "saved", "failed"]), "call": _CALLS,
    "verdict": st.sampled_from(["deny", "brief"]), "tokens": st.integers(0, 50_000),
    "git": st.just({"branch": "main"}), "checkpoint": _TEXTS, "handoff": _TEXTS,
}  # fmt: skip
_VALUES = {
    session.OFFER: st.none() | _OFFER,
    session.WAITING: st.lists(st.tuples(_TEXTS, _TEXTS).map(list), max_size=2),
    session.INHERIT: _GIVEN,
    session.YELLOW: st.booleans(),
    session.PAUSE: st.booleans(),
}
_TODO_FIELDS = {"todo": _CHANGES, "tool": st.sampled_from(["TodoWrite", "TaskUpdate", "TaskList"])}
_HOST_KINDS = [
    ev.SESSION_START, ev.PROMPT, ev.SUBAGENT_START, ev.RESPONSE, ev.COMPACT, ev.TURN_END, ev.SESSION_END,
    ev.MODEL_SWITCH,
]  # fmt: skip
_OWN_KINDS = [
    session.YELLOW, session.LATCH, session.RELEASE, session.DENY, session.GRACE, session.EXTEND,
    session.PAUSE, session.CAMPAIGN, session.STEP, session.OFFER, session.TOLD, session.WAITING,
    session.GIT, session.INHERIT, todo_log.CALL, todo_log.INTENT, todo_log.REFUSED, todo_log.REMINDED,
]  # fmt: skip


def _own(kind: str) -> st.SearchStrategy[Record]:
    fixed = {"kind": st.just(kind), **({"value": _VALUES[kind]} if kind in _VALUES else {})}
    return st.fixed_dictionaries(fixed, optional={**_OWN, **_TODO_FIELDS, "at": _COMMON["at"]})  # type: ignore[return-value]


def _host(kinds: list[str], fields: dict[str, Any]) -> st.SearchStrategy[Record]:
    return st.fixed_dictionaries(  # type: ignore[return-value]
        {"kind": st.sampled_from(kinds)}, optional={**_COMMON, **fields}
    )


def _shell(kind: str) -> st.SearchStrategy[Record]:
    fields = st.fixed_dictionaries(
        {"call": _CALLS, "command": _COMMANDS, "ok": st.booleans(), "exit": st.none() | st.integers(0, 2)},
        optional=_COMMON,
    )
    return fields.map(lambda given: record(kind, **given))


RECORDS: st.SearchStrategy[Record] = st.one_of(
    *[_shell(kind) for kind in (ev.BEFORE_TOOL, ev.BEFORE_SHELL, ev.AFTER_TOOL, ev.AFTER_SHELL)],
    _host([ev.BEFORE_TOOL, ev.BEFORE_READ, ev.AFTER_TOOL, ev.TOOL_FAILED, "of a later version"], _TOOL),
    _host(
        _HOST_KINDS,
        {"text": _TEXTS, "source": st.sampled_from(["startup", "resume", "clear"]),
         "reason": st.sampled_from(["", "notification"]), "context_tokens": st.integers(0, 200_000),
         "window": st.sampled_from([200_000, 1_000_000]), "input_sum": st.integers(0, 500_000)},
    ),
    _host([ev.BATCH], {"calls": st.lists(_CALLS, max_size=3)}),
    _host([ev.SUBAGENT_STOP], {"summary": _TEXTS, "value": st.just({"files": ["a.py", "b.py"]})}),
    *[_own(kind) for kind in _OWN_KINDS],
)  # fmt: skip
