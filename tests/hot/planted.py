"""Made-up secrets of many kinds, put together at run time, so that no scanner finds one in this file."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

WORDS = "look at the basket again "
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
HEX = "0123456789abcdef"


class Planted(NamedTuple):
    kind: str
    text: str  # as it stands in a command or a file
    core: str  # the part that nobody can guess

    def pieces(self, size: int = 8) -> list[str]:
        """The core and all its middle parts of `size`."""
        return [self.core, *(self.core[at : at + size] for at in range(len(self.core) - size + 1))]


def made_up(count: int, chars: str = LETTERS, seed: str = "") -> str:
    """That many characters, the same in every run, with a digit among the first."""
    dice = random.Random(f"{count}{seed}")
    return "7" + "".join(dice.choice(chars) for _ in range(count - 1))


# Kind, what stands before the core and behind it, its length and characters.
_KINDS = (
    ("aws", "AK" + "IA", "", 16, "ABCDEFGH234567"),
    ("github", "gh" + "p_", "", 36, LETTERS),
    ("github-server", "gh" + "s_", "", 36, LETTERS),
    ("github-fine", "github" + "_pat_", "", 82, LETTERS),
    ("gitlab", "gl" + "pat-", "", 20, LETTERS),
    ("slack-bot", "xo" + "xb-123456789012-", "", 24, LETTERS),
    ("slack-app", "xa" + "pp-1-A012-", "", 40, LETTERS),
    ("slack-hook", "https://hooks." + "slack.com/services/T0/B0/", "", 24, LETTERS),
    ("stripe", "sk" + "_live_", "", 24, LETTERS),
    ("openai", "s" + "k-proj-", "", 48, LETTERS),
    ("anthropic", "s" + "k-ant-api03-", "", 90, LETTERS),
    ("google", "AI" + "za", "", 35, LETTERS),
    ("google-oauth", "ya" + "29.", "", 60, LETTERS),
    ("npm", "np" + "m_", "", 36, LETTERS),
    ("pypi", "py" + "pi-", "", 80, LETTERS),
    ("jwt", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0.", "", 43, LETTERS),
    ("azure", "abc8Q" + "~", "", 34, LETTERS),
    ("twilio", "S" + "K", "", 32, HEX),
    ("sendgrid", "S" + "G.", "", 66, LETTERS),
    ("digitalocean", "do" + "p_v1_", "", 64, HEX),
    ("huggingface", "h" + "f_", "", 34, LETTERS),
    ("telegram", "123456789:" + "AA", "", 33, LETTERS),
    ("private-key", "-----BEGIN " + "PRIVATE KEY-----\n", "\n-----END " + "PRIVATE KEY-----", 64, LETTERS),
    ("env-file", "DB_PASSWORD=", "", 14, LETTERS),
    ("export", "export API_TOKEN='", "'", 20, LETTERS),
    ("json", '{"client_secret": "', '"}', 24, LETTERS),
    ("yaml", "password: ", "", 12, LETTERS),
    ("url", "postgres://shop:", "@db.example.com/shop", 16, LETTERS),
    ("curl-user", "curl -u admin:", " https://example.com", 12, LETTERS),
    ("mysql", "mysql -u root -p", " shop", 12, LETTERS),
    ("basic", 'curl -H "Authorization: Basic ', '" https://example.com', 24, LETTERS),
    ("bearer", "Bearer ", "", 32, LETTERS),
    ("cookie", "Cookie: sid=", "", 26, LETTERS),
    ("option", "deploy --password ", "", 14, LETTERS),
    ("prose", "the password is ", "", 12, LETTERS),
    ("spaced", "login with password ", "", 14, LETTERS),
    ("netrc", "machine h login u password ", "", 14, LETTERS),
    ("aws-configure", "aws configure set aws_secret_access_key ", "", 40, LETTERS),
    ("here-string", "gh auth login --with-token <<< ", "", 36, LETTERS),
    ("sql", "ALTER USER shop WITH PASSWORD '", "'", 12, LETTERS),
    ("literal", "kubectl create secret generic x --from-literal=pw=", "", 14, LETTERS),
    ("nvidia", "nv" + "api-", "", 64, LETTERS),
    ("japanese", "パスワードは", "です", 12, LETTERS),
)  # fmt: skip


def secrets_of_all_kinds(each: int = 2) -> list[Planted]:
    """`each` of every kind."""
    made = []
    for number in range(each):
        for kind, before, behind, count, chars in _KINDS:
            core = made_up(count, chars, f"{kind}{number}")
            made.append(Planted(kind, before + core + behind, core))
    return made


def across(secret: Planted, limit: int, part: float) -> str:
    """A text that is cut within the core if it is cut before its secrets are taken out."""
    before = limit - secret.text.index(secret.core) - int(len(secret.core) * part)
    return (WORDS * (limit // len(WORDS) + 1))[: before - 1] + " " + secret.text + " " + WORDS * 3


def traces_in(texts: Mapping[str, bytes], secrets: Iterable[Planted]) -> Iterator[str]:
    """Where a part of a secret's core is found, in any case; `texts` by a name to tell."""
    lower = {name: text.lower() for name, text in texts.items()}
    everything = b"\n".join(lower.values())
    for secret in secrets:
        for piece in secret.pieces():
            if piece.lower().encode() in everything:
                names = [name for name in lower if piece.lower().encode() in lower[name]]
                yield f"{secret.kind}: {piece} in {names}"
