from __future__ import annotations

from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import new_chat_link
from safepoint.hot.handlers import prompt
from safepoint.hot.new_chat_link import handoff_id_in, link

IDS = st.from_regex("[abcXYZ019]([._-]?[abcXYZ019]){0,30}", fullmatch=True)


@given(st.text(max_size=40))
@settings(max_examples=40)
def test_quote_agrees_with_urllib(text: str) -> None:
    assert new_chat_link.quote(text) == quote(text, safe="")


def test_undecodable_bytes_of_a_path_survive() -> None:
    assert new_chat_link.quote("/a\udcff") == "%2Fa%FF"
    assert new_chat_link.quote("\ud800") == "%3F"


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("host", ["cursor", "claude_code"])
@settings(max_examples=20)
@given(id=IDS, slug=st.text(max_size=300), project=st.text(max_size=60))
def test_link_carries_the_id(host: str, language: str, id: str, slug: str, project: str) -> None:
    address = link(host, project, id, slug, language)
    assert address.isascii() and "\n" not in address and " " not in address
    assert len(address) <= new_chat_link.CURSOR_MAX_CHARS
    start = "cursor://anysphere.cursor-deeplink/prompt?text=" if host == "cursor" else "claude-cli://open?cwd="
    assert address.startswith(start)
    query = parse_qs(urlsplit(address).query, keep_blank_values=True)
    prompt = query["text" if host == "cursor" else "q"][0]
    assert handoff_id_in(prompt) == id
    assert len(prompt) <= new_chat_link.CLAUDE_MAX_CHARS


def test_claude_link_names_the_folder() -> None:
    address = link("claude_code", "/home/me/my project&q=x", "5f1c", "fix-login", "en")
    assert unquote(address.split("cwd=")[1].split("&q=")[0]) == "/home/me/my project&q=x"


@pytest.mark.parametrize("id", ["", "a b", "a/b", "a\n", "é"])
def test_no_link_for_an_id_that_is_none(id: str) -> None:
    assert link("cursor", "/p", id, "s", "en") == ""


@pytest.mark.parametrize(
    ("prompt", "id"),
    [
        pytest.param("Continue fix-login (safepoint handoff 5f1c-9)", "5f1c-9", id="link"),
        pytest.param("safepoint handoff a.b.", "a.b", id="full-stop"),
        pytest.param("take safepoint handoff `5f1c` please", "5f1c", id="code"),
        pytest.param("safepoint handoff (", "", id="no-id"),
        pytest.param("safepoint handoff ( or safepoint handoff x1", "x1", id="second"),
        pytest.param("notsafepoint handoff x1", "", id="other-word"),
        pytest.param("続き。safepoint handoff 5f1c を", "5f1c", id="japanese"),
        pytest.param("go on", "", id="none"),
        pytest.param("", "", id="empty"),
    ],
)
def test_handoff_id_in(prompt: str, id: str) -> None:
    assert handoff_id_in(prompt) == id


def test_the_prompt_handler_looks_for_the_same_phrase() -> None:
    assert prompt.LINK_PHRASE == new_chat_link.PHRASE
