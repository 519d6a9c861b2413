from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import events as ev
from safepoint.hot.events import Event
from safepoint.hot.policies import todos
from safepoint.hot.todo_calls import TEXT_BYTES, read_change

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def call(tool: str, tool_input: Any, output: Any = None) -> Event:
    event = Event(ev.AFTER_TOOL, "claude_code", "s-1")
    event.tool, event.tool_input, event.output = tool, tool_input, output
    return event


def item(number: str, content: str, status: str = "pending", active: str = "") -> dict[str, str]:
    return {"id": number, "content": content, "status": status, "active_form": active or content}


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param(
            call(ev.TODO_WRITE, {"todos": [
                {"content": "a", "status": "completed", "activeForm": "Doing a"},
                {"content": "b", "status": "in_progress", "activeForm": "Doing b"},
            ]}),
            {"op": "write", "items": [item("1", "a", "completed", "Doing a"),
                                      item("2", "b", "in_progress", "Doing b")]},
            id="todo-write",
        ),
        pytest.param(
            call(ev.TODO_WRITE, {"items": [{"id": 7, "content": "a"}]}),
            {"op": "write", "items": [item("7", "a")]},
            id="items-with-a-number-as-id",
        ),
        pytest.param(
            call(ev.TODO_WRITE, {"todos": [{"content": "a", "status": "cancelled"}, "b", None, 3]}),
            {"op": "write", "items": [item("1", "a")]},
            id="unknown-status-is-pending-and-no-item-is-skipped",
        ),
        pytest.param(call(ev.TODO_WRITE, {"todos": []}), {"op": "write", "items": []}, id="emptied"),
        pytest.param(call(ev.TODO_WRITE, {"todos": "a, b"}), {"op": "write", "items": []}, id="no-list"),
        pytest.param(
            call(ev.TASK_CREATE, {"subject": "a", "description": "long", "activeForm": "Doing a"},
                 {"task": {"id": "3", "subject": "a"}}),
            {"op": "create", "id": "3", "content": "a", "active_form": "Doing a"},
            id="create",
        ),
        pytest.param(
            call(ev.TASK_CREATE, {"subject": "a"}, "Task #3 created"),
            {"op": "create", "id": "", "content": "a", "active_form": "a"},
            id="create-answered-in-words",
        ),
        pytest.param(
            call(ev.TASK_UPDATE, {"taskId": "3", "status": "completed"}, {"success": True}),
            {"op": "update", "id": "3", "content": "", "status": "completed", "active_form": ""},
            id="update",
        ),
        pytest.param(
            call(ev.TASK_UPDATE, {"taskId": "3", "status": "deleted"}),
            {"op": "delete", "id": "3", "content": "", "status": "deleted", "active_form": ""},
            id="delete",
        ),
        pytest.param(
            call(ev.TASK_UPDATE, {"taskId": "9", "status": "completed"}, {"success": False}), None,
            id="refused-update",
        ),
        pytest.param(call(ev.TASK_LIST, {}), None, id="list"),
        pytest.param(call(ev.SHELL, {"todos": []}), None, id="other-tool"),
    ],
)  # fmt: skip
def test_call_is_read_as_one_change(event: Event, expected: object) -> None:
    assert read_change(event) == expected


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(ev.TODO_TOOLS)),
    st.dictionaries(
        st.sampled_from(["todos", "items", "subject", "taskId", "status", "activeForm"]), JSON, max_size=4
    ),
    JSON,
)
def test_no_input_raises(tool: str, tool_input: dict[str, Any], output: Any) -> None:
    change = read_change(call(tool, tool_input, output))
    if change is not None:
        assert todos.progress(todos.change([], change))["done"] >= 0


def test_secret_in_a_todo_is_redacted() -> None:
    secret = "ghp_" + "a1B2" * 9
    event = call(ev.TODO_WRITE, {"todos": [{"content": f"use {secret}", "id": secret}]})
    assert secret not in repr(read_change(event))


def test_texts_and_lists_are_cut() -> None:
    event = call(ev.TODO_WRITE, {"todos": [{"content": "あ" * 1000}] * 1000})
    change = read_change(event)
    assert change is not None
    assert len(change["items"]) == todos.KEEP
    assert len(change["items"][0]["content"].encode()) <= TEXT_BYTES
