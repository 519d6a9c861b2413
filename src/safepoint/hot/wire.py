"""JSON in and out for hooks, without the cost of ``import json``.

Reading uses the C scanner that :mod:`json` itself is built on.  It is fast and silent about what went wrong
(on 3.10 and 3.11 it even answers a broken text with SystemError), so every failure is judged a second time by
``json``, and only then is that module paid for.

Reading is lenient: control characters inside strings pass, ``NaN`` and the infinities become None, an integer
with more digits than ``int()`` accepts becomes None, the last of two equal keys wins.
Writing never raises for want of a representation: see :func:`dumps`.

What a payload that arrives whole does not need is elsewhere: ``wire_pipe`` waits for the rest of one,
``wire_slow`` judges broken texts and spells what C cannot.
"""

from __future__ import annotations

import os

try:
    import _json
except ImportError:  # an interpreter without the C accelerator
    _json = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Optional

SPACE = b" \t\r\n"
BOM = b"\xef\xbb\xbf"
CHUNK = 65536
CONSTANTS: dict[str, None] = {}


class WireError(ValueError):
    """A text that holds no usable JSON.

    ``kind`` is ``empty`` (white space at most), ``incomplete`` (a valid beginning, cut off), ``broken`` or
    ``not_object`` (valid, but not the object that was asked for).  ``size`` is the length of the input.
    """

    def __init__(self, kind: str, size: int = 0, detail: str = "") -> None:
        super().__init__(f"{kind} JSON ({size} in all){': ' + detail if detail else ''}")
        self.kind = kind
        self.size = size
        self.detail = detail


class _Context:
    """What ``make_scanner`` asks for; ``array_hook`` is read from 3.15 on, ``memo`` by pure Python only."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    array_hook = None
    parse_float = float
    parse_int = int
    parse_constant = CONSTANTS.get
    memo: dict[str, str] = {}  # noqa: RUF012 - a fixed protocol, not a default


def _make_scanner() -> Optional[Callable[[str, int], tuple[Any, int]]]:
    try:
        scanner: Callable[[str, int], tuple[Any, int]] = _json.make_scanner(_Context)  # type: ignore[arg-type]
        return scanner if scanner('{"a":[1]}', 0) == ({"a": [1]}, 9) else None
    except Exception:
        return None


_scanner = _make_scanner()


# --- reading ---------------------------------------------------------------------------------------------


def read_payload(fd: int = 0, silence_s: float = 0.3) -> tuple[dict[str, Any], int]:
    """The JSON object on ``fd``, whether or not the other side ever closes it, and how many bytes came.

    For its beginning it waits as long as the process may; then until the object is complete, the file ends,
    or ``silence_s`` seconds have passed without a byte.  Raises :class:`WireError`.
    """
    data = read(fd, CHUNK)
    found = peek(data) if data.rstrip(SPACE).endswith(b"}") else None
    if found is not None:
        return found, len(data)
    from .wire_pipe import read_rest

    return read_rest(data, fd, silence_s)


def read(fd: int, count: int) -> bytes:
    try:
        return os.read(fd, count)
    except OSError:  # closed before we were started, or reset by the other side
        return b""


def peek(data: bytes) -> Optional[dict[str, Any]]:
    """The object at the start of ``data``, None where there is none yet."""
    if _scanner is None:
        try:
            return first_object(data)
        except WireError:
            return None
    try:
        value = _scanner(_text(data), 0)[0]
    except Exception:
        return None
    return value if isinstance(value, dict) else None


def first_object(data: bytes) -> dict[str, Any]:
    """The object at the start of ``data``, behind byte order marks and white space.

    Whatever follows it is ignored.  Bytes that are not UTF-8 arrive as lone surrogates (``surrogateescape``):
    unlike U+FFFD they can be turned back, so a path in a legacy encoding still opens its file.
    A text that is only whole in a code page of Windows is read in that.  Raises :class:`WireError`.
    """
    try:
        value = _parse(_text(data))[0]
    except WireError:
        from .wire_slow import in_code_page

        value = in_code_page(data)
        if value is None:
            raise
    if not isinstance(value, dict):
        raise WireError("not_object", len(data), type(value).__name__)
    return value


def loads(text: str | bytes) -> Any:
    """The one JSON value that ``text`` consists of, but for white space and byte order marks in front.

    Raises :class:`WireError`.
    """
    if isinstance(text, bytes):
        text = _text(text)
    text = text.strip(" \t\r\n")
    value, end = _parse(text)
    if end != len(text):
        raise WireError("broken", len(text), f"more text at {end}")
    return value


def _text(data: bytes) -> str:
    """Decode, without leading marks and space.  PowerShell can put two marks in front."""
    start = 0
    while data.startswith(BOM, start):
        start += len(BOM)
    return (data[start:] if start else data).lstrip(SPACE).decode("utf-8", "surrogateescape")


def _parse(text: str) -> tuple[Any, int]:
    """The value at the start of ``text`` and the index behind it."""
    if _scanner is not None:
        try:
            return _scanner(text, 0)
        except Exception:  # which one tells nothing reliable: SystemError, StopIteration, RecursionError …
            pass
    from .wire_slow import parse

    return parse(text)


# --- writing ---------------------------------------------------------------------------------------------


def dumps(obj: object, indent: Optional[int] = None) -> str:
    """``obj`` as ASCII JSON: compact, or with ``indent`` spaces a level for files that people read.

    Never raises for its content.  NaN, infinities, objects that JSON does not know (sets, bytes …), integers
    too long to print, cycles, and containers nested too deeply become null; keys become strings; lone
    surrogates survive as escapes.  Keys keep their order.
    """
    if indent is not None:
        from .wire_slow import pretty

        return pretty(obj, indent)
    try:
        return encode(obj, False)
    except Exception:  # NaN, a cycle, a key of another type, RecursionError, an int too long to print
        from .wire_slow import plain

        return encode(plain(obj), False)


def dump_fields(obj: dict[str, Any]) -> str:
    """``obj`` with each field on a line of its own: readable too, at a tenth of the price of ``indent``."""
    lines = [f"  {dumps(name)}: {dumps(value)}" for name, value in obj.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def canonical(obj: object) -> bytes:
    """The one spelling of ``obj`` to take a digest of: compact, keys sorted.

    Sorted after they became strings, so that a value and what is read back from its file have the same digest
    even where writing changed it (number keys, tuples, NaN).
    """
    from .wire_slow import plain

    return encode(plain(obj), True).encode("ascii")


def utf8(text: str) -> bytes:
    """``text`` for a file: lone surrogates, which UTF-8 has no form for, become ``?``."""
    return text.encode("utf-8", "replace")


def null(obj: object) -> None:
    """The C encoder's ``default``: an object that JSON does not know."""


def _make_encode() -> Callable[[object, bool], str]:
    try:
        make_encoder, quote = _json.make_encoder, _json.encode_basestring_ascii

        def encode(obj: object, sort_keys: bool) -> str:
            return "".join(make_encoder({}, null, quote, None, ":", ",", sort_keys, False, False)(obj, 0))

        if encode({"b": [1, None], "a": "é"}, True) == '{"a":"\\u00e9","b":[1,null]}':
            return encode
    except Exception:
        pass
    from .wire_slow import encode as encode_slowly

    return encode_slowly


encode = _make_encode()
