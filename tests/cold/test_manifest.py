from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint import manifest
from safepoint.hot.shapes import Settings
from safepoint.manifest import ManifestError

SOURCE = Path(__file__).parents[2] / "manifest.yaml"
TEXT = SOURCE.read_text(encoding="utf-8")


def problems(text: str) -> list[str]:
    with pytest.raises(ManifestError) as caught:
        manifest.parse(text.encode(), "manifest.yaml")
    return str(caught.value).split("\n")


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_the_shipped_manifest_has_every_setting() -> None:
    loaded = manifest.load(SOURCE).settings
    assert set(loaded) == set(Settings.__annotations__)
    assert loaded["manifest_sha256"] == hashlib.sha256(SOURCE.read_bytes()).hexdigest()


def test_off_is_a_word_for_mode_and_false_for_a_switch() -> None:
    switched = manifest.parse(TEXT.replace("mode: enforce", "mode: off").encode(), "m").settings
    assert switched["mode"] == "off"
    assert switched["handoff"]["open_link"] is False
    opened = manifest.parse(TEXT.replace("open_link: off", "open_link: on").encode(), "m").settings
    assert opened["handoff"]["open_link"] is True


BUDGET = "framework.budget_thresholds"
WRONG = [
    (
        "red_ratio: 0.78",
        "red_ratio: 1.7",
        f"{BUDGET}.tiers[0].red_ratio: 1.7 is more than 1; allowed: 0 < ratio <= 1",
    ),
    (
        "yellow_ratio: 0.60, red_ratio: 0.78",
        "yellow_ratio: 0.8, red_ratio: 0.78",
        f"{BUDGET}.tiers[0].yellow_ratio: 0.8 is not below red_ratio 0.78; allowed: less than 0.78",
    ),
    (
        "red_ratio: 0.78",
        "red_ratio: 0.78, yellow_tokens: 9, red_tokens: 8",
        f"{BUDGET}.tiers[0].yellow_tokens: 9 is not below red_tokens 8; allowed: less than 8",
    ),
    (
        "window: 300000",
        "window: 200000",
        f"{BUDGET}.tiers[1].window: 200000 is out of order; allowed: more than 200000, the row before it",
    ),
    (
        "yellow: 35",
        "yellow: 71",
        f"{BUDGET}.proxies.prompts.yellow: 71 is not below red 70; allowed: less than 70",
    ),
    (
        "[host, transcript",
        "[hots, transcript",
        f"{BUDGET}.deny_on[0]: 'hots' is not known; allowed: host, transcript, turn_sum, estimate",
    ),
    ("mode: enforce", "mode: strict", "framework.mode: 'strict' is not known; allowed: enforce, warn, off"),
    (
        "calls: 5",
        "calls: five",
        "framework.grace.calls: 'five' is not a whole number; allowed: 0 <= number, a whole number",
    ),
    (
        "calls: 5",
        "calls: true",
        "framework.grace.calls: true is not a whole number; allowed: 0 <= number, a whole number",
    ),
    (
        "commands: [git status,",
        "commands: [git status | cat,",
        "framework.grace.commands[0]: 'git status | cat' can never match: | is syntax of a shell; "
        "allowed: the words of one simple command, without quotes",
    ),
    (
        "commands: [git status,",
        "commands: [git diff && rm x,",
        "framework.grace.commands[0]: 'git diff && rm x' can never match: && is syntax of a shell",
    ),
    (
        "commands: [git status,",
        """commands: ["git log 'a b'",""",
        "framework.grace.commands[0]: \"git log 'a b'\" can never match: 'a holds a quote",
    ),
    (
        "commands: [git status,",
        """commands: [" ",""",
        "framework.grace.commands[0]: ' ' can never match: it is empty",
    ),
    (
        "open_link: off",
        "open_link: maybe",
        "framework.handoff.open_link: 'maybe' is neither on nor off; allowed: on, off",
    ),
    (
        "claude_code: continue",
        "claude: continue",
        "framework.handoff.on_compact.claude: unknown key; allowed: cursor, claude_code",
    ),
    (
        "id: completed",
        "id: position",
        "framework.handoff.manifest_required_sections[1].id: position stands twice; allowed: each section",
    ),
    (
        "git_s: 1.5",
        "git_s: 2.5",
        "framework.deadlines.git_s: 2.5 leaves no time before hook_s 2.0; allowed: less than 2.0",
    ),
    (
        "shared_max_bytes: 6144\n",
        "shared_max_bytes: 8193\n",
        "framework.inject.shared_max_bytes: 8193 is more than max_bytes 8192; allowed: at most 8192",
    ),
    (
        "artifact_dir: .cursor",
        "artifact_dir: ../.cursor",
        "framework.campaign.artifact_dir: '../.cursor/.artifacts' leaves the project; "
        "allowed: a folder inside the project, relative to it",
    ),
    (
        "        - grok-4",
        "        - claude-5-opus",
        "framework.windows.cursor.ambiguous[6]: claude-5-opus is under models as well; allowed: one",
    ),
    (
        "max_cooldown_requests: 64",
        "max_cooldown_requests: 7",
        "framework.reminders.stale.max_cooldown_requests: 7 is less than cooldown_requests 8; "
        "allowed: at least 8",
    ),
    (
        "      - claude-haiku-4-5",
        "      - claude-sonnet-4-5",
        "framework.todo.models_with_tools[8]: claude-sonnet-4-5 stands twice; allowed: each once",
    ),
    ("mode: strict", "mode: hard", "framework.todo.mode: 'hard'"),
    ("  language: en", "  language: en\n  shared_events: {}", "framework.shared_events: unknown key"),
]


@pytest.mark.parametrize(("old", "new", "said"), WRONG, ids=[new.strip()[:40] for _, new, _ in WRONG])
def test_a_wrong_value_is_told_with_line_key_and_what_is_allowed(old: str, new: str, said: str) -> None:
    line = line_of(TEXT, old) + new.rstrip().count("\n")
    found = problems(TEXT.replace(old, new, 1))
    assert any(one.startswith(f"manifest.yaml:{line}: {said}") for one in found), found


def test_a_misspelt_key_is_told_with_the_one_it_resembles() -> None:
    found = problems(TEXT.replace("lock_s:", "locks:"))
    line = line_of(TEXT, "lock_s:")
    known = "allowed: hook_s, stdin_silence_s, git_s, git_end_s, lock_s"
    assert (
        f"manifest.yaml:{line}: framework.deadlines.locks: unknown key, did you mean lock_s?; {known}"
        in found
    )
    assert any("framework.deadlines.lock_s: is missing; allowed: 0 < seconds <= 5" in one for one in found)


def test_all_faults_are_told_at_once() -> None:
    text = TEXT.replace("0.78", "1.7").replace("calls: 5", "calls: -1").replace("git_s: 1.5", "git_s: 3")
    assert len(problems(text)) == 3


def test_a_missing_section_is_named() -> None:
    text = TEXT.replace("      - {id: position, en: Where it stopped, ja: 中断位置}\n", "")
    assert any("manifest_required_sections" in one for one in problems(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT + "framework: {}\n", "framework: the key stands twice, first on line 14"),
        ("", "1: the file holds no mapping"),
        ("a: [\n", "2: this is not YAML"),
        ("a: *b\n", "1: this is not YAML: found undefined alias"),
        ("schema_version: 1\nframework: 3\n", "2: framework: holds no mapping"),
        ("framework: {}\n", "1: schema_version: is missing; allowed: 1"),
        (
            "schema_version: 2" + TEXT.split("schema_version: 1", 1)[1],
            "1: schema_version: 2 is not known; allowed: 1",
        ),
        ("a: &x [*x]\n", "an alias points to what it is part of"),
        ("? [a]\n: 1\n", "a key that is not a word"),
        (
            "schema_version: 1\nextra: 1\nframework: {}\n",
            "2: extra: unknown key; allowed: schema_version, framework",
        ),
    ],
)
def test_a_wrong_frame_is_refused(text: str, said: str) -> None:
    assert any(said in one for one in problems(text))


def test_a_byte_that_is_not_utf8_is_told_with_its_line() -> None:
    with pytest.raises(ManifestError, match="m:2: a byte that is not UTF-8"):
        manifest.parse(b"a: 1\nb: \xff\n", "m")


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.integers(0, len(TEXT)))
def test_any_damage_is_a_manifest_error_or_none(damage: str, at: int) -> None:
    try:
        manifest.parse((TEXT[:at] + damage + TEXT[at:]).encode("utf-8", "surrogatepass"), "m")
    except ManifestError as error:
        assert all(problem.line >= 1 for problem in error.problems)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("{red_ratio: 0.7}", "fits everything"),
        ("{host: cursor}", "changes nothing"),
        ("{host: cursor, red_ratio: 0.5}", "with the tier of 200000: 0.6 is not below red_ratio 0.5"),
        ("{host: vim, red_ratio: 0.7}", "overrides"),
    ],
)
def test_override_that_cannot_work_is_refused(row: str, told: str) -> None:
    found = problems(TEXT.replace("overrides: []", f"overrides: [{row}]"))
    assert any(told in problem for problem in found)
