"""Passwords in URLs, and behind a user's name."""

from __future__ import annotations

from .extents import word_at
from .scan import run
from .values import is_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scan import Scan


def find_urls(scan: Scan) -> None:
    """``scheme://user:password@host``."""
    text = scan.text
    for at in scan.places("://"):
        start = at + 3
        head = _user_info(text[start : start + 1024])
        user, colon, password = head.partition(":")
        if colon and not is_reference(password):
            scan.add(start + len(user) + 1, start + len(head), "password")
        elif not colon and len(user) >= 20:
            scan.add(start, start + len(user), "token")


def _user_info(rest: str) -> str:
    """What stands before the host in what follows ``://``."""
    words = rest.split(None, 1)
    if not words or not rest.startswith(words[0]):
        return ""
    word = words[0]
    for stop in "\"'`<>":
        word = word.partition(stop)[0]
    host = word
    for stop in "/?#":
        host = host.partition(stop)[0]
    if "@" not in host:
        # A slash inside the password: then what looks like a port is none.
        port = host.partition(":")[2]
        if not port or port.isdigit():
            return ""
        host = word
    return host[: max(0, host.rfind("@"))]


def find_logins(scan: Scan) -> None:
    """``-u user:password``."""
    text = scan.text
    if ":" in text:
        for option in (" -u", "--user", "--proxy-user"):
            if option in text:
                for at in scan.places(option):
                    _look_at_user(scan, at + len(option), option)


def _look_at_user(scan: Scan, option_end: int, option: str) -> None:
    start = run(scan.text, option_end, " =\"'")
    if start == option_end and option != " -u":
        return  # --username
    word = word_at(scan.text, start)
    user, colon, password = word.partition(":")
    if colon and not user.isdigit() and "/" not in user and not is_reference(password):
        scan.add(start + len(user) + 1, start + len(word), "password")
