"""Lists in front matter: what is written is read, by us and by YAML, and the rest stays."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot import front_lists, front_matter

TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=20)
WORDS = TEXTS.filter(lambda text: bool(text))
ITEMS = st.lists(
    WORDS | st.fixed_dictionaries({"text": WORDS, "status": st.sampled_from(["open", "done"])}), max_size=4
)


@given(ITEMS, ITEMS, st.sampled_from(["\n", "\r\n"]))
def test_round_trip(first: Any, second: Any, newline: str) -> None:
    text = newline.join(
        ["---", "a: 1 # kept", "old:", "- x", "  # kept as well", "b: c", "---", "# Body", ""]
    )
    written = front_lists.patch(text, {"old": first, "new": second})
    read = front_lists.read(written)
    assert (read["old"], read["new"]) == (first, second)
    assert written.count("a: 1 # kept") == 1 and written.endswith(newline.join(["---", "# Body", ""]))
    assert front_matter.read(written)["b"] == "c"
    assert front_lists.patch(written, {"old": first, "new": second}) == written


@given(ITEMS)
def test_yaml_reads_the_same(items: Any) -> None:
    written = front_lists.patch("---\na: b\n---\n", {"list": items})
    assert yaml.safe_load(written.split("---\n")[1])["list"] == items


@pytest.mark.parametrize(
    ("block", "items"),
    [
        ("list: []", []),
        ("list: [a, 'b c', \"d\"]", ["a", "b c", "d"]),
        ("list: [{a: b}]", []),
        ("list:\n- a\n-  b", ["a", "b"]),
        ("list:\n  - text: a: b\n    status: done", [{"text": "a: b", "status": "done"}]),
        (
            "list:\n  - status: done\n    text: 'x'\n  - text: y",
            [{"status": "done", "text": "x"}, {"text": "y"}],
        ),
        ("list:\n  # why\n  - a # because\n", ["a"]),
    ],
)
def test_hand_written(block: str, items: Any) -> None:
    assert front_lists.read(f"---\n{block}\n---\n")["list"] == items


@given(st.text(max_size=60))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    front_lists.read(text)
    front_lists.read(f"---\nlist:\n{text}\n---\n")
