"""Passwords in URLs, and behind the options of commands."""

from __future__ import annotations

from ..redact import LOGIN_MARKS
from .extents import word_at
from .scan import run
from .values import is_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scan import Scan

# The option for a password and whether a space stands between that and the value.
OPTIONS = {
    "sshpass": (" -p", True),
    "mysql": (" -p", False),
    "mariadb": (" -p", False),
    "docker login": (" -p ", True),
    "podman login": (" -p ", True),
    "mongo": (" -p ", True),
    "redis-cli": (" -a ", True),
    "ldap": (" -w ", True),
}


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
    """``-u user:password``, and the commands that take a password behind a one-letter option."""
    text = scan.text
    if ":" in text:
        for option in (" -u", "--user", "--proxy-user"):
            if option in text:
                for at in scan.places(option):
                    _look_at_user(scan, at + len(option), option)
    if " -p" in text or " -a " in text or " -w " in text:
        for command in LOGIN_MARKS:
            if command in text:
                _find_login(scan, command, *OPTIONS[command])


def _find_login(scan: Scan, command: str, option: str, apart: bool) -> None:
    text = scan.text
    for at in scan.places(command):
        found = text.find(option, at, min(at + 2000, scan.line_end(at)))
        if found >= 0:
            start = found + len(option)
            start = run(text, start, " \"'") if apart else start
            word = word_at(text, start)
            if not word.startswith("-") and not is_reference(word):
                scan.add(start, start + len(word), "password")


def _look_at_user(scan: Scan, option_end: int, option: str) -> None:
    start = run(scan.text, option_end, " =\"'")
    if start == option_end and option != " -u":
        return  # --username
    word = word_at(scan.text, start)
    user, colon, password = word.partition(":")
    if colon and not user.isdigit() and "/" not in user and not is_reference(password):
        scan.add(start + len(user) + 1, start + len(word), "password")
