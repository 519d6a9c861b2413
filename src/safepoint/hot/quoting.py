"""Facts from outside (file names, commands, todo texts) made harmless inside our own Markdown. Pure.

Such a text may hold a host's tag, our own header line or a heading; after this it is one line of plain text.
What is shown stays as close to the original as that allows: `sort <in.txt` and `2>&1` are left alone.
"""

from __future__ import annotations

MARK = "CONTEXT_BUDGET_"
HOST_TAG = "system-reminder"
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-")
_RULES = ("---", "***", "___", "===", "~~~")
_LIST_MARKS = ("- ", "* ", "+ ", "[ ]", "[x]", "[X]", "[>]")


def safe(text: str, max_chars: int) -> str:
    """One line of plain text of at most `max_chars` characters; a cut is shown by `…`."""
    line = _one_line(text[: 4 * max_chars + 64]).replace("`", "'")
    return _cut(_escape_lead(_tame(line)), max_chars)


def code(text: str, max_chars: int) -> str:
    """The same as a code span, for commands and paths: backticks inside stay what they are."""
    line = _cut(_tame(_one_line(text[: 4 * max_chars + 64])), max_chars)
    if not line:
        return ""
    fence = "`"
    while fence in line:
        fence += "`"
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return fence + pad + line + pad + fence


def quote(text: str, max_chars: int) -> list[str]:
    """Several lines of somebody's own words as lines of a block quote."""
    lines = []
    for raw in text[:max_chars].splitlines():
        line = _tame(_plain(raw).replace("\n", " ").rstrip())
        if line.lstrip().startswith("#"):
            line = "\\" + line.lstrip()
        lines.append(f"> {line}".rstrip())
    while lines and lines[-1] == ">":
        lines.pop()
    return lines


def clip_bytes(text: str, max_bytes: int) -> str:
    """As much of `text` as fits into `max_bytes` of UTF-8, cut at a character and shown by `…`."""
    data = text.encode("utf-8", "replace")
    if len(data) <= max_bytes:
        return text
    return data[: max(0, max_bytes - 3)].decode("utf-8", "ignore") + "…"


def _cut(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max(0, max_chars - 1)].rstrip() + "…"


def _one_line(text: str) -> str:
    parts = [part.strip(" ") for part in _plain(text).split("\n")]
    return " ".join([part for part in parts if part])


def _plain(text: str) -> str:
    """Controls as line ends; what is invisible, or turns the direction of writing, is gone."""
    if text.isascii() and text.isprintable():
        return text
    return "".join([_plain_char(char) for char in text])


def _plain_char(char: str) -> str:
    number = ord(char)
    if number < 0x20 or 0x7F <= number < 0xA0 or number in (0x2028, 0x2029):
        return "\n"
    if 0xD800 <= number < 0xE000:
        return "\ufffd"
    if (
        number in (0xAD, 0x200B, 0x200E, 0x200F, 0xFEFF)
        or 0x202A <= number <= 0x202E
        or 0x2060 <= number <= 0x206F
        or 0xFFF9 <= number <= 0xFFFB
        or 0xE0000 <= number <= 0xE007F
    ):
        return ""
    return char


def _tame(text: str) -> str:
    """`text` without a header of ours and without anything that a model could read as a tag."""
    at = text.find("[")
    while at >= 0:
        if text[at + 1 : at + 1 + len(MARK)].upper() == MARK:
            text = text[:at] + "(" + text[at + 1 :]
        at = text.find("[", at + 1)
    while "<" in text:
        tamed = _tame_tags(text)
        if tamed == text:
            break
        text = tamed  # a tag that is gone can close another one further out
    return text


def _tame_tags(text: str) -> str:
    chars = list(text)
    at = text.find("<")
    while at >= 0:
        if _is_tag(text, at):
            chars[at] = "‹"
            close, following = text.find(">", at), text.find("<", at + 1)
            if close >= 0 and (following < 0 or close < following):
                chars[close] = "›"
        at = text.find("<", at + 1)
    return "".join(chars)


def _is_tag(text: str, at: int) -> bool:
    start = _skip_spaces(text, at + 1)
    first = text[start : start + 1]
    if first in ("!", "?"):
        return True
    closing = first == "/"
    if closing:
        start = _skip_spaces(text, start + 1)
    if not (text[start : start + 1].isascii() and text[start : start + 1].isalpha()):
        return False
    end = start
    while end < len(text) and text[end] in _NAME:
        end += 1
    rest = text[end:]
    if text[start:end].lower().startswith(HOST_TAG):
        return True  # whatever stands behind it
    if rest.startswith(">") or rest.replace(" ", "")[:2] == "/>":
        return True
    behind = rest.lstrip(" ")
    if behind[:1] == ">" and behind[1:2] in ("", " "):
        return True  # `<in >out` is no tag
    if closing:
        return not rest.startswith("/")  # `</dev/null` is a file
    if text[at - 1 : at] == "<" or start > at + 1:
        return False  # a here-document, a comparison
    if rest.strip(" ") == "" or rest[0] == " ":
        name = text[start:end]
        return (("-" in name or "_" in name) and "." not in name) or "=" in rest[: rest.find(">") + 1]
    return False


def _skip_spaces(text: str, at: int) -> int:
    while text[at : at + 1] == " ":
        at += 1
    return at


def _escape_lead(text: str) -> str:
    """No heading, rule, list, quote or check mark at the start."""
    if text.startswith(("#", ">")) or text.startswith(_RULES) or text.startswith(_LIST_MARKS):
        return "\\" + text
    digits = 0
    while text[digits : digits + 1].isdigit():
        digits += 1
    if digits and text[digits : digits + 2] in (". ", ") "):
        return text[:digits] + "\\" + text[digits:]
    return text
