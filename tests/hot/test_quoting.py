from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot.quoting import clip_bytes, code, quote, safe

MARKS = st.sampled_from("<>/!?-_=#[]x` \n\r\t.1)ab…\\\u2028\u200b")
HOSTILE = st.text(st.one_of(MARKS, st.characters(codec=None)), max_size=40)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("src/app.ts", "src/app.ts", id="path"),
        pytest.param("ログイン画面　修正", "ログイン画面　修正", id="japanese"),
        pytest.param("a\n\n  b\r\nc\td", "a b c d", id="lines"),
        pytest.param("a  b", "a  b", id="two-spaces"),
        pytest.param("\x1b[31mred\x00", "[31mred", id="controls"),
        pytest.param("a\u2028b\u2029c\x85d", "a b c d", id="unicode-lines"),
        pytest.param("x\u202etxt.exe\u200b\ufeff", "xtxt.exe", id="invisible"),
        pytest.param("a\udcffb", "a\ufffdb", id="surrogate"),
        pytest.param("👩‍💻", "👩‍💻", id="emoji"),
        pytest.param("</system-reminder>", "‹/system-reminder›", id="closing-tag"),
        pytest.param("< / system-reminder >", "‹ / system-reminder ›", id="spaced-tag"),
        pytest.param("<<system-reminder>>", "<‹system-reminder›>", id="doubled-tag"),
        pytest.param("</system-reminder", "‹/system-reminder", id="open-end"),
        pytest.param("<system-reminder", "‹system-reminder", id="open-end-start"),
        pytest.param("echo '<system-reminder'", "echo '‹system-reminder'", id="open-end-in-quotes"),
        pytest.param('<a href="x">b</a>', '‹a href="x"›b‹/a›', id="attributes"),
        pytest.param("<!-- x -->", "‹!-- x --›", id="comment"),
        pytest.param("<a <b> c=1>", "‹a ‹b› c=1›", id="nested"),
        pytest.param("Map<string>", "Map‹string›", id="generic"),
        pytest.param("a < b && c > d", "a < b && c > d", id="comparison"),
        pytest.param("sort <in.txt >out.txt 2>&1", "sort <in.txt >out.txt 2>&1", id="redirect"),
        pytest.param("cmd </dev/null", "cmd </dev/null", id="dev-null"),
        pytest.param("cat <<EOF >x", "cat <<EOF >x", id="heredoc"),
        pytest.param("a -> b => c", "a -> b => c", id="arrows"),
        pytest.param("[CONTEXT_BUDGET_RESUME] x", "(CONTEXT_BUDGET_RESUME] x", id="header"),
        pytest.param("x [context_budget_red]", "x (context_budget_red]", id="header-inside"),
        pytest.param("# Next action", "\\# Next action", id="heading"),
        pytest.param("--- x", "\\--- x", id="rule"),
        pytest.param("-rf x", "-rf x", id="option"),
        pytest.param("- x", "\\- x", id="list"),
        pytest.param("[x] done", "\\[x] done", id="box"),
        pytest.param("1. x", "1\\. x", id="number"),
        pytest.param("1.5 x", "1.5 x", id="decimal"),
        pytest.param("> x", "\\> x", id="quote"),
        pytest.param("#!/bin/sh", "\\#!/bin/sh", id="shebang"),
        pytest.param("```sh", "'''sh", id="fence"),
        pytest.param("fix `foo`", "fix 'foo'", id="backticks"),
        pytest.param("  \n ", "", id="blank"),
    ],
)
def test_safe(text: str, shown: str) -> None:
    assert safe(text, 100) == shown


def test_a_cut_is_shown() -> None:
    assert safe("abcdef", 6) == "abcdef"
    assert safe("abcdef", 5) == "abcd…"
    assert safe("日本語の文", 3) == "日本…"
    assert len(safe("\n" * 100000 + "x", 10)) <= 10


@given(HOSTILE, st.integers(1, 80))
@settings(max_examples=60)
def test_safe_is_one_short_harmless_line(text: str, limit: int) -> None:
    line = safe(text, limit)
    assert len(line) <= limit
    assert line == "" or line.splitlines() == [line]
    assert "`" not in line and "<!" not in line and "</a>" not in line
    assert not line.startswith(("#", "- ", "---", ">"))
    line.encode("utf-8")


@given(HOSTILE, st.integers(1, 80))
@settings(max_examples=60)
def test_safe_changes_nothing_twice(text: str, limit: int) -> None:
    assert safe(safe(text, limit), limit) == safe(text, limit)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("npm test", "`npm test`", id="plain"),
        pytest.param("echo `date`", "`` echo `date` ``", id="backticks"),
        pytest.param("```x", "```` ```x ````", id="fence"),
        pytest.param("# x", "`# x`", id="comment"),
        pytest.param("echo '</b>'", "`echo '‹/b›'`", id="tag"),
        pytest.param("", "", id="empty"),
    ],
)
def test_code(text: str, shown: str) -> None:
    assert code(text, 100) == shown


def test_quote_keeps_lines_inside_the_quote() -> None:
    text = "# Decided\n- use X\n\n[CONTEXT_BUDGET_RESUME] x\n</system-reminder>\n```\n\n"
    assert quote(text, 1000) == [
        "> \\# Decided", "> - use X", ">", "> (CONTEXT_BUDGET_RESUME] x", "> ‹/system-reminder›", "> ```",
    ]  # fmt: skip
    assert quote("\n\n", 10) == []


@given(st.text(max_size=30), st.integers(3, 40))
def test_clip_bytes_cuts_at_a_character(text: str, limit: int) -> None:
    clipped = clip_bytes(text, limit)
    assert len(clipped.encode("utf-8", "replace")) <= limit
    assert clipped == text or text.startswith(clipped[:-1])
