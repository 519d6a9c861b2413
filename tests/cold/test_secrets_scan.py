"""What stops a push: names, formats of keys, values that are written out; and what must not."""

from __future__ import annotations

import pytest

from safepoint.sync.secrets_scan import OVERLAP, PIECE, by_content, by_name, find

TOKEN = "gh" + "p_" + "a1B2c3" * 6
KEY = "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + "MIIEow" * 20 + "\n-----END RSA PRIV" + "ATE KEY-----\n"
VALUE = "hx7" + "Kq92mPz"


@pytest.mark.parametrize(
    "path",
    [".env", "config/.env.production", "prod.env", "id_rsa", "a/b/id_ed25519", "server.PEM", "x.key",
     "store.p12", ".netrc", ".git-credentials", "terraform.tfstate"],
)  # fmt: skip
def test_name_of_a_secret(path: str) -> None:
    assert by_name(path)


@pytest.mark.parametrize(
    "path",
    [".env.example", "id_rsa.pub", "keys.py", "environment.ts", "keyboard.md", "docs/env.md", "a.pem.md"],
)
def test_name_of_none(path: str) -> None:
    assert not by_name(path)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", f"x = '{TOKEN}'"), ("notes.md", f"use {TOKEN} here"), ("k.txt", KEY),
        ("a.py", f"password = '{VALUE}'"), ("app.yaml", f"db_password: {VALUE}"),
        ("settings.json", f'{{"api_key": "{VALUE}"}}'), ("run.sh", f"export API_TOKEN={VALUE}"),
        ("a.py", "# 日本語\n" * 1000 + f"secret = \"{VALUE}\""),
    ],
)  # fmt: skip
def test_content_that_stops(path: str, text: str) -> None:
    assert by_content(path, text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "token = read_token(path)", "password = os.environ['PASSWORD']", "def token(self) -> str: ...",
        "secret: str", "api_key = settings.api_key", "passwords = []", "tokens = 20000",
        "const token = await getToken(user, 20);", "password: ${{ secrets.PASSWORD }}",
    ],
)  # fmt: skip
def test_code_that_only_speaks_of_secrets_does_not(text: str) -> None:
    assert by_content("a.py", text.encode()) == ""


def test_secret_across_two_pieces_of_a_long_text_is_found() -> None:
    for before in (PIECE - 10, PIECE - OVERLAP - 10, 2 * PIECE - 5):
        filler = ("word " * (before // 5 + 1))[:before]
        assert by_content("a.md", f"{filler} {TOKEN} end".encode()) == "github_token", before


def test_text_of_windows_is_read_and_a_picture_is_not() -> None:
    assert by_content("a.txt", f"x {TOKEN}".encode("utf-16"))
    assert by_content("a.png", b"\x89PNG\0\0" + TOKEN.encode()) == ""


def test_redactors_own_marks_are_no_secret() -> None:
    assert find("handoff.md", b"token=[redacted:github_token] password: [redacted:password]") is None
