from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import front_matter

KEYS = st.sampled_from(["campaign", "status", "resume_from", "step", "x-1"])
VALUES = st.one_of(
    st.text(),
    st.text(alphabet="ab:# '\"\\-[]{}|>&*!%@`,?~\n\r\t\x85\u2028\ufeff"),
    st.sampled_from(["", "null", "~", "yes", "No", "1", "0x1f", "1e3", "2026-01-02", ".inf", "12:30", "---"]),
)
FIELDS = st.dictionaries(KEYS, VALUES, max_size=4)
LINES = st.sampled_from(
    [
        "campaign: old", "status: 'it''s' # why", 'step: "a\\tb"', "step:", "step:   # none yet",
        "# a comment", "", "nested:", "  status: inner", "list:", "- one", "- two: 2", "text: |",
        "  # no comment",
        "  status: x", "campaign: [a,", "  b]", "what is this", "'status' : quoted key", "a#b: 1", "tab:\tv",
        "url: http://x/#y", "a: b: c", '"broken', "x-1: 'open", "\u65e5\u672c: \u8a9e", "status: >-",
    ]
)  # fmt: skip
BREAKS = st.sampled_from(["\n", "\r\n"])
BODY = st.one_of(st.text(), st.sampled_from(["# Title\n\n- [ ] a\n", "---\nstatus: body\n---\n", "no end"]))


@st.composite
def documents(draw: st.DrawFn) -> str:
    newline = draw(BREAKS)
    lines = ["---", *draw(st.lists(LINES, max_size=8)), draw(st.sampled_from(["---", "...", "--- "]))]
    bom = draw(st.sampled_from(["", "\ufeff"]))
    return bom + newline.join(lines) + newline + draw(BODY)


TEXTS = st.one_of(documents(), BODY)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param("---\na: 1\nb: two words\n---\nbody", {"a": "1", "b": "two words"}, id="plain"),
        pytest.param("---\r\na: 1\r\nb: 2\r\n---\r\n", {"a": "1", "b": "2"}, id="crlf"),
        pytest.param("\ufeff---\na: 1\n---\n", {"a": "1"}, id="bom"),
        pytest.param("---\na: 1\n...\n", {"a": "1"}, id="dots-close"),
        pytest.param("---  \na: 1\n---\t", {"a": "1"}, id="space-behind-fences"),
        pytest.param("---\na: 1\n", {}, id="never-closed"),
        pytest.param("---", {}, id="only-a-fence"),
        pytest.param("", {}, id="empty"),
        pytest.param("\n---\na: 1\n---\n", {}, id="not-at-the-start"),
        pytest.param(" ---\na: 1\n---\n", {}, id="indented-fence"),
        pytest.param("# Title\n---\na: 1\n---\n", {}, id="a-rule-in-the-body"),
        pytest.param("---\n---\na: 1\n", {}, id="no-fields"),
        pytest.param(
            "---\na: 'it''s'\nb: \"x\\ty\\u3042\"\n---\n", {"a": "it's", "b": "x\ty\u3042"}, id="quoted"
        ),
        pytest.param(
            "---\na: x # why\nb: 'y' # z\nc: u#v\n---\n", {"a": "x", "b": "y", "c": "u#v"}, id="comments"
        ),
        pytest.param("---\na:\nb: # none\n---\n", {"a": "", "b": ""}, id="no-value"),
        pytest.param("---\na: http://x:1/y\n---\n", {"a": "http://x:1/y"}, id="colons-in-the-value"),
        pytest.param("---\na:b: c\n---\n", {"a:b": "c"}, id="colon-in-the-key"),
        pytest.param("---\n'a b' : c\n---\n", {"a b": "c"}, id="quoted-key"),
        pytest.param("---\na:\n  b: 1\nc: 2\n---\n", {"c": "2"}, id="nested-mapping"),
        pytest.param("---\na:\n- b: 1\n- c\nd: 2\n---\n", {"d": "2"}, id="list-at-the-margin"),
        pytest.param("---\na: |\n  b: 1\n\n  # c\nd: 2\n---\n", {"d": "2"}, id="block-scalar"),
        pytest.param("---\na: one\n  two\nb: 2\n---\n", {"b": "2"}, id="goes-on-below"),
        pytest.param("---\na: one\n  # two\nb: 2\n---\n", {"a": "one", "b": "2"}, id="indented-comment"),
        pytest.param("---\na: [1, 2]\nb: {c: d}\ne: *f\ng: 1\n---\n", {"g": "1"}, id="collections"),
        pytest.param("---\na: 1\na: 2\n---\n", {"a": "2"}, id="twice"),
        pytest.param("---\n# a: 1\nno key here\n- b: 2\nc: 3\n---\n", {"c": "3"}, id="other-lines"),
        pytest.param('---\na: "open\nb: "\\q"\n---\n', {"a": '"open', "b": '"\\q"'}, id="broken-quotes"),
        pytest.param('---\na: "\\UFFFFFFFF"\n---\n', {"a": '"\\UFFFFFFFF"'}, id="no-such-character"),
        pytest.param("---\na: x\u2028b: y\n---\n", {"a": "x\u2028b: y"}, id="only-line-feeds-end-lines"),
    ],
)
def test_read(text: str, fields: dict[str, str]) -> None:
    assert front_matter.read(text) == fields


@pytest.mark.parametrize(
    ("text", "fields", "after"),
    [
        pytest.param("---\na: 1\nb: 2\n---\nx", {"a": "z"}, "---\na: z\nb: 2\n---\nx", id="replaces"),
        pytest.param("---\na: 1\n---\nx", {"b": "z"}, "---\na: 1\nb: z\n---\nx", id="adds"),
        pytest.param(
            "---\r\na: 1\r\n---\r\nx", {"a": "v", "b": "z"}, "---\r\na: v\r\nb: z\r\n---\r\nx", id="crlf"
        ),
        pytest.param("# T\n", {"a": "z"}, "---\na: z\n---\n# T\n", id="none-yet"),
        pytest.param(
            "\ufeff# T\r\n", {"a": "z"}, "\ufeff---\r\na: z\r\n---\r\n# T\r\n", id="none-yet-bom-crlf"
        ),
        pytest.param("", {"a": "z"}, "---\na: z\n---\n", id="empty"),
        pytest.param("---\na: 1\n", {"a": "z"}, "---\na: z\n---\n---\na: 1\n", id="never-closed"),
        pytest.param("x", {}, "x", id="nothing-to-write"),
        pytest.param(
            "---\na:  1   # why\n---\n", {"a": "z"}, "---\na:  z   # why\n---\n", id="keeps-a-comment"
        ),
        pytest.param(
            "---\na: # why\n---\n", {"a": "z"}, "---\na: z # why\n---\n", id="value-before-a-comment"
        ),
        pytest.param("---\na:\n---\n", {"a": "z"}, "---\na: z\n---\n", id="value-where-none-was"),
        pytest.param("---\na: 'z'\n---\n", {"a": "z"}, "---\na: 'z'\n---\n", id="keeps-quotes-of-the-same"),
        pytest.param(
            "---\na:\n  b: 1\n\n# c\nd: 2\n---\n", {"a": "z"}, "---\na: z\n\n# c\nd: 2\n---\n", id="mapping"
        ),
        pytest.param("---\na:\r\n- b\r\nd: 2\r\n---\n", {"a": "z"}, "---\na: z\r\nd: 2\r\n---\n", id="list"),
        pytest.param("---\na: |\n  a: 1\n---\n", {"a": "z"}, "---\na: z\n---\n", id="block-scalar"),
        pytest.param("---\nb:\n  a: 1\n---\n", {"a": "z"}, "---\nb:\n  a: 1\na: z\n---\n", id="nested-name"),
        pytest.param("---\na: 1\na: 2\n---\n", {"a": "z"}, "---\na: z\na: z\n---\n", id="twice"),
        pytest.param("---\na: 1\n---", {"b": "z"}, "---\na: 1\nb: z\n---", id="no-last-newline"),
        pytest.param("---\na: 1\n---\na: 1\n", {"a": "z"}, "---\na: z\n---\na: 1\n", id="body-untouched"),
    ],
)
def test_patch(text: str, fields: dict[str, str], after: str) -> None:
    assert front_matter.patch(text, fields) == after


@pytest.mark.parametrize("key", ["", "a b", "a:", "1a", "-a", "a\n", "\u00e9", "#"])
def test_key_must_be_a_word(key: str) -> None:
    with pytest.raises(ValueError, match="not a front matter key"):
        front_matter.patch("", {key: "x"})


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("step3", "step3"),
        ("docs/agent-tasks/a b.md", "docs/agent-tasks/a b.md"),
        ("\u4fee\u6b63", "\u4fee\u6b63"),
        ("it's", "it's"),
        ("", '""'),
        ("on", '"on"'),
        ("NULL", '"NULL"'),
        ("42", '"42"'),
        ("2026-01-02T03:04:05Z", '"2026-01-02T03:04:05Z"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        ("a:", '"a:"'),
        (" a", '" a"'),
        ("a\nb: c", '"a\\nb: c"'),
        ("---", '"---"'),
        ('say "x\\y"', 'say "x\\y"'),
        ('"x\\y"', '"\\"x\\\\y\\""'),
        ("a\x00\x85\u2028\ud800", '"a\\x00\\x85\\u2028\\ud800"'),
    ],
)
def test_quote(value: str, written: str) -> None:
    assert front_matter.quote(value) == written


@given(TEXTS, FIELDS)
@settings(max_examples=40)
def test_what_was_patched_is_read(text: str, fields: dict[str, str]) -> None:
    before = front_matter.read(text)
    after = front_matter.read(front_matter.patch(text, fields))
    assert after == {**before, **fields}


@given(TEXTS, FIELDS)
@settings(max_examples=40)
def test_patching_again_changes_nothing(text: str, fields: dict[str, str]) -> None:
    once = front_matter.patch(text, fields)
    assert front_matter.patch(once, fields) == once


@given(documents(), FIELDS)
@settings(max_examples=40)
def test_every_line_of_another_key_stays(text: str, fields: dict[str, str]) -> None:
    """Lines may only be added, or go where they held a value of a patched key."""
    names = [*fields, *[f"'{key}'" for key in fields]]
    after = front_matter.patch(text, fields).split("\n")
    gone = False
    for line in text.split("\n"):
        bare = line.rstrip("\r")
        gone = bare.startswith(
            tuple(f"{name}:" for name in names) + tuple(f"{name} :" for name in names)
        ) or (gone and (bare[:1] in ("", " ", "-", "#") and bare not in ("---", "--- ")))
        if not gone:
            assert line in after


@given(BODY, FIELDS, BREAKS)
@settings(max_examples=40)
def test_body_stays_whole(body: str, fields: dict[str, str], newline: str) -> None:
    text = newline.join(["---", "a: 1", "# c", "---", body])
    after = front_matter.patch(text, fields)
    assert after.startswith(newline.join(["---", "a: 1", "# c", ""]))
    assert after.endswith(newline.join(["", "---", body]))


@given(st.dictionaries(KEYS, VALUES, min_size=1))
@settings(max_examples=40)
def test_yaml_reads_the_same(fields: dict[str, str]) -> None:
    text = front_matter.patch("", fields)
    assert yaml.safe_load(text[: -len("---\n")]) == fields
