"""What looks like a secret in what is to be sent: by a file's name, and by what the redactor finds in it.

The redactor takes out a word too many rather than one too few. Here a false alarm would stop every push, so
of what stands behind a telling name (`token = …`) only a value counts that is written out and looks made by
a machine. What is a key by its own format counts always.
"""

from __future__ import annotations

from fnmatch import fnmatch
from typing import NamedTuple

from ..hot.redact import redact_whole
from ..hot.redaction import marks, search
from ..hot.redaction.keys import KEYS

NAMES = (
    ".env", ".env.*", "*.env", ".envrc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key",
    "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx", ".netrc", "_netrc", ".pgpass", ".pypirc",
    ".htpasswd", ".git-credentials", "credentials.json", "service-account*.json", "*.tfstate",
    "*.mobileprovision",
)  # fmt: skip
HARMLESS = ("*.example", "*.sample", "*.template", "*.dist", "*.pub")
SETTINGS = (
    ".ini", ".cfg", ".conf", ".properties", ".tfvars", ".yaml", ".yml", ".toml", ".json", ".xml", ".env",
)  # fmt: skip
# Labels of what is a secret by its format, wherever it stands.
FORMATS = frozenset(label for label, *_ in KEYS) | {"private_key", "jwt", "azure_secret", "bearer_token"}
PIECE, OVERLAP = 200_000, 4_000  # characters that are looked at together
_CODE = frozenset("()[]{}<>$|&*;\\ \t")
_QUOTES = frozenset("\"'`")


class Finding(NamedTuple):
    """A file that looks like it holds a secret, and why."""

    path: str
    why: str


def by_name(path: str) -> str:
    """The pattern that a file's name fits; "" for none."""
    name = path.rpartition("/")[2].lower()
    if any(fnmatch(name, pattern) for pattern in HARMLESS):
        return ""
    return next((pattern for pattern in NAMES if fnmatch(name, pattern)), "")


def by_content(path: str, data: bytes) -> str:
    """The kind of secret in it; "" for none. What is no text is not looked into."""
    text = _text(data)
    for at in range(0, len(text), PIECE):
        piece = text[max(0, at - OVERLAP) : at + PIECE]
        kind = _kind_in(piece, path)
        if kind:
            return kind
    return ""


def _kind_in(text: str, path: str) -> str:
    try:
        if redact_whole(text) == text:
            return ""
        low = text.replace("\u0130", "i").lower()
        places = marks.setting_places(text, low, True)
        found = search.spans(text, low, marks.key_marks(text), places)
    except marks.TooDenseError:
        return "more suspicious places than can be judged"
    return next((kind for start, end, kind in found if _counts(kind, text, start, end, path)), "")


def find(path: str, data: bytes) -> Finding | None:
    """Why this file should not be sent; None where nothing speaks against it."""
    pattern = by_name(path)
    if pattern:
        return Finding(path, f"a name like {pattern}")
    kind = by_content(path, data)
    return Finding(path, kind) if kind else None


def _text(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    return "" if b"\0" in data[:8192] else data.decode("utf-8", "replace")


def _counts(kind: str, text: str, start: int, end: int, path: str) -> bool:
    if kind in FORMATS:
        return True
    value = text[start:end].strip().strip("'\"`,")
    if len(value) < 6 or _CODE & set(value) or value.lower().startswith(("your", "xxx", "...", "example")):
        return False
    if path.lower().endswith(SETTINGS):
        return True
    before = text[max(0, start - 1) : start]
    is_written_out = before == "=" or bool(_QUOTES & {before, text[start : start + 1]})
    return is_written_out and any(map(str.isdigit, value)) and any(map(str.isalpha, value))
