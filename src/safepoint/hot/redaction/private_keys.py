"""Private keys between a BEGIN and an END line, also where one of the two was cut off."""

from __future__ import annotations

from ..redact import AHEAD
from .marks import ALNUM
from .scan import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scan import Scan

_BASE64 = ALNUM + "+/="
_BODY = _BASE64 + " \t\r\n\\|>→:,-"


def find_private_keys(scan: Scan) -> None:
    text = scan.text
    closing = 0
    for at in scan.places("-----BEGIN "):
        body = _head_end(text, at + 11)
        if body < 0:
            continue
        if 0 <= closing < body:
            closing = text.find("-----END ", body)
        if 0 <= closing - body < 65536:
            end = max(_head_end(text, closing + 9), closing + 9)
        else:  # cut off: all goes that could still belong to it
            end = run(text, body, _BODY)
        scan.add(at, end, "private_key")
    _find_ends(scan)


def _head_end(text: str, start: int) -> int:
    """The index behind a BEGIN or END line whose kind is at ``start``, if it is a private key's, else -1."""
    kind, dashes, _ = text[start : start + 64].partition("-----")
    return start + len(kind) + len(dashes) if "PRIVATE KEY" in kind else -1


def _find_ends(scan: Scan) -> None:
    """Keys that were cut off in front: an END whose BEGIN is not there."""
    whole = iter([*scan.spans, (len(scan.text), len(scan.text), "")])
    start, end, _ = next(whole)
    before = 0
    for at in scan.places("-----END "):
        while end <= at and end < len(scan.text):
            before = end
            start, end, _ = next(whole)
        foot = _head_end(scan.text, at + 9)
        if foot >= 0 and not start <= at < end:
            scan.add(_body_start(scan.text, at, before), foot, "private_key")
        before = max(before, at + 9)


def _body_start(text: str, end: int, first: int) -> int:
    """Where the base64 lines right before ``end`` begin, not before ``first``."""
    first = max(first, end - AHEAD)
    start = end
    for line in reversed(text[first:end].replace("\\n", "\n\n").split("\n")):
        if line.strip(_BASE64 + "\r"):
            break
        start -= len(line) + 1
    return max(first, min(end, start + 1))
