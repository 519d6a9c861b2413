"""``Authorization`` and ``Cookie``, and bearer tokens without a header."""

from __future__ import annotations

from ..redact import WORD
from .extents import after_name, inside, opening_quote
from .marks import ALNUM, QUOTES
from .scan import DIGITS, run
from .values import HEADERS, LOOK, NO_VALUES, is_code, is_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .marks import Place
    from .scan import Scan

_BEARER = ALNUM + "-._~+/="


def find_headers(scan: Scan, places: list[Place]) -> None:
    done = 0
    for at, name in places:
        if name in HEADERS and at >= done:
            _look_at(scan, at, at + len(name), name)
            done = scan.spans[-1][1] if scan.spans else 0
    if "bearer " in scan.low:
        for at in scan.places("bearer ", lowered=True):
            end = run(scan.text, at + 7, _BEARER)
            if end - at >= 19 and not DIGITS.isdisjoint(scan.text[at + 7 : end]):
                scan.add(at + 7, end, "bearer_token")


def _look_at(scan: Scan, at: int, name_end: int, header: str) -> None:
    text = scan.text
    start = after_name(text, name_end)
    if start is None:
        return
    opening = opening_quote(text, start)
    if opening is not None:
        start, end = inside(scan, *opening)
    else:
        end = _line_end(scan, at, start, name_end)
    value = text[start : min(end, start + LOOK)]
    if header == "authorization":
        scheme, space, rest = value.partition(" ")
        if space and rest.strip() and scheme.isalpha():
            start += len(scheme) + 1
            value = rest
    if opening is None and (is_code(value) or value.partition(" ")[0].lower() in NO_VALUES):
        return
    if not is_reference(value) and value[:1] not in "[{(":
        scan.add(start, end - (len(value) - len(value.rstrip("\\\r"))), header)


def _line_end(scan: Scan, at: int, start: int, name_end: int) -> int:
    """The end of the line, or the quote that opened before the name: ``-H 'Cookie: …'``."""
    text = scan.text
    end = scan.line_end(start)
    quote = text[max(0, at - 40) : at].rstrip(WORD)[-1:]
    if quote and quote in QUOTES and text[name_end] not in QUOTES + "\\":
        close = text.find(quote, start, end)
        end = close if close >= 0 else end
    return end
