"""Faults of the file system at every store: the hook answers, and nothing that was written is lost.

The outcome is the one that docs/reliability.md names; `tools/reliability.py` writes that table.
"""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from fault_table import FAULTS, MOMENTS, Fault, Scene, afterwards, make_base, outcome

PAGE = Path(__file__).parents[2] / "docs/reliability.md"


def documented() -> dict[tuple[str, str], list[str]]:
    """(what fails, error) -> outcome at each moment."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 2 + len(MOMENTS):
            for name in cells[1].split(", "):
                found[cells[0], name] = cells[2:]
    return found


@pytest.fixture(scope="module")
def bases() -> dict[str, Scene]:
    return {}


def base_of(bases: dict[str, Scene], name: str, factory: pytest.TempPathFactory) -> Scene:
    if name not in bases:
        bases[name] = make_base(name, factory.mktemp(name) / "base")
    return bases[name]


def test_every_fault_is_documented() -> None:
    assert set(documented()) - {("what fails", "with")} == {
        (fault.what, errno.errorcode[number]) for fault in FAULTS for number in fault.errors
    }


@pytest.mark.parametrize("fault", FAULTS, ids=[f"{fault.call}-{fault.part.strip('/.')}" for fault in FAULTS])
def test_outcome(
    fault: Fault, bases: dict[str, Scene], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each moment with one of the errors in turn; the page was written from all of them."""
    for i, moment in enumerate(MOMENTS):
        number = fault.errors[i % len(fault.errors)]
        scene = base_of(bases, moment.base, tmp_path_factory).copy(tmp_path / str(i))
        found = outcome(scene, moment, fault, number)
        expected = documented()[fault.what, errno.errorcode[number]][i]
        assert found.words == expected, (moment.what, errno.errorcode[number])
        assert found.seconds < 6  # two seconds of its own, and a busy machine
        if i in (2, 3):
            assert afterwards(scene, moment) == "denied"
