"""The rare half of ``wire``: texts the C scanner refuses, and values its encoder cannot spell."""

from __future__ import annotations

from . import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

MAX_DEPTH = 200
"""Where a copy has to be made to write a value, containers nested deeper than this are left out as null."""

_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")
_NUMBER_TAILS = ("-", ".", "e", "E", "e+", "e-", "E+", "E-")


def parse(text: str) -> tuple[Any, int]:
    """The value at the start of ``text`` and the index behind it.  Raises WireError."""
    if not text:
        raise wire.WireError("empty")
    import json

    decoder = json.JSONDecoder(strict=False, parse_int=_int_or_none, parse_constant=wire.CONSTANTS.get)
    try:
        return decoder.raw_decode(text)
    except json.JSONDecodeError as error:
        kind = "incomplete" if _is_cut_off(text, error.pos, error.msg) else "broken"
        raise wire.WireError(kind, len(text), f"{error.msg} at {error.pos}") from None
    except RecursionError:
        raise wire.WireError("broken", len(text), "nested too deeply") from None


def in_code_page(data: bytes) -> Any:
    """The value at the start of a text that some Windows shell wrote in its code page; None where it is none.

    In the Japanese one the second byte of a character can be a backslash, which breaks the JSON around it.
    """
    try:
        data.decode("utf-8")
        return None
    except UnicodeDecodeError:
        pass
    for code_page in ("mbcs", "cp932"):  # the machine's own, where it is Windows, then the one that hurts
        try:
            return parse(data.decode(code_page).lstrip(" \t\r\n"))[0]
        except (LookupError, UnicodeError, wire.WireError):
            continue
    return None


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


def encode(obj: object, sort_keys: bool) -> str:
    import json

    return json.dumps(obj, default=wire.null, separators=(",", ":"), sort_keys=sort_keys, allow_nan=False)


def plain(obj: object, depth: int = MAX_DEPTH, above: tuple[int, ...] = ()) -> Any:
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
        return {_key(key): plain(value, depth - 1, above) for key, value in obj.items()}
    return [plain(item, depth - 1, above) for item in obj]


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


def pretty(obj: object, indent: int) -> str:
    """``obj`` with ``indent`` spaces a level."""
    return _pretty(plain(obj), "\n", " " * indent)


def _pretty(obj: Any, newline: str, step: str) -> str:
    if not obj or not isinstance(obj, (dict, list)):
        return wire.dumps(obj)
    inner = newline + step
    if isinstance(obj, dict):
        lines = [f"{wire.dumps(key)}: {_pretty(value, inner, step)}" for key, value in obj.items()]
        return "{" + inner + ("," + inner).join(lines) + newline + "}"
    return "[" + inner + ("," + inner).join([_pretty(item, inner, step) for item in obj]) + newline + "]"
