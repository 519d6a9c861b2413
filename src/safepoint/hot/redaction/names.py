"""Which names tell that a secret follows, and how surely."""

from __future__ import annotations

from .values import ANY, LIKELY, NOISE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "passwort")
# Keys that are always secret, by the word before; others are keys of a table as often as not.
_KEY_OWNERS = (
    "api_", "api-", "api", "api ", "access_", "access-", "access", "access ", "account_", "account",
    "private_", "private-", "private", "private ", "signing_", "encryption_", "master_",
)  # fmt: skip
NAMES = {
    "secret": (ANY, "secret"), "credential": (ANY, "credential"), "token": (LIKELY, "token"),
    "pass": (LIKELY, "pass"), "pwd": (LIKELY, "pwd"), "_pw": (LIKELY, "pw"), "_auth": (LIKELY, "auth"),
    "key": (NOISE, "key"), "sig": (NOISE, "sig"), "auth": (NOISE, "auth"), "salt": (NOISE, "salt"),
    "cred": (NOISE, "cred"), "session": (NOISE, "session"), "トークン": (LIKELY, "secret"),
}  # fmt: skip
# password_file, tokenCount: about a secret, not one.
_HARMLESS = (
    "file", "path", "dir", "name", "url", "uri", "type", "count", "limit", "length", "len", "size", "ttl",
    "expiry", "expires", "expiresin", "expires_in", "expiresat", "expires_at", "budget", "usage", "used",
    "policy", "stdin", "prompt", "env", "required", "enabled", "field", "label", "hint", "index", "regex",
    "pattern", "error",
)  # fmt: skip
_SUFFIX_STARTS = frozenset("_-0123456789")


def name_at(low: str, at: int, mark: str) -> Optional[tuple[int, int, str]]:
    """The name of which ``mark`` at ``at`` is a part: its end, how much it says, its label."""
    end = at + len(mark)
    if mark == "key":
        owner = _owner(low[max(0, at - 11) : at])
        if owner:
            return end, ANY, (owner + "key").replace("-", "_").replace(" ", "_")
    elif mark == "pass":
        for word in _PASSWORDS:
            if low.startswith(word, at):
                return at + len(word), ANY, word
    elif mark == "sig" and low.startswith("signature", at):
        return at + 9, NOISE, "signature"
    elif mark == "cred" and low.startswith("credential", at):
        return None  # a name of its own
    trust, label = NAMES.get(mark, (ANY, "secret"))
    return end, trust, label


def _owner(before: str) -> str:
    if before.endswith(_KEY_OWNERS):
        for owner in _KEY_OWNERS:
            if before.endswith(owner):
                return owner
    return ""


def may_end(suffix: str) -> bool:
    """Whether a name may go on like this behind its telling word: ``_PROD``, ``Value``, but not ``izer``."""
    if not suffix:
        return True
    first = suffix[0]
    if not (first in _SUFFIX_STARTS or first.isupper() or suffix == "s"):
        return False
    return not suffix.lower().strip("_-").endswith(_HARMLESS)
