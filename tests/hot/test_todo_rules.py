from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import events as ev
from safepoint.hot.policies import todos
from safepoint.hot.policies.todo_rules import (
    DUPLICATE,
    EMPTY,
    LIST,
    MAX_OPEN,
    ONE,
    REQUIRED,
    STATUS,
    judge,
    key,
    plan,
)
from safepoint.hot.shapes import TodoIntent, TodoItem

MAX = 3


def item(number: int, content: str, status: str = "pending", owner: str = "") -> TodoItem:
    made: Any = {"id": str(number), "content": content, "status": status, "active_form": content}
    return {**made, "owner": owner} if owner else made


def entry(
    content: Any = "a", status: Any = "pending", active: Any = "doing a", **more: Any
) -> dict[str, Any]:
    return {"content": content, "status": status, "activeForm": active, **more}


def intent(call: str, op: str = "update", **what: str) -> TodoIntent:
    return {"call": call, "todo": {"op": op, **what}}  # type: ignore[typeddict-item]


def rule(tool: str, given: Any, items: Any = (), intents: Any = (), call: str = "me") -> str:
    broken = judge(tool, given, list(items), list(intents), call, MAX)
    return broken.rule if broken else ""


RUNNING, WAITING, DONE = item(1, "a", "in_progress"), item(2, "b"), item(3, "c", "completed")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({"todos": []}, "", id="emptied"),
        pytest.param({"items": [entry()]}, "", id="items"),
        pytest.param({}, LIST, id="no-list"),
        pytest.param({"todos": {"content": "a"}}, LIST, id="object-for-a-list"),
        pytest.param({"todos": [None]}, REQUIRED, id="nothing-for-an-item"),
        pytest.param({"todos": [entry(None)]}, REQUIRED, id="no-content"),
        pytest.param({"todos": [entry(status=None)]}, REQUIRED, id="no-status"),
        pytest.param({"todos": [entry(active=None)]}, REQUIRED, id="no-active-form"),
        pytest.param({"todos": [entry(active=7)]}, REQUIRED, id="active-form-no-text"),
        pytest.param({"todos": [entry(" \n")]}, EMPTY, id="blank"),
        pytest.param({"todos": [entry("\u3000")]}, EMPTY, id="blank-after-nfkc"),
        pytest.param({"todos": [entry(active=" ")]}, EMPTY, id="blank-active-form"),
        pytest.param({"todos": [entry(status="done")]}, STATUS, id="unknown-status"),
        pytest.param({"todos": [entry(), entry(" a ")]}, DUPLICATE, id="alike-after-trimming"),
        pytest.param({"todos": [entry("ABC"), entry("ＡＢＣ")]}, DUPLICATE, id="alike-after-nfkc"),
        pytest.param({"todos": [entry(), entry("A")]}, "", id="case-tells-apart"),
        pytest.param({"todos": [entry(status="completed"), entry()]}, "", id="alike-but-one-is-done"),
        pytest.param({"todos": [entry(str(n)) for n in range(MAX)]}, "", id="as-many-as-may-be"),
        pytest.param({"todos": [entry(str(n)) for n in range(MAX + 1)]}, MAX_OPEN, id="one-too-many"),
        pytest.param({"todos": [entry(str(n), "completed") for n in range(9)]}, "", id="done-ones-are-free"),
        pytest.param({"todos": [entry("a", "in_progress"), entry("b", "in_progress")]}, ONE, id="two-run"),
        pytest.param(
            {"todos": [entry("a", "in_progress", owner="x"), entry("b", "in_progress", owner="y")]}, "",
            id="two-run-for-two-owners",
        ),
    ],
)  # fmt: skip
def test_write(given: Any, expected: str) -> None:
    assert rule(ev.TODO_WRITE, given) == expected


@pytest.mark.parametrize(
    ("given", "items", "expected"),
    [
        pytest.param({"subject": "x"}, [], "", id="active-form-is-not-needed"),
        pytest.param({}, [], REQUIRED, id="no-subject"),
        pytest.param({"subject": 3}, [], REQUIRED, id="subject-no-text"),
        pytest.param({"subject": " "}, [], EMPTY, id="blank"),
        pytest.param({"subject": " b"}, [RUNNING, WAITING], DUPLICATE, id="alike"),
        pytest.param({"subject": "c"}, [DONE], "", id="alike-but-done"),
        pytest.param({"subject": "x"}, [item(n, str(n)) for n in range(MAX)], MAX_OPEN, id="full"),
        pytest.param({"subject": "x"}, [{**WAITING, "id": ""}] * MAX, "", id="handed-over-ones-do-not-count"),
    ],
)
def test_create(given: Any, items: list[TodoItem], expected: str) -> None:
    assert rule(ev.TASK_CREATE, given, items) == expected


@pytest.mark.parametrize(
    ("given", "items", "expected"),
    [
        pytest.param({"taskId": "2", "status": "in_progress"}, [RUNNING, WAITING], ONE, id="second-start"),
        pytest.param({"taskId": "2", "status": "in_progress"}, [WAITING, DONE], "", id="first-start"),
        pytest.param({"taskId": "1", "status": "in_progress"}, [RUNNING], "", id="started-again"),
        pytest.param({"taskId": "9", "status": "in_progress"}, [RUNNING], ONE, id="start-of-one-unseen"),
        pytest.param({"taskId": "9", "status": "in_progress"}, [WAITING], "", id="unseen-but-free"),
        pytest.param({"taskId": "2", "status": "in_progress", "owner": "bob"}, [RUNNING, WAITING], "",
                     id="another-owner"),
        pytest.param({"taskId": "2", "status": "in_progress"},
                     [item(1, "a", "in_progress", "bob"), item(2, "b", owner="bob")], ONE, id="same-owner"),
        pytest.param({"taskId": "2", "owner": "bob", "status": "in_progress"},
                     [item(1, "a", "in_progress", "bob"), item(2, "b", "in_progress")], ONE,
                     id="handed-to-one-who-has-his"),
        pytest.param({"taskId": "2", "owner": "bob"},
                     [item(1, "a", "in_progress", "bob"), item(2, "b", "in_progress")], ONE,
                     id="given-to-one-who-has-his"),
        pytest.param({"taskId": "2", "status": "in_progress"}, [{**RUNNING, "id": ""}, WAITING], "",
                     id="handed-over-one-cannot-be-completed-so-it-does-not-block"),
        pytest.param({"taskId": "1", "status": "completed"}, [RUNNING], "", id="complete"),
        pytest.param({"taskId": "1", "status": "deleted"}, [RUNNING], "", id="delete"),
        pytest.param({"taskId": "1", "status": "pending"}, [RUNNING, WAITING], "", id="put-back"),
        pytest.param({"taskId": "1", "status": "done"}, [RUNNING], STATUS, id="unknown-status"),
        pytest.param({"status": "completed"}, [RUNNING], REQUIRED, id="no-id"),
        pytest.param({"taskId": 1, "status": "completed"}, [RUNNING], "", id="id-as-number"),
        pytest.param({"taskId": "1", "subject": ""}, [RUNNING], EMPTY, id="emptied"),
        pytest.param({"taskId": "1", "subject": "b"}, [RUNNING, WAITING], DUPLICATE, id="renamed-alike"),
        pytest.param({"taskId": "1", "subject": "a "}, [RUNNING, WAITING], "", id="its-own-name"),
        pytest.param({"taskId": "1", "subject": "x"}, [item(n, str(n)) for n in range(9)], "",
                     id="renaming-takes-no-place"),
        pytest.param({"taskId": "3", "status": "pending"}, [DONE, item(4, "c")], DUPLICATE,
                     id="taken-up-again-alike"),
        pytest.param({"taskId": "3", "status": "in_progress"},
                     [DONE, *[item(n, str(n)) for n in range(5, 5 + MAX)]], MAX_OPEN, id="taken-up-too-many"),
    ],
)  # fmt: skip
def test_update(given: Any, items: list[TodoItem], expected: str) -> None:
    assert rule(ev.TASK_UPDATE, given, items) == expected


START = {"taskId": "2", "status": "in_progress"}


@pytest.mark.parametrize(
    ("tool", "given", "intents", "expected"),
    [
        pytest.param(ev.TASK_UPDATE, START, [intent("o", id="1", status="completed"), intent("me")], "",
                     id="freed-before"),
        pytest.param(ev.TASK_UPDATE, START, [intent("me"), intent("o", id="1", status="completed")], "",
                     id="freed-after"),
        pytest.param(ev.TASK_UPDATE, START, [intent("me"), intent("o", "delete", id="1")], "",
                     id="deleted-after"),
        pytest.param(ev.TASK_UPDATE, START, [intent("me"), intent("o", id="1", status="pending")], "",
                     id="put-back-after"),
        pytest.param(ev.TASK_UPDATE, START,
                     [intent("o", id="1", status="completed"), intent("p", id="4", status="in_progress"),
                      intent("me")], ONE, id="another-start-came-first"),
        pytest.param(ev.TASK_UPDATE, START,
                     [intent("o", id="1", status="completed"), intent("me"),
                      intent("p", id="4", status="in_progress")], "", id="another-start-comes-second"),
        pytest.param(ev.TASK_CREATE, {"subject": "x"}, [intent("o", "create", content="x"), intent("me")],
                     DUPLICATE, id="created-by-the-sibling"),
        pytest.param(ev.TASK_CREATE, {"subject": "x"}, [intent("me"), intent("o", "create", content="x")], "",
                     id="created-by-a-later-sibling"),
    ],
)  # fmt: skip
def test_calls_of_one_message(tool: str, given: Any, intents: list[TodoIntent], expected: str) -> None:
    broken = judge(tool, given, [RUNNING, WAITING, item(4, "d")], intents, "me", 20)
    assert (broken.rule if broken else "") == expected


def test_places_that_siblings_take_are_counted() -> None:
    intents = [intent(f"c{n}", "create", content=f"new {n}") for n in range(MAX + 1)]
    verdicts = [rule(ev.TASK_CREATE, {"subject": f"new {n}"}, [], intents, f"c{n}") for n in range(MAX + 1)]
    assert verdicts == [""] * MAX + [MAX_OPEN]


@pytest.mark.parametrize("tool", [ev.TASK_LIST, ev.TASK_GET, ev.OWN_TODO, ev.SHELL])
def test_other_tools_have_no_rules(tool: str) -> None:
    assert rule(tool, {}, [RUNNING]) == ""


def test_key_trims_and_normalises() -> None:
    assert key("  ｶﾞ\u3000") == "ガ"


# --- laws ------------------------------------------------------------------------------------------------

_NAMES = st.sampled_from(["a", "b", "c", " a", "ａ", ""])
_UPDATES = st.fixed_dictionaries(
    {"taskId": st.sampled_from(["1", "2", "3", "9", ""])},
    optional={"status": st.sampled_from(["pending", "in_progress", "completed", "deleted", "done"]),
              "subject": _NAMES, "owner": st.sampled_from(["", "ann"])},
)  # fmt: skip
_CALLS = st.one_of(
    st.tuples(st.just(ev.TASK_UPDATE), _UPDATES),
    st.tuples(st.just(ev.TASK_CREATE), st.fixed_dictionaries({"subject": _NAMES})),
    st.tuples(
        st.just(ev.TODO_WRITE),
        st.fixed_dictionaries(
            {"todos": st.lists(st.builds(entry, _NAMES, st.sampled_from(todos.STATUSES)), max_size=5)}
        ),
    ),
)


def assert_sound(items: list[TodoItem]) -> None:
    open_items = [one for one in items if todos.is_open(one)]
    assert len(open_items) <= MAX
    assert len({key(one["content"]) for one in open_items}) == len(open_items)
    assert all(key(one["content"]) for one in open_items)
    running = [one.get("owner", "") for one in open_items if one["status"] == "in_progress"]
    assert len(running) == len(set(running))


@settings(max_examples=300, deadline=None)
@given(st.lists(_CALLS, max_size=12))
def test_no_sequence_of_allowed_calls_breaks_the_list(calls: list[tuple[str, Any]]) -> None:
    from safepoint.hot.events import Event
    from safepoint.hot.todo_calls import read_change

    items: list[TodoItem] = []
    created = 0
    for tool, given_input in calls:
        if rule(tool, given_input, items):
            continue
        created += tool == ev.TASK_CREATE
        event = Event(ev.AFTER_TOOL, "claude_code", "s")
        event.tool, event.tool_input = tool, given_input
        event.output = {"task": {"id": str(created)}}
        change = read_change(event)
        assert change is not None
        items = todos.change(items, change)
        assert_sound(items)


@settings(max_examples=200, deadline=None)
@given(st.permutations([("complete", "1"), ("start", "2"), ("start", "3"), ("start", "4")]))
def test_of_parallel_starts_exactly_the_first_goes_through(order: list[tuple[str, str]]) -> None:
    status = {"complete": "completed", "start": "in_progress"}
    items = [RUNNING, *[item(n, f"item {n}") for n in (2, 3, 4)]]
    intents = [intent(task, id=task, status=status[what]) for what, task in order]
    passed = [
        task
        for what, task in order
        if not judge(ev.TASK_UPDATE, {"taskId": task, "status": status[what]}, items, intents, task, 20)
    ]
    starts = [task for what, task in order if what == "start"]
    assert passed == [task for task in (one for _, one in order) if task == "1" or task == starts[0]]
    assert [one["id"] for one in plan(items, intents, "") if one["status"] == "in_progress"] != []
