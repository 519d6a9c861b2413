"""The search for secrets behind ``redact``, which loads it only for a text that holds a marker.

Everything is found with ``str.find`` and looked at by hand: a process that lives for ten milliseconds need
not load ``re`` for it, and nothing can backtrack.  Work is linear in the text; a text with more suspicious
places than ``_MAX_PLACES`` is refused with an exception, and then dropped.
"""

from __future__ import annotations

from .redact import AHEAD, has_twilio, redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

    Span = tuple[int, int, str]  # start, end, label

MAX_DEPTH = 20

_MAX_PLACES = 10_000
_LOOK = 1024  # how much of one value is looked at to judge it

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALNUM = _LETTERS + "0123456789"
_WORD = _ALNUM + "_-"
_DOTTED = _WORD + "."
_HEX = "0123456789abcdefABCDEF"
_BASE64 = _ALNUM + "+/="
_BEARER = _ALNUM + "-._~+/="
_PRINTABLE = "".join(map(chr, range(33, 127)))
_QUOTES = "\"'`"
_SPACE = " \t"
_PEM_BODY = _BASE64 + " \t\r\n\\|>→:,-"
_DIGITS = frozenset("0123456789")

# Label, prefixes, characters behind them, fewest and most of those.  With a most the length is fixed, and a
# longer run is something else: base64 holds every four letters sooner or later.
_KEYS = (
    ("aws_access_key", "AKIA ASIA", _ALNUM, 16, 16),
    ("github_token", "ghp_ gho_ ghu_ ghr_", _ALNUM, 20, 0),
    ("github_token", "ghs_ github_pat_", _DOTTED, 20, 0),
    ("gitlab_token", "glpat- gldt- glrt- glptt- glcbt- gloas-", _DOTTED, 16, 0),
    ("slack_token", "xapp-", _BASE64 + "_-%", 10, 0),
    ("webhook", "hooks.slack.com/ /api/webhooks/", _WORD + "/", 20, 0),
    ("webhook_secret", "whsec_", _BASE64, 20, 0),
    ("api_key", "sk-", _WORD, 20, 0),
    ("google_key", "AIza", _WORD, 35, 35),
    ("google_token", "ya29.", _DOTTED, 20, 0),
    ("google_secret", "GOCSPX-", _WORD, 20, 0),
    ("npm_token", "npm_", _ALNUM, 30, 0),
    ("pypi_token", "pypi-", _WORD, 40, 0),
    ("rubygems_key", "rubygems_", _HEX, 40, 0),
    ("sendgrid_key", "SG.", _DOTTED, 40, 0),
    ("huggingface_token", "hf_", _ALNUM, 30, 0),
    ("mailgun_key", "key-", _HEX, 32, 32),
    ("databricks_token", "dapi", _HEX, 32, 32),
    ("linear_key", "lin_api_", _ALNUM, 30, 0),
    ("notion_token", "ntn_", _ALNUM, 30, 0),
    ("vault_token", "hvs. hvb.", _WORD, 20, 0),
    ("docker_token", "dckr_pat_", _WORD, 20, 0),
    ("grafana_token", "glsa_ glc_", _BASE64 + "_", 24, 0),
    ("groq_key", "gsk_", _ALNUM, 30, 0),
    ("xai_key", "xai-", _ALNUM, 40, 0),
    ("replicate_token", "r8_", _ALNUM, 30, 0),
    ("supabase_token", "sbp_", _HEX, 40, 0),
    ("figma_token", "figd_", _WORD, 20, 0),
    ("newrelic_key", "NRAK-", _ALNUM, 20, 0),
    ("postman_key", "PMAK-", _WORD, 20, 0),
    ("atlassian_token", "ATATT3", _WORD + "=", 30, 0),
    ("tailscale_key", "tskey-", _WORD, 16, 0),
    ("age_key", "AGE-SECRET-KEY-1", _ALNUM, 20, 0),
    ("twilio_key", "SK", _HEX, 32, 32),
    ("telegram_token", ":AA", _WORD, 33, 33),
)
# The same, for prefixes that are only worth a look each if what they have in common is there.
_FAMILIES = (
    ("xox", "slack_token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxp- xoxr- xoxs-", _BASE64 + "_-%", 10, 0),
    ("k_live_", "stripe_key", "sk_live_ rk_live_", _ALNUM, 10, 0),
    ("k_test_", "stripe_key", "sk_test_ rk_test_", _ALNUM, 10, 0),
    ("_v1_", "digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", _HEX, 40, 0),
    ("shp", "shopify_token", "shpat_ shpss_ shpca_", _HEX, 32, 0),
    ("sntry", "sentry_token", "sntrys_ sntryu_", _BASE64 + "_-", 20, 0),
)
# Prefixes that also end a longer word (``task-``, ``monkey-``) or turn up in base64.
_SHORT = frozenset(
    ("sk-", "hf_", "r8_", "xai-", "key-", "dapi", "AKIA", "ASIA", "AIza", "SK", "SG.", "ATATT3")
)

# How much a name says about its value: anything goes / what looks like a secret goes / only noise goes.
_ANY, _LIKELY, _NOISE = 2, 1, 0
# fmt: off
_NAMES = tuple((name, _ANY) for name in (
    "password", "passwd", "passphrase", "passcode", "passwort", "パスワード", "暗証番号", "密码", "비밀번호",
    "пароль", "secret", "シークレット", "credential", "api_key", "api-key", "apikey", "api key", "apiキー",
    "access_key", "access-key", "accesskey", "access key", "account_key", "accountkey", "private_key",
    "private-key", "privatekey", "private key", "signing_key", "encryption_key", "master_key",
)) + tuple((name, _LIKELY) for name in (
    "token", "トークン", "pass", "pwd", "_pw", "_auth",
)) + tuple((name, _NOISE) for name in (
    "key", "sig", "signature", "auth", "salt", "cred", "session",
))
# password_file, tokenCount: about a secret, not one.
_HARMLESS = (
    "file", "path", "dir", "name", "url", "uri", "type", "count", "limit", "length", "len", "size", "ttl",
    "expiry", "expires", "expiresin", "expires_in", "expiresat", "expires_at", "budget", "usage", "used",
    "policy", "stdin", "prompt", "env", "required", "enabled", "field", "label", "hint", "index", "regex",
    "pattern", "error",
)
# Words of code and prose that stand where a value could.
_NO_VALUES = frozenset((
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
_HEADERS = ("authorization", "cookie")
# Command, its option for a password, whether a space stands between that and the value.
_LOGINS = (
    ("sshpass", " -p", True),
    ("mysql", " -p", False),
    ("mariadb", " -p", False),
    ("docker login", " -p ", True),
    ("podman login", " -p ", True),
    ("mongo", " -p ", True),
    ("redis-cli", " -a ", True),
    ("ldap", " -w ", True),
)


class _TooDenseError(Exception):
    """More suspicious places than a text that means well can have."""


class _Scan:
    """One text and what was found in it."""

    __slots__ = ("_left", "_line", "low", "spans", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # The one character whose lower case is longer would shift every index behind it.
        self.low = text.replace("\u0130", "i").lower()
        if len(self.low) != len(text):
            raise ValueError("lower case of another length")
        self.spans: list[Span] = []
        self._left = _MAX_PLACES
        self._line = (0, -1)

    def places(self, marker: str, lowered: bool = False) -> Iterator[int]:
        """Each index of ``marker``, but for those inside a span that was added since the one before."""
        text = self.low if lowered else self.text
        at = text.find(marker)
        while at >= 0:
            self._left -= 1
            if self._left < 0:
                raise _TooDenseError
            known = len(self.spans)
            yield at
            after = at + len(marker)
            if len(self.spans) > known:
                after = max(after, self.spans[-1][1])
            at = text.find(marker, after)

    def line_end(self, start: int) -> int:
        """Where the line of ``start`` ends; remembered, for a line can be the whole text."""
        first, end = self._line
        if not first <= start <= end:
            end = self.text.find("\n", start)
            end = len(self.text) if end < 0 else end
            self._line = (start, end)
        return end

    def add(self, start: int, end: int, label: str) -> None:
        if end > start:
            self.spans.append((start, end, label))


# --- putting the pieces together -------------------------------------------------------------------------


def redacted(text: str) -> str:
    """``text`` with each secret replaced by its label.  Raises on a text that cannot be judged."""
    scan = _Scan(text)
    _find_private_keys(scan)
    _find_keys(scan)
    _find_web_tokens(scan)
    _find_urls(scan)
    _find_headers(scan)
    _find_logins(scan)
    _find_settings(scan)
    return _replace(text, scan.spans) if scan.spans else text


def _replace(text: str, spans: list[Span]) -> str:
    """Overlapping spans become one, under the name of the first: formats, the most exact, come first."""
    spans.sort(key=_start)
    parts: list[str] = []
    done = 0
    index = 0
    while index < len(spans):
        start, end, label = spans[index]
        index += 1
        while index < len(spans) and spans[index][0] < end:
            end = max(end, spans[index][1])
            index += 1
        parts += (text[done:start], f"[redacted:{label}]")
        done = end
    parts.append(text[done:])
    return "".join(parts)


def _start(span: Span) -> int:
    return span[0]


def _label(name: str) -> str:
    return name.strip("_").replace("-", "_").replace(" ", "_") if name.isascii() else "secret"


def _run(text: str, start: int, chars: str, limit: int = 0) -> int:
    """Where the run of ``chars`` that begins at ``start`` ends, at most ``limit`` further."""
    size, end = 64, start
    while True:
        size = min(size, start + limit - end) if limit else size
        piece = text[end : end + size]
        rest = len(piece.lstrip(chars))
        end += len(piece) - rest
        if rest or not piece:
            return end
        size = min(size * 8, 1 << 20)


def _is_free(text: str, at: int) -> bool:
    """Whether a word can begin at ``at``: not inside another, unless that is an escape (``\\n``, ``%3D``)."""
    if at == 0 or text[at - 1] not in _ALNUM:
        return True
    return text[max(0, at - 2) : at] in ("\\n", "\\r", "\\t") or text[max(0, at - 3) : at - 2] == "%"


# --- formats ---------------------------------------------------------------------------------------------


def _find_keys(scan: _Scan) -> None:
    text = scan.text
    rows = [*_KEYS, *[row[1:] for row in _FAMILIES if row[0] in text]]
    for label, prefixes, chars, fewest, most in rows:
        for prefix in prefixes.split():
            if prefix in text and (prefix != "SK" or has_twilio(text)):
                _find_key(scan, prefix, label, chars, fewest, most)


def _find_key(scan: _Scan, prefix: str, label: str, chars: str, fewest: int, most: int) -> None:
    text = scan.text
    for at in scan.places(prefix):
        if prefix in _SHORT and not _is_free(text, at):
            continue
        start = at + len(prefix)
        end = _run(text, start, chars, most + 1 if most else 64)
        if end - start < fewest or (most and end - start > most):
            continue
        if prefix == "sk-" and _DIGITS.isdisjoint(text[start:end]):
            continue  # a CSS class
        end = end if most else _run(text, end, chars)
        scan.add(at if prefix[0].isalpha() else start, end, label)


def _find_web_tokens(scan: _Scan) -> None:
    """JSON Web Tokens (base64 parts, the first beginning like ``{"``) and Azure's client secrets."""
    text = scan.text
    if "eyJ" in text:
        for at in scan.places("eyJ"):
            dot = _run(text, at, _WORD, 2048)
            if dot - at >= 12 and text[dot : dot + 1] == "." and _is_free(text, at):
                end = _run(text, dot, _DOTTED)
                if end - dot >= 8:
                    scan.add(at, end, "jwt")
    if "Q~" in text:  # behind three characters and a digit
        for at in scan.places("Q~"):
            end = _run(text, at + 2, _DOTTED + "~")
            if at >= 4 and end - at >= 33 and text[at - 1] in _DIGITS:
                scan.add(at - 4, end, "azure_secret")


def _find_private_keys(scan: _Scan) -> None:
    text = scan.text
    if "PRIVATE KEY" not in text:
        return
    closing = 0
    for at in scan.places("-----BEGIN "):
        body = _head_end(text, at + 11)
        if body < 0:
            continue
        if 0 <= closing < body:
            closing = text.find("-----END ", body)
        if 0 <= closing - body < 65536:
            end = max(_head_end(text, closing + 9), closing + 9)
        else:  # cut off: all goes that could still belong to it
            end = _run(text, body, _PEM_BODY)
        scan.add(at, end, "private_key")
    _find_private_key_ends(scan)


def _head_end(text: str, start: int) -> int:
    """The index behind a BEGIN or END line whose kind is at ``start``, if it is a private key's, else -1."""
    kind, dashes, _ = text[start : start + 64].partition("-----")
    return start + len(kind) + len(dashes) if "PRIVATE KEY" in kind else -1


def _find_private_key_ends(scan: _Scan) -> None:
    """Keys that were cut off in front: an END whose BEGIN is not there."""
    whole = iter([*scan.spans, (len(scan.text), len(scan.text), "")])
    start, end, _ = next(whole)
    before = 0
    for at in scan.places("-----END "):
        while end <= at and end < len(scan.text):
            before = end
            start, end, _ = next(whole)
        foot = _head_end(scan.text, at + 9)
        if foot >= 0 and not start <= at < end:
            scan.add(_body_start(scan.text, at, before), foot, "private_key")
        before = max(before, at + 9)


def _body_start(text: str, end: int, first: int) -> int:
    """Where the base64 lines right before ``end`` begin, not before ``first``."""
    first = max(first, end - AHEAD)
    start = end
    for line in reversed(text[first:end].replace("\\n", "\n\n").split("\n")):
        if line.strip(_BASE64 + "\r"):
            break
        start -= len(line) + 1
    return max(first, min(end, start + 1))


def _find_urls(scan: _Scan) -> None:
    """``scheme://user:password@host``."""
    text = scan.text
    if "://" not in text or "@" not in text:
        return
    for at in scan.places("://"):
        start = at + 3
        head = _user_info(text[start : start + 1024])
        user, colon, password = head.partition(":")
        if colon and not _is_reference(password):
            scan.add(start + len(user) + 1, start + len(head), "password")
        elif not colon and len(user) >= 20:
            scan.add(start, start + len(user), "token")


def _user_info(rest: str) -> str:
    """What stands before the host in what follows ``://``."""
    words = rest.split(None, 1)
    if not words or not rest.startswith(words[0]):
        return ""
    word = words[0]
    for stop in "\"'`<>":
        word = word.partition(stop)[0]
    host = word
    for stop in "/?#":
        host = host.partition(stop)[0]
    if "@" not in host:
        # A slash inside the password: then what looks like a port is none.
        port = host.partition(":")[2]
        if not port or port.isdigit():
            return ""
        host = word
    return host[: max(0, host.rfind("@"))]


def _find_headers(scan: _Scan) -> None:
    text = scan.text
    for header in _HEADERS:
        if header in scan.low:
            for at in scan.places(header, lowered=True):
                _look_at_header(scan, at, at + len(header), header)
    if "bearer " in scan.low:
        for at in scan.places("bearer ", lowered=True):
            end = _run(text, at + 7, _BEARER)
            if end - at >= 19 and not _DIGITS.isdisjoint(text[at + 7 : end]):
                scan.add(at + 7, end, "bearer_token")


def _look_at_header(scan: _Scan, at: int, name_end: int, header: str) -> None:
    text = scan.text
    start = _after_name(text, name_end)
    if start is None:
        return
    opening = _opening(text, start)
    if opening is not None:
        start, end = _inside(scan, *opening)
    else:
        end = scan.line_end(start)
        # ``-H 'Cookie: …'``: the quote that opened before the name closes the value.
        quote = text[max(0, at - 40) : at].rstrip(_WORD)[-1:]
        if quote and quote in _QUOTES and text[name_end] not in _QUOTES + "\\":
            close = text.find(quote, start, end)
            end = close if close >= 0 else end
    value = text[start : min(end, start + _LOOK)]
    if header == "authorization":
        scheme, space, rest = value.partition(" ")
        if space and rest.strip() and scheme.isalpha():
            start += len(scheme) + 1
            value = rest
    if opening is None and (_is_code(value) or value.partition(" ")[0].lower() in _NO_VALUES):
        return
    if not _is_reference(value) and value[:1] not in "[{(":
        scan.add(start, end - (len(value) - len(value.rstrip("\\\r"))), header)


def _find_logins(scan: _Scan) -> None:
    """``-u user:password``, and the commands that take a password behind a one-letter option."""
    text = scan.text
    for option in (" -u", "--user", "--proxy-user"):
        if option in text:
            for at in scan.places(option):
                _look_at_user(scan, at + len(option), option)
    for command, option, apart in _LOGINS:
        if command not in text or option not in text:
            continue
        for at in scan.places(command):
            found = text.find(option, at, min(at + 2000, scan.line_end(at)))
            if found >= 0:
                start = found + len(option)
                start = _run(text, start, " \"'") if apart else start
                word = _word(text, start)
                if not word.startswith("-") and not _is_reference(word):
                    scan.add(start, start + len(word), "password")


def _look_at_user(scan: _Scan, option_end: int, option: str) -> None:
    start = _run(scan.text, option_end, " =\"'")
    if start == option_end and option != " -u":
        return  # --username
    word = _word(scan.text, start)
    user, colon, password = word.partition(":")
    if colon and not user.isdigit() and "/" not in user and not _is_reference(password):
        scan.add(start + len(user) + 1, start + len(word), "password")


# --- settings: a telling name, a sign, a value -----------------------------------------------------------


def _find_settings(scan: _Scan) -> None:
    for name, trust in _NAMES:
        if name in scan.low:
            for at in scan.places(name, lowered=True):
                _look_at_setting(scan, at, at + len(name), trust, _label(name))


def _look_at_setting(scan: _Scan, at: int, end: int, trust: int, label: str) -> None:
    text = scan.text
    name_end = _run(text, end, _WORD, 48)
    if not _is_name_end(text[end:name_end]):
        return
    before = text[max(0, at - 40) : at]
    head = before[len(before.rstrip(_WORD)) :]
    if before[: len(before) - len(head)].endswith("[redacted:") or (
        trust == _NOISE and "public" in head.lower()
    ):
        return
    name = head + text[at:name_end]
    is_option = name.startswith("-")
    start = _after_name(text, name_end)
    if start is None and is_option and text[name_end : name_end + 1] == " ":
        start = _run(text, name_end, _SPACE)
        if text.startswith("-", start):
            return
    if start is None:
        start = _after_verb(text, name_end)
    if start is not None:
        _take_value(scan, start, trust, label, name, is_option)


def _take_value(scan: _Scan, start: int, trust: int, label: str, name: str, is_option: bool) -> None:
    text = scan.text
    sure = is_option or (name.isupper() and text[start - 1] == "=")
    for _ in range(3):  # ``password: str = "…"``: first a type, then the value
        opening = _opening(text, start)
        if opening is not None:
            start, end = _inside(scan, *opening)
        elif text[start : start + 1] in "([{" and not sure:
            return
        else:
            end = start + len(_word(text, start))
            if not name.isascii():  # no spaces: the sentence goes on behind the value
                end = min(end, _run(text, start, _PRINTABLE))
        value = text[start : min(end, start + _LOOK)]
        if _is_secret(value, trust, sure, opening is not None, name):
            if end - start == _LOOK and opening is None:
                end = _word_end(text, end)
            scan.add(start, end, label)
            return
        after = _run(text, end, _SPACE, 64)
        if text[after : after + 1] != "=" or opening is not None:
            return
        start = _run(text, after, "= \t", 64)


def _is_name_end(suffix: str) -> bool:
    """Whether a name may go on like this behind its telling word: ``_PROD``, ``Value``, but not ``izer``."""
    if not suffix:
        return True
    if suffix.lower().strip("_-").endswith(_HARMLESS):
        return False
    return suffix[0] in "_-0123456789" or suffix[0].isupper() or suffix == "s"


def _after_name(text: str, at: int) -> Optional[int]:
    """Where the value begins if the sign of an assignment follows at ``at``."""
    window = text[at : at + 48]
    rest = window.lstrip("\\" + _QUOTES + "])").lstrip(_SPACE)
    sign = rest[: len(rest) - len(rest.lstrip("!?+:=>：＝"))]
    if not sign or sign in ("?", "!", "+"):
        return _after_pair(window, at)
    if sign.startswith("::"):
        return None
    start = _run(text, at + len(window) - len(rest) + len(sign), _SPACE)
    block = text[start : start + 4]
    if block.startswith(("|", ">")) and block.lstrip("|>+-").startswith(("\n", "\r")):
        start = _run(text, start, "|>+- \t\r\n")  # a block of YAML
    return start


def _after_pair(window: str, at: int) -> Optional[int]:
    """``"name": "X_TOKEN", "value": "…"``, on one line or two."""
    rest = window.lstrip("\\" + _QUOTES + ", \t\r\n")
    if not rest.lower().startswith("value"):
        return None
    rest = rest[5:].lstrip("\\" + _QUOTES + _SPACE)
    if not rest.startswith((":", "=")):
        return None
    return at + len(window) - len(rest[1:].lstrip(_SPACE))


def _after_verb(text: str, at: int) -> Optional[int]:
    """Where the value begins in ``the password is …``, if what is there looks like one."""
    for verb in (" is ", "は", " は"):
        if text.startswith(verb, at):
            start = _run(text, at + len(verb), " \t「『“:", 8)
            value = text[start : _run(text, start, _PRINTABLE, 64)]
            return start if not (value.isdigit() or _DIGITS.isdisjoint(value)) else None
    return None


def _is_secret(value: str, trust: int, sure: bool, quoted: bool, name: str) -> bool:
    low = value.lower()
    if not value or _is_reference(value) or low in _NO_VALUES or low == name.lower().strip("-"):
        return False
    if not quoted and _is_code(value):
        return False
    if trust == _ANY:
        return True
    if trust == _NOISE:
        return _is_noise(value)
    if not value.strip("0123456789.,_%") or (name[-3:].lower() == "pwd" and value[0] in "/~."):
        return False
    if sure:
        return True
    has_digit = not _DIGITS.isdisjoint(value)
    if len(value) < 8 or (" " in value and not has_digit):
        return False
    return quoted or has_digit or not value.isidentifier()


def _is_reference(value: str) -> bool:
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


def _is_code(value: str) -> bool:
    """An expression, no literal: ``get_token()``, ``self.token``, ``os.environ["X"]``, ``Optional[str]``."""
    call = value.partition("(")[0]
    if call != value and call.replace(".", "_").isidentifier():
        return True
    root = value.partition(".")[0].partition("[")[0]
    return root != value and (root in _ROOTS or root.lower() in _NO_VALUES)


def _is_noise(value: str) -> bool:
    """At least 20 characters that change between small, capital and digit far more often than words do."""
    if len(value) < 20 or value.strip(_BASE64 + "_-.~"):
        return False
    kinds = ["a" if c.islower() else "A" if c.isupper() else "1" if c.isdigit() else "" for c in value[:200]]
    changes = sum(one != two for one, two in zip(kinds, kinds[1:]))
    return {"a", "A", "1"} <= set(kinds) and changes * 3 >= len(kinds)


# --- where a value ends ----------------------------------------------------------------------------------


def _opening(text: str, start: int) -> Optional[tuple[int, int, str]]:
    """If a quote opens at ``start``: the index behind it, how many backslashes escape it, the quote.

    It may follow a string prefix (``b"``) or the bracket of a list.
    """
    window = text[start : start + 12]
    rest = window.lstrip("bruf([ ")
    quote = rest.lstrip("\\")[:1]
    if not quote or quote not in _QUOTES:
        return None
    level = len(rest) - len(rest.lstrip("\\"))
    return start + len(window) - len(rest) + level + 1, level, quote


def _inside(scan: _Scan, start: int, level: int, quote: str) -> tuple[int, int]:
    """Start and end of what a quote encloses, within its line.

    In JSON inside JSON the quotes themselves are escaped: that one closes which has no more backslashes than
    the one that opened.
    """
    text = scan.text
    line = scan.line_end(start)
    close = start
    for _ in range(50):
        close = text.find(quote, close, line)
        if close < 0:
            break
        before = text[max(start, close - 16) : close]
        slashes = len(before) - len(before.rstrip("\\"))
        if (slashes <= level) if level else slashes % 2 == 0:
            return start, close - min(slashes, level)
        close += 1
    return start, line


def _word(text: str, start: int) -> str:
    """The unquoted value at ``start``, at most _LOOK of it, less what closes an expression around it."""
    word = text[start : _word_end(text, start, _LOOK)]
    for quote in _QUOTES:
        at = word.find(quote)
        if at >= 0 and not word[at + 1 : at + 2].isalnum():  # not ab"c"d, which a shell joins
            word = word[:at].rstrip("\\")
    at = word.find("<")
    if at >= 0 and (word[at + 1 : at + 2].isalpha() or word[at + 1 : at + 2] == "/"):
        word = word[:at]
    at = word.find("&")
    if at > 0 and word[at + 1 : at + 2].isalpha() and "=" in word[at : at + 40]:
        word = word[:at]
    return word if len(word) == _LOOK else word.rstrip(",;)}]」』”。、")


def _word_end(text: str, start: int, limit: int = 0) -> int:
    """The index of the next white space, at most ``limit`` away."""
    size = 256
    end = start
    while True:
        piece = text[end : end + size]
        words = piece.split(None, 1)
        if not words or not piece.startswith(words[0]):
            break
        end += len(words[0])
        if len(words[0]) < len(piece) or len(piece) < size:
            break
        size = min(size * 8, 1 << 20)
        if limit and end - start >= limit:
            break
    return min(end, start + limit) if limit else end


# --- values ----------------------------------------------------------------------------------------------


def redact_value(obj: Any, max_depth: int = MAX_DEPTH) -> Any:
    """A copy of a payload's value with every text redacted, and whatever stands under a secret's name.

    dict, list and tuple (as list) are entered down to ``max_depth``; below that, and for objects JSON does
    not know, a text stands in.  Never raises.
    """
    try:
        return _redact_value(obj, max_depth)
    except Exception:
        return "[dropped: unreadable value]"


def _redact_value(obj: Any, depth: int) -> Any:
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
            redact(key) if isinstance(key, str) else key: _redact_named(key, value, depth - 1)
            for key, value in obj.items()
        }
    return [_redact_value(item, depth - 1) for item in obj]


def _redact_named(key: object, value: Any, depth: int) -> Any:
    """A value as the entry of a dict: its key may tell that it is secret."""
    label = _label_of(key, value) if isinstance(key, str) else None
    if label is None:
        return _redact_value(value, depth)
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
    for header in _HEADERS:
        if low.endswith(header) and isinstance(value, (str, list)):
            return header
    for name, trust in _NAMES:
        at = low.rfind(name)
        if at < 0 or not _is_name_end(key[at + len(name) :]):
            continue
        if not isinstance(value, str):
            if trust == _ANY:
                return _label(name)
        elif _is_secret(value, trust, key.isupper(), True, key):
            return _label(name)
    return None
