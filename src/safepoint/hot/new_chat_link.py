"""A link that opens a new chat with the handoff's id typed in, and the way back from prompt to id. Pure."""

from __future__ import annotations

from .quoting import safe
from .texts import say

CURSOR_MAX_CHARS = 8000  # of the whole address
CLAUDE_MAX_CHARS = 5000  # of the prompt, before it is encoded
PHRASE = "safepoint handoff "

_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~")


def link(host: str, project: str, handoff_id: str, slug: str, language: str) -> str:
    """The address; empty where the id is none of ours or the address would be too long."""
    if not handoff_id or not _ID.issuperset(handoff_id):
        return ""
    text = say(language, "link_prompt", slug=safe(slug, 80), id=handoff_id)
    if host == "cursor":
        address = "cursor://anysphere.cursor-deeplink/prompt?text=" + quote(text)
        return address if len(address) <= CURSOR_MAX_CHARS else ""
    if len(text) > CLAUDE_MAX_CHARS:
        return ""
    return f"claude-cli://open?cwd={quote(project)}&q={quote(text)}"


def quote(text: str) -> str:
    """Percent-encoded UTF-8; a file name's undecodable bytes come out as they were."""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "replace")
    return "".join([chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in data])


def handoff_id_in(prompt: str) -> str:
    """The id behind the first `safepoint handoff` in a prompt, else ''. Whether there is one, others know."""
    at = prompt.find(PHRASE)
    while at >= 0:
        start = at + len(PHRASE)
        while prompt[start : start + 1] in (" ", "`", "'", '"'):
            start += 1
        end = start
        while end < len(prompt) and prompt[end] in _ID:
            end += 1
        found = prompt[start:end].rstrip(".")  # a full stop behind it
        if found and not prompt[at - 1 : at].isalnum():
            return found
        at = prompt.find(PHRASE, start)
    return ""
