"""Where a value begins behind its name, and where it ends."""

from __future__ import annotations

from .marks import QUOTES, SIGNS
from .scan import DIGITS, run
from .values import LOOK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from .scan import Scan

SPACE = " \t"
PRINTABLE = "".join(map(chr, range(33, 127)))


def after_name(text: str, at: int) -> Optional[int]:
    """Where the value begins if the sign of an assignment follows at ``at``."""
    window = text[at : at + 48]
    rest = window.lstrip("\\\"'`])").lstrip(SPACE)
    sign = rest[: len(rest) - len(rest.lstrip(SIGNS))]
    if not sign or sign in ("?", "!", "+"):
        return _after_pair(window, at)
    if sign.startswith("::"):
        return None
    start = at + len(window) - len(rest) + len(sign)
    if text[start : start + 1] in " \t":
        start = run(text, start, SPACE)
    if text[start : start + 1] in "|>":
        block = text[start : start + 4].lstrip("|>+-")
        if block.startswith(("\n", "\r")):
            start = run(text, start, "|>+- \t\r\n")  # a block of YAML
    return start


def _after_pair(window: str, at: int) -> Optional[int]:
    """``"name": "X_TOKEN", "value": "…"``, on one line or two."""
    rest = window.lstrip("\\\"'`, \t\r\n")
    if rest[:5].lower() != "value":
        return None
    rest = rest[5:].lstrip("\\\"'` \t")
    if not rest.startswith((":", "=")):
        return None
    return at + len(window) - len(rest[1:].lstrip(SPACE))


def after_verb(text: str, at: int) -> Optional[int]:
    """Where the value begins in ``the password is …``, if what is there looks like one."""
    for verb in (" is ", " was ", "は", " は"):
        if text.startswith(verb, at):
            start = run(text, at + len(verb), " \t「『“:", 8)
            value = text[start : run(text, start, PRINTABLE, 64)]
            return start if not (value.isdigit() or DIGITS.isdisjoint(value)) else None
    return None


def opening_quote(text: str, start: int) -> Optional[tuple[int, int, str]]:
    """If a quote opens at ``start``: the index behind it, how many backslashes escape it, the quote.

    It may follow a string prefix (``b"``) or the bracket of a list.
    """
    window = text[start : start + 12]
    rest = window.lstrip("bruf([ ")
    bare = rest.lstrip("\\")
    quote = bare[:1]
    if not quote or quote not in QUOTES:
        return None
    level = len(rest) - len(bare)
    return start + len(window) - len(rest) + level + 1, level, quote


def inside(scan: Scan, start: int, level: int, quote: str) -> tuple[int, int]:
    """Start and end of what a quote encloses, within its line.

    In JSON inside JSON the quotes themselves are escaped: that one closes which has no more backslashes than
    the one that opened.
    """
    text = scan.text
    line = scan.line_end(start)
    close = start
    for _ in range(50):
        close = text.find(quote, close, line)
        if close < 0:
            break
        if text[close - 1] != "\\" or close == start:
            return start, close
        before = text[max(start, close - 16) : close]
        slashes = len(before) - len(before.rstrip("\\"))
        if (slashes <= level) if level else slashes % 2 == 0:
            return start, close - min(slashes, level)
        close += 1
    return start, line


def word_at(text: str, start: int) -> str:
    """The unquoted value at ``start``, at most LOOK of it, less what closes an expression around it."""
    word = text[start : word_end(text, start, LOOK)]
    for quote in QUOTES:
        at = word.find(quote)
        if at >= 0 and not word[at + 1 : at + 2].isalnum():  # not ab"c"d, which a shell joins
            word = word[:at].rstrip("\\")
    at = word.find("<")
    if at >= 0 and (word[at + 1 : at + 2].isalpha() or word[at + 1 : at + 2] == "/"):
        word = word[:at]
    at = word.find("&")
    if at > 0 and word[at + 1 : at + 2].isalpha() and "=" in word[at : at + 40]:
        word = word[:at]
    return word if len(word) == LOOK else word.rstrip(",;)}]」』”。、")


def word_end(text: str, start: int, limit: int = 0) -> int:
    """The index of the next white space, at most ``limit`` away."""
    size = 64
    end = start
    while True:
        piece = text[end : end + size]
        words = piece.split(None, 1)
        if not words or not piece.startswith(words[0]):
            break
        end += len(words[0])
        if len(words[0]) < len(piece) or len(piece) < size:
            break
        size = min(size * 8, 1 << 20)
        if limit and end - start >= limit:
            break
    return min(end, start + limit) if limit else end
