from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from safepoint import text_block

TEXTS = st.text("ab# \n\r", max_size=20).map(str.encode)


@given(TEXTS)
def test_taking_the_block_out_restores_every_byte(text: bytes) -> None:
    assert text_block.take(text_block.put(text, ["/a", "/b"])) == text


@given(TEXTS)
def test_putting_it_again_replaces_it_where_it_stands(text: bytes) -> None:
    once = text_block.put(text, ["/a"])
    assert text_block.put(once, ["/a"]) == once
    assert text_block.take(text_block.put(once, ["/b", "/c"])) == text
