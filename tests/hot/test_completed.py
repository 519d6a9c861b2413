"""Completed work against the files and commits as they are now."""

from __future__ import annotations

from typing import Any

import pytest

from safepoint.hot.policies.completed import Evidence, check


def item(description: str, evidence: str = "exit 0", known: str = "verified", at: float = 10.0) -> Any:
    return {"description": description, "known": known, "evidence": evidence, "at": at}


WROTE_A, WROTE_B = item("Write a.py", "file", at=5.0), item("Edit b.py", "file", at=6.0)
TESTS, TODO = item("npm test"), item("write a", "todo", "carried", 11.0)
COMMIT = item("git commit -m x")
ALL = [WROTE_A, WROTE_B, TESTS, TODO, COMMIT]


@pytest.mark.parametrize(
    ("files", "since", "reachable", "stands"),
    [
        pytest.param({}, [], True, ["holds"] * 5, id="as-it-was"),
        pytest.param({"a.py": "changed since"}, [], True,
                     ["changed since", "holds", "changed since", "holds", "holds"], id="a-file-changed"),
        pytest.param({"b.py": "gone"}, [], True,
                     ["holds", "gone", "changed since", "holds", "holds"], id="a-file-is-gone"),
        pytest.param({"a.py": "holds", "b.py": "holds"}, ["a.py", "b.py"], True, ["holds"] * 5,
                     id="the-work-was-committed"),
        pytest.param({"a.py": "holds"}, ["other.py"], True,
                     ["holds", "holds", "changed since", "holds", "holds"], id="others-committed"),
        pytest.param({}, None, True, ["holds", "holds", "changed since", "holds", "holds"], id="git-silent"),
        pytest.param({}, [], False, ["holds", "holds", "gone", "gone", "gone"], id="history-left-behind"),
    ],
)  # fmt: skip
def test_what_holds(files: Any, since: Any, reachable: bool, stands: list[str]) -> None:
    found = check(ALL, Evidence(files, since, reachable))
    assert [one for _, one, _ in found] == stands
    assert all(bool(reason) == (one != "holds") for _, one, reason in found)


def test_a_command_before_a_later_change_of_the_session_itself_does_not_hold() -> None:
    later = item("Edit a.py", "file", at=20.0)
    ((_, stands, reason), (_, file_stands, _)) = check([TESTS, later], Evidence({"a.py": "holds"}, [], True))
    assert (stands, reason, file_stands) == ("changed since", "a.py", "holds")


def test_a_file_that_was_not_marked_is_taken_to_hold() -> None:
    assert check([WROTE_A], Evidence({}, [], True))[0][1] == "holds"
