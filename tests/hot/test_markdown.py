from __future__ import annotations

from typing import Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import markdown


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("a\n```\nb\n```\nc", "-+++-", id="backticks"),
        pytest.param("~~~ sh\n```\n~~~\nc", "+++-", id="tildes-around-backticks"),
        pytest.param("````\n```\n````\nc", "+++-", id="longer-fence"),
        pytest.param("```\n``` py\n```\nc", "+++-", id="a-closing-fence-has-no-language"),
        pytest.param("```inline```\nb", "--", id="inline-code"),
        pytest.param("- x\n      ```\n      b\n      ```\nc", "-+++-", id="in-a-list"),
        pytest.param("```\r\nb\r\n```\r\nc", "+++-", id="crlf"),
        pytest.param("```\nb\nc", "+++", id="left-open"),
    ],
)
def test_fence(text: str, code: str) -> None:
    fence = markdown.Fence()
    assert "".join("+" if fence.takes(line) else "-" for line in text.split("\n")) == code


FENCES = st.lists(
    st.sampled_from(["```", "````", "~~~", " ``` py", "``` `", "~~~~ ", "a", "", "x ```"]), max_size=9
)


@given(FENCES, st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=40)
def test_search_finds_the_code_that_reading_finds(lines: list[str], newline: str) -> None:
    text, fence, read = newline.join(lines), markdown.Fence(), ""
    for start, end in markdown.split_lines(text):
        read += ("+" if fence.takes(text[start:end]) else "-") * (end - start)
    spans, left_open = markdown.fenced(text)
    found = ["-"] * len(text)
    for start, end in spans:
        found[start:end] = "+" * (end - start)
    assert ("".join(found), left_open) == (read, fence.open)


@given(st.text(alphabet="ab"), st.lists(st.tuples(st.integers(1, 3), st.integers(0, 3)), max_size=4))
@settings(max_examples=40)
def test_places_are_those_outside_of_code(text: str, sizes: list[tuple[int, int]]) -> None:
    spans, at = [], 0
    for size, gap in sizes:
        spans.append((at + gap, at + gap + size))
        at += gap + size
    outside = [at for at, char in enumerate(text) if char == "a" and not any(a <= at < b for a, b in spans)]
    assert list(markdown.places(text, "a", spans)) == outside


@given(st.text(alphabet="a\r\n\x0b\x85\u2028"))
@settings(max_examples=40)
def test_lines_make_up_the_text(text: str) -> None:
    lines = [text[start:end] for start, end in markdown.split_lines(text)]
    assert "".join(lines) == text
    assert all(line.count("\n") == 1 for line in lines[:-1])


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("", None),
        ("- a\n- b [ ]\n[ ] c", None),
        ("- [ ] a", True),
        ("- [x] a\n- [X] b", False),
        ("- [x] a\n  * [ ] b", True),
        ("1. [ ] a", True),
        ("+ [ ]", True),
        ("- [ ](link)", None),
        ("-[ ] a", None),
        ("- a\n  [ ] b", None),
        ("\t- [ ]", True),
        ("[ ]" * 2000 + "\n- [ ] too late", None),
        ("x" * 300 + "- [ ] a", None),
        ("- [a] b", None),
        ("- [x] a\n```\n- [ ] b\n```\n", False),
        ("- [x] a\r\n- [ ] b\r\n", True),
    ],
)
def test_open_box(text: str, is_open: Optional[bool]) -> None:
    assert markdown.has_open_box(text) is is_open
