from __future__ import annotations

from typing import Any

import pytest
import yaml
from resume_points import (
    CHECKPOINT,
    CONSTRAINTS,
    POINT,
    SECTIONS,
    empty_point,
    hostile_point,
    resume_point,
    todo,
)

from safepoint.hot.handoff_text import render


def rendered(point: Any, language: Any = "en", **changes: Any) -> str:
    facts = {
        "sections": SECTIONS, "constraints": CONSTRAINTS, "kind": "red", "checkpoint": CHECKPOINT,
        "resume_point_path": POINT, "notes": "notes.md", "report": "docs/report.md",
        "envelope": ".cursor/.artifacts/fix-login--step3.md", "session_id": "5f1c",
    }  # fmt: skip
    return render(point, language=language, **{**facts, **changes})


def sections_of(text: str) -> dict[str, list[str]]:
    """Title -> lines of each second-level section; a title that comes twice fails."""
    found: dict[str, list[str]] = {}
    for part in text.split("\n## ")[1:]:
        title, *lines = part.split("\n")
        assert title not in found
        found[title] = [line for line in lines if line]
    return found


def test_front_matter_is_yaml() -> None:
    matter = yaml.safe_load(rendered(resume_point(), session_id="0123").split("---\n")[1])
    assert matter == {
        "session_id": "0123", "campaign": "fix-login", "kind": "red", "created": "2025-08-03T12:34:56Z",
        "host": "claude_code", "level": "red", "tokens": 160123, "window": 200000,
        "tokens_source": "transcript",
    }  # fmt: skip


@pytest.mark.parametrize("language", ["en", "ja"])
def test_required_sections_come_first_in_their_order(language: str) -> None:
    titles = [section[language] for section in reversed(SECTIONS)]  # type: ignore[literal-required]
    text = rendered(resume_point(), language, sections=list(reversed(SECTIONS)))
    assert list(sections_of(text))[:4] == titles


def test_a_section_the_settings_forgot_is_there_all_the_same() -> None:
    assert "Next action" in sections_of(rendered(resume_point(), sections=SECTIONS[:2] + SECTIONS[:1]))


def test_position_names_step_todo_file_and_tool() -> None:
    assert sections_of(rendered(resume_point()))["Where it stopped"] == [
        "- Step: step3 (phase implementation)",
        "- Todo: 4 of 7: write module 4",
        "- File worked on last: src/four.ts",
        "- Last completed tool: Shell: npm test (exit 0)",
        "- Context: 80% (160,123 of 200,000 tokens, from the transcript), Red",
    ]


def test_completed_work_carries_its_marks() -> None:
    assert sections_of(rendered(resume_point()))["Completed work"][-3:] == [
        "- `npm run build` (verified: exit 0)",
        "- Edit src/three.ts (verified: file written)",
        "- write module 3 (carried: todo list)",
    ]


@pytest.mark.parametrize(
    ("action", "line"),
    [
        pytest.param(("write x", "todo"), "- write x", id="todo"),
        pytest.param(("npm t", "failing_command"), "- Failed last and still open: npm t", id="command"),
        pytest.param(("Fix it", "prompt"), "- Last prompt of the person: Fix it", id="prompt"),
        pytest.param(
            ("", "none"), "- None recorded: no todo list, no failing command, no prompt.", id="none"
        ),
    ],
)
def test_there_is_one_next_action(action: tuple[str, str], line: str) -> None:
    point = resume_point(next_action={"description": action[0], "inputs_to_read": [], "source": action[1]})
    assert sections_of(rendered(point))["Next action"] == [line]


def test_paths_that_do_not_exist_are_said_to_be_none() -> None:
    text = rendered(resume_point(), checkpoint="", report="", envelope="", kind="draft")
    lines = sections_of(text)["Resume point"]
    assert [line.endswith(": none") for line in lines] == [False, True, True, True, False]
    assert text.count("Draft") == 1


def test_todo_list_has_its_boxes() -> None:
    lines = sections_of(rendered(resume_point()))["Todo list"]
    assert [line[:5] for line in lines] == ["- [x]"] * 3 + ["- [>]"] + ["- [ ]"] * 3


@pytest.mark.parametrize("language", ["en", "ja"])
def test_nothing_is_left_blank(language: str) -> None:
    text = rendered(empty_point(), language, notes="", report="", envelope="", checkpoint="")
    assert all(sections_of(text).values())
    assert "?" not in text
    assert not [line for line in text.splitlines() if line.endswith(":")]


def test_git_says_why_it_is_not_known() -> None:
    text = rendered(resume_point(git_snapshot={"unavailable": "no git"}))
    assert sections_of(text)["Git"] == ["- Not known: no git"]


def test_a_long_session_stays_bounded_and_says_what_is_missing() -> None:
    text = "長い文" * 400
    point = resume_point(
        todos=[todo(n, "completed" if n < 80 else "pending", f"{n} {text}") for n in range(100)],
        completed_work=[
            {"description": f"{n} {text}", "known": "carried", "evidence": "todo", "at": 1.0}
            for n in range(70)
        ],
        recent_commands=[{"command": f"{n} {text}", "exit": 0, "cwd": text, "at": 1.0} for n in range(20)],
        open_errors=[{"key": "", "tool": "Shell", "message": text, "at": 1.0}] * 10,
        files_read=[f"{n}{text}" for n in range(200)], files_changed=[f"c{n}{text}" for n in range(200)],
        git_snapshot={"branch": text, "changed_files": [text] * 200, "changed_total": 5000},
    )  # fmt: skip
    document = rendered(point)
    assert len(document.encode()) < 200_000
    found = sections_of(document)
    assert f"- 10 more, see {CHECKPOINT}" in found["Completed work"]
    assert found["Todo list"][-1] == f"- 50 more, see {CHECKPOINT}"
    assert sum("- [ ]" in line for line in found["Todo list"]) == 20  # what is open is not what is dropped
    assert "  - 4,970 more" in found["Git"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_hostile_texts_stay_texts(language: str) -> None:
    text = rendered(hostile_point(), language, session_id="x\n---\n# y", report="a\n## Next action")
    titles = list(sections_of(text))
    plain = list(sections_of(rendered(resume_point(), language)))
    assert titles == plain
    assert "[CONTEXT_BUDGET_" not in text
    assert "</" not in text and "<s" not in text
    assert [line for line in text.splitlines() if line.startswith("# ")] == [text.split("\n\n")[1]]
    assert text.count("\n---\n") == 1
    yaml.safe_load(text.split("---\n")[1])
    text.encode("utf-8")
