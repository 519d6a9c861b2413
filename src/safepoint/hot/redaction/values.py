"""Whether what stands behind a telling name is a secret."""

from __future__ import annotations

from .marks import ALNUM
from .scan import DIGITS

LOOK = 1024  # how much of one value is looked at to judge it

# How much a name says about its value: anything goes / what looks like a secret goes / only noise goes.
ANY, LIKELY, NOISE = 2, 1, 0
HEADERS = ("authorization", "cookie")
_SHORTEST_NOISE = 20
_NOISE_CHARS = ALNUM + "+/=_-.~"
# fmt: off
# Words of code and prose that stand where a value could.
NO_VALUES = frozenset((
    "str", "string", "int", "integer", "float", "bool", "boolean", "bytes", "number", "text", "any",
    "object", "list", "dict", "union", "optional", "required", "none", "null", "nil", "true", "false",
    "undefined", "unknown", "void", "self", "yes", "no", "on", "off", "empty", "unset", "set", "missing",
    "invalid", "expired", "wrong", "incorrect", "new", "await", "async", "function", "lambda", "return",
    "option", "flag", "value", "argument", "not", "is", "are", "was", "the", "a", "an", "and", "or", "if",
    "for", "to", "in", "of", "from", "with", "must", "should", "may", "please", "see", "this", "that",
    "your", "my", "our", "will", "can", "has", "have",
))
# What expressions begin with: ``self.token``, ``process.env.TOKEN``.
_ROOTS = frozenset((
    "self", "this", "cls", "os", "process", "config", "cfg", "settings", "args", "options", "opts", "env",
    "environ", "request", "req", "ctx", "context", "secrets", "vars", "params", "props", "state", "response",
    "resp", "res", "event", "app", "kwargs", "steps", "inputs", "github", "credentials",
))
# fmt: on


def is_secret(value: str, trust: int, sure: bool, quoted: bool, name: str) -> bool:
    if trust == NOISE:
        return is_noise(value) and not is_reference(value) and (quoted or not is_code(value))
    low = value.lower()
    if not value or is_reference(value) or low in NO_VALUES or low == name.lower().strip("-"):
        return False
    if not quoted and is_code(value):
        return False
    if trust == ANY:
        return True
    if not value.strip("0123456789.,_%") or (name[-3:].lower() == "pwd" and value[0] in "/~."):
        return False
    if sure:
        return True
    has_digit = not DIGITS.isdisjoint(value)
    if len(value) < 8 or (" " in value and not has_digit):
        return False
    return quoted or has_digit or not value.isidentifier()


def follows_space(value: str, quoted: bool, trust: int, label: str) -> bool:
    """Whether this is a secret with only a space before it: it has to look like no word of prose or code."""
    if not is_secret(value, trust, False, quoted, label) or value[:1] in "$@-(<":
        return False
    if trust == NOISE or is_noise(value):
        return True
    is_password = label.startswith("pass") and label != "pass"  # a verb
    if "/" in value or "(" in value or _is_file(value) or (not is_password and _is_slug(value)):
        return False
    if quoted and is_password:
        return len(value) >= 4
    kinds = [any(map(kind, value)) for kind in (str.isdigit, str.islower, str.isupper)]
    signs = value.strip(ALNUM) != "" or any(sign in value for sign in "!#%^&*+~@$")
    if is_password:
        return len(value) >= (6 if quoted else 8) and kinds[0] and (kinds[1] or kinds[2] or signs)
    return len(value) >= 8 and (sum(kinds) == 3 or (kinds[0] and (signs or len(value) >= 16)))


def _is_file(value: str) -> bool:
    stem, dot, ending = value.rpartition(".")
    return bool(stem and dot) and ending.isalpha() and len(ending) <= 4 and value == value.lower()


def _is_slug(value: str) -> bool:
    """The name of a thing: ``db-creds-v2``."""
    return value == value.lower() and any(sign in value for sign in "-_.")


def is_reference(value: str) -> bool:
    """A value that stands for another, or was hidden already."""
    if value.startswith(("[redacted", "[dropped", "$(", "{{", "%(", "@{")):
        return True
    if value.startswith("${"):
        return ":-" not in value  # else the secret can be the default
    if value[:1] == "$" and value[1:].replace("_", "A").isalnum() and value.isupper():
        return True
    if len(value) > 2 and value[0] + value[-1] in ("%%", "<>"):
        return True
    return not value.strip("*•.…xX_-")


def is_code(value: str) -> bool:
    """An expression, no literal: ``get_token()``, ``self.token``, ``os.environ["X"]``, ``Optional[str]``."""
    call = value.partition("(")[0]
    if call != value and call.replace(".", "_").isidentifier():
        return True
    root = value.partition(".")[0].partition("[")[0]
    return root != value and (root in _ROOTS or root.lower() in NO_VALUES)


def is_noise(value: str) -> bool:
    """At least 20 characters that change between small, capital and digit far more often than words do."""
    if len(value) < _SHORTEST_NOISE or value.strip(_NOISE_CHARS):
        return False
    kinds = ["a" if c.islower() else "A" if c.isupper() else "1" if c.isdigit() else "" for c in value[:200]]
    changes = sum(one != two for one, two in zip(kinds, kinds[1:]))
    return {"a", "A", "1"} <= set(kinds) and changes * 3 >= len(kinds)
