from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from resume_points import resume_point

from safepoint.hot.stores import projections
from safepoint.hot.stores.paths import Paths
from safepoint.hot.stores.session_store import SessionStore

ENV = {"PYTHONPATH": str(Path(projections.__file__).parents[3])}
SLUG = "fix-login"
NOW = 1764520000


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    paths = Paths(str(tmp_path))
    SessionStore(paths, "one-session", "one-session", "", "cursor").prepare()
    return paths


def write(paths: Paths, session: str, at: int = NOW, trigger: str = "after_tool") -> str:
    """The name of the file that the session's resume point went to."""
    point = resume_point(orig_session_id=session, interrupted_at_unix=at, trigger=trigger)
    return Path(projections.write_resume_point(paths, point, 1)).name


def owner(paths: Paths) -> str:
    return str(json.loads(Path(paths.resume_point(SLUG)).read_text())["orig_session_id"])


MAIN, SECOND = f"resume-point-{SLUG}.json", f"resume-point-{SLUG}.two-sess.json"


def test_resume_point_is_written_whole_and_for_people_to_read(paths: Paths) -> None:
    assert write(paths, "one-session") == MAIN
    path = Path(paths.resume_point(SLUG))
    point = resume_point(orig_session_id="one-session", interrupted_at_unix=NOW, trigger="after_tool")
    assert json.loads(path.read_text()) == point
    assert path.read_text().startswith('{\n  "schema_version": 1,\n')
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("there", "at", "goes_to"),
    [
        pytest.param({}, NOW + 60, SECOND, id="other-is-alive"),
        pytest.param({}, NOW + projections.LIVE_S + 1, MAIN, id="other-is-silent"),
        pytest.param({"trigger": "session_end"}, NOW + 60, MAIN, id="other-has-ended"),
        pytest.param({"session": "two-session"}, NOW + 60, MAIN, id="its-own"),
        pytest.param({}, NOW - 60, SECOND, id="clock-went-back"),
    ],
)
def test_second_session_of_a_campaign(paths: Paths, there: dict[str, Any], at: int, goes_to: str) -> None:
    write(paths, there.get("session", "one-session"), trigger=there.get("trigger", "after_tool"))
    assert write(paths, "two-session", at) == goes_to
    assert owner(paths) == ("two-session" if goes_to == MAIN else "one-session")


@pytest.mark.parametrize(
    "garbage",
    [b"", b"[]", b"null", b"{}", b"not json", b"\0\0",
     b'{"orig_session_id": "x", "interrupted_at_unix": "y", "trigger": 1}'],
    ids=["empty", "list", "null", "no-fields", "prose", "zeros", "words-as-time"],
)  # fmt: skip
def test_garbage_is_replaced(paths: Paths, garbage: bytes) -> None:
    Path(paths.resume_point(SLUG)).write_bytes(garbage)
    assert write(paths, "one-session") == MAIN
    assert owner(paths) == "one-session"


PROCESS = """
import json, sys
from safepoint.hot.stores import projections
from safepoint.hot.stores.paths import Paths
point = json.loads(sys.argv[2])
sys.stdin.readline()
for _ in range(20):
    point["interrupted_at_unix"] += 1
    projections.write_resume_point(Paths(sys.argv[1]), point, 5)
"""


def test_live_sessions_of_one_campaign_do_not_overwrite_each_other(paths: Paths) -> None:
    names = [f"{number}-session" for number in range(4)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-S", "-c", PROCESS, paths.project,
             json.dumps(resume_point(orig_session_id=name, interrupted_at_unix=NOW, trigger="after_tool"))],
            stdin=subprocess.PIPE, env=ENV,
        )
        for name in names
    ]  # fmt: skip
    for process in processes:
        process.communicate(b"\n")
    assert [process.returncode for process in processes] == [0] * 4
    files = sorted(Path(paths.session).glob("resume-point-*.json"))
    points = [json.loads(path.read_text()) for path in files]
    assert sorted(point["orig_session_id"] for point in points) == names
    assert {point["interrupted_at_unix"] for point in points} == {NOW + 20}


def test_turns_are_appended_line_by_line(paths: Paths) -> None:
    projections.append_turn(paths, "s-1", "user", "Fix the\nlogin 日本語", 1.23456)
    projections.append_turn(paths, "s-1", "assistant", "half \ud83d", 2.0)
    lines = Path(paths.turns("s-1")).read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"at": 1.235, "role": "user", "text": "Fix the\nlogin 日本語"},
        {"at": 2.0, "role": "assistant", "text": "half \ud83d"},
    ]
