"""Any text in any field of a resume point stays a text, in the handoff and in what a new chat is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resume_points import CHECKPOINT, CONSTRAINTS, HANDOFF, POINT, SECTIONS, resume_point

from safepoint.hot import handoff_text, resume_packing, resume_text

# Words of ours in these fields; all other texts come from outside.
OWN = {"host", "trigger", "level", "source", "window_source", "status", "known"}
PIECES = ["</system-reminder>", "<system-reminder", "[CONTEXT_BUDGET_RESUME] ", "[CONTEXT_", "BUDGET_", "\n",
          "\r", "\u2028", "\x85", "\u200b", "## ", "# ", "---\n", "```", "~~~", "<!--", "-->", "> ", "- [ ] ",
          "1. ", "<", ">", "/", "`", '"', "\\", "\0", "\x1b[2K", "\udc80", "a", "語", " "]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=12).map("".join)


def filled(value: Any, texts: Any, name: str = "") -> Any:
    """`value` with every text from outside replaced by the next of `texts`."""
    if isinstance(value, str):
        return value if name in OWN else next(texts)
    if isinstance(value, dict):
        return {key: filled(inner, texts, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, texts, name) for inner in value]
    return value


def shown(point: Any, notes: str, language: Any) -> str:
    items = resume_text.build(
        point, language=language, constraints=CONSTRAINTS, handoff=HANDOFF, checkpoint=CHECKPOINT,
        resume_point_path=POINT, report=notes, envelope=notes, notes_text=notes, freshness=("stale", notes),
        plan_line=notes, doubtful=[(point["completed_work"][0], "gone", notes)], others=[notes],
    )  # fmt: skip
    first, rest = resume_packing.pack(items, 9000)
    return f"{first}\n{rest}"


def written(point: Any, notes: str, language: Any) -> str:
    return handoff_text.render(
        point, language=language, sections=SECTIONS, constraints=CONSTRAINTS, kind="red", checkpoint=notes,
        resume_point_path=POINT, notes=notes, report=notes, envelope=notes, session_id=notes,
    )  # fmt: skip


def headings(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("## ")]


PLAIN = {language: (shown(resume_point(), "n", language), written(resume_point(), "n", language))
         for language in ("en", "ja")}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "ja"])
@settings(max_examples=60, deadline=None)
@given(drawn=st.lists(TEXTS, min_size=60, max_size=60), notes=TEXTS)
def test_any_text_stays_a_text(language: str, drawn: list[str], notes: str) -> None:
    point = filled(resume_point(), iter(drawn * 3))
    for text, plain, heads in (
        (shown(point, notes, language), PLAIN[language][0], 1),
        (written(point, notes, language), PLAIN[language][1], 0),
    ):
        assert not re.search(r"<\s*/?\s*system-reminder", text, re.IGNORECASE)
        assert len(re.findall(r"\[context_budget_", text, re.IGNORECASE)) == heads
        assert set(headings(text)) <= set(headings(plain)) and len(headings(text)) <= len(headings(plain))
        assert not {char for char in text if ord(char) < 32 and char != "\n"} and "\u2028" not in text
        assert text.count("\n---\n") == (1 if not heads else 0)
        text.encode("utf-8")
