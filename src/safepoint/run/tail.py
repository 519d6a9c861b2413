"""The end of what an agent has written, as it may be shown and kept: secrets out first, then cut.

A cut may fall into a secret, and the rest of one is not known for one. So more is taken than is shown, by
more than a secret is long, and that much of the beginning is dropped.
"""

from __future__ import annotations

from ..hot import redact

SHOWN = 8192  # characters
AHEAD = 4096
TAKEN = SHOWN + AHEAD


def of_bytes(data: bytes) -> str:
    """`data`: a stream's last `TAKEN` bytes, or all of a shorter one."""
    return _shown(data.decode("utf-8", "replace"), len(data) >= TAKEN)


def of_text(text: str) -> str:
    return _shown(text[-TAKEN:], len(text) >= TAKEN)


def _shown(taken: str, is_cut: bool) -> str:
    text = redact.redact(taken)
    return (text[AHEAD:] if is_cut else text)[-SHOWN:].strip()
