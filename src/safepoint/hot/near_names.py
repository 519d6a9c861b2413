"""Which known name a misspelt one stands for. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LIKE = 0.6  # how alike two names have to be, of 1: what difflib, too, takes for near


def near(name: str, known: Iterable[str], like: float = LIKE) -> str:
    """The one of `known` that is most like `name`, whatever the case of either; "" where none is."""
    from difflib import get_close_matches  # costs milliseconds, and most names are known

    by_lower = {one.lower(): one for one in known}
    found = get_close_matches(name.lower(), by_lower, 1, like)
    return by_lower[found[0]] if found else ""
