"""Keys that their format gives away."""

from __future__ import annotations

from ..redact import WORD
from .marks import ALNUM, SHORT_MARKS, is_free
from .scan import DIGITS, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .scan import Scan

_DOTTED = WORD + "."
_HEX = "0123456789abcdefABCDEF"
_BASE64 = ALNUM + "+/="

# Label, prefixes, characters behind them, fewest and most of those.  With a most the length is fixed, and a
# longer run is something else: base64 holds every four letters sooner or later.
# fmt: off
KEYS = (
    ("aws_access_key", "AKIA ASIA", ALNUM, 16, 16),
    ("github_token", "ghp_ gho_ ghu_ ghr_", ALNUM, 20, 0),
    ("github_token", "ghs_ github_pat_", _DOTTED, 20, 0),
    ("gitlab_token", "glpat- gldt- glrt- glptt- glcbt- gloas-", _DOTTED, 16, 0),
    ("slack_token", "xapp-", _BASE64 + "_-%", 10, 0),
    ("slack_token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxp- xoxr- xoxs-", _BASE64 + "_-%", 10, 0),
    ("webhook", "hooks.slack.com/ /api/webhooks/", WORD + "/", 20, 0),
    ("webhook", "webhook.office.com/ outlook.office.com/webhook/ logic.azure.com:443/workflows/",
     WORD + "/@.?=&%", 20, 0),
    ("webhook_secret", "whsec_", _BASE64, 20, 0),
    ("api_key", "sk-", WORD, 20, 0),
    ("stripe_key", "sk_live_ rk_live_ sk_test_ rk_test_", ALNUM, 10, 0),
    ("google_key", "AIza", WORD, 35, 35),
    ("google_token", "ya29.", _DOTTED, 20, 0),
    ("google_secret", "GOCSPX-", WORD, 20, 0),
    ("npm_token", "npm_", ALNUM, 30, 0),
    ("pypi_token", "pypi-", WORD, 40, 0),
    ("rubygems_key", "rubygems_", _HEX, 40, 0),
    ("sendgrid_key", "SG.", _DOTTED, 40, 0),
    ("huggingface_token", "hf_", ALNUM, 30, 0),
    ("mailgun_key", "key-", _HEX, 32, 32),
    ("databricks_token", "dapi", _HEX, 32, 32),
    ("digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", _HEX, 40, 0),
    ("linear_key", "lin_api_", ALNUM, 30, 0),
    ("notion_token", "ntn_", ALNUM, 30, 0),
    ("vault_token", "hvs. hvb.", WORD, 20, 0),
    ("docker_token", "dckr_pat_", WORD, 20, 0),
    ("grafana_token", "glsa_ glc_", _BASE64 + "_", 24, 0),
    ("groq_key", "gsk_", ALNUM, 30, 0),
    ("xai_key", "xai-", ALNUM, 40, 0),
    ("replicate_token", "r8_", ALNUM, 30, 0),
    ("shopify_token", "shpat_ shpss_ shpca_", _HEX, 32, 0),
    ("sentry_token", "sntrys_ sntryu_", _BASE64 + "_-", 20, 0),
    ("supabase_token", "sbp_", _HEX, 40, 0),
    ("figma_token", "figd_", WORD, 20, 0),
    ("newrelic_key", "NRAK-", ALNUM, 20, 0),
    ("postman_key", "PMAK-", WORD, 20, 0),
    ("atlassian_token", "ATATT3", WORD + "=", 30, 0),
    ("tailscale_key", "tskey-", WORD, 16, 0),
    ("nvidia_key", "nvapi-", WORD, 30, 0),
    ("perplexity_key", "pplx-", ALNUM, 30, 0),
    ("brevo_key", "xkeysib-", WORD, 40, 0),
    ("langsmith_key", "lsv2_pt_ lsv2_sk_", WORD, 30, 0),
    ("planetscale_token", "pscale_tkn_ pscale_pw_ pscale_oauth_", _DOTTED, 20, 0),
    ("square_token", "sq0atp- sq0csp-", WORD, 20, 0),
    ("vercel_token", "vercel_", WORD, 24, 0),
    ("tavily_key", "tvly-", WORD, 20, 0),
    ("buildkite_token", "bkua_", _HEX, 32, 0),
    ("netlify_token", "nfp_", ALNUM, 30, 0),
    ("age_key", "AGE-SECRET-KEY-1", ALNUM, 20, 0),
    ("twilio_key", "SK", _HEX, 32, 32),
    ("telegram_token", ":AA", WORD, 33, 33),
)
# fmt: on


_WITH_DIGIT = ("sk-", "vercel_", "tvly-")  # else a CSS class, the name of a variable


def find_keys(scan: Scan, marks: list[str]) -> None:
    """Keys whose ``marks`` are in the text."""
    for label, prefixes, chars, fewest, most in KEYS:
        for mark in marks:
            if mark in prefixes:
                _find_prefixes(scan, mark, prefixes, label, chars, fewest, most)
    if "eyJ" in marks:
        _find_web_tokens(scan)
    if "Q~" in marks:
        _find_azure_secrets(scan)


def _find_prefixes(
    scan: Scan, mark: str, prefixes: str, label: str, chars: str, fewest: int, most: int
) -> None:
    for prefix in prefixes.split():
        if mark in prefix:
            _find_key(scan, prefix, label, chars, fewest, most)


def _find_key(scan: Scan, prefix: str, label: str, chars: str, fewest: int, most: int) -> None:
    text = scan.text
    for at in scan.places(prefix):
        if prefix in SHORT_MARKS and not is_free(text, at):
            continue
        start = at + len(prefix)
        end = run(text, start, chars, most + 1 if most else 64)
        if end - start < fewest or (most and end - start > most):
            continue
        if prefix in _WITH_DIGIT and DIGITS.isdisjoint(text[start:end]):
            continue
        end = end if most else run(text, end, chars)
        scan.add(at if prefix[0].isalpha() else start, end, label)


def _find_web_tokens(scan: Scan) -> None:
    """JSON Web Tokens: base64 parts, the first beginning like ``{"``."""
    text = scan.text
    for at in scan.places("eyJ"):
        dot = run(text, at, WORD, 2048)
        if dot - at >= 12 and text[dot : dot + 1] == "." and is_free(text, at):
            end = run(text, dot, _DOTTED)
            if end - dot >= 8:
                scan.add(at, end, "jwt")


def _find_azure_secrets(scan: Scan) -> None:
    """``Q~`` behind three characters and a digit."""
    text = scan.text
    for at in scan.places("Q~"):
        end = run(text, at + 2, _DOTTED + "~")
        if at >= 4 and end - at >= 33 and text[at - 1] in DIGITS:
            scan.add(at - 4, end, "azure_secret")
