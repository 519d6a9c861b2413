"""Faults of the file system and odd conditions: the hook answers, and nothing that was written is lost.

The outcome is the one that docs/reliability.md names; `tools/reliability.py` writes those tables.
"""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import fault_conditions
import pytest
import real_disks
from fault_conditions import CONDITIONS, Condition
from fault_scene import MOMENTS, Around, Scene, make_base
from fault_table import HOSTS, Fault, afterwards, around_of, faults, outcome

PAGE = Path(__file__).parents[2] / "docs/reliability.md"
PATH = os.environ["PATH"]
HOOK_S = 6  # two seconds of its own, and a busy machine
Bases = Callable[[str, str, bool], Scene]


def documented(kind: str, host: str) -> dict[tuple[str, str], list[str]]:
    """(what fails, with what) -> outcome at each moment."""
    found = {}
    block = PAGE.read_text(encoding="utf-8").split(f"<!-- {kind}: {host} -->")[1].split("<!-- end -->")[0]
    for line in block.strip().splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        names = cells[1].split(", ") if kind == "faults" else [cells[1]]
        for name in names:
            found[cells[0], name] = cells[2:]
    return found


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> Bases:
    """A scene by host, base and whether its repository has a commit; made once."""
    made: dict[tuple[str, str, bool], Scene] = {}

    def get(host: str, base: str, commits: bool) -> Scene:
        key = (host, base, commits)
        if key not in made:
            git = ["init", "commit"][: 1 + commits]
            made[key] = make_base(base, tmp_path_factory.mktemp("base") / "base", host, git)
        return made[key]

    return get


@pytest.mark.parametrize("host", HOSTS)
def test_every_fault_and_condition_is_documented(host: str) -> None:
    assert set(documented("faults", host)) == {
        (fault.what, errno.errorcode[number]) for fault in faults(host) for number in fault.errors
    }
    assert set(documented("conditions", host)) == {
        (condition.what, condition.how) for condition in CONDITIONS if host in condition.hosts
    }


FAULTS = [(host, fault) for host in HOSTS for fault in faults(host)]


@pytest.mark.parametrize(
    ("host", "fault"), FAULTS, ids=[f"{host}-{fault.call}-{fault.part.strip('/.')}" for host, fault in FAULTS]
)
def test_fault(host: str, fault: Fault, bases: Bases, tmp_path: Path) -> None:
    """Each moment with one of the errors in turn; the page was written from all of them."""
    for i, moment in enumerate(MOMENTS):
        number = fault.errors[i % len(fault.errors)]
        scene = bases(host, moment.base, True).copy(tmp_path / str(i))
        found = outcome(scene, moment, around_of(fault, number))
        expected = documented("faults", host)[fault.what, errno.errorcode[number]][i]
        assert found.words == expected, (moment.what, errno.errorcode[number])
        assert found.seconds < HOOK_S
        if moment.event != "start":  # else it would be another chat
            assert not outcome(scene, moment, around_of(fault, number), "toolu_9").told, "told twice"
            if host == "claude_code" or moment.base == "full":  # a turn's sums need the calls it had
                assert afterwards(scene, moment) == "denied"


SETTINGS = [(host, condition) for host in HOSTS for condition in CONDITIONS if host in condition.hosts]


@pytest.mark.parametrize(
    ("host", "condition"), SETTINGS, ids=[f"{host}-{one.what}-{one.how}" for host, one in SETTINGS]
)
def test_condition(host: str, condition: Condition, bases: Bases, tmp_path: Path) -> None:
    for i, moment in enumerate(MOMENTS):
        scene = bases(host, moment.base, condition.commits).copy(tmp_path / str(i))
        with fault_conditions.under(condition, scene) as around:
            found = outcome(scene, moment, around)
            again = outcome(scene, moment, around, "toolu_9") if moment.event != "start" else None
        assert found.words == documented("conditions", host)[condition.what, condition.how][i], moment.what
        assert found.seconds < HOOK_S
        assert again is None or not again.told, "told twice"


DISKS = {"read_only": "Read-only file system", "full": "No space left", "not_ours": "Permission denied"}


@pytest.mark.parametrize("name", DISKS)
def test_disk_is_as_it_is_called(name: str, bases: Bases, tmp_path: Path) -> None:
    """Where this system allows that; where it does not, an injected error stands in for it."""
    scene = bases("claude_code", "work", True).copy(tmp_path / "x")
    (condition,) = [one for one in CONDITIONS if one.set_up is getattr(real_disks, name)]
    with fault_conditions.under(condition, scene) as around:
        assert bool(around.within) == (around.fault[0] == "none")
        if around.within:
            command = [*around.within, "cp", str(scene.project / "a.py"), str(scene.session / "new")]
            done = subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": PATH})
            assert done.returncode != 0 and DISKS[name] in done.stderr
    assert outcome(scene, MOMENTS[1], Around()).words == "goes on", "what was mounted is gone"


@pytest.mark.parametrize("name", DISKS)
def test_error_that_stands_in_for_a_disk_has_its_outcome(
    name: str, bases: Bases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real_disks, "_works", lambda command: False)
    (condition,) = [one for one in CONDITIONS if one.set_up is getattr(real_disks, name)]
    expected = documented("conditions", "claude_code")[condition.what, condition.how]
    for i, moment in enumerate(MOMENTS):
        scene = bases("claude_code", moment.base, True).copy(tmp_path / str(i))
        with fault_conditions.under(condition, scene) as around:
            assert outcome(scene, moment, around).words == expected[i], moment.what


@pytest.mark.parametrize("host", HOSTS)
def test_a_damaged_repository_keeps_its_handoff_until_it_works_again(
    host: str, bases: Bases, tmp_path: Path
) -> None:
    scene = bases(host, "red", True).copy(tmp_path / "x")
    head = scene.project / ".git/HEAD"
    text = head.read_text()
    head.write_bytes(b"\0")
    answer = scene.calm("start", "fault-2", around=Around())
    assert "[CONTEXT_BUDGET_RESUME]" in str(answer)
    head.write_text(text)
    assert "[CONTEXT_BUDGET_RESUME]" in str(scene.calm("start", "fault-3"))
