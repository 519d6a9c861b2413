"""`install --with-statusline`: beside the hooks in one settings file, and out again to the byte."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from user_files import Styled

from safepoint import doctor, registered_parts, registration, status_line_file
from safepoint.carry_out import carry_out
from safepoint.doctor import installation
from safepoint.install import Wish, plan_install
from safepoint.install_plan import Plan
from safepoint.install_record import PATH
from safepoint.project import find
from safepoint.uninstall import plan_uninstall

SETTINGS, LOCAL = ".claude/settings.json", ".claude/settings.local.json"
MINE = """{
  // mine
  "statusLine": { "type": "command",
    "command": "printf '%s' \\"a b\\" # it's", "padding": 2 },
  "permissions": {"allow": ["Bash"]}, "hooks": {}
}
"""
HOOKS = {event: groups[0] for event, groups in registration.claude_settings()["hooks"].items()}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / ".claude").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def install(folder: Path, **wish: object) -> Plan:
    project = find(folder)
    plan = carry_out(lambda: plan_install(project, Wish(language="en", **wish)), project)  # type: ignore[arg-type]
    assert plan is not None
    return plan


def uninstall(folder: Path) -> None:
    project = find(folder)
    carry_out(lambda: plan_uninstall(project, purge=False), project)


def status_line(folder: Path, path: str = SETTINGS) -> dict[str, object]:
    """Of a file without comments."""
    found: dict[str, object] = json.loads((folder / path).read_text())["statusLine"]
    return found


def test_only_when_asked_for(repository: Path) -> None:
    install(repository)
    assert "statusLine" not in (repository / SETTINGS).read_text()


@pytest.mark.parametrize("before", [None, "", "{}\n", "{}", MINE, '{"statusLine": {"type": "command"}}\n'])
def test_in_and_out_again_to_the_byte(repository: Path, before: str | None) -> None:
    if before is not None:
        (repository / SETTINGS).write_text(before)
    install(repository, status_line=True)
    text = (repository / SETTINGS).read_text()
    assert status_line_file.is_registered(text.encode()) and "session_budget_guard" in text
    install(repository)
    assert (repository / SETTINGS).read_text() == text
    uninstall(repository)
    file = repository / SETTINGS
    assert (file.read_text() if file.exists() else None) == before


def test_the_users_own_is_named_in_ours_and_keeps_the_rest(repository: Path) -> None:
    (repository / SETTINGS).write_text(MINE)
    install(repository, status_line=True)
    text = (repository / SETTINGS).read_text()
    assert '"padding": 2' in text and "// mine" in text
    command = status_line_file.command_in(text.encode())
    assert command == registration.status_line("python3", "printf '%s' \"a b\" # it's")


def test_it_goes_alone_and_the_hooks_stay(repository: Path) -> None:
    (repository / SETTINGS).write_text(MINE)
    install(repository, status_line=True)
    install(repository, status_line=False)
    text = (repository / SETTINGS).read_text()
    assert "session_statusline" not in text and "session_stop" in text
    uninstall(repository)
    assert (repository / SETTINGS).read_text() == MINE


def test_local_goes_into_the_persons_own_file(repository: Path) -> None:
    install(repository, status_line=True, scope="local")
    assert "session_statusline" in str(status_line(repository, LOCAL)["command"])
    assert not (repository / SETTINGS).exists()
    uninstall(repository)
    assert not (repository / LOCAL).exists()


def test_one_that_a_person_has_put_there_since_stays(repository: Path) -> None:
    install(repository, status_line=True)
    settings = json.loads((repository / SETTINGS).read_text())
    settings["statusLine"] = {"type": "command", "command": "./new.sh"}
    (repository / SETTINGS).write_text(json.dumps(settings))
    uninstall(repository)
    assert status_line(repository) == {"type": "command", "command": "./new.sh"}


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    ("before", "edited"), [("old.sh", "new.sh --mine"), ("a b", "a $X 'c'"), (None, "added.sh 'x'")]
)
def test_an_edit_inside_ours_comes_back(
    repository: Path, before: str | None, edited: str, again: bool
) -> None:
    entry = {"statusLine": {"type": "command", "command": before}} if before else {}
    (repository / SETTINGS).write_text(json.dumps(entry))
    install(repository, status_line=True)
    settings = json.loads((repository / SETTINGS).read_text())
    settings["statusLine"]["command"] = registration.status_line("python3", edited)
    (repository / SETTINGS).write_text(json.dumps(settings))
    if again:
        install(repository)
    uninstall(repository)
    assert status_line(repository) == {"type": "command", "command": edited}


def test_a_word_added_where_ours_had_no_quotes_is_of_the_users_own(repository: Path) -> None:
    ours = registration.status_line("python3", "") + " new.sh --mine"
    (repository / SETTINGS).write_text(json.dumps({"statusLine": {"type": "command", "command": ours}}))
    install(repository, status_line=True)
    assert status_line(repository)["command"] == registration.status_line("python3", "new.sh --mine")


@pytest.mark.parametrize(
    "form", ["my.sh | {}", "{} | my.sh", "{} > log", "{}; my.sh", "cd x && {} mine", "{} 'a' 'b'"]
)
def test_a_persons_own_command_line_around_ours_is_theirs(repository: Path, form: str) -> None:
    command = form.format(registration.status_line("python3", ""))
    before = json.dumps({"statusLine": {"type": "command", "command": command}})
    (repository / SETTINGS).write_text(before)
    assert not status_line_file.is_registered(before.encode())
    install(repository, status_line=True)
    assert status_line_file.is_registered((repository / SETTINGS).read_bytes())
    uninstall(repository)
    assert (repository / SETTINGS).read_text() == before


@pytest.mark.parametrize("mark", ["\\ud800", "\\u0000", "\\u00e9\\ud83d\\ude00"])
def test_a_command_with_odd_characters_comes_back_to_the_byte(repository: Path, mark: str) -> None:
    before = f'{{"statusLine": {{"type": "command", "command": "a{mark}b"}}}}'
    (repository / SETTINGS).write_text(before)
    install(repository, status_line=True)
    install(repository)
    uninstall(repository)
    assert (repository / SETTINGS).read_text() == before


def test_with_a_lost_record_the_users_own_comes_back_all_the_same(repository: Path) -> None:
    (repository / SETTINGS).write_text(MINE)
    install(repository, status_line=True)
    (repository / PATH).unlink()
    uninstall(repository)
    command = status_line_file.command_in((repository / SETTINGS).read_bytes())
    assert command == "printf '%s' \"a b\" # it's"


def test_a_record_from_before_is_understood(repository: Path) -> None:
    (repository / SETTINGS).write_text(MINE)
    install(repository)
    record = json.loads((repository / PATH).read_text())
    for one in record["registrations"].values():
        ((one["form"], one["made"]),) = one.pop("parts").items()
    (repository / PATH).write_text(json.dumps(record))
    install(repository, status_line=True)
    uninstall(repository)
    assert (repository / SETTINGS).read_text() == MINE


def test_what_it_cannot_do_is_said(repository: Path) -> None:
    (repository / LOCAL).write_text('{"statusLine": {"type": "command", "command": "mine"}}')
    notes = "\n".join(install(repository, status_line=True).notes)
    assert "hides Safepoint's" in notes
    assert "~/.cursor/cli-config.json" in notes and 'statusline"}' in notes
    assert install(repository).notes == []


@given(st.data())
def test_any_settings_come_back_to_the_byte(data: st.DataObject) -> None:
    value = data.draw(st.dictionaries(st.sampled_from(["model", "env", "a"]), st.integers(), max_size=3))
    shown = {"type": "command", "command": "x 'y'", "padding": 1}
    theirs = data.draw(st.sampled_from([None, shown, {"padding": 1}, "odd"]))
    before = _styled(data, value if theirs is None else {**value, "statusLine": theirs})
    content, made = registered_parts.merge(before, SETTINGS, {"claude": HOOKS, "status_line": "python3"}, {})
    assert content is not None and status_line_file.is_registered(content)
    again, _ = registered_parts.merge(content, SETTINGS, {"claude": HOOKS, "status_line": "python3"}, made)
    assert again == content
    assert registered_parts.withdraw(content, SETTINGS, made) == before


def _styled(data: st.DataObject, value: object) -> bytes:
    @st.composite
    def document(draw: st.DrawFn) -> str:
        return Styled(draw).document(value)

    return data.draw(document()).encode()


def test_doctor_names_one_that_was_replaced_or_is_hidden_and_repairs_the_first(repository: Path) -> None:
    def told(level: str) -> list[str]:
        site = doctor.site_of(str(repository))
        return [one.text for one in installation.status_line(site) if one.level == level]

    install(repository, status_line=True)
    assert told("problem") == told("note") == []
    (repository / LOCAL).write_text('{"statusLine": {"type": "command", "command": "mine"}}')
    assert "hides Safepoint's" in told("note")[0]
    settings = json.loads((repository / SETTINGS).read_text())
    settings["statusLine"] = {"type": "command", "command": "x"}
    (repository / SETTINGS).write_text(json.dumps(settings))
    assert "not Safepoint's any more" in told("problem")[0]
    site = doctor.site_of(str(repository))
    assert doctor.repair(site, list(installation.status_line(site)))
    assert told("problem") == []
    assert status_line(repository)["command"] == registration.status_line("python3", "x")
