"""The documents say what is: commands, settings, hooks, links."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import yaml
from annotated_types import BaseMetadata

from safepoint import manifest, registration
from safepoint.hot.shapes import Settings
from safepoint.hot.texts import find

ROOT = Path(__file__).resolve().parents[2]
PAGES_IN_TWO = [("README.md", "README.ja.md"), ("docs/configuration.md", "docs/configuration.ja.md")]
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(<?([^)>\s]+)>?\)")
# Written for the place where they are installed, not for the one where they lie.
INSTALLED_ELSEWHERE = ("src/safepoint/templates/",)


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def pages() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    found = [page for page in listed if page and (ROOT / page).is_file()]
    return sorted(page for page in found if not page.startswith(INSTALLED_ELSEWHERE))


def without_code(page: str) -> str:
    """Text outside of fenced blocks and inline code."""
    bare = re.sub(r"^(```+|~~~+).*?^\1\s*$", "", text(page), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", bare)


def anchors(page: str) -> set[str]:
    found = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text(page), flags=re.S | re.M), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in found}


def dead_links(page: str) -> list[str]:
    dead = []
    for target in LINK.findall(without_code(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        linked = (ROOT / page).parent / name if name else ROOT / page
        found = linked.exists()
        if found and anchor and linked.suffix == ".md":
            found = anchor in anchors(str(linked.resolve().relative_to(ROOT)))
        if not found:
            dead.append(f"{page}: {target}")
    return dead


def test_relative_links_lead_somewhere() -> None:
    dead = [link for page in pages() for link in dead_links(page)]
    assert dead == []


# --- commands ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def docs_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_tool", ROOT / "tools/docs.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_tool"] = module
    spec.loader.exec_module(module)
    return module


def test_cli_page_shows_the_help_of_every_command(docs_tool: ModuleType) -> None:
    page = text("docs/cli.md")
    assert docs_tool.refresh(page) == page, "run tools/docs.py"


# --- settings ---------------------------------------------------------------------------------------------


def keys(shape: Any, at: str = "") -> list[str]:
    """Every setting of a shape, as docs/configuration.md writes it."""
    while get_origin(shape) is not None and any(isinstance(a, BaseMetadata) for a in get_args(shape)[1:]):
        shape = get_args(shape)[0]
    if hasattr(shape, "__required_keys__"):
        hints = get_type_hints(shape)
        return [key for name, hint in hints.items() for key in keys(hint, f"{at}.{name}" if at else name)]
    origin, inside = get_origin(shape), get_args(shape)
    if origin is list and hasattr(inside[0], "__required_keys__"):
        return keys(inside[0], at + "[]")
    if origin is dict and inside[0] is not str:
        return keys(inside[1], at + "{}")
    return [at]


def settings_keys() -> list[str]:
    return [key for key in keys(Settings) if key.partition("{")[0] not in manifest.COMPILED]


def rows(page: str) -> dict[str, list[str]]:
    """Rows of the tables of settings: key -> the other cells."""
    found = {}
    for line in text(page).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| `") else []
        if len(cells) == 4:
            found[cells[0].strip("`")] = cells[1:]
    return found


def test_keys_of_the_shapes_are_found() -> None:
    found = settings_keys()
    assert "budget_thresholds.tiers[].yellow_tokens" in found
    assert "windows{}.models" in found and "handoff.on_compact{}" in found and "mode" in found


@pytest.mark.parametrize("page", PAGES_IN_TWO[1])
def test_every_setting_is_documented_and_no_other(page: str) -> None:
    assert sorted(rows(page)) == sorted(settings_keys())


@pytest.mark.parametrize("page", PAGES_IN_TWO[1])
def test_defaults_are_those_of_the_manifest(page: str) -> None:
    """Of settings with one value; it stands as code."""
    data = yaml.safe_load(text("manifest.yaml"))
    framework = {**data["framework"], "schema_version": data["schema_version"]}
    checked = 0
    for key, (default, *_) in rows(page).items():
        if "[]" in key or "{}" in key or not default.startswith("`"):
            continue
        value: Any = framework
        for part in key.split("."):
            value = value[part]
        value = {True: "on", False: "off"}[value] if isinstance(value, bool) else value
        assert default == f"`{value}`", key
        checked += 1
    assert checked > 15


def test_both_languages_give_the_same_defaults() -> None:
    english, japanese = (rows(page) for page in PAGES_IN_TWO[1])
    for key, (default, *_) in english.items():
        if default.startswith("`"):
            assert japanese[key][0] == default, key


# --- hooks and the two languages --------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ja"])
def test_installed_page_tells_of_every_hook_on_its_events(language: str) -> None:
    page = text(f"src/safepoint/templates/README.{language}.md")
    table = {
        match[1]: match[0] for match in re.finditer(r"^\| `(session_\w+)\.py` \|.*$", page, re.MULTILINE)
    }
    assert sorted(table) == sorted(registration.entrypoints())
    for host in (registration.CURSOR_FULL, registration.CLAUDE):
        for event, entrypoint in host.items():
            assert re.search(rf"\b{event}\b", table[entrypoint]), event
    for event in set(registration.CURSOR_FULL) - set(registration.CURSOR_BASE):
        assert rf"{event}\*" in page, f"{event} is registered only with --events full"


def test_architecture_names_every_hook() -> None:
    page = text("docs/architecture.md")
    for name in registration.entrypoints():
        assert f"`{name}`" in page


@pytest.mark.parametrize(("english", "japanese"), PAGES_IN_TWO)
def test_both_languages_have_the_same_headings(english: str, japanese: str) -> None:
    levels = [
        re.findall(r"^(#+) ", re.sub(r"^```.*?^```", "", text(page), flags=re.S | re.M), re.MULTILINE)
        for page in (english, japanese)
    ]
    assert levels[0] == levels[1]


@pytest.mark.parametrize(("english", "japanese"), [*PAGES_IN_TWO, ("docs/todo.md", "docs/todo.ja.md")])
def test_both_languages_name_the_same_commands_settings_and_files(english: str, japanese: str) -> None:
    """What stands as code is in no language, so a fact that one page lacks shows in it."""
    named = []
    for page in (english, japanese):
        fenced = re.findall(r"^```sh\n(.*?)^```", text(page), flags=re.S | re.M)
        commands = {line.partition("  #")[0].strip() for block in fenced for line in block.splitlines()}
        prose = re.sub(r"^```.*?^```", "", text(page), flags=re.S | re.M)
        named.append(commands | set(re.findall(r"`([^`\n]+)`", prose)))
    assert named[0] ^ named[1] == set()


@pytest.mark.parametrize(("page", "language"), [("README.md", "en"), ("README.ja.md", "ja")])
@pytest.mark.parametrize("name", ["yellow_user", "deny_full", "plan_continue"])
def test_readme_shows_messages_as_they_are(page: str, language: str, name: str) -> None:
    """Every stretch between two facts; where lines break does not matter."""
    shown = "".join(text(page).split())
    for stretch in re.split(r"\{\w+\}", find(language, name) or ""):
        assert "".join(stretch.split()) in shown, stretch


def test_changelog_has_the_version() -> None:
    version = re.search(r'^version = "(.+)"', text("pyproject.toml"), re.MULTILINE)
    assert version and f"[{version[1]}]" in text("CHANGELOG.md")
