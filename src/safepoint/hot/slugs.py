"""The name of a campaign as a part of file names. Pure."""

from __future__ import annotations

from .files import short_digest

_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
_MAX_CHARS = 60


def slugify(name: str) -> str:
    """A campaign's slug: at most 60 of ``a-z 0-9 - _ .``, without a dash or dot at either end.

    A slug that differs from its name ends in ``-`` and 6 hex digits of the name's digest, so that two names
    never share one by accident.  A name without a usable character becomes ``campaign-`` and those digits.
    """
    if 0 < len(name) <= _MAX_CHARS and _CHARS.issuperset(name) and _is_tidy(name):
        return name
    kept = "".join([char if char in _CHARS else "-" for char in name[:200].lower()])
    while "--" in kept:
        kept = kept.replace("--", "-")
    kept = kept.strip("-.")[: _MAX_CHARS - 7].rstrip("-.")
    return f"{kept or 'campaign'}-{short_digest(name, 6)}"


def _is_tidy(slug: str) -> bool:
    """No dash or dot at either end, and no ``--``: in file names that stands between a slug and the rest."""
    return "--" not in slug and slug == slug.strip("-.")
