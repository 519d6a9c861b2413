from __future__ import annotations

import ast
import importlib
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest

from safepoint import cli
from safepoint.hot import prompt_words
from safepoint.hot.texts import find, say

SOURCES = Path(__file__).parents[2] / "src" / "safepoint"


def messages(language: str) -> dict[str, str]:
    """All messages of a language, module after module."""
    merged: dict[str, str] = {}
    for path in sorted((SOURCES / "hot/texts").glob(f"*{language}.py"), key=lambda path: path.stem[:-2]):
        table = importlib.import_module(f"safepoint.hot.texts.{path.stem}").MESSAGES
        assert not merged.keys() & table.keys(), path.name
        merged.update(table)
    return merged


TABLES = {language: messages(language) for language in ("en", "ja")}
EN, JA = TABLES["en"], TABLES["ja"]
# Keys that are put together from one of these and a word.
PREFIXES = ("source_", "window_", "kind_", "level_", "written_", "label_", "evidence_", "next_", "fresh_",
            "doubt_", "plan_", "todo_rule_", "reminder_")  # fmt: skip


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def sources() -> list[Path]:
    return [path for path in SOURCES.rglob("*.py") if path.parent.name != "texts"]


def say_calls() -> list[tuple[str, int, str, set[str] | None]]:
    """(file, line, key, names of the facts) of each call with a literal key; None for `**facts`."""
    found = []
    for path in [path for path in sources() if "hot" in path.parts]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name != "say":
                continue
            facts = {keyword.arg for keyword in node.keywords}
            named = None if None in facts else {str(fact) for fact in facts}
            for key in [n.value for arg in node.args for n in ast.walk(arg) if isinstance(n, ast.Constant)]:
                if isinstance(key, str) and key in EN:
                    found.append((path.name, node.lineno, key, named))
    return found


def test_both_languages_have_the_same_keys() -> None:
    assert list(JA) == list(EN)


@pytest.mark.parametrize("language", TABLES)
def test_each_text_lies_where_its_key_is_looked_up(language: str) -> None:
    assert {key: find(language, key) for key in TABLES[language]} == TABLES[language]


def test_unknown_key_is_no_text() -> None:
    assert find("en", "line_nobody") is None
    with pytest.raises(KeyError, match="line_nobody"):
        say("en", "line_nobody")


@pytest.mark.parametrize("key", EN)
def test_both_languages_have_the_same_placeholders(key: str) -> None:
    assert placeholders(JA[key]) == placeholders(EN[key])


@pytest.mark.parametrize("language", TABLES)
def test_a_text_says_whether_its_words_are_sent_or_typed_in_a_terminal(language: str) -> None:
    """Both begin with `safepoint`. A reply answers what was sent; plans and skills are for the model."""
    sent = {"en": r"\bsend", "ja": "送"}[language]
    typed = {"en": "[Ii]n a terminal", "ja": "端末"}[language]
    for key, text in TABLES[language].items():
        if key.startswith(("reply_", "plan_", "checkpoint_remind")):
            continue
        for word in re.findall(r"safepoint ([a-z]+)", text):
            if word in prompt_words.WORDS:
                assert re.search(sent, text), key
            elif word in cli.COMMANDS:
                assert re.search(typed.replace(" ", r"\s+"), text), key


def test_every_key_is_used() -> None:
    paths = [*sources(), SOURCES / "hot/texts/__init__.py"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    suffixes = ("_user", "_model")  # f"{name}_user"
    unused = [
        key
        for key in EN
        if f'"{key}"' not in text
        and not any(key.startswith(prefix) and f'"{prefix}' in text for prefix in PREFIXES)
        and not any(key.endswith(end) and f'"{key[: -len(end)]}"' in text for end in suffixes)
    ]
    assert unused == []


def test_calls_give_the_facts_their_text_needs() -> None:
    missing = {
        f"{file}:{line} {key}": sorted(lacks)
        for file, line, key, facts in say_calls()
        if facts is not None and (lacks := placeholders(EN[key]) - facts - {"link"})
    }
    assert missing == {}
    assert len(say_calls()) > 40  # the walk still finds them


@pytest.mark.parametrize("language", TABLES)
def test_no_text_breaks_its_layout(language: str) -> None:
    for key, text in TABLES[language].items():
        assert text == text.strip() or key.startswith(("link_clause", "line_git_"))
        assert "  " not in text.lstrip()
        assert "CONTEXT_BUDGET" not in text


@pytest.mark.parametrize("language", TABLES)
def test_deny_says_what_is_saved_and_how_to_go_on(language: str) -> None:
    facts = {
        "percent": 81, "tokens": "162,000", "window": "200,000", "red": "156,000", "source": "transcript",
        "handoff": "H.md", "checkpoint": "C.json", "resume_point": "R.json", "notes": "N.md",
        "grace_calls": 5, "grace_commands": "git status, git commit", "link": "cursor://x",
    }  # fmt: skip
    for key in ("deny_full", "deny_compacted"):
        text = say(language, key, **facts)
        for fact in ("81%", "162,000", "H.md", "C.json", "R.json", "N.md", "git commit", "cursor://x"):
            assert fact in text
        assert "safepoint extend" in text and "safepoint status" in text
        assert text.startswith("Safepoint ")  # behind "PreToolUse:Bash hook error: "
        assert len(text.encode()) < 2048


def test_unknown_language_is_english() -> None:
    assert say("fr", "paused_on") == say("en", "paused_on") != say("ja", "paused_on")


def test_link_takes_its_words_along() -> None:
    facts = {"handoff": "H.md"}
    assert "opened" not in say("en", "halt", link="", **facts)
    assert "opened with cursor://x" in say("en", "halt", link="cursor://x", **facts)
    assert "?" not in say("en", "halt", **facts)
    assert "opened" not in say("en", "halt", link="cursor://" + "x" * 4000, **facts)


def test_facts_are_one_line_each() -> None:
    text = say("en", "deny_brief", handoff="a\n# b </system-reminder> `c`")
    assert text.endswith("a # b ‹/system-reminder› 'c'")
    assert say("en", "offered_others", list="one\ntwo").endswith("\n- one\n- two")
    assert say("en", "offered_others", list=["one\n- x", "two"]).endswith("\n- one - x\n- two")


def test_braces_in_facts_stay_as_they_are() -> None:
    assert say("en", "deny_brief", handoff="{handoff} {x!r}").endswith("{handoff} {x!r}")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param(156000, "156,000", id="int"),
        pytest.param(78.4, "78", id="float"),
        pytest.param(None, "?", id="none"),
    ],
)
def test_numbers_are_spelled(value: object, shown: str) -> None:
    assert say("en", "resume_rest", where=value) == f"Rest of the handoff from {shown}:"


def test_a_fact_not_given_costs_no_answer() -> None:
    assert say("en", "resume_rest") == "Rest of the handoff from ?:"


@pytest.mark.parametrize(("language", "other"), [("en", "ja"), ("ja", "en")])
def test_only_one_table_is_imported(language: str, other: str) -> None:
    code = (
        f"import sys; from safepoint.hot.texts import say; say({language!r}, 'paused_on')\n"
        f"assert 'safepoint.hot.texts.{other}' not in sys.modules\n"
        "assert not {'re', 'json', 'typing', 'subprocess', 'pathlib', 'datetime'} & set(sys.modules)"
    )
    start = f"import sys; sys.path[:0] = [{str(SOURCES.parent)!r}]\n"
    subprocess.run([sys.executable, "-I", "-S", "-c", start + code], check=True)
