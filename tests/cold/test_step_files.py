"""Step envelopes by the whole schema: what is written is read, what is wrong is said with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safepoint import step_files
from safepoint.hot.stores import envelope_facts
from safepoint.validation import check_file

NAME = "fix-auth--step2.md"
# One printable line that is not blank: what a command line passes on.
LINES = st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=30).filter(
    str.strip
)
PARTS = st.lists(
    st.fixed_dictionaries({"text": LINES, "status": st.sampled_from(["open", "done"])}), max_size=4
)
STATUSES = st.sampled_from(["incomplete", "complete", "blocked", "fatal"])


def fields(**changes: Any) -> Any:
    return {"campaign": "fix-auth", "step": 2, "status": "incomplete", **changes}


@given(PARTS, st.lists(LINES, max_size=3), LINES)
def test_a_new_envelope_reads_the_same_on_both_paths(parts: Any, inputs: Any, phase: str) -> None:
    text = step_files.create(fields(substeps=parts, inputs=inputs, phase=phase, sessions=["s1"]))
    cold, hot = step_files.parse(text, NAME), envelope_facts.read(text, NAME)
    assert (cold.get("substeps"), cold.get("inputs"), cold.get("phase")) == (parts, inputs, phase)
    assert (hot["substeps"], hot["inputs"], hot["phase"]) == (parts, inputs, phase)
    assert (hot["step"], hot["campaign"], hot["problem"]) == (2, "fix-auth", "")


@given(PARTS, PARTS, STATUSES, LINES)
def test_a_change_changes_what_is_named_and_nothing_else(
    before: Any, after: Any, status: str, why: str
) -> None:
    text = step_files.create(fields(substeps=before, outputs=["kept.md"]))
    text = text.replace("---\n# Step", "mine: 1  # a person's\n---\n# Step") + "\nA person's words.\n"
    changed = step_files.change(text, {"status": status, "reason": why}, {"substeps": after})
    read: Any = step_files.parse(changed, NAME)
    assert (read["status"], read["reason"], read["substeps"]) == (status, why, after)
    assert read["outputs"] == ["kept.md"] and "mine: 1  # a person's\n" in changed
    assert changed.endswith("\nA person's words.\n")


GOOD = "---\ncampaign: fix-auth\nstep: 2\nstatus: incomplete\n---\n"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.replace("step: 2", "step: step2"),
        GOOD.replace("step: 2", 'step: "2"'),
        GOOD.replace("incomplete", "Complete"),
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD,
        GOOD.replace("status:", "substeps: [one, {text: two, status: x}]\nstatus:"),
        GOOD.replace("status:", "phase: 3\nreason:\nstatus:"),
        GOOD.replace("status:", "of_mine: {a: [b]}\nstatus:"),
    ],
)
def test_hand_written_ones_are_read(text: str) -> None:
    assert step_files.parse(text, NAME)["step"] == 2


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("no front matter", 1, "is missing"),
        ("---\nstep: 2\n", 1, "has no end"),
        ("---\n- a\n---\n", 1, "no mapping"),
        ("---\nstep: [\n---\n", 3, "not yaml"),
        ("---\nstep: 2\nstep: 3\n---\n", 3, "twice"),
        (GOOD.replace("incomplete", "finished"), 4, "status: input should be 'incomplete'"),
        (GOOD.replace("incomplete", "blocked"), 4, "blocked needs a reason"),
        (GOOD.replace("incomplete", 'fatal\nreason: ""'), 5, "fatal needs a reason"),
        (GOOD.replace("step: 2", "step: 0"), 3, "step: input should be greater than 0"),
        (GOOD.replace("step: 2\n", ""), 1, "step: is missing"),
        (GOOD.replace("step: 2", "step: 3"), 3, "3 in the file of step 2"),
        (GOOD.replace("fix-auth", "other"), 2, "'other' in a file of 'fix-auth'"),
        (GOOD.replace("campaign: fix-auth\n", ""), 2, "campaign: field required"),
        (GOOD.replace("status:", "inputs: docs/a.md\nstatus:"), 4, "inputs: input should be a valid list"),
        (
            GOOD.replace("status:", "inputs:\n  - a\n  - 3\nstatus:"),
            6,
            "inputs.1: input should be a valid string",
        ),
        (
            GOOD.replace("status:", "substeps:\n  - text: a\n    status: half\nstatus:"),
            6,
            "substeps.0.status",
        ),
    ],
)
def test_broken_ones_are_told_with_their_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = tmp_path / NAME
    path.write_text(text)
    report = check_file(path)
    assert report.kind == "step envelope" and path.read_text() == text
    assert any(one.startswith(f"{path}:{line}: ") and says in one.lower() for one in report.problems), report


@given(st.text(max_size=80))
def test_any_text_is_either_read_or_refused(text: str) -> None:
    for given_text in (text, f"---\n{text}\n---\n"):
        try:
            step_files.parse(given_text, NAME)
        except step_files.FrontMatterError as error:
            assert error.problems


SKILL = "---\nname: s\ncheckpoint:\n  artifact: a/{slug}.md\n  update: u\n  resume: r\n---\n"


def test_contract() -> None:
    assert step_files.contract(SKILL, "SKILL.md") == {"artifact": "a/{slug}.md", "update": "u", "resume": "r"}
    assert step_files.contract("---\nname: s\n---\n", "SKILL.md") is None


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (SKILL.replace("  update: u\n", ""), 3, "checkpoint.update: field required"),
        (
            SKILL.replace("  update: u\n", "  update:\n"),
            5,
            "checkpoint.update: input should be a valid string",
        ),
        (SKILL.replace("update", "udpate"), 5, "checkpoint.udpate: extra inputs"),
        (SKILL.replace("/{slug}", ""), 4, "holds no {slug}"),
        ("---\ncheckpoint: yes please\n---\n", 2, "checkpoint: input should be a valid dictionary"),
    ],
)
def test_broken_contract(tmp_path: Path, text: str, line: int, says: str) -> None:
    (tmp_path / "SKILL.md").write_text(text)
    report = check_file(tmp_path / "SKILL.md")
    assert any(f"SKILL.md:{line}: " in one and says in one for one in report.problems), report
