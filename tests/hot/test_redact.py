"""Secrets are put together at run time, so that no scanner finds one in this file."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import HEX, LETTERS, made_up

from safepoint.hot.redact import (
    COMMAND_MARKS,
    FOREIGN_MARKS,
    KEY_MARKS,
    NAME_MARKS,
    NOISE_MARKS,
    capture,
    clip_bytes,
    redact,
    redact_value,
)
from safepoint.hot.redaction import commands, keys, names
from safepoint.hot.redaction import settings as settings_scanner
from safepoint.hot.redaction.marks import key_marks, setting_places
from safepoint.hot.redaction.payload import redacted_value
from safepoint.hot.redaction.search import redacted


def key(*pieces: str) -> str:
    return "".join(pieces)


JWT = key("ey", "JhbGciOiJIUzI1NiJ9", ".", "ey", "JzdWIiOiIxMjM0In0", ".", made_up(43))
BODY = "\n".join(made_up(64) for _ in range(4))
BEGIN = key("-----BEGIN ", "RSA PRIVATE ", "KEY-----")
END = key("-----END ", "RSA PRIVATE ", "KEY-----")

FORMATS = {
    "aws": ("aws_access_key", key("AK", "IA", made_up(16, "ABCDEFGH234567"))),
    "github": ("github_token", key("gh", "p_", made_up(36))),
    "github-server": ("github_token", key("gh", "s_", made_up(36))),
    "github-fine": ("github_token", key("github", "_pat_", made_up(22), "_", made_up(59))),
    "gitlab": ("gitlab_token", key("gl", "pat-", made_up(20))),
    "slack-bot": ("slack_token", key("xo", "xb-", "123456789012-", made_up(24))),
    "slack-app": ("slack_token", key("xa", "pp-", "1-A012-", made_up(40))),
    "slack-hook": ("webhook", key("https://hooks.", "slack.com/", "services/T0/B0/", made_up(24))),
    "stripe": ("stripe_key", key("sk", "_live_", made_up(24))),
    "openai": ("api_key", key("s", "k-", "proj-", made_up(48))),
    "anthropic": ("api_key", key("s", "k-", "ant-api03-", made_up(90))),
    "google": ("google_key", key("AI", "za", made_up(35))),
    "google-oauth": ("google_token", key("ya", "29.", made_up(60))),
    "npm": ("npm_token", key("np", "m_", made_up(36))),
    "pypi": ("pypi_token", key("py", "pi-", made_up(80))),
    "jwt": ("jwt", JWT),
    "azure": ("azure_secret", key("abc8", "Q", "~", made_up(34))),
    "twilio": ("twilio_key", key("S", "K", made_up(32, HEX))),
    "sendgrid": ("sendgrid_key", key("S", "G.", made_up(22), ".", made_up(43))),
    "digitalocean": ("digitalocean_token", key("do", "p_v1_", made_up(64, HEX))),
    "huggingface": ("huggingface_token", key("h", "f_", made_up(34))),
    "telegram": ("telegram_token", key("123456789", ":A", "A", made_up(33))),
    "nvidia": ("nvidia_key", key("nv", "api-", made_up(64))),
    "perplexity": ("perplexity_key", key("pp", "lx-", made_up(48))),
    "brevo": ("brevo_key", key("xkey", "sib-", made_up(64, HEX), "-", made_up(16))),
    "langsmith": ("langsmith_key", key("ls", "v2_pt_", made_up(32, HEX), "_", made_up(10, HEX))),
    "planetscale": ("planetscale_token", key("pscale", "_tkn_", made_up(43))),
    "square": ("square_token", key("sq0", "atp-", made_up(22))),
    "vercel": ("vercel_token", key("ver", "cel_blob_rw_", made_up(40))),
    "tavily": ("tavily_key", key("tv", "ly-dev-", made_up(32))),
    "buildkite": ("buildkite_token", key("bk", "ua_", made_up(40, HEX))),
    "netlify": ("netlify_token", key("nf", "p_", made_up(36))),
    "teams-hook": (
        "webhook",
        key(
            "https://x.",
            "webhook.office",
            ".com/webhookb2/",
            made_up(36),
            "@",
            made_up(36),
            "/IncomingWebhook/",
            made_up(32, HEX),
        ),
    ),
    "private-key": ("private_key", f"{BEGIN}\n{BODY}\n{END}"),
}


def secret_part(secret: str) -> str:
    """What may not be seen again: the end, where all of a key's chance lies."""
    return BODY[70:120] if secret.startswith("-----") else secret[-16:]


@pytest.mark.parametrize(("label", "secret"), FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize(
    "around",
    [
        pytest.param("{}", id="alone"),
        pytest.param("use {} now", id="in-prose"),
        pytest.param("x={}&y=1", id="in-a-query"),
        pytest.param('{{"a":"{}"}}', id="in-json"),
        pytest.param("done\\n{}\\nnext", id="behind-an-escape"),
        pytest.param("日本語「{}」です", id="in-japanese"),
        pytest.param("%3D{}", id="url-encoded"),
    ],
)
def test_key_is_recognised_by_its_format(label: str, secret: str, around: str) -> None:
    redacted = redact(around.format(secret))
    assert secret_part(secret) not in redacted
    assert f"[redacted:{label}]" in redacted


PASSWORD = key("hunter", "2!Zx9")
NOISE = made_up(40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("DB_PASSWORD={}", "DB_PASSWORD=[redacted:password]", id="env-file"),
        pytest.param("export API_TOKEN='{}'", "export API_TOKEN='[redacted:token]'", id="shell-quoted"),
        pytest.param("password: {}", "password: [redacted:password]", id="yaml"),
        pytest.param(
            "password: |\n  {}\nnext: 1", "password: |\n  [redacted:password]\nnext: 1", id="yaml-block"
        ),
        pytest.param('"client_secret": "{}",', '"client_secret": "[redacted:secret]",', id="json"),
        pytest.param('{{\\"token\\": \\"{}\\"}}', '{\\"token\\": \\"[redacted:token]\\"}', id="json-in-json"),
        pytest.param("apiKey: '{}'", "apiKey: '[redacted:apikey]'", id="camel-case"),
        pytest.param("password: str = '{}'", "password: str = '[redacted:password]'", id="annotated"),
        pytest.param("password := `{}`", "password := `[redacted:password]`", id="go"),
        pytest.param("if token == '{}':", "if token == '[redacted:token]':", id="compared"),
        pytest.param(
            "connect(password={}, port=1)", "connect(password=[redacted:password], port=1)", id="call"
        ),
        pytest.param("mysql --password {} -h db", "mysql --password [redacted:password] -h db", id="option"),
        pytest.param("deploy --auth-token={}", "deploy --auth-token=[redacted:token]", id="option-with-sign"),
        pytest.param("curl -u admin:{} http://x", "curl -u admin:[redacted:password] http://x", id="login"),
        pytest.param("curl --user 'a:{}'", "curl --user 'a:[redacted:password]'", id="login-quoted"),
        pytest.param("mysql -u root -p{} db", "mysql -u root -p[redacted:password] db", id="mysql"),
        pytest.param("sshpass -p '{}' ssh h", "sshpass -p '[redacted:password]' ssh h", id="sshpass"),
        pytest.param("redis-cli -a {} ping", "redis-cli -a [redacted:password] ping", id="redis"),
        pytest.param("postgres://u:{}@db/x", "postgres://u:[redacted:password]@db/x", id="url"),
        pytest.param("postgres://u:a/{}@db/x", "postgres://u:[redacted:password]@db/x", id="url-with-slash"),
        pytest.param("<password>{}</password>", "<password>[redacted:password]</password>", id="xml"),
        pytest.param('name: "X_TOKEN", value: "{}"', 'name: "X_TOKEN", value: "[redacted:token]"', id="pair"),
        pytest.param(
            "- name: PASSWORD\n  value: {}", "- name: PASSWORD\n  value: [redacted:password]", id="k8s"
        ),
        pytest.param("the password is {}", "the password is [redacted:password]", id="prose"),
        pytest.param("パスワード：{}です", "パスワード：[redacted:secret]です", id="japanese"),
        pytest.param("パスワードは{}です", "パスワードは[redacted:secret]です", id="japanese-verb"),
        pytest.param("?access_token={}&page=2", "?access_token=[redacted:token]&page=2", id="query"),
        pytest.param("//registry/:_authToken={}", "//registry/:_authToken=[redacted:token]", id="npmrc"),
        pytest.param('PASS=ab"{}"cd', "PASS=[redacted:pass]", id="joined-by-the-shell"),
        pytest.param('"password": "a\\"{}"', '"password": "[redacted:password]"', id="escaped-quote"),
        pytest.param('"passwords": ["{}"]', '"passwords": ["[redacted:password]"]', id="list"),
        pytest.param("DB_PASS=${{DB_PASS:-{}}}", "DB_PASS=[redacted:pass]}", id="shell-default"),
        pytest.param("Cookie: sid={}; theme=dark", "Cookie: [redacted:cookie]", id="cookie"),
        pytest.param(
            "Authorization: Basic {}\nHost: x",
            "Authorization: Basic [redacted:authorization]\nHost: x",
            id="header",
        ),
        pytest.param(
            "-H 'Authorization: Bearer {}' -v",
            "-H 'Authorization: Bearer [redacted:authorization]' -v",
            id="curl",
        ),
        pytest.param(
            '"authorization": "token {}", "a": 1',
            '"authorization": "token [redacted:authorization]", "a": 1',
            id="js",
        ),
    ],
)
def test_value_goes_and_name_stays(text: str, expected: str) -> None:
    assert redact(text.format(PASSWORD)) == expected


COMMANDS = [
    "machine h login u password {}", "machine h\nlogin u\npassword {}",
    "aws configure set aws_secret_access_key {}",
    "gh auth login --with-token <<< {}", "gh auth login --with-token <<EOF\n{}\nEOF",
    "echo {} | gh auth login --with-token", "echo {} | docker login -u bob --password-stdin",
    "printf '%s' '{}' | sudo -S true", "psql -c \"ALTER USER bob WITH PASSWORD '{}'\"",
    "CREATE USER a IDENTIFIED BY '{}'", "CREATE USER a IDENTIFIED WITH mysql_native_password BY '{}'",
    "kubectl create secret generic x --from-literal=pw={}", "echo 'bob:{}' | chpasswd",
    "printf 'bob:%s\\n' {} | sudo chpasswd", "chpasswd <<< 'bob:{}'",
    "az login --service-principal -u x -p {}",
    "nmcli dev wifi connect Home password {}", "nmcli c modify Home wifi-sec.psk {}", "net user bob {} /add",
    "htpasswd -nbB bob {}", "smbclient //h/s -U bob%{}", "lftp -u bob,{} ftp://h", "zip -r -P {} a.zip b",
    "zip -rP {} a.zip b", "unzip -qP {} a.zip", "bw unlock {}", "bw login bob@example.com {}",
    "http -a bob:{} GET x", "https --auth bob:{} x", "http --auth=bob:{} x", "http GET x -a bob:{}",
    "ConvertTo-SecureString '{}' -AsPlainText -Force", 'ConvertTo-SecureString -String "{}" -AsPlainText',
    "echo '{}' | sudo passwd bob --stdin", "the password was {}", "my password\t{}",
    "login with password {}", "sign in, passphrase {}.", "use the api_key {}", "vault login {}",
    "dotnet user-secrets set ApiKey {}", "fly secrets set FOO={}", "git config --global x.token {}",
    "sqlcmd -S h -U sa -P {}", "twine upload -u u -p {} dist/x", "openssl enc -k {} -in a",
    "wpa_passphrase Home {}",
    "curl -U bob:{} http://p", "rabbitmqctl add_user bob {}", '{{"sql": "ALTER USER b PASSWORD \'{}\'"}}',
]  # fmt: skip


@pytest.mark.parametrize("text", COMMANDS)
def test_secret_goes_where_no_sign_stands_before_it(text: str) -> None:
    secret = key("S3cret", "Val9")
    redacted = redact(text.format(secret))
    assert "Val9" not in redacted
    before = text.format("|").partition("|")[0]
    assert redacted.startswith(before) and "[redacted:" in redacted


@pytest.mark.parametrize("name", ["key", "session", "sig", "primaryKey", "AUTH"])
def test_noise_beside_a_telling_name_goes(name: str) -> None:
    assert NOISE not in redact(f'{name}: "{NOISE}"')
    assert NOISE in redact(f'colour: "{NOISE}"')


SURVIVORS = {
    "git-sha": "commit 89f3787c0a6b1d2e4f5a69788b9cadbecfd0e1f2",
    "uuid": "session_id: 0197f5a0-3c1e-7cc1-b2a4-5a8c7e6d5f40",
    "sha256": "key: sha256:" + hashlib.sha256(b"x").hexdigest(),
    "path": "/home/dev/project/src/tokenizer/passwords/secret_store.py:120",
    "image": "![](data:image/png;base64," + base64.b64encode(random.Random(1).randbytes(3000)).decode() + ")",
    "japanese": "トークン数が上限に近づいたら、状態を保存してから停止する。パスワードは8文字以上とする。",
    "token-counts": '{"input_tokens": 43859, "max_token": 8192, "token": 12, "total_tokens": "99"}',
    "call": "token = get_token(user)\npassword = os.environ['DB_PASSWORD']\nkey = self.key",
    "annotation": "def login(password: str, token: Optional[str] = None) -> bool: ...",
    "keyword": "connect(password=password, token=token)",
    "reference": "TOKEN=$GITHUB_TOKEN PASSWORD=${DB_PASSWORD} key=%API_KEY% secret: <your secret>",
    "actions": "token: ${{ secrets.GITHUB_TOKEN }}",
    "hidden-already": "password: ******** token=[redacted:token]",
    "file": "password_file: /run/secrets/db",
    "policy": "passwordPolicy: strict, tokenCount: 5, secretName: db",
    "names": "the secretary tokenized a keyboard; bypass the compass; monkey: banana",
    "css": ".sk-loading-spinner-container { } .task-list-item-checkbox { }",
    "ssh-remote": "git@github.com:org/repo.git ssh://git@github.com/org/repo https://localhost:8080/a@b",
    "mail": "https://example.com/?mail=a@b.c http://host:8080/path",
    "user-ids": "docker run -u 1000:1000 img; python -u run.py; git push -u origin main",
    "pwd": "PWD=/home/dev/project OLDPWD=/tmp",
    "test-output": "pass: 120 fail: 0; password ok; --password-stdin",
    "public-key": "public_key: " + made_up(40),
    "certificate": "-----BEGIN CERTIFICATE-----\n" + BODY + "\n-----END CERTIFICATE-----",
    "lockfile": '"integrity": "sha512-' + base64.b64encode(hashlib.sha512(b"x").digest()).decode() + '"',
    "cookie-prose": "the cookie jar; cookies are set; cookie = parse(header)",
    "code": "for key, value in pairs:\n    cache_key = f'{key}:{value}'\n    auth: AuthProvider = make()",
    "prose": "password reset flow, the token count, the password sha256 hash, a secret oauth2 client",
    "names-of-secrets": "kubectl get secret db-creds-v2 -o yaml; oc get secret kubernetes-dashboard-certs",
    "searches": "grep -rn password src/v2/app3.py && rg 'secret' src && grep password file2.txt",
    "files-in": "gh auth login --with-token < token.txt; docker login -u bob --password-stdin < pw.txt",
    "settings": "git config --global user.name 'Bob'; npm config set registry https://registry.npmjs.org/",
    "configured": "git config user.signingkey A1B2C3D4E5F6; conf config set max_token 4096",
    "command-prose": "the net user count; identified by the tests; the machine login and a password reset",
    "other-options": "mkdir -p mongo data1; docker login x && mkdir -p dir/a1b2c3; net user bob *",
    "piped": "echo done | tee --stdin; cat list | chpasswd; echo $PW | sudo -S true",
    "no-vercel": "vercel_project_production_url, tvly-search-results-and-more-words",
    "typescript": "interface A { token: string; password?: string | null; key: KeyType }",
}


@pytest.mark.parametrize("text", SURVIVORS.values(), ids=SURVIVORS)
def test_harmless_text_survives(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"a {BEGIN}\n{BODY}", id="no-end"),
        pytest.param(f"{BODY}\n{END} z", id="no-beginning"),
        pytest.param(f"{BEGIN}\n{BODY}\n{END}".replace("\n", "\\n"), id="one-line"),
        pytest.param(f"{BODY}\n{END}".replace("\n", "\\n"), id="one-line-no-beginning"),
        pytest.param(
            "\n".join(f"{n:6}→{line}" for n, line in enumerate([BEGIN, *BODY.split("\n")])), id="numbered"
        ),
    ],
)
def test_private_key_goes_whole_or_cut(text: str) -> None:
    redacted = redact(text)
    assert not any(line[8:40] in redacted for line in BODY.split("\n"))
    assert "[redacted:private_key]" in redacted


# --- laws ------------------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        "password",
        "token",
        "secret",
        "key",
        "=",
        ":",
        " ",
        '"',
        "\\",
        "'",
        "\n",
        "://",
        "@",
        "-u ",
        "--",
        "Bearer ",
        "Cookie",
        "[redacted:x]",
        "sk-",
        "eyJ",
        ".",
        "<",
        "&",
        "${",
        "a",
        "7",
        "日",
        "�",
        "İ",
        BEGIN,
        END,
    ]
)


@settings(max_examples=50, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join), st.integers(0, 200))
def test_cut_text_begins_like_the_whole(text: str, count: int) -> None:
    whole = redact(text)
    assert not whole.startswith("[dropped")
    assert redact(text, count) in (whole[:count], whole[: count - 1])
    assert len(capture(text, count).encode("utf-8", "surrogatepass")) <= count


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([secret for _, secret in FORMATS.values()]),
    st.text(max_size=20),
    st.sampled_from([" ", "\n", '"', "", "=", "("]),
    st.integers(0, 3000),
)
def test_no_cut_shows_a_secret(secret: str, before: str, sign: str, count: int) -> None:
    text = f"{before} {sign}{secret} {'tail ' * 400}"
    assert secret_part(secret) not in capture(text, count)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(["PASSWORD={}", '"secret": "{}"', "password: {}", "http://u:{}@h"]), st.data())
def test_no_password_stays(template: str, data: st.DataObject) -> None:
    chars = st.sampled_from(LETTERS + "!#%^+_.~,;")
    password = "Q7" + data.draw(st.text(chars, min_size=6, max_size=40)) + "z"
    assert password not in redact(template.format(password))


@settings(max_examples=60, deadline=None)
@given(st.text(), st.integers(0, 100))
def test_clipped_text_is_the_longest_that_fits(text: str, size: int) -> None:
    clipped = clip_bytes(text, size)
    assert text.startswith(clipped)
    assert len(clipped.encode()) <= size
    if clipped != text:
        assert len(text[: len(clipped) + 1].encode()) > size


@pytest.mark.parametrize(
    ("text", "size", "expected"),
    [
        ("日本", 5, "日"),
        ("日本", 6, "日本"),
        ("🎉", 3, ""),
        ("\ud83d\ude00x", 3, ""),
        ("\ud83d\ude00x", 6, "\ud83d\ude00"),
        ("\ud83dx", 3, "\ud83d"),
        ("abc", 0, ""),
        ("abc", -1, ""),
    ],
    ids=ascii,
)
def test_cut_splits_no_character(text: str, size: int, expected: str) -> None:
    assert clip_bytes(text, size) == expected


def test_secret_at_the_edge_of_the_piece_looked_at_is_not_shown() -> None:
    secret = FORMATS["github"][1]
    block = f"{BEGIN}\n{BODY}\n{END}\n"
    for shift in range(0, 200, 7):
        text = block * 60 + "x" * shift + f" {secret} " + "tail " * 10_000
        assert secret[-16:] not in redact(text, 3000 + shift)


# --- failing closed --------------------------------------------------------------------------------------


def test_failure_drops_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(scan: object, places: object) -> None:
        raise RecursionError

    monkeypatch.setattr(settings_scanner, "find_settings", fail)
    digest = hashlib.sha256(b"token: ab").hexdigest()[:16]
    assert redact("token: ab") == f"[dropped: 9 chars sha256={digest}]"
    assert capture("token: ab", 8) == "[dropped"
    assert redact_value({"a": "token: ab"}) == {"a": f"[dropped: 9 chars sha256={digest}]"}


HOSTILE = {
    "plain": "a",
    "names": "password",
    "settings": "token=a ",
    "references": "token=${a,",
    "prefixes": "-eyJ-sk-_AIza",
    "near-prefixes": "ghp-hvsSG",
    "urls": "://a:b@",
    "keys": BEGIN + "x",
    "key-ends": "QUJD" + END,
    "quotes": 'cookie:"',
    "backslashes": '\\"secret\\": \\"\\\\',
    "headers": "cookie: <",
    "commands": "echo a:b|chpasswd ",
    "options": "zip -P a ",
    "words": "net user a b1 ",
    "then": "machine login password ",
    "spaced": "password 'a1 ",
    "long-key": FORMATS["jwt"][1] + "x" * 500_000,
    "spaces": "password:" + " " * 500_000,
}


def seconds(text: str) -> float:
    started = time.process_time()
    redact(text)
    return time.process_time() - started


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_time_is_linear_in_a_line_of_malice(piece: str) -> None:
    line = piece * (500_000 // len(piece))
    assert min(seconds(line), seconds(line)) < 0.15


def test_ten_megabytes_take_less_than_a_second() -> None:
    assert seconds("password " * 1_111_111) < 1


def test_a_small_part_of_a_large_text_costs_little() -> None:
    text = "password: y\n" * 1_000_000
    started = time.process_time()
    assert capture(text, 1000).startswith("password: [redacted:password]\n")
    assert time.process_time() - started < 0.2


# --- marks -----------------------------------------------------------------------------------------------


ALL_KEY_MARKS = [mark for _, marks in KEY_MARKS for mark in marks]
ALL_NAME_MARKS = NAME_MARKS + NOISE_MARKS + FOREIGN_MARKS


def test_every_format_has_a_mark_and_is_a_long_word() -> None:
    lengths = {prefix: len(prefix) + row[3] for row in keys.KEYS for prefix in row[1].split()}
    assert [prefix for prefix in lengths if not any(mark in prefix for mark in ALL_KEY_MARKS)] == []
    assert min(lengths.values()) >= 15, lengths


def test_what_marks_have_in_common_is_in_each() -> None:
    for common, marks in KEY_MARKS:  # a dot parts the token that begins with eyJ, a dash follows xoxb
        assert all(common in mark or mark in ("eyJ", "xox") for mark in marks)


def test_every_login_and_name_has_a_mark() -> None:
    marks = [mark for _, marks in COMMAND_MARKS for mark in marks]
    known = {*commands._WORDS, *commands._THEN, *commands._PIPED, *commands._SETTINGS}
    assert known | {"htpasswd", "from-literal"} == set(marks) - {"machine "}
    assert [name for name in names.NAMES if name not in ALL_NAME_MARKS] == []


_PIECES = [*NAME_MARKS, *NOISE_MARKS, *FOREIGN_MARKS, "value", " is ", "は", "SK", "://", "@", "İ", "-", " ",
           "\n", "api_", "--", *"!?+:=>：＝\"'\\,", "Xy7Zq9Lm2Pk4Rt6", "hunter2hunter2", " -u",
           "bearer ", "chpasswd", "net user", "S3cretVal9", "<<<", "|", "echo ", "zip -P "]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join))
def test_a_text_without_marks_holds_nothing_the_search_finds(text: str) -> None:
    """All that the scanners find when they are told of every mark, `redact` finds as well."""
    low = text.replace("İ", "i").lower()
    assert redact(text) == redacted(text, low, key_marks(text), setting_places(text, low, True))


ORDINARY = [
    "pytest -q tests/test_auth.py", 'git commit -m "Fix the token check of the session"', "mkdir -p src/keys",
    "src/auth/session_token.py", "make the tests pass", "ls -la src", "git status", "Add a key part",
    "git push -u origin main", "トークンの上限に近づいたら保存する", "cd web && npm run build 2>/dev/null",
    "docs/token-budget.md", "python3 -m pytest tests/hot/test_redact.py -x --durations=8 2>&1 | tail -40",
]  # fmt: skip
SELDOM = [
    'git commit -m "fix(auth): refresh the token"',
    "src/task-list/item.ts",
    "pytest --tb=short -k auth",
]


def test_ordinary_texts_load_nothing() -> None:
    program = (
        "import sys\nfrom safepoint.hot.redact import redact\n"
        "def loaded(): return [name for name in sys.modules if 'redaction.' in name]\n"
        f"for text in {ORDINARY!r}: assert redact(text) == text and not loaded(), text\n"
        f"for text in {SELDOM!r}: assert redact(text) == text and len(loaded()) <= 1, text\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("line", ['"key": "k{0}", "name": "foo{0}",', "API_TOKEN_{0}=changeme{0}"])
def test_a_dense_text_that_means_well_is_not_dropped(line: str) -> None:
    text = "\n".join(line.format(number) for number in range(100_000 // len(line)))
    assert not redact(text).startswith("[dropped")


# --- values ----------------------------------------------------------------------------------------------


MASK = "[redacted:credential]"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"command": f"X_TOKEN={PASSWORD} run"}, {"command": "X_TOKEN=[redacted:token] run"}),
        ({"password": PASSWORD, "user": "me"}, {"password": "[redacted:password]", "user": "me"}),
        ({"password": 1234, "secret": None}, {"password": "[redacted:password]", "secret": None}),
        ({"credentials": {"a": ["x", {"b": 2}]}}, {"credentials": {"a": [MASK, {"b": MASK}]}}),
        ({"tokens": 12, "token": 12, "max_token": "9"}, {"tokens": 12, "token": 12, "max_token": "9"}),
        ({"Authorization": "Bearer x"}, {"Authorization": "[redacted:authorization]"}),
        ({"password_file": "/run/x", "key": "value"}, {"password_file": "/run/x", "key": "value"}),
        ([("a", 1.5, True)], [["a", 1.5, True]]),
        ([b"x"], ["[dropped: bytes]"]),
        ({FORMATS["npm"][1]: 1}, {"[redacted:npm_token]": 1}),
        ("plain", "plain"),
    ],
)  # fmt: skip
def test_value_is_redacted(value: object, expected: object) -> None:
    assert redact_value(value) == expected


def test_nesting_has_a_floor() -> None:
    value: object = PASSWORD
    for _ in range(100):
        value = [value]
    assert PASSWORD not in json.dumps(redact_value(value))
    assert redacted_value([[1]], max_depth=1) == ["[dropped: nested too deeply]"]
