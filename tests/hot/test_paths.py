from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot.stores.paths import Paths, pending_exist, session_key

PROJECT = "/home/dev/shop"
PATHS = Paths(PROJECT)
SESSION = f"{PROJECT}/.cursor/.session"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (PATHS.journal("k"), f"{SESSION}/k.journal.jsonl"),
        (PATHS.journal_segment("k", 2), f"{SESSION}/k.journal.2.jsonl"),
        (PATHS.state("k"), f"{SESSION}/k.state.json"),
        (PATHS.turns("k"), f"{SESSION}/k.turns.jsonl"),
        (PATHS.resume_point("fix-login"), f"{SESSION}/resume-point-fix-login.json"),
        (PATHS.resume_point("fix-login", "0123456789"), f"{SESSION}/resume-point-fix-login.01234567.json"),
        (PATHS.red_checkpoint("k"), f"{SESSION}/red-checkpoint-k.json"),
        (PATHS.red_checkpoint("k", 2), f"{SESSION}/red-checkpoint-k-2.json"),
        (PATHS.handoff("k"), f"{SESSION}/handoff-k.md"),
        (PATHS.notes("k"), f"{SESSION}/handoff-k.notes.md"),
        (PATHS.pre_compact("k"), f"{SESSION}/pre-compact-k.md"),
        (PATHS.offer("k"), f"{SESSION}/pending/k.json"),
        (PATHS.claim("k"), f"{SESSION}/pending/k.claim"),
        (PATHS.settled("k"), f"{SESSION}/settled/k.json"),
        (PATHS.tracker("k"), f"{PROJECT}/.cursor/.tracking/tracker-k.md"),
    ],
)
def test_place_of_a_file(path: str, expected: str) -> None:
    assert path == expected


def test_files_of_one_session_do_not_share_a_name() -> None:
    by_key = [
        PATHS.journal, PATHS.state, PATHS.lock, PATHS.turns, PATHS.red_checkpoint, PATHS.handoff, PATHS.notes,
        PATHS.pre_compact, PATHS.offer, PATHS.claim, PATHS.settled, PATHS.tracker,
    ]  # fmt: skip
    assert len({place("k") for place in by_key}) == len(by_key)


def test_subagent_has_a_state_beside_its_parents() -> None:
    assert session_key("s-1") == "s-1"
    assert session_key("s-1", "a1") == "s-1.a1"


IDS = st.text(max_size=100) | st.sampled_from(
    ["..", ".", "", "../../etc/passwd", "a/b", "a\\b", "a\0b", "-rf"]
)


@given(IDS, IDS)
def test_no_id_leads_out_of_the_state_folder(session: str, agent: str) -> None:
    key = session_key(session, agent)
    for path in (PATHS.journal(key), PATHS.resume_point(session, agent), PATHS.campaign_lock(session)):
        assert os.path.dirname(os.path.normpath(path)) == SESSION
        assert "\0" not in path
        assert len(os.path.basename(path)) < 240


@given(st.lists(IDS, min_size=2, max_size=2, unique=True))
def test_two_sessions_never_share_a_key(sessions: list[str]) -> None:
    assert session_key(sessions[0]) != session_key(sessions[1])


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        pytest.param(f"{PROJECT}/docs/report.md", "docs/report.md", id="inside"),
        pytest.param("/home/dev/shopping/a", "/home/dev/shopping/a", id="only-a-prefix"),
        pytest.param("/etc/hosts", "/etc/hosts", id="outside"),
        pytest.param("docs/report.md", "docs/report.md", id="relative"),
    ],
)
def test_path_as_people_write_it_and_back(path: str, relative: str) -> None:
    assert PATHS.relative(path) == relative
    assert PATHS.absolute(relative) == (path if path.startswith("/") else f"{PROJECT}/{path}")


@pytest.mark.parametrize("path", ["C:/shop/a", "C:\\shop\\a"])
def test_drive_path_is_absolute(path: str) -> None:
    assert PATHS.absolute(path) == path


def test_pending_folder_is_looked_at_once(tmp_path: Path) -> None:
    paths = Paths(str(tmp_path))
    assert not pending_exist(paths)
    os.makedirs(paths.pending)
    Path(paths.claim("k")).touch()
    assert not pending_exist(paths)
    Path(paths.offer("k")).touch()
    assert pending_exist(paths)
