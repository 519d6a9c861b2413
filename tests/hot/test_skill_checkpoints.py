"""A heavy skill's checkpoint as text: entries come back as they went in, in any order of saving."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot.stores import skill_checkpoints as store

WORDS = st.text("abcXYZ0189._-", min_size=1, max_size=8)
BODIES = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.just("\n"), min_size=1, max_size=60)
SAVES = st.lists(st.tuples(WORDS, WORDS, BODIES), max_size=6)


@given(SAVES, st.lists(BODIES.map(lambda text: "- " + " ".join(text.split())), max_size=3))
def test_round_trip(saves: list[tuple[str, str, str]], seen: list[str]) -> None:
    text, wanted = "# C\n\nA person's words.\n", {}
    for at, (phase, worker, body) in enumerate(saves):
        text = store.with_entry(text, phase, worker, body)
        wanted[(phase, worker)] = body.strip()
        if at < len(seen):
            text = store.with_seen(text, seen[at])
    assert {(phase, worker): body for phase, worker, body in store.entries(text)} == wanted
    assert text.startswith("# C\n\nA person's words.\n")


@given(SAVES)
def test_saying_it_again_changes_nothing(saves: list[tuple[str, str, str]]) -> None:
    text = ""
    for phase, worker, body in saves:
        text = store.with_entry(text, phase, worker, body)
        assert store.with_entry(text, phase, worker, body) == text


@given(st.text(max_size=100))
def test_any_text_is_read(text: str) -> None:
    store.entries(text)
    store.with_entry(text, "r", "A", "b")
    store.with_seen(text, "- x")
