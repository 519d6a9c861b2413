"""Take secrets out of a text before anything of it is kept.

Most texts hold nothing that could be one.  That is seen from a few marks; what looks closer (``redaction/``)
is loaded only for a text that has some.

What is replaced says what it was (``[redacted:github_token]``); the name of a setting, the user in a URL and
the scheme of an Authorization header stay.  Doubt is settled against the text: a word too many may go, a
secret may not stay.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

AHEAD = 16384  # how much more than what is kept is looked at
_MAX_WORDS = 65536

# Every key of a known format is one word of at least 15 characters with a mark in it.  What the marks have in
# common is looked for first: one character is found twenty times as fast as two.
KEY_MARKS = (
    ("_", ("ghp_", "gho_", "ghu_", "ghr_", "ghs_", "github_pat_", "whsec_", "npm_", "rubygems_", "hf_",
           "lin_api_", "ntn_", "dckr_pat_", "glsa_", "glc_", "gsk_", "r8_", "sbp_", "figd_", "k_live_",
           "k_test_", "_v1_", "shpat_", "shpss_", "shpca_", "sntrys_", "sntryu_", "lsv2_", "pscale_",
           "vercel_", "bkua_", "nfp_")),
    ("-", ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "gloas-", "xapp-", "xox", "sk-", "GOCSPX-",
           "pypi-", "key-", "tskey-", "xai-", "NRAK-", "PMAK-", "AGE-SECRET-KEY-1", "nvapi-", "pplx-",
           "xkeysib-", "sq0atp-", "sq0csp-", "tvly-")),
    (".", ("ya29.", "SG.", "hvs.", "hvb.", "hooks.slack.com/", "eyJ")),
    ("/", ("/api/webhooks/", "webhook.office.com/", "office.com/webhook/", "azure.com:443/workflows/")),
    ("~", ("Q~",)),
    (":", (":AA",)),
    ("A", ("AKIA", "ASIA", "AIza", "ATATT3")),
    ("d", ("dapi",)),
    ("S", ("SK",)),
)  # fmt: skip
# Parts of the names of settings, in small letters; then those behind which only a long value counts.
NAME_MARKS: tuple[str, ...] = (
    "secret", "credential", "pass", "token", "pwd", "_pw", "_auth", "key", "authorization", "cookie",
)  # fmt: skip
NOISE_MARKS: tuple[str, ...] = ("sig", "auth", "salt", "cred", "session")
FOREIGN_MARKS = (
    "パスワード", "暗証番号", "密码", "비밀번호", "пароль", "シークレット", "トークン", "apiキー",
)  # fmt: skip
# Commands that take a password, and what stands before it: the option, or part of one; more in `commands`.
LOGIN_MARKS: tuple[tuple[str, str], ...] = (
    ("sshpass", " -p"), ("mysql", " -p"), ("mariadb", " -p"), ("mongo", " -p "), ("redis-cli", " -a "),
    ("ldap", " -w "), ("docker login", " -p "), ("podman login", " -p "), ("registry login", " -p "),
    ("az login", " -p "), ("oc login", " -p "), ("twine", " -p "), ("cqlsh", " -p "), ("zip", "P "),
    ("7z", " -p"), ("rar ", " -p"), ("rar ", " -hp"), ("sqlcmd", " -P"), ("bcp ", " -P"), ("ipmitool", " -P"),
    ("mosquitto_", " -P "), ("ssh-keygen", " -N "), ("ssh-keygen", " -P "), ("openssl", " -k "),
    ("nuget", " -k "), ("generic-password", " -w "), ("smbclient", " -U"), ("rpcclient", " -U"),
    ("smbmap", " -p "), ("lftp", " -u"), ("curl", " -U"),
    ("http ", " -a "), ("http ", " --auth "), ("http ", " --auth="),
    ("https ", " -a "), ("https ", " --auth "), ("https ", " --auth="),
)  # fmt: skip
# Words of commands that a password follows, or is piped to.  What they have in common is looked for first.
COMMAND_MARKS = (
    ("pass", ("htpasswd", "chpasswd", "wpa_passphrase", "change_password", "smbpasswd")),
    ("stdin", ("password-stdin", "| passwd", "| sudo passwd")),
    ("with", ("with-token", "identified with")),
    ("login", ("vault login", "cargo login", "machine ")),
    ("config", ("configure set", "config set", "git config")), ("secrets set", ("secrets set",)),
    ("net user", ("net user",)), ("from-literal", ("from-literal",)), ("identified by", ("identified by",)),
    ("securestring", ("securestring",)), ("nmcli", ("nmcli",)), ("sudo -s", ("sudo -s",)),
    ("bw ", ("bw unlock", "bw login")),
    ("add_user", ("rabbitmqctl add_user",)), ("rclone obscure", ("rclone obscure",)),
)  # fmt: skip
# Names behind which one space can stand for the sign of an assignment.
SPACED_MARKS = ("passw", "passphrase", "passcode", "secret", "credential", "token", "key")
WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

# What a value can stand behind.
_LEADS = ("=", ":", ">", "!", "?", "+", "--", "value", " is ", " was ", "：", "＝", "は")


def redact(text: str, max_chars: Optional[int] = None) -> str:
    """``text`` without its secrets, then cut to ``max_chars``.  Never raises.

    With ``max_chars`` only as much of a long text is looked at as is needed to know that part of the answer.
    A text that cannot be judged comes back as ``[dropped: N chars sha256=…]``.
    """
    try:
        if max_chars is None:
            return redact_whole(text)
        if len(text) <= max_chars + AHEAD:
            return clip_chars(redact_whole(text), max_chars)
        from .redaction.pieces import beginning

        return beginning(text, max_chars)
    except Exception:
        try:
            from .redaction.pieces import dropped

            return dropped(text)
        except Exception:
            return "[dropped]"


def capture(text: str, max_bytes: int) -> str:
    """What may be kept of ``text``: redacted, then cut to ``max_bytes`` of UTF-8."""
    return clip_bytes(redact(text, max_bytes), max_bytes)


def redact_value(obj: Any) -> Any:
    """A copy of a payload's value with every text redacted, and whatever stands under a secret's name."""
    from .redaction.payload import redacted_value

    return redacted_value(obj)


def redact_whole(text: str) -> str:
    """Raises on a text that cannot be judged."""
    if len(text) < 6:  # no name, sign and value in fewer
        return text
    low = text.lower()
    long = text
    if len(text) <= _MAX_WORDS:  # else not worth taking apart
        words = text.replace('"', " ").split()
        long = " ".join([word for word in words if len(word) > 14 or (word[0] == "-" and len(word) > 3)])
    if not (
        _has_key_mark(long)
        or has_login(text)
        or has_command(text, low)
        or _has_name(low, long)
        or _has_spaced(low)
    ):
        return text
    from .redaction.marks import look_closer

    return look_closer(text, low, long)


def _has_key_mark(words: str) -> bool:
    for common, marks in KEY_MARKS:
        if common in words:
            for mark in marks:
                if mark in words:
                    return True
    return False


def has_login(text: str) -> bool:
    """Private keys, URLs with a user, and passwords behind an option."""
    if "PRIVATE KEY" in text or ("@" in text and "://" in text):
        return True
    if " -" not in text:
        return False
    return ":" in text and (" -u" in text or "--user" in text or "--proxy-user" in text)


def has_command(text: str, low: str) -> bool:
    """A command that takes a password."""
    if " -" in text:
        for command, option in LOGIN_MARKS:
            if command in low and option in text:
                return True
    for common, marks in COMMAND_MARKS:
        if common in low:
            for mark in marks:
                if mark in low:
                    return True
    return False


def _has_spaced(low: str) -> bool:
    for name in SPACED_MARKS:
        at = low.find(name)
        left = 100
        while at >= 0:
            end = at + len(name)
            if leads_by_space(low[end : end + 96]) or not left:
                return True
            left -= 1
            at = low.find(name, end)
    return False


def leads_by_space(behind: str) -> bool:
    """Whether a space and what can be no word of prose come next, behind the rest of a name."""
    rest = behind.lstrip(WORD)
    if rest[:1] not in (" ", "\t"):
        return False
    word = rest[1:].replace("\t", " ").split(" ", 1)[0]
    if word[:1] in ("'", '"', "`", "\\"):
        return len(word) > 1
    return len(word) >= 16 or (len(word) >= 6 and not word.isalpha() and any(map(str.isdigit, word)))


def _has_name(low: str, words: str) -> bool:
    """A telling name, and something behind which its value could stand."""
    names = NAME_MARKS + NOISE_MARKS if words else NAME_MARKS
    if not low.isascii():
        names += FOREIGN_MARKS
    for name in names:
        if name in low:
            break
    else:
        return "bearer " in low
    if "bearer " in low or words[:1] == "-" or " -" in words:
        return True
    return any(lead in low for lead in _LEADS)


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
    return clip_chars(text, len(data[:cut].decode("utf-8", "surrogatepass")))


def clip_chars(text: str, count: int) -> str:
    if len(text) <= count:
        return text
    if count > 0 and "\ud800" <= text[count - 1] <= "\udbff" and "\udc00" <= text[count] <= "\udfff":
        count -= 1
    return text[: max(0, count)]
