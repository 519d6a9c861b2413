"""The second look: which marks of a text stand where a secret can, so that a scanner has to be loaded."""

from __future__ import annotations

from ..redact import (
    FOREIGN_MARKS,
    KEY_MARKS,
    NAME_MARKS,
    NOISE_MARKS,
    WORD,
    has_command,
    has_login,
    leads_by_space,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    Place = tuple[int, str]  # index, name

MAX_PLACES = 20_000  # suspicious places in a text that means well: one in five bytes of 100 kB

ALNUM = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
QUOTES = "\"'`"
SIGNS = "!?+:=>：＝"

# Those that also end a longer word (``task-``, ``monkey-``) or turn up in base64.
SHORT_MARKS = frozenset(
    (
        "sk-",
        "hf_",
        "r8_",
        "xai-",
        "key-",
        "dapi",
        "AKIA",
        "ASIA",
        "AIza",
        "SK",
        "SG.",
        "ATATT3",
        "vercel_",
        "nfp_",
        "bkua_",
    )
)
_GOES_ON = ("word", "wd", "phrase", "code", "wort", "nature", "ential")


class TooDenseError(Exception):
    """More suspicious places than a text that means well can have."""


def look_closer(text: str, low: str, words: str) -> str:
    """``text`` redacted; ``words`` are those of it that are long enough for a key."""
    if len(low) != len(text):  # the one character whose small letter is longer would shift every index
        low = text.replace("\u0130", "i").lower()
    keys = key_marks(words)
    places = setting_places(text, low, bool(words))
    if not (keys or places or "bearer " in low or has_login(text) or has_command(text, low)):
        return text
    from .search import redacted

    return redacted(text, low, keys, places)


def key_marks(text: str) -> list[str]:
    """The marks of keys in ``text``."""
    return [
        mark
        for common, marks in KEY_MARKS
        if common in text
        for mark in marks
        if mark in text and (mark not in SHORT_MARKS or _begins_word(text, mark))
    ]


def _begins_word(text: str, mark: str) -> bool:
    at = text.find(mark)
    for _ in range(100):
        if at < 0:
            return False
        if is_free(text, at) and (mark != "SK" or text[at + 2 : at + 3] in "0123456789abcdefABCDEF"):
            return True
        at = text.find(mark, at + 1)
    return True


def is_free(text: str, at: int) -> bool:
    """Whether a word can begin at ``at``: not inside another, unless that is an escape (``\\n``, ``%3D``)."""
    if at == 0 or text[at - 1] not in ALNUM:
        return True
    return text[max(0, at - 2) : at] in ("\\n", "\\r", "\\t") or text[max(0, at - 3) : at - 2] == "%"


def setting_places(text: str, low: str, with_noise: bool) -> list[Place]:
    """Where the name of a setting stands and a value can follow."""
    names = NAME_MARKS + NOISE_MARKS if with_noise else NAME_MARKS
    if not text.isascii():
        names += FOREIGN_MARKS
    found: list[Place] = []
    left = MAX_PLACES
    for name in names:
        at = low.find(name)
        while at >= 0:
            end = at + len(name)
            after = text[end : end + 1]
            is_name = not "a" <= after <= "z" or after == "s" or low.startswith(_GOES_ON, end)
            if is_name and after not in "./(;" and (after in "=:" or _may_lead(text, at, end)):
                found.append((at, name))
            left -= 1
            if left < 0:
                raise TooDenseError
            at = low.find(name, end)
    return found


def _may_lead(text: str, at: int, end: int) -> bool:
    """Whether the sign of an assignment may follow the name at ``at``, or whatever else leads to a value."""
    rest = text[end : end + 96].lstrip(WORD)
    sign = rest.lstrip("\\\"'`]) \t")[:1]
    if sign and sign in SIGNS:
        return True
    if rest[:1] in (" ", "\t"):
        before = text[max(0, at - 40) : at]
        if before[len(before.rstrip(WORD)) :][:1] == "-":
            return True  # --password
        if leads_by_space(rest):
            return True
    if rest.startswith((" is ", " was ", "は", " は")):
        return True
    return rest.lstrip("\\\"'`, \t\r\n")[:5].lower() == "value"
