"""Passwords at the places where commands take them: an option, the n-th word, what is piped in."""

from __future__ import annotations

from ..redact import COMMAND_MARKS, LOGIN_MARKS
from .extents import word_at
from .marks import QUOTES, TooDenseError
from .scan import DIGITS, run
from .values import NO_VALUES, is_code, is_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .scan import Scan

    Word = tuple[int, int, bool]  # start, end, whether it is quoted

_ATTACHED = ("mysql", "mariadb", "7z", "rar ")  # a space behind the option means: ask for it
# The user stands before this.
_PARTS = {"smbclient": "%", "rpcclient": "%", "lftp": ",", "curl": ":", "http ": ":", "https ": ":"}
# Which word behind the mark is the password; whether that is so in prose as well is asked of the word.
_WORDS = {
    "net user": (2, False), "securestring": (1, False), "identified by": (1, False),
    "vault login": (1, False), "cargo login": (1, False), "rclone obscure": (1, True),
    "bw unlock": (1, False), "bw login": (2, False),
    "wpa_passphrase": (2, True), "change_password": (2, False), "rabbitmqctl add_user": (2, True),
}  # fmt: skip
# Where the password comes behind a second word.
_THEN = {
    "nmcli": (" password ", "psk "), "identified with": (" by ",),
}  # fmt: skip
_PIPED = ("chpasswd", "password-stdin", "| passwd", "| sudo passwd", "with-token", "sudo -s", "smbpasswd")
_SETTINGS = ("configure set", "config set", "secrets set", "git config")
_TELLING = ("password", "passwd", "secret", "token", "key", "pwd", "_auth")
_REACH, _MOST = 2000, 3000  # characters that belong to one command; commands of one kind in a text
_ENDS = (" && ", " || ", " | ", "; ")


def find_commands(scan: Scan) -> None:
    text, low = scan.text, scan.low
    if " -" in text:
        for command, option in LOGIN_MARKS:
            if command in low and option in text:
                _find_option(scan, command, option)
    for common, marks in COMMAND_MARKS:
        if common in low:
            for mark in marks:
                if mark in low:
                    _find_command(scan, mark)


def _find_option(scan: Scan, command: str, option: str) -> None:
    text = scan.text
    for at in _places(scan, command):
        limit = min(at + _REACH, scan.line_end(at))
        found = _in_cluster(text, at, limit) if command == "zip" else text.find(option, at, limit)
        if found < 0 or any(text.find(end, at, found) >= 0 for end in _ENDS[:3]):
            continue
        start = found + len(option)
        start = start if command in _ATTACHED else run(text, start, " \"'")
        word = word_at(text, start)
        if not word or word.startswith("-") or is_reference(word):
            continue
        part = _PARTS.get(command, "")
        user, sign, password = word.partition(part) if part else ("", "", word)
        if password and (sign or not part) and not is_reference(password):
            scan.add(start + len(user) + len(sign), start + len(word), "password")


def _in_cluster(text: str, at: int, limit: int) -> int:
    """Where `P` ends a word of single-letter options, as in `-rP`; -1 without one."""
    for _ in range(8):
        found = text.find("P ", at, limit)
        if found < 0:
            return -1
        word = text[text.rfind(" ", at, found) + 1 : found]
        if word[:1] == "-" and (word[1:] == "" or word[1:].isalnum()):
            return found
        at = found + 1
    return -1


def _find_command(scan: Scan, mark: str) -> None:
    for at in _places(scan, mark):
        end = at + len(mark)
        if mark in _WORDS and scan.text[end : end + 1] in " \t":
            number, sure = _WORDS[mark]
            _take(scan, _words(scan, end, number), number, sure)
        elif mark in _THEN:
            _find_then(scan, end, _THEN[mark])
        elif mark == "machine ":
            _find_netrc(scan, end)
        elif mark in _SETTINGS:
            _take_setting(scan, _words(scan, end))
        elif mark == "htpasswd":
            words = _words(scan, end)
            options = scan.text[end : words[0][0]].split() if words else []
            if any(word[:1] == "-" and "b" in word for word in options):
                _take(scan, words, len(words), True)
        elif mark == "from-literal":
            start = run(scan.text, end, "= \"'")
            word = word_at(scan.text, start)
            _add(scan, start + len(word.partition("=")[0]) + 1, start + len(word))
        if mark in _PIPED:
            _find_input(scan, at, end, ":" if mark == "chpasswd" else "")


def _places(scan: Scan, mark: str) -> Iterator[int]:
    left = _MOST
    for at in scan.places(mark, lowered=True):
        yield at
        left -= 1
        if not left:
            raise TooDenseError


def _find_then(scan: Scan, at: int, follows: tuple[str, ...]) -> None:
    window = scan.low[at : at + 400]
    for follow in follows:
        found = window.find(follow)
        if found >= 0:
            _take(scan, _words(scan, at + found + len(follow)), 1, True)


def _find_netrc(scan: Scan, at: int) -> None:
    """`HOST login USER password X`, over lines as well."""
    window = scan.low[at : at + 400]
    words = window.split(None, 4)
    if len(words) > 4 and (words[1], words[3]) == ("login", "password"):
        _take(scan, _words(scan, at + len(window) - len(words[4])), 1, True)


def _take_setting(scan: Scan, words: list[Word]) -> None:
    """`NAME X` or `NAME=X`."""
    if not words:
        return
    start, end, _ = words[0]
    name, sign, _ = scan.text[start:end].partition("=")
    if name.lower().endswith(_TELLING) and not name.lower().endswith("signingkey"):
        if sign:
            _add(scan, start + len(name) + 1, end)
        elif len(words) > 1 and not scan.text[words[1][0] : words[1][1]].isdigit():
            _take(scan, words, 2, True)
    elif sign and name.isupper():  # a secret of any name
        _add(scan, start + len(name) + 1, end)


def _take(scan: Scan, words: list[Word], number: int, sure: bool) -> None:
    if not 0 < number <= len(words):
        return
    start, end, quoted = words[number - 1]
    word = scan.text[start:end]
    if (
        word.lower() in NO_VALUES
        or (word.isdigit() and not sure)
        or not (sure or quoted or not DIGITS.isdisjoint(word) or not word.replace("-", "").isalnum())
    ):
        return
    if quoted and scan.text[start - 1] == "`":
        return  # Markdown
    if quoted or not is_code(word):
        _add(scan, start, end)


def _add(scan: Scan, start: int, end: int) -> None:
    value = scan.text[start:end]
    is_plain = value != "*" and value[:1] not in ("$", "%", "<", ">", "") and not is_reference(value)
    if is_plain or (value.startswith("${") and ":-" in value):
        scan.add(start, end, "password")


def _words(scan: Scan, start: int, most: int = 8) -> list[Word]:
    """The first words of a command from `start` on, without its options."""
    text = scan.text
    line_end = min(scan.line_end(start), start + _REACH)
    words: list[Word] = []
    at = start
    while len(words) < most:
        at = run(text, at, " \t", 64)
        if at >= line_end or text[at] in "|;&>)":
            break
        bare = text[at : at + 8].lstrip("\\")
        if bare[:1] and bare[0] in QUOTES:
            first = at + len(text[at : at + 8]) - len(bare) + 1
            close = text.find(bare[0], first, line_end)
            close = line_end if close < 0 else close
            slashes = text[max(first, close - 8) : close]
            words.append((first, close - len(slashes) + len(slashes.rstrip("\\")), True))
            at = close + 1
            continue
        word = word_at(text, at)
        if not word:
            break
        if not word.startswith("-"):
            words.append((at, at + len(word), False))
        at += len(word)
        at += 0 if text[at : at + 1] in " \t\r\n" else 1
    return words


def _find_input(scan: Scan, at: int, end: int, part: str) -> None:
    """What `echo` pipes into the command at `at`, or a here-string gives it."""
    text = scan.text
    least = max(0, at - _REACH)
    first = max(least, text.rfind("\n", least, at) + 1)
    pipe = text.rfind("|", first, end)
    if pipe > first:
        found = [(text.rfind(sign, first, pipe), len(sign)) for sign in ("echo ", "printf ", " <<< ")]
        begin, size = max(found)
        begin += size
        if begin >= first + size and not any(sign in text[begin:pipe] for sign in (" && ", "; ", "|")):
            _take_input(scan, begin, pipe, part)
    line_end = min(scan.line_end(end), end + _REACH)
    here = text.find("<<<", end, line_end)
    if here >= 0:
        _take_input(scan, here + 3, line_end, part)


def _take_input(scan: Scan, start: int, end: int, part: str) -> None:
    is_format = False
    for first, last, _ in _words(scan, start):
        last = min(last, start + len(scan.text[start:end].rstrip(" \"'")))
        word = scan.text[first:last].removesuffix("\\n")
        if "%s" in word:
            is_format = True  # of printf
            continue
        user, sign, password = word.partition(part) if part and not is_format else ("", "", word)
        if sign or not part or is_format:
            begin = first + len(user) + len(sign)
            _add(scan, begin, begin + len(password))
