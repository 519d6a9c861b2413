"""Texts that are too long to be looked at as a whole, and those that cannot be judged."""

from __future__ import annotations

from ..redact import AHEAD, clip_chars, redact_whole

_MARGIN = 2048  # no secret that counts needs more than this to be known for one


def beginning(text: str, max_chars: int) -> str:
    """The first ``max_chars`` of what ``text`` is without its secrets."""
    ahead = max_chars + AHEAD
    while ahead < len(text):
        start = redact_whole(text[:ahead])
        # Near the end of the piece a secret may have been cut too short to be known for one.
        if len(start) >= max_chars + _MARGIN:
            return clip_chars(start, max_chars)
        ahead *= 4
    return clip_chars(redact_whole(text), max_chars)


def dropped(text: str) -> str:
    from ..digest import sha256_hex

    digest = sha256_hex(text.encode("utf-8", "surrogatepass"))[:16]
    return f"[dropped: {len(text)} chars sha256={digest}]"
