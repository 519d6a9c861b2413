"""Which files go, which never do, and how they go."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot.shapes import Housekeeping
from safepoint.hot.stores import pruning, retention
from safepoint.hot.stores.folders import prepare
from safepoint.hot.stores.paths import Paths, prune_is_due

NOW = 1_800_000_000.0
DAY = retention.DAY_S
OLD, FRESH, LIVE = NOW - 40 * DAY, NOW - 10 * DAY, NOW - DAY
ID = "0f7c2d1e-5a7b-4c1d-9e2f-3a4b5c6d7e8f"
ALL = (
    "{}.journal.jsonl", "{}.journal.1.jsonl", "{}.journal.2.jsonl", "{}.state.json", "{}.turns.jsonl",
    "{}.state.json.broken-77", "{}.lock", "{}.saving.lock", "{}.told-disk", "red-checkpoint-{}.json",
    "red-checkpoint-{}-2.json", "handoff-{}.md", "handoff-{}.notes.md", "pre-compact-{}.md",
    "settled/{}.json", "settled/{}.claim", "../.tracking/tracker-{}.md",
)  # fmt: skip


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    made = Paths(str(tmp_path))
    prepare(made)
    return made


def put(paths: Paths, name: str, at: float, size: int = 10) -> Path:
    file = Path(paths.session) / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"x" * size)
    os.utime(file, (at, at))
    return file


def session(paths: Paths, key: str, at: float, size: int = 10) -> None:
    for name in ("{}.journal.jsonl", "{}.state.json", "handoff-{}.md"):
        put(paths, name.format(key), at, size)


def limits(**changed: Any) -> Housekeeping:
    return {**retention.DEFAULTS, **changed}  # type: ignore[typeddict-item]


def going(paths: Paths, **changed: Any) -> dict[str, str]:
    plan = retention.plan(paths, limits(**changed), NOW)
    assert plan is not None
    return {group.key: reason for group, reason in plan.sessions}


def names(paths: Paths) -> set[str]:
    root = Path(paths.session)
    return {file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()}


def test_every_kind_of_file_goes_with_its_session(paths: Paths) -> None:
    files = [put(paths, name.format(ID), OLD) for name in ALL]
    plan = retention.plan(paths, limits(), NOW)
    assert plan and [(group.key, len(group.files), group.bytes) for group, _ in plan.sessions] == [
        (ID, len(ALL), 10 * len(ALL))
    ]
    assert pruning.carry_out(paths, plan, NOW)
    assert [file for file in files if file.exists()] == []
    day = Path(paths.session) / "pruned/2027-01-15"
    assert sum(file.is_file() for file in day.rglob("*")) == len(ALL)
    assert (day / ".tracking" / f"tracker-{ID}.md").is_file()


@pytest.mark.parametrize(
    "name",
    ["learned.json", "HANDOFF.md", "resume-point-fix.json", "resume-point-fix.0f7c2d1e.json", "notes.txt",
     "resume-point-fix.lock", "errors.jsonl", ".gitignore", "../.artifacts/fix--step1.md", ".pruned"],
)  # fmt: skip
def test_what_belongs_to_no_session_stays(paths: Paths, name: str) -> None:
    put(paths, name, NOW - 4000 * DAY)
    assert going(paths) == {}


def test_age_counts_from_the_newest_file(paths: Paths) -> None:
    session(paths, "old", OLD)
    session(paths, "resumed", OLD)
    put(paths, "resumed.journal.jsonl", FRESH)
    session(paths, "future", NOW + DAY)  # the clock was moved back
    assert going(paths) == {"old": "age"}


def test_the_oldest_go_until_the_rest_is_small_enough(paths: Paths) -> None:
    for key, at in (("a", NOW - 5 * DAY), ("b", NOW - 4 * DAY), ("c", NOW - 3 * DAY), ("live", LIVE)):
        session(paths, key, at, size=200_000)
    assert going(paths, max_mb=2) == {"a": "size"}
    assert going(paths, max_mb=1) == {"a": "size", "b": "size", "c": "size"}


@pytest.mark.parametrize("age_days", [50, 4000])
def test_a_pending_handoff_and_its_subagents_stay(paths: Paths, age_days: int) -> None:
    for key in (ID, f"{ID}.agent-1", "other", "other.agent-1"):
        session(paths, key, NOW - age_days * DAY, size=900_000)
    put(paths, f"pending/{ID}.json", NOW - age_days * DAY)
    assert going(paths, max_mb=1) == {"other": "age", "other.agent-1": "age"}


def test_a_live_session_and_its_subagents_stay(paths: Paths) -> None:
    session(paths, "parent", LIVE, size=900_000)
    session(paths, "parent.agent-1", OLD, size=900_000)
    assert going(paths, max_mb=1) == {}


def test_an_id_that_ends_like_a_number_is_not_taken_for_a_second_checkpoint(paths: Paths) -> None:
    session(paths, "chat", LIVE)
    session(paths, "chat-2", OLD)
    assert going(paths) == {"chat-2": "age"}


def test_leftovers_of_killed_hooks_go_after_an_hour(paths: Paths) -> None:
    old = put(paths, ".x.state.json.4711-3-18c2ab.tmp", NOW - 3700)
    artifact = put(paths, "../.artifacts/.fix--step1.md.4711-1-18c2ab.tmp", NOW - 3700)
    lock = put(paths, ".index.4711-2-18c2ab.tmp.lock", NOW - 3700)
    young = put(paths, ".x.state.json.4712-1-18c2ac.tmp", NOW - 60)
    theirs = put(paths, ".my.tmp", OLD)
    their_lock = put(paths, ".my.tmp.lock", OLD)
    pruning.daily(paths, limits(), NOW)
    assert [file.exists() for file in (old, artifact, lock)] == [False, False, False]
    assert [file.exists() for file in (young, theirs, their_lock)] == [True, True, True]


def test_history_of_a_session_that_goes_on_goes_but_its_places_stay(paths: Paths) -> None:
    session(paths, "long", LIVE)
    for number in (1, 2, 3):
        put(paths, f"long.journal.{number}.jsonl", OLD)
    pruning.daily(paths, limits(), NOW)
    sizes = [(Path(paths.session) / f"long.journal.{number}.jsonl").stat().st_size for number in (1, 2, 3)]
    assert sizes == [0, 0, 10]  # segments are counted from the first; a rebuild reads the newest
    before = names(paths)
    pruning.daily(paths, limits(), NOW)
    assert names(paths) == before


def test_a_long_error_log_is_begun_anew(paths: Paths) -> None:
    put(paths, "errors.jsonl", NOW, size=1_000_001)
    pruning.daily(paths, limits(), NOW)
    assert "errors.jsonl" not in names(paths) and "pruned/2027-01-15/.session/errors.jsonl" in names(paths)


def test_dated_folders_are_deleted_when_they_have_waited(paths: Paths) -> None:
    for day in ("2027-01-01", "2027-01-07", "2027-01-08", "mine"):
        session_folder = Path(paths.session) / "pruned" / day / ".session"
        session_folder.mkdir(parents=True)
        (session_folder / "a.lock").touch()
    pruning.daily(paths, limits(), NOW)
    assert sorted(os.listdir(f"{paths.session}/pruned")) == ["2027-01-08", "mine"]


def test_journals_of_old_runs_go_and_their_locks_stay(paths: Paths) -> None:
    put(paths, "runs/20260101-000000-0001.jsonl", OLD)
    put(paths, "runs/20260201-000000-0001.jsonl", FRESH)
    put(paths, "runs/fix.lock", OLD)
    assert going(paths) == {"20260101-000000-0001": "age"}


def test_links_are_neither_followed_nor_moved(paths: Paths, tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text("theirs")
    os.utime(outside, (OLD, OLD))
    (Path(paths.session) / "x.journal.jsonl").symlink_to(outside)
    pruning.daily(paths, limits(), NOW)
    assert outside.read_text() == "theirs" and (Path(paths.session) / "x.journal.jsonl").is_symlink()


@pytest.mark.parametrize("link", ["pruned", "pruned/2020-01-01", "settled", "runs", "pending", "pruned/T"])
def test_folder_that_is_a_link_is_somebody_elses(paths: Paths, tmp_path: Path, link: str) -> None:
    theirs = tmp_path / "theirs"
    for name in ("a.md", "b.json", "c.jsonl", "2020-01-01/d.md", "s.journal.jsonl"):
        (theirs / name).parent.mkdir(parents=True, exist_ok=True)
        (theirs / name).write_text("theirs")
        os.utime(theirs / name, (OLD, OLD))
    session(paths, "a", OLD)
    at = Path(paths.session) / link.replace("T", time.strftime("%Y-%m-%d", time.gmtime(NOW)))
    at.parent.mkdir(parents=True, exist_ok=True)
    if at.is_dir():
        at.rmdir()
    at.symlink_to(theirs)
    before = sorted(str(path) for path in theirs.rglob("*"))
    pruning.rest(paths.project, limits(), NOW)
    assert sorted(str(path) for path in theirs.rglob("*")) == before


def test_it_is_due_once_a_day_and_after_a_clock_was_moved_back(paths: Paths) -> None:
    assert prune_is_due(paths, NOW)
    pruning.mark(paths)
    at = os.stat(paths.prune_mark()).st_mtime
    assert not prune_is_due(paths, at + 60) and prune_is_due(paths, at + DAY + 60)
    assert prune_is_due(paths, at - 2 * DAY)


def test_without_time_a_session_goes_whole_or_stays(paths: Paths) -> None:
    for key in ("a", "b"):
        session(paths, key, OLD)
    plan = retention.plan(paths, limits(), NOW)
    assert plan and not pruning.carry_out(paths, plan, NOW, until=time.monotonic() - 1)
    assert len(names(paths)) == 7  # with .gitignore
    assert retention.plan(paths, limits(), NOW, until=time.monotonic() - 1) is None


def test_session_that_goes_on_meanwhile_stays(paths: Paths) -> None:
    for key in ("a", "b"):
        session(paths, key, OLD)
    plan = retention.plan(paths, limits(), NOW)
    os.utime(f"{paths.session}/a.journal.jsonl", (NOW, NOW))
    assert plan and pruning.carry_out(paths, plan, NOW)
    assert {name[0] for name in names(paths) if name[0] in "ab"} == {"a"}


def test_trouble_is_left_for_tomorrow(paths: Paths) -> None:
    session(paths, "a", OLD)
    put(paths, "pruned", OLD)  # a file where the folder has to be
    pruning.daily(paths, limits(), NOW)
    assert "a.journal.jsonl" in names(paths) and os.path.exists(paths.prune_mark())


def test_defaults_are_those_of_the_manifest() -> None:
    manifest = yaml.safe_load((Path(__file__).parents[2] / "manifest.yaml").read_text())
    assert {**manifest["framework"]["housekeeping"], "mode": "on"} == retention.DEFAULTS


KEYS = st.sampled_from(["a", "b", "a.sub", "a-2", "c"])


@given(st.lists(st.tuples(KEYS, st.integers(0, 80), st.integers(0, 400_000)), max_size=12), st.sets(KEYS))
def test_pending_and_live_sessions_stay_whatever_there_is(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, int, int]], pending: set[str]
) -> None:
    paths = Paths(str(tmp_path_factory.mktemp("p")))
    prepare(paths)
    ages: dict[str, int] = {}
    for number, (key, age, size) in enumerate(made):
        put(paths, f"{key}.journal.{number + 1}.jsonl", NOW - age * DAY, size)
        ages[key] = min(age, ages.get(key, age))
    for key in pending:
        put(paths, f"pending/{key}.json", OLD)
    gone = going(paths, max_mb=1)
    assert not {key for key in gone if ages[key] < 2 or key in pending}
    assert {key for key in gone if gone[key] == "age"} == {key for key in gone if ages[key] > 30}
