"""Take secrets out of a text before anything of it is kept.

Most texts hold nothing that could be one.  That is seen from a few marks, so that the search itself
(``redact_patterns``, 700 lines) is loaded only where it is needed.

What is replaced says what it was (``[redacted:github_token]``); the name of a setting, the user in a URL and
the scheme of an Authorization header stay.  Doubt is settled against the text: a word too many may go, a
secret may not stay.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

AHEAD = 16384  # how much more than what is kept is looked at
_MARGIN = 2048  # no secret that counts needs more than this to be known for one

# No secret of a known format without one of these in it or before it.
FORMAT_MARKS = (
    "PRIVATE KEY", "eyJ", "Q~", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghr_", "ghs_", "github_pat_",
    "glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-", "xapp-", "hooks.slack.com/",
    "/api/webhooks/", "whsec_", "sk-", "AIza", "ya29.", "GOCSPX-", "npm_", "pypi-", "rubygems_", "SG.",
    "hf_", "key-", "dapi", "lin_api_", "ntn_", "hvs.", "hvb.", "dckr_pat_", "glsa_", "glc_", "gsk_",
    "xai-", "r8_", "sbp_", "figd_", "NRAK-", "PMAK-", "ATATT3", "tskey-", "AGE-SECRET-KEY-1", ":AA",
    "xox", "k_live_", "k_test_", "_v1_", "shp", "sntry",
)  # fmt: skip
# Commands and options that take a password, and headers that carry one.
LOGIN_MARKS = (
    " -u", "--user", "--proxy-user", "sshpass", "mysql", "mariadb", "docker login", "podman login", "mongo",
    "redis-cli", "ldap",
)  # fmt: skip
# Parts of every telling name, in small letters; and what has to stand somewhere behind one.
NAME_MARKS = ("pass", "pwd", "_pw", "secret", "token", "key", "cred", "sig", "auth", "salt", "session",
              "cookie", "bearer ")  # fmt: skip
FOREIGN_NAME_MARKS = (
    "パスワード", "暗証番号", "密码", "비밀번호", "пароль", "シークレット", "トークン", "apiキー",
)  # fmt: skip
_SIGNS = ("=", ":", ">", "!", "?", "+", "：", "＝", "は", " is ", "bearer ")


def redact(text: str, max_chars: Optional[int] = None) -> str:
    """``text`` without its secrets, then cut to ``max_chars``.  Never raises.

    With ``max_chars`` only as much of a long text is looked at as is needed to know that part of the answer.
    A text that cannot be judged comes back as ``[dropped: N chars sha256=…]``.
    """
    try:
        if max_chars is None:
            return _redacted(text)
        ahead = max_chars + AHEAD
        while ahead < len(text):
            start = _redacted(text[:ahead])
            # Near the end of the piece a secret may have been cut too short to be known for one.
            if len(start) >= max_chars + _MARGIN:
                return _clip_chars(start, max_chars)
            ahead *= 4
        return _clip_chars(_redacted(text), max_chars)
    except Exception:
        return _dropped(text)


def capture(text: str, max_bytes: int) -> str:
    """What may be kept of ``text``: redacted, then cut to ``max_bytes`` of UTF-8."""
    return clip_bytes(redact(text, max_bytes), max_bytes)


def clip_bytes(text: str, max_bytes: int) -> str:
    """The longest beginning of ``text`` within ``max_bytes`` of UTF-8; whole characters and pairs only."""
    if len(text) * 4 <= max_bytes:
        return text
    data = text[: max_bytes + 1].encode("utf-8", "surrogatepass")
    if len(data) <= max_bytes:
        return text
    cut = max(0, max_bytes)
    while cut and data[cut] & 0xC0 == 0x80:
        cut -= 1
    return _clip_chars(text, len(data[:cut].decode("utf-8", "surrogatepass")))


def may_hold_secret(text: str) -> bool:
    """False only for a text in which the search would find nothing."""
    if len(text) < 6:  # no name, sign and value in fewer
        return False
    for mark in FORMAT_MARKS:
        if mark in text:
            return True
    for mark in LOGIN_MARKS:
        if mark in text:
            return True
    return ("://" in text and "@" in text) or ("SK" in text and has_twilio(text)) or _may_hold_setting(text)


def has_twilio(text: str) -> bool:
    """SK alone is everywhere (TASK_…); followed by a hex digit it is seldom."""
    return any(("SK" + digit) in text for digit in "0123456789abcdef")


def _may_hold_setting(text: str) -> bool:
    """A telling name, and a sign behind which its value could stand."""
    low = text.lower()
    names = NAME_MARKS if text.isascii() else NAME_MARKS + FOREIGN_NAME_MARKS
    if not any(name in low for name in names):
        return "\u0130" in text  # its small letter is another to the search
    return any(sign in low for sign in _SIGNS) or ("-" in low and " " in low) or "value" in low


def _redacted(text: str) -> str:
    if not may_hold_secret(text):
        return text
    from .redact_patterns import redacted

    return redacted(text)


def _clip_chars(text: str, count: int) -> str:
    if len(text) <= count:
        return text
    if count > 0 and "\ud800" <= text[count - 1] <= "\udbff" and "\udc00" <= text[count] <= "\udfff":
        count -= 1
    return text[: max(0, count)]


def _dropped(text: str) -> str:
    try:
        from .digest import sha256_hex

        digest = sha256_hex(text.encode("utf-8", "surrogatepass"))[:16]
        return f"[dropped: {len(text)} chars sha256={digest}]"
    except Exception:
        return "[dropped]"
