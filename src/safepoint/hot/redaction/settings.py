"""Settings: a telling name, a sign, a value."""

from __future__ import annotations

from ..redact import WORD
from .extents import PRINTABLE, SPACE, after_name, after_verb, inside, opening_quote, word_at, word_end
from .marks import QUOTES
from .names import may_end, name_at
from .scan import DIGITS, run
from .values import HEADERS, LOOK, NOISE, follows_space, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from .marks import Place
    from .scan import Scan


def find_settings(scan: Scan, places: list[Place]) -> None:
    taken: set[int] = set()  # where the values begin that were found
    mark, done = "", 0
    for at, name in places:
        if name != mark:
            mark, done = name, 0
        if at >= done and name not in HEADERS:
            known = len(scan.spans)
            _look_at(scan, at, name, taken)
            if len(scan.spans) > known:
                done = scan.spans[-1][1]


def _look_at(scan: Scan, at: int, mark: str, taken: set[int]) -> None:
    text = scan.text
    found = name_at(scan.low, at, mark)
    if found is None:
        return
    end, trust, label = found
    window = text[end : end + 48]
    suffix = window[: len(window) - len(window.lstrip(WORD))]
    if not may_end(suffix):
        return
    before = text[max(0, at - 40) : at]
    outside = before.rstrip(WORD)
    head = before[len(outside) :]
    if outside.endswith("[redacted:") or (trust == NOISE and "public" in head.lower()):
        return
    name_end = end + len(suffix)
    is_option = head.startswith("--") or (head[:1] == "-" and not outside[-1:].strip(' "\t\r\n'))
    start = _value_start(text, name_end, is_option)
    if start is None and text[name_end : name_end + 1] in (" ", "\t"):
        _take_spaced(scan, name_end + 1, label, trust, taken)
    elif start is not None and start not in taken:
        _take_value(scan, start, trust, label, head + text[at:name_end], taken)


def _value_start(text: str, name_end: int, is_option: bool) -> Optional[int]:
    start = after_name(text, name_end)
    if start is None and is_option and text[name_end : name_end + 1] == " ":
        start = _behind_redirection(text, run(text, name_end, SPACE))
        if start is None or text.startswith("-", start):
            return None
    if start is None:
        start = after_verb(text, name_end)
    return start


def _behind_redirection(text: str, start: int) -> Optional[int]:
    """Where the value of an option begins: a here-string's word, the first line of a here-document."""
    if text.startswith("<<<", start):
        return run(text, start + 3, SPACE)
    if text.startswith("<<", start):
        line = text.find("\n", start, start + 200)
        return line + 1 if line >= 0 else None
    first = text[start + 1 : start + 2] if text[start : start + 1] in DIGITS else text[start : start + 1]
    return None if first and first in "<>|&;" else start


def _take_spaced(scan: Scan, start: int, label: str, trust: int, taken: set[int]) -> None:
    """``name value`` with nothing but a space between: only a value that prose does not have."""
    opening = opening_quote(scan.text, start)
    if opening is not None and scan.text[start] in QUOTES + "\\":
        first, end = inside(scan, *opening)
    else:
        first, opening = start, None
        end = start + len(word_at(scan.text, start).rstrip(".:!?;"))
    value = scan.text[first : min(end, first + LOOK)]
    if first not in taken and follows_space(value, opening is not None, trust, label):
        scan.add(first, end, label)
        taken.add(first)


def _take_value(scan: Scan, start: int, trust: int, label: str, name: str, taken: set[int]) -> None:
    text = scan.text
    sure = name.startswith("-") or (text[start - 1] == "=" and name.isupper())
    for _ in range(3):  # ``password: str = "…"``: first a type, then the value
        opening = opening_quote(text, start)
        if opening is not None:
            start, end = inside(scan, *opening)
        elif text[start : start + 1] in "([{" and not sure:
            return
        else:
            end = start + len(word_at(text, start))
            if not name.isascii():  # no spaces: the sentence goes on behind the value
                end = min(end, run(text, start, PRINTABLE))
        value = text[start : min(end, start + LOOK)]
        if is_secret(value, trust, sure, opening is not None, name):
            if end - start == LOOK and opening is None:
                end = word_end(text, end)
            scan.add(start, end, label)
            taken.add(start)
            return
        if opening is not None:
            return
        after = run(text, end, SPACE, 64)
        if text[after : after + 1] != "=":
            return
        start = run(text, after, "= \t", 64)
