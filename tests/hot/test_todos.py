from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot.policies import todos
from safepoint.hot.shapes import TodoItem


def item(number: str, content: str = "", status: str = "pending") -> TodoItem:
    content = content or f"item {number}"
    return {"id": number, "content": content, "status": status, "active_form": content}  # type: ignore[typeddict-item]


A, B, DONE, HANDED_OVER = item("1"), item("2"), item("3", status="completed"), item("", "old")


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        pytest.param([A], {"op": "write", "items": [B]}, [B], id="write-replaces"),
        pytest.param([A], {"op": "write"}, [], id="write-of-nothing-empties"),
        pytest.param([A], {"op": "create", "id": "2", "content": "item 2"}, [A, B], id="create-adds"),
        pytest.param([A], {"op": "create", "id": "1", "content": "x"}, [item("1", "x")],
                     id="create-with-a-known-id-replaces"),
        pytest.param([HANDED_OVER], {"op": "create", "id": "1", "content": "old"}, [item("1", "old")],
                     id="create-of-a-handed-over-item-replaces-it"),
        pytest.param([HANDED_OVER], {"op": "create", "id": "1", "content": "x"},
                     [HANDED_OVER, item("1", "x")], id="create-keeps-other-handed-over-items"),
        pytest.param([item("", "x", "completed")], {"op": "create", "id": "1", "content": "x"},
                     [item("", "x", "completed"), item("1", "x")], id="done-item-stays-done"),
        pytest.param([A, B], {"op": "update", "id": "2", "status": "completed"},
                     [A, item("2", status="completed")], id="update-status"),
        pytest.param([A], {"op": "update", "id": "1", "content": "new", "active_form": "newing"},
                     [{**A, "content": "new", "active_form": "newing"}], id="update-texts"),
        pytest.param([A], {"op": "update", "id": "1", "status": "cancelled"}, [A], id="unknown-status"),
        pytest.param([A], {"op": "update", "id": "9", "status": "completed"}, [A], id="update-of-unknown"),
        pytest.param([HANDED_OVER], {"op": "update", "status": "completed"}, [HANDED_OVER],
                     id="update-of-no-item"),
        pytest.param([A, B], {"op": "delete", "id": "1"}, [B], id="delete"),
        pytest.param([A], {"op": "delete", "id": "9"}, [A], id="delete-of-unknown"),
        pytest.param([HANDED_OVER], {"op": "delete", "id": ""}, [HANDED_OVER], id="delete-of-no-item"),
        pytest.param([A], {}, [A], id="nothing"),
    ],
)  # fmt: skip
def test_change(before: list[TodoItem], change: Any, after: list[TodoItem]) -> None:
    assert todos.change(before, change) == after


def test_given_list_is_left_as_it_is() -> None:
    before = [item("1")]
    todos.change(before, {"op": "update", "id": "1", "status": "completed"})
    todos.change(before, {"op": "create", "id": "2", "content": "x"})
    assert before == [A]


def test_list_is_bounded_and_the_newest_item_is_in_it() -> None:
    items = [item(str(n)) for n in range(todos.KEEP)]
    grown = todos.change(items, {"op": "create", "id": "new", "content": "x"})
    assert len(grown) == todos.KEEP
    assert grown[-1]["id"] == "new"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([], (0, 0, ""), id="empty"),
        pytest.param([DONE, A, B], (1, 3, "item 1"), id="first-open"),
        pytest.param([DONE, A, item("2", status="in_progress")], (1, 3, "item 2"), id="in-progress-first"),
        pytest.param([DONE], (1, 1, ""), id="all-done"),
    ],
)
def test_progress(items: list[TodoItem], expected: tuple[int, int, str]) -> None:
    progress = todos.progress(items)
    assert (progress["done"], progress["total"], progress["current_item"]) == expected


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.builds(item, st.sampled_from(["", "1", "2"]), st.just(""), st.sampled_from(todos.STATUSES)),
        max_size=8,
    )
)
def test_current_item_is_empty_exactly_when_all_is_done(items: list[TodoItem]) -> None:
    progress = todos.progress(items)
    assert 0 <= progress["done"] <= progress["total"] == len(items)
    assert (progress["done"] == progress["total"]) == (progress["current_item"] == "")
