"""Numbers of things in English, as the commands print them."""

from __future__ import annotations


def counted(number: int, one: str) -> str:
    """`1 file`, `2 files`, `1,000 files`."""
    return f"{number:,} {one}{'' if number == 1 else 's'}"
