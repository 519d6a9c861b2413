"""Secrets in the values of a payload: in its texts, and under names that tell of one."""

from __future__ import annotations

from ..redact import FOREIGN_MARKS, NAME_MARKS, NOISE_MARKS, redact
from .names import may_end, name_at
from .values import ANY, HEADERS, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

MAX_DEPTH = 20
_MARKS = NAME_MARKS + FOREIGN_MARKS + NOISE_MARKS


def redacted_value(obj: Any, max_depth: int = MAX_DEPTH) -> Any:
    """``obj`` redacted.  Never raises.

    dict, list and tuple (as list) are entered down to ``max_depth``; below that, and for objects JSON does
    not know, a text stands in.
    """
    try:
        return _redacted(obj, max_depth)
    except Exception:
        return "[dropped: unreadable value]"


def _redacted(obj: Any, depth: int) -> Any:
    if isinstance(obj, str):
        return redact(obj)
    if obj is None or isinstance(obj, (bool, int, float)):
        return obj
    if not isinstance(obj, (dict, list, tuple)):
        return f"[dropped: {type(obj).__name__}]"
    if depth <= 0:
        return "[dropped: nested too deeply]"
    if isinstance(obj, dict):
        return {
            redact(key) if isinstance(key, str) else key: _named(key, value, depth - 1)
            for key, value in obj.items()
        }
    return [_redacted(item, depth - 1) for item in obj]


def _named(key: object, value: Any, depth: int) -> Any:
    """A value as the entry of a dict: its key may tell that it is secret."""
    label = _label_of(key, value) if isinstance(key, str) else None
    if label is None:
        return _redacted(value, depth)
    return _mask(value, f"[redacted:{label}]", depth)


def _mask(value: Any, mask: str, depth: int) -> Any:
    if value is None or isinstance(value, bool) or value == "":
        return value
    if isinstance(value, dict) and depth > 0:
        return {key: _mask(item, mask, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and depth > 0:
        return [_mask(item, mask, depth - 1) for item in value]
    return mask


def _label_of(key: str, value: Any) -> Optional[str]:
    """The kind of secret that ``value`` is by its key, or None."""
    low = key.replace("\u0130", "i").lower()
    for header in HEADERS:
        if low.endswith(header) and isinstance(value, (str, list)):
            return header
    for mark in _MARKS:
        at = low.rfind(mark)
        found = name_at(low, at, mark) if at >= 0 and mark not in HEADERS else None
        if found is None:
            continue
        end, trust, label = found
        if not may_end(key[end:]):
            continue
        if not isinstance(value, str):
            if trust == ANY:
                return label
        elif is_secret(value, trust, key.isupper(), True, key):
            return label
    return None
