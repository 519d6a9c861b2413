"""All scanners over one text; each is loaded where its marks are."""

from __future__ import annotations

from ..redact import has_command
from .scan import Scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .marks import Place
    from .scan import Span


def redacted(text: str, low: str, keys: list[str], places: list[Place]) -> str:
    """``text`` with each secret replaced by its label.  Raises on a text that cannot be judged."""
    found = spans(text, low, keys, places)
    return _replace(text, found) if found else text


def spans(text: str, low: str, keys: list[str], places: list[Place]) -> list[Span]:
    """Where each secret stands, and its label; they may overlap."""
    scan = Scan(text, low)
    if "PRIVATE KEY" in text:
        from .private_keys import find_private_keys

        find_private_keys(scan)
    if keys:
        from .keys import find_keys

        find_keys(scan, keys)
    if "://" in text and "@" in text:
        from .logins import find_urls

        find_urls(scan)
    if "bearer " in low or "authorization" in low or "cookie" in low:
        from .headers import find_headers

        find_headers(scan, places)
    if " -" in text:
        from .logins import find_logins

        find_logins(scan)
    if has_command(text, low):
        from .commands import find_commands

        find_commands(scan)
    if places:
        from .settings import find_settings

        find_settings(scan, places)
    return scan.spans


def _replace(text: str, spans: list[Span]) -> str:
    """Overlapping spans become one, under the name of the first: formats, the most exact, come first."""
    spans.sort(key=_start)
    parts: list[str] = []
    done = 0
    index = 0
    while index < len(spans):
        start, end, label = spans[index]
        index += 1
        while index < len(spans) and spans[index][0] < end:
            end = max(end, spans[index][1])
            index += 1
        parts += (text[done:start], f"[redacted:{label}]")
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _start(span: Span) -> int:
    return span[0]
