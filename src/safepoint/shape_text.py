"""Words for shapes: what may stand at a place in the settings, and what is wrong with what does."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MinLen
from typing_extensions import NotRequired, get_type_hints

from .hot.shapes import Settings
from .unknown_name import did_you_mean
from .yaml_lines import Path

NOUNS = {"s": "seconds", "ratio": "ratio", "tokens": "tokens", "bytes": "bytes", "days": "days"}
WRONG = {
    "int_type": "is not a whole number",
    "float_type": "is not a number",
    "string_type": "is not text",
    "bool_type": "is neither on nor off",
    "list_type": "is not a list",
    "dict_type": "is not a mapping",
    "literal_error": "is not known",
    "string_too_short": "is empty",
}
NOT_WRITTEN = ("schema_version", "manifest_sha256", "shared_events")  # settings that no framework: holds


def dotted(path: Path) -> str:
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else str(part)
    return out


def explain(fault: dict[str, Any], path: Path) -> tuple[str, str]:
    """One fault that pydantic found, as (message, what is allowed)."""
    kind, value, context = fault["type"], fault["input"], fault.get("ctx", {})
    if kind == "missing":
        return "is missing", describe(type_at(path), path)
    if kind == "extra_forbidden":
        keys = keys_at(path[:-1])
        return "unknown key" + did_you_mean(str(path[-1]), keys), ", ".join(keys)
    if path[-1:] == ("[key]",):
        return "unknown key", describe(get_args(_unwrap(type_at(path[:-2]))[0])[0])
    allowed = describe(type_at(path), path)
    shown = _shown(value)
    if kind in ("greater_than", "greater_than_equal"):
        limit = context.get("gt", context.get("ge"))
        return f"{shown} is {'not more than' if 'gt' in context else 'less than'} {limit:g}", allowed
    if kind in ("less_than", "less_than_equal"):
        limit = context.get("lt", context.get("le"))
        return f"{shown} is {'not less than' if 'lt' in context else 'more than'} {limit:g}", allowed
    if kind == "too_short":
        return f"has {context['actual_length']}, too few", allowed
    return f"{shown} {WRONG.get(kind, 'does not fit')}", allowed


def describe(shape: Any, path: Path = ()) -> str:
    """What may stand where `shape` is asked for; the key at the end of `path` lends its unit."""
    base, bounds = _unwrap(shape)
    if get_origin(base) is Literal:
        return ", ".join(str(one) for one in get_args(base))
    if base is bool:
        return "on, off"
    if base is str:
        return "text that is not empty"
    if base in (int, float):
        return _range(base, bounds, path)
    if get_origin(base) is list:
        least = next((b.min_length for b in bounds if isinstance(b, MinLen)), 0)
        amount = f" of at least {least}" if least > 1 else ""
        return f"a list{amount}, each: {describe(get_args(base)[0])}"
    if get_origin(base) is dict:
        key, value = get_args(base)
        keys = f" by {describe(key)}" if get_origin(key) is Literal else ""
        return f"a mapping{keys}, each: {describe(value)}"
    if hasattr(base, "__required_keys__"):
        return f"a mapping with {', '.join(get_type_hints(base))}"
    return ""


def type_at(path: Path) -> Any:
    """The declared type at a place in `Settings`; None where nothing is declared."""
    shape: Any = Settings
    for part in path:
        base, _ = _unwrap(shape)
        if hasattr(base, "__required_keys__"):
            shape = get_type_hints(base, include_extras=True).get(str(part))
        elif get_origin(base) in (list, dict):
            shape = get_args(base)[-1]
        else:
            return None
    return shape


def keys_at(path: Path) -> list[str]:
    base, _ = _unwrap(type_at(path))
    if hasattr(base, "__required_keys__"):
        keys = list(get_type_hints(base))
        return keys if path else [key for key in keys if key not in NOT_WRITTEN]
    return []


def _unwrap(shape: Any) -> tuple[Any, list[Any]]:
    bounds: list[Any] = []
    while get_origin(shape) in (Annotated, NotRequired):
        inner = get_args(shape)
        bounds.extend(inner[1:])
        shape = inner[0]
    return shape, bounds


def _range(base: type, bounds: list[Any], path: Path) -> str:
    last = path[-1] if path else ""
    noun = NOUNS.get(str(last).rsplit("_", 1)[-1], "number")
    text = noun
    for bound in bounds:
        if isinstance(bound, (Gt, Ge)):
            low, sign = (bound.gt, "<") if isinstance(bound, Gt) else (bound.ge, "<=")
            text = f"{low} {sign} {text}"
        elif isinstance(bound, (Lt, Le)):
            high, sign = (bound.lt, "<") if isinstance(bound, Lt) else (bound.le, "<=")
            text = f"{text} {sign} {high}"
    return text + (", a whole number" if base is int else "")


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value) if isinstance(value, (int, float)) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
