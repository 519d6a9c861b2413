"""What is said of a name that nothing has: the one that was probably meant, and those that there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .hot.near_names import near

SHOWN = 20


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`, did you mean NAME?`, or "" where no known name is like this one."""
    meant = near(name, known)
    return f", did you mean {meant}?" if meant else ""


def instead_of(name: str, known: Sequence[str]) -> str:
    """The end of a message about `name`: `, did you mean NAME? There are: NAMES` or `; there are: NAMES`."""
    if not known:
        return "; there are none"
    meant = did_you_mean(name, known)
    return f"{meant} There are: {listed(known)}" if meant else f"; there are: {listed(known)}"


def listed(names: Sequence[str]) -> str:
    """The first of them in one line, and whether there are more."""
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
