"""JSON in and out for hooks, without the cost of ``import json``.

Reading uses the C scanner that :mod:`json` itself is built on.  It is fast and silent about what went wrong
(on 3.10 and 3.11 it even answers a broken text with SystemError), so every failure is judged a second time by
``json``, and only then is that module paid for.

Reading is lenient: control characters inside strings pass, ``NaN`` and the infinities become None, an integer
with more digits than ``int()`` accepts becomes None, the last of two equal keys wins.
Writing never raises for want of a representation: see :func:`dumps`.
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
MAX_DEPTH = 200
"""Where a copy has to be made to write a value, containers nested deeper than this are left out as null."""

_CHUNK = 65536
_GRACE_S = 0.002
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_NUMBER_TAILS = ("-", ".", "e", "E", "e+", "e-", "E+", "E-")
_CONSTANTS: dict[str, None] = {}


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
    parse_constant = _CONSTANTS.get
    memo: dict[str, str] = {}  # noqa: RUF012 - a fixed protocol, not a default


def _make_scanner() -> Optional[Callable[[str, int], tuple[Any, int]]]:
    try:
        scanner: Callable[[str, int], tuple[Any, int]] = _json.make_scanner(_Context)  # type: ignore[arg-type]
        return scanner if scanner('{"a":[1]}', 0) == ({"a": [1]}, 9) else None
    except Exception:
        return None


_scanner = _make_scanner()


# --- reading ---------------------------------------------------------------------------------------------


def read_stdin(fd: int = 0, silence_s: float = 0.3, max_bytes: Optional[int] = None) -> bytes:
    """Read one JSON object's bytes from ``fd``, whether or not the other side ever closes it.

    Ends at end of file, at one complete object with nothing behind it, after ``silence_s`` seconds without a
    byte, or with ``max_bytes`` read.  Never raises: a closed or broken descriptor reads as its end.
    On Windows, where pipes cannot be polled, it reads to the end of the file.
    """
    return b"".join(_collect(fd, silence_s, max_bytes)[0])


def read_object(fd: int = 0, silence_s: float = 0.3, max_bytes: Optional[int] = None) -> dict[str, Any]:
    """``first_object(read_stdin(...))``, but a text parsed to find its end is not parsed again."""
    chunks, found = _collect(fd, silence_s, max_bytes)
    if found is not None:
        return found
    data = b"".join(chunks)
    chunks.clear()  # 20 MB need not lie in memory twice
    return first_object(data)


def _collect(
    fd: int, silence_s: float, max_bytes: Optional[int]
) -> tuple[list[bytes], Optional[dict[str, Any]]]:
    """The chunks read, and the object they hold where that had to be looked at to know when to stop."""
    wait = _waiter(fd)
    chunks: list[bytes] = []
    size = scanned = 0
    while max_bytes is None or size < max_bytes:
        # An object can only have ended at a brace.  Looking costs time in proportion to what is there, so
        # it is done once the pipe is quiet, and again only when the text has doubled: linear, however it
        # drips.
        if size >= 2 * scanned and _ends_in_brace(chunks) and not wait(_GRACE_S + size * 1e-9):
            scanned = size
            found = _peek(b"".join(chunks))
            if found is not None:
                return chunks, found
        if not wait(silence_s):
            break
        chunk = _read(fd, _CHUNK if max_bytes is None else min(_CHUNK, max_bytes - size))
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
    return chunks, None


def _waiter(fd: int) -> Callable[[float], bool]:
    """A function that waits up to so many seconds and says whether a read would return at once."""
    if os.name == "nt":
        return lambda seconds: True
    try:
        from select import select
    except ImportError:
        return lambda seconds: True

    def wait(seconds: float) -> bool:
        try:
            return bool(select([fd], [], [], seconds)[0])
        except (OSError, ValueError):  # not a descriptor that can be waited on: let the read say so
            return True

    return wait


def _ends_in_brace(chunks: list[bytes]) -> bool:
    for chunk in reversed(chunks):
        tail = chunk[-256:].rstrip(SPACE) or chunk.rstrip(SPACE)
        if tail:
            return tail.endswith(b"}")
    return False


def _peek(data: bytes) -> Optional[dict[str, Any]]:
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


def _read(fd: int, count: int) -> bytes:
    try:
        return os.read(fd, count)
    except OSError:  # closed before we were started, or reset by the other side
        return b""


def first_object(data: bytes) -> dict[str, Any]:
    """The object at the start of ``data``, behind byte order marks and white space.

    Whatever follows it is ignored.  Bytes that are not UTF-8 arrive as lone surrogates (``surrogateescape``):
    unlike U+FFFD they can be turned back, so a path in a legacy encoding still opens its file.
    Raises :class:`WireError`.
    """
    value = _parse(_text(data))[0]
    if not isinstance(value, dict):
        raise WireError("not_object", len(data), type(value).__name__)
    return value


def loads(text: str | bytes) -> Any:
    """The one JSON value that ``text`` consists of, but for white space.  Raises :class:`WireError`."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
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
    return _parse_slowly(text)


def _parse_slowly(text: str) -> tuple[Any, int]:
    if not text:
        raise WireError("empty")
    import json

    decoder = json.JSONDecoder(strict=False, parse_int=_int_or_none, parse_constant=_CONSTANTS.get)
    try:
        return decoder.raw_decode(text)
    except json.JSONDecodeError as error:
        kind = "incomplete" if _is_cut_off(text, error.pos, error.msg) else "broken"
        raise WireError(kind, len(text), f"{error.msg} at {error.pos}") from None
    except RecursionError:
        raise WireError("broken", len(text), "nested too deeply") from None


def _int_or_none(digits: str) -> Optional[int]:
    try:
        return int(digits)
    except ValueError:  # past sys.get_int_max_str_digits(): no field of ours can mean such a number
        return None


def _is_cut_off(text: str, position: int, message: str) -> bool:
    """Whether more text could have made this valid."""
    rest = text[position:].strip(" \t\r\n")
    if not rest or message.startswith("Unterminated string"):
        return True
    if "\\u" in message:
        return len(rest) < 6 and '"' not in rest
    return rest in _NUMBER_TAILS or any(literal.startswith(rest) for literal in _LITERALS)


# --- writing ---------------------------------------------------------------------------------------------


def dumps(obj: object, indent: Optional[int] = None) -> str:
    """``obj`` as ASCII JSON: compact, or with ``indent`` spaces a level for files that people read.

    Never raises for its content.  NaN, infinities, objects that JSON does not know (sets, bytes …), integers
    too long to print, cycles, and containers nested too deeply become null; keys become strings; lone
    surrogates survive as escapes.  Keys keep their order.
    """
    if indent is None:
        return _compact(obj)
    return _pretty(_plain(obj), "\n", " " * indent)


def canonical(obj: object) -> bytes:
    """The one spelling of ``obj`` to take a digest of: compact, keys sorted.

    Sorted after they became strings, so that a value and what is read back from its file have the same digest
    even where writing changed it (number keys, tuples, NaN).
    """
    return _encode(_plain(obj), True).encode("ascii")


def utf8(text: str) -> bytes:
    """``text`` for a file: lone surrogates, which UTF-8 has no form for, become ``?``."""
    return text.encode("utf-8", "replace")


def _compact(obj: object) -> str:
    try:
        return _encode(obj, False)
    except Exception:  # NaN, a cycle, a key of another type, RecursionError, an int too long to print
        return _encode(_plain(obj), False)


def _null(obj: object) -> None:
    """The C encoder's ``default``: an object that JSON does not know."""


def _make_encode() -> Callable[[object, bool], str]:
    try:
        make_encoder, quote = _json.make_encoder, _json.encode_basestring_ascii

        def encode(obj: object, sort_keys: bool) -> str:
            return "".join(make_encoder({}, _null, quote, None, ":", ",", sort_keys, False, False)(obj, 0))

        if encode({"b": [1, None], "a": "é"}, True) == '{"a":"\\u00e9","b":[1,null]}':
            return encode
    except Exception:
        pass
    return _encode_slowly


def _encode_slowly(obj: object, sort_keys: bool) -> str:
    import json

    return json.dumps(obj, default=_null, separators=(",", ":"), sort_keys=sort_keys, allow_nan=False)


_encode = _make_encode()


def _plain(obj: object, depth: int = MAX_DEPTH, above: tuple[int, ...] = ()) -> Any:
    """A copy of nothing but dicts with str keys, lists, str, int, finite float, bool and None."""
    if obj is None or isinstance(obj, (str, bool)):
        return obj
    if isinstance(obj, int):
        return _printable(obj)
    if isinstance(obj, float):
        return obj if obj - obj == 0.0 else None
    if not isinstance(obj, (dict, list, tuple)) or depth == 0 or id(obj) in above:
        return None
    above = (*above, id(obj))
    if isinstance(obj, dict):
        return {_key(key): _plain(value, depth - 1, above) for key, value in obj.items()}
    return [_plain(item, depth - 1, above) for item in obj]


def _printable(number: int) -> Optional[int]:
    try:
        int.__repr__(number)
    except ValueError:
        return None
    return number


def _key(key: object) -> str:
    """As ``json`` spells keys; anything it refuses by ``str``."""
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    try:
        return float.__repr__(key) if isinstance(key, float) else str(key)
    except Exception:
        return type(key).__name__


def _pretty(obj: Any, newline: str, step: str) -> str:
    if not obj or not isinstance(obj, (dict, list)):
        return _compact(obj)
    inner = newline + step
    if isinstance(obj, dict):
        lines = [f"{_compact(key)}: {_pretty(value, inner, step)}" for key, value in obj.items()]
        return "{" + inner + ("," + inner).join(lines) + newline + "}"
    return "[" + inner + ("," + inner).join([_pretty(item, inner, step) for item in obj]) + newline + "]"
