"""An installation that is broken in one way at a time, and what the doctor says and does about it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from safepoint import cli, doctor, manifest
from safepoint.carry_out import carry_out
from safepoint.doctor import commands, hosts, installation, interpreter, others, registered, sessions
from safepoint.doctor import settings as doctor_settings
from safepoint.doctor.findings import Check, listed
from safepoint.errors import SafepointError
from safepoint.hot import runtime
from safepoint.install import Wish, plan_install
from safepoint.project import find
from safepoint.uninstall import plan_uninstall

HOOKS = ".cursor/hooks"
PACKAGE = "_safepoint_0_1_0"


@pytest.fixture(autouse=True)
def quick_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A python3 that is no launcher and not called slow, whatever this machine has and is busy with."""
    monkeypatch.setattr(interpreter, "SLOW_S", 5)
    monkeypatch.setattr(interpreter, "TOO_SLOW_S", 5)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "python3").symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One installation for all tests, made by the first of them: each works on a copy."""
    return [tmp_path_factory.mktemp("installed") / "repo"]


@pytest.fixture
def repo(tmp_path: Path, installed: list[Path]) -> Path:
    if not installed[0].exists():
        installed[0].mkdir()
        subprocess.run(["git", "init", "-q", installed[0]], check=True)
        install(installed[0])
    return Path(shutil.copytree(installed[0], tmp_path / "お店 'shop' $x"))


def install(root: Path, **wish: Any) -> None:
    project = find(root)
    carry_out(lambda: plan_install(project, Wish(**wish)), project)


def said(check: Check, repo: Path, level: str = "problem") -> list[str]:
    return [one.text for one in check(doctor.site_of(str(repo))) if one.level == level]


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


# --- a whole one --------------------------------------------------------------------------------------------


def test_a_fresh_installation_is_healthy_and_nothing_is_left_of_the_trial(repo: Path) -> None:
    before = sorted(path for path in repo.rglob("*") if "__pycache__" not in path.parts)
    result = CliRunner().invoke(cli.main, ["doctor", str(repo), "--json"], standalone_mode=False)
    report = json.loads(result.output)
    assert (result.return_value, report["healthy"], report["command"]) == (0, True, "doctor"), report
    levels = {one["check"]: one["level"] for one in report["findings"]}
    for check in ("installed", "files", "settings", "registered", "interpreter", "commands", "deny"):
        assert levels[check] == "ok"
    assert sorted(path for path in repo.rglob("*") if "__pycache__" not in path.parts) == before


def test_every_finding_that_is_not_well_says_what_to_do(repo: Path) -> None:
    (repo / HOOKS / "session_end.py").unlink()
    edit(repo / HOOKS / "manifest.yaml", "calls: 5", "calls: 6")
    findings = doctor.examine(doctor.site_of(str(repo)))
    assert [one for one in findings if one.level != "ok" and not one.remedy] == []
    assert {one.check for one in findings if one.level == "problem"} == {"files", "settings", "commands"}


def test_where_nothing_is_installed_it_says_so(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli.main, ["doctor", str(tmp_path)], standalone_mode=False)
    assert result.return_value == 1 and "Safepoint is not installed here" in result.output


# --- files, settings, registrations: found, and repaired ----------------------------------------------------


def _lose_module(repo: Path) -> None:
    (repo / HOOKS / PACKAGE / "wire.py").unlink()


def _change_module(repo: Path) -> None:
    edit(repo / HOOKS / PACKAGE / "runtime.py", "DEADLINE_S = 2.0", "DEADLINE_S = 9.0")


def _edit_manifest(repo: Path) -> None:
    edit(repo / HOOKS / "manifest.yaml", "calls: 5", "calls: 6")


def _break_settings(repo: Path) -> None:
    (repo / HOOKS / "settings.json").write_text("{")


def _lose_event(repo: Path) -> None:
    file = repo / ".cursor/hooks.json"
    hooks = json.loads(file.read_text())
    del hooks["hooks"]["preToolUse"]
    file.write_text(json.dumps(hooks))


def _register_twice(repo: Path) -> None:
    file = repo / ".claude/settings.json"
    hooks = json.loads(file.read_text())
    hooks["hooks"]["Stop"] *= 2
    file.write_text(json.dumps(hooks))


def _reword_command(repo: Path) -> None:
    edit(repo / ".claude/settings.json", "python3 -I -S", "python3  -I -S")


def _add_foreign_hook(repo: Path) -> None:
    file = repo / ".cursor/hooks.json"
    hooks = json.loads(file.read_text())
    hooks["hooks"]["stop"].append({"command": "./mine.sh"})
    file.write_text(json.dumps(hooks))


def _open_state(repo: Path) -> None:
    (repo / ".cursor/.session").mkdir(mode=0o755)
    (repo / ".cursor/.session").chmod(0o755)


BROKEN: list[tuple[Callable[[Path], None], Check, str]] = [
    (_lose_module, installation.files, "1 missing: .cursor/hooks/_safepoint_0_1_0/wire.py"),
    (_change_module, installation.files, "1 not as installed: .cursor/hooks/_safepoint_0_1_0/runtime.py"),
    (_edit_manifest, doctor_settings.settings, "was edited and not compiled"),
    (_break_settings, doctor_settings.settings, "settings.json cannot be read"),
    (_lose_event, installation.registrations, ".cursor/hooks.json: preToolUse not registered"),
    (_register_twice, others.twice, "Registered twice in .claude/settings.json: Stop"),
    (_reword_command, others.twice, "Cursor runs these twice"),
    (_add_foreign_hook, others.shared, "The settings do not know of them."),
    (_open_state, installation.privacy, "Others on this machine can look into .cursor/.session"),
]


@pytest.mark.parametrize(("harm", "check", "text"), BROKEN, ids=[row[0].__name__[1:] for row in BROKEN])
def test_a_breakage_is_named_and_repaired(
    repo: Path, harm: Callable[[Path], None], check: Check, text: str
) -> None:
    assert said(check, repo) == []
    harm(repo)
    assert any(text in one for one in said(check, repo)), said(check, repo)
    site = doctor.site_of(str(repo))
    assert doctor.repair(site, list(check(site)))
    assert said(check, repo) == []


def test_a_repair_keeps_the_edited_manifest_and_hooks_of_others(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edit_manifest(repo)
    _add_foreign_hook(repo)
    _lose_module(repo)
    looked_at = (installation.record, installation.files, doctor_settings.settings, others.shared)
    monkeypatch.setattr(doctor, "CHECKS", looked_at)
    result = CliRunner().invoke(cli.main, ["doctor", str(repo), "--fix"], standalone_mode=False)
    assert result.return_value == 0, result.output
    assert "installed again: " in result.output
    assert "calls: 6" in (repo / HOOKS / "manifest.yaml").read_text()
    assert "./mine.sh" in (repo / ".cursor/hooks.json").read_text()


@pytest.mark.parametrize(
    ("content", "text"),
    [("{", ".cursor/hooks.json:1:2"), ("[]", "not registered"), ('{"hooks": 3}', "not registered")],
)
def test_a_users_file_that_cannot_be_read_is_named(repo: Path, content: str, text: str) -> None:
    (repo / ".cursor/hooks.json").write_text(content)
    assert any(text in one for one in said(installation.registrations, repo))


def test_a_hooks_file_behind_a_link_is_named(repo: Path) -> None:
    file = repo / ".cursor/hooks.json"
    file.rename(repo / "elsewhere.json")
    file.symlink_to(repo / "elsewhere.json")
    assert any("Cursor refuses" in one for one in said(installation.registrations, repo))


def test_a_wrong_manifest_is_named_with_its_line(repo: Path) -> None:
    edit(repo / HOOKS / "manifest.yaml", "mode: enforce", "mode: enforced")
    assert "manifest.yaml:" in said(doctor_settings.settings, repo)[0]


def test_a_wrong_manifest_keeps_nothing_else_from_being_repaired(repo: Path) -> None:
    manifest = repo / HOOKS / "manifest.yaml"
    edit(manifest, "mode: enforce", "mode: enforced")
    before = manifest.read_bytes(), (repo / HOOKS / "settings.json").read_bytes()
    _lose_module(repo)
    _open_state(repo)
    result = CliRunner().invoke(cli.main, ["doctor", str(repo), "--fix", "--json"], standalone_mode=False)
    report = json.loads(result.output)
    assert len(report["done"]) == 2 and result.return_value == 1
    assert {one["check"] for one in report["findings"] if one["level"] == "problem"} == {"settings"}
    assert before == (manifest.read_bytes(), (repo / HOOKS / "settings.json").read_bytes())


def test_what_cannot_be_repaired_is_in_the_report(repo: Path) -> None:
    edit(repo / HOOKS / "manifest.yaml", "mode: enforce", "mode: enforced")
    _break_settings(repo)
    _lose_module(repo)
    result = CliRunner().invoke(cli.main, ["doctor", str(repo), "--fix"], standalone_mode=False)
    assert result.return_value == 1
    assert "not installed again: " in result.output and "PROBLEM  files: 1 missing" in result.output


@pytest.mark.parametrize("how", ["environment", "local", "manifest"])
def test_a_guard_that_is_switched_off_is_noted(repo: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "environment":
        monkeypatch.setenv("SAFEPOINT", "off")
    elif how == "local":
        (repo / HOOKS / "settings.local.json").write_text('{"mode": "warn"}')
    else:
        edit(repo / HOOKS / "settings.json", '"mode": "enforce"', '"mode": "off"')
    assert any("nothing is denied" in one for one in said(doctor_settings.switched, repo, "note"))


# --- settings: a value that cannot be gone by is named with its place, wherever it can be set ---------------


@pytest.mark.parametrize("word", ["0", "OFF", "warn "])
def test_every_spelling_of_a_switch_is_understood(
    repo: Path, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAFEPOINT", word)
    assert any(f"SAFEPOINT={word} stands" in one for one in said(doctor_settings.switched, repo, "note"))
    assert said(doctor_settings.switched, repo) == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{"mode": "offf"}', 'says "offf", which is none of'),
        ('{"mode": null}', 'says "null", which is none of'),
        ('{"mode": 3}', 'says "3", which is none of'),
        ("{mode: off}", "(no JSON)"),
        ("", "(no JSON)"),
        ('"off"', "(no JSON object)"),
        ('{"mdoe": "off"}', "(mdoe: unknown)"),
        ('{"mode": "warn", "language": "ja"}', "(language: unknown)"),
        (None, "(no regular file)"),
    ],
)
def test_a_persons_own_settings_that_cannot_be_gone_by_are_named(
    repo: Path, content: str | None, text: str
) -> None:
    file = repo / HOOKS / "settings.local.json"
    file.mkdir() if content is None else file.write_text(content)
    (found,) = said(doctor_settings.switched, repo)
    assert found.startswith(".cursor/hooks/settings.local.json ") and text in found
    assert found in CliRunner().invoke(cli.main, ["status", str(repo)]).output


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb\xbf \r\n"])
def test_a_persons_own_settings_with_a_byte_order_mark_are_read(repo: Path, mark: bytes) -> None:
    (repo / HOOKS / "settings.local.json").write_bytes(mark + b'{"mode":\r\n"warn"}\r\n')
    assert said(doctor_settings.switched, repo) == []
    assert any("The mode is warn" in one for one in said(doctor_settings.switched, repo, "note"))


def test_a_switch_in_the_environment_that_is_none_is_named(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAFEPOINT", "offf")
    (found,) = said(doctor_settings.switched, repo)
    assert found.startswith('SAFEPOINT says "offf", which is none of')


@pytest.mark.parametrize(
    ("keys", "value", "text"),
    [
        (["mode"], "Enforce", 'mode is "Enforce"'),
        (["mode"], "off", 'mode is "off"'),
        (["deadlines", "hook_s"], "two", 'deadlines.hook_s is "two"'),
        (["grace"], None, "grace is null"),
        (["windows", "cursor", "default"], 7, "windows.cursor.default is 7"),
        (["surprise"], 1, "surprise is 1"),
        (["shared_events"], 1, "shared_events is 1"),
    ],
)
def test_compiled_settings_that_are_not_the_manifests_are_named_and_compiled_anew(
    repo: Path, keys: list[str], value: object, text: str
) -> None:
    file = repo / HOOKS / "settings.json"
    content = json.loads(file.read_text())
    place = content
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    file.write_text(json.dumps(content))
    (found,) = said(doctor_settings.settings, repo)
    assert found.startswith(".cursor/hooks/settings.json is not what ") and text in found
    assert said(others.shared, repo) == said(sessions.windows, repo) == []  # none of them falls over it
    doctor.repair(site := doctor.site_of(str(repo)), list(doctor_settings.settings(site)))
    assert said(doctor_settings.settings, repo) == []


@pytest.mark.parametrize("content", ["[]", "{}", "", "{", "[" * 100_000, "\x00", '"x"'])
def test_commands_and_doctor_say_of_damaged_settings_what_to_do(repo: Path, content: str) -> None:
    (repo / HOOKS / "settings.json").write_text(content)
    for command in (
        ["status", str(repo)],
        ["explain", "--project", str(repo)],
        ["run", "--project", str(repo), "x"],
    ):
        result = CliRunner().invoke(cli.main, command)
        assert isinstance(result.exception, SystemExit | SafepointError | None), (command, result.exception)
    (found,) = (one for one in doctor_settings.settings(doctor.site_of(str(repo))) if one.level == "problem")
    assert ".cursor/hooks/settings.json" in found.text and found.fix == "generate"


def test_a_glance_at_compiled_settings_knows_all_that_must_be_in_them(repo: Path) -> None:
    content = json.loads((repo / HOOKS / "settings.json").read_text())
    needed = {
        key
        for key in content
        if manifest.compiled(json.dumps({k: v for k, v in content.items() if k != key}).encode()) is None
    }
    assert {*runtime.SECTIONS, "schema_version"} == needed


# --- commands and the deny ----------------------------------------------------------------------------------


def test_commands_that_fail_are_named(repo: Path) -> None:
    (repo / HOOKS / "session_stop.py").write_text("def main(): print('hello')\n")
    (repo / HOOKS / "session_end.py").unlink()
    (text,) = said(commands.commands, repo)
    assert text.startswith("4 of 21 registered commands fail") and "No module named 'session_end'" in text
    assert "answered no JSON object" in text


def test_a_guard_that_lets_everything_go_is_found(repo: Path) -> None:
    (repo / HOOKS / "session_budget_guard.py").write_text("def main(): print('{}')\n")
    assert [one.partition(":")[0] for one in said(commands.deny, repo)] == ["Cursor", "Claude Code"]


def test_a_guard_that_denies_without_saving_is_found(repo: Path) -> None:
    answer = '{"permission": "deny"}'
    (repo / HOOKS / "session_budget_guard.py").write_text(f"def main(): print('{answer}')\n")
    assert all("had not saved" in one for one in said(commands.deny, repo))


def test_the_deny_is_tried_whatever_is_switched_off_here(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAFEPOINT", "off")
    (repo / HOOKS / "settings.local.json").write_text('{"mode": "off"}')
    assert len(said(commands.deny, repo, "ok")) == 2


# --- interpreter --------------------------------------------------------------------------------------------


def launcher(folder: Path, before: str) -> None:
    (folder / "python3").unlink()
    (folder / "python3").write_text(f'#!/bin/sh\n{before}\nexec "{os.path.realpath(sys.executable)}" "$@"\n')
    (folder / "python3").chmod(0o755)


def test_a_launcher_is_named_with_the_interpreter_behind_it(repo: Path, quick_python: Path) -> None:
    launcher(quick_python, "sleep 0.1")
    (text,) = said(interpreter.interpreter, repo, "note")
    assert f"only passes on to {os.path.realpath(sys.executable)}" in text


def test_a_local_installation_can_name_its_interpreter(repo: Path, quick_python: Path) -> None:
    launcher(quick_python, "sleep 0.1")
    install(repo, scope="local", python=os.path.realpath(sys.executable))
    assert said(interpreter.interpreter, repo, "note") == []
    assert said(others.twice, repo) == said(installation.registrations, repo) == []
    assert len(said(commands.deny, repo, "ok")) == 2
    install(repo)  # a later installation keeps it
    assert said(interpreter.interpreter, repo, "note") == []


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        ({"python": sys.executable}, "it needs --local"),
        ({"python": "python3", "scope": "local"}, "the whole path is needed"),
        ({"python": "/bin/true", "scope": "local"}, "does not run as Python"),
    ],
)
def test_an_interpreter_that_cannot_be_named_is_refused(repo: Path, wish: dict[str, Any], text: str) -> None:
    with pytest.raises(SafepointError, match=text):
        install(repo, **wish)


def test_a_slow_interpreter_is_named(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "SLOW_S", 0)
    (found,) = interpreter.interpreter(doctor.site_of(str(repo)))
    assert found.text.endswith("two hooks run for every tool call.")
    assert found.level == "note" and f"install {shlex.quote(str(repo))} --local --python PATH" in found.remedy
    monkeypatch.setattr(interpreter, "TOO_SLOW_S", 0)
    assert len(said(interpreter.interpreter, repo)) == 1


@pytest.mark.parametrize(
    ("script", "text"),
    [
        ("exit 3", "is not found, or does not run"),
        ("echo /usr/bin/python3\necho 3.8.10\nexit 0", "is older than 3.9"),
    ],
)
def test_an_interpreter_that_cannot_run_hooks_is_named(
    repo: Path, quick_python: Path, script: str, text: str
) -> None:
    launcher(quick_python, script)
    assert text in said(interpreter.interpreter, repo)[0]


# --- others, hosts, sessions --------------------------------------------------------------------------------


def put(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


@pytest.mark.parametrize(
    ("place", "level", "text"),
    [
        ("user hooks", "problem", "~/.cursor/hooks.json"),
        ("user settings", "problem", "~/.claude/settings.json"),
        ("claude plugin", "note", "safepoint@somewhere in ~/.claude/settings.json"),
        ("cursor plugin", "note", "~/.cursor/plugins/local/safepoint"),
    ],
)
def test_a_second_registration_elsewhere_is_found(
    repo: Path, home: Path, place: str, level: str, text: str
) -> None:
    cursor = json.loads((repo / ".cursor/hooks.json").read_text())
    claude = json.loads((repo / ".claude/settings.json").read_text())
    written = {
        "user hooks": (".cursor/hooks.json", cursor),
        "user settings": (".claude/settings.json", claude),
        "claude plugin": (".claude/settings.json", {"enabledPlugins": {"safepoint@somewhere": True}}),
        "cursor plugin": (
            ".cursor/plugins/local/safepoint/.cursor-plugin/plugin.json",
            {"name": "safepoint"},
        ),
    }
    name, value = written[place]
    put(home / name, value)
    assert any(text in one for one in said(others.twice, repo, level))


def embed(repo: Path, wrapper: str = "cd . && {}", beside: bool = False, matcher: str = "*") -> None:
    """Put the guard's command into a longer line of the user's own, in both files."""
    for name, event in ((".cursor/hooks.json", "preToolUse"), (".claude/settings.json", "PreToolUse")):
        value = json.loads((repo / name).read_text())
        (entry,) = value["hooks"][event]
        hook = entry if "command" in entry else entry["hooks"][0]
        longer = json.loads(json.dumps(entry))
        target = longer if "command" in longer else longer["hooks"][0]
        target["command"], longer["matcher"] = wrapper.format(hook["command"]), matcher
        value["hooks"][event] = [entry, longer] if beside else [longer]
        put(repo / name, value)


def guards(repo: Path) -> list[str]:
    events = set(commands.GUARDS.values())
    return [one.command for one in registered.in_project(doctor.site_of(str(repo))) if one.event in events]


@pytest.mark.parametrize("wrapper", ["cd . && {}", "env NAME=1 {}", "{} 2>> /tmp/hooks.log"])
def test_users_line_that_runs_ours_stays_and_none_of_ours_comes_beside_it(repo: Path, wrapper: str) -> None:
    embed(repo, wrapper)
    before = {name: (repo / name).read_bytes() for name in registered.PROJECT_FILES if (repo / name).exists()}
    plan = plan_install(find(repo), Wish())
    assert plan is not None
    assert sum("a command line of yours runs Safepoint on" in note for note in plan.notes) == 2
    install(repo)
    assert {name: (repo / name).read_bytes() for name in before} == before
    (note,) = said(others.twice, repo, "note")
    assert "in the place of Safepoint's own" in note and said(others.twice, repo, "problem") == []
    assert said(installation.registrations, repo, "problem") == []
    assert said(others.shared, repo, "note") == []


def test_ours_beside_a_users_line_that_runs_it_is_found_and_goes_with_a_repair(repo: Path) -> None:
    embed(repo, beside=True)
    problem = said(others.twice, repo, "problem")[0]
    assert "a command line of yours runs Safepoint on PreToolUse, preToolUse, beside" in problem
    site = doctor.site_of(str(repo))
    doctor.repair(site, doctor.examine(site))
    assert len(guards(repo)) == 2 and all(command.startswith("cd . && ") for command in guards(repo))
    assert said(others.twice, repo, "problem") == []


@pytest.mark.parametrize("wrapper", ["test -d .git && {}", "{} < /dev/null", "true # {}"])
def test_users_line_that_may_run_ours_has_ours_beside_it_and_is_named(repo: Path, wrapper: str) -> None:
    embed(repo, wrapper)
    install(repo)
    assert len(guards(repo)) == 4
    notes = said(others.twice, repo, "note")
    assert any("names a hook of Safepoint's on PreToolUse, preToolUse, beside" in note for note in notes)
    assert said(others.shared, repo, "problem") == []
    plan = plan_uninstall(find(repo), purge=False)
    assert plan and sum("names a hook of Safepoint's, which is gone" in note for note in plan.notes) == 2


def test_users_line_for_some_tools_only_takes_nothing_from_the_others(repo: Path) -> None:
    embed(repo, matcher="Bash")
    install(repo)
    assert sorted(command.startswith("cd") for command in guards(repo)) == [False, False, True, True]
    (problem,) = [one for one in said(others.twice, repo, "problem") if "of yours" in one]
    assert "beside Safepoint's own" in problem


def test_uninstalling_leaves_a_users_line_and_says_that_it_runs_nothing(repo: Path) -> None:
    embed(repo)
    plan = plan_uninstall(find(repo), purge=False)
    assert plan is not None
    assert sum("Take it out" in note for note in plan.notes) == 2
    carry_out(lambda: plan_uninstall(find(repo), purge=False), find(repo))
    assert all(command.startswith("cd . && ") for command in guards(repo)) and len(guards(repo)) == 2


@pytest.mark.parametrize("where", ["project", "user"])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_line_that_runs_the_hook_of_another_project_is_none_of_ours_and_is_named(
    repo: Path, home: Path, where: str, is_there: bool
) -> None:
    other = repo.parent / "other"
    (other / HOOKS if is_there else other).mkdir(parents=True)
    line = f"python3 '{other}/{HOOKS}/session_budget_guard.py'"
    if where == "project":
        embed(repo, f"{line} #" + "{}")
        assert any("PreToolUse not registered" in one for one in said(installation.registrations, repo))
        install(repo)
        assert len(guards(repo)) == 4, "ours stands beside it"
    else:
        put(home / ".cursor/hooks.json", {"version": 1, "hooks": {"preToolUse": [{"command": line}]}})
    (problem,) = said(others.of_another_project, repo)
    assert f"runs a hook of another project, {other}, on" in problem
    assert ("where no hooks are" in problem) is not is_there
    assert said(others.twice, repo, "problem") == said(others.twice, repo, "note") == []
    assert said(others.shared, repo, "problem") == []
    plan = plan_uninstall(find(repo), purge=False)
    assert plan and not any("command line of yours" in note for note in plan.notes)


def test_hooks_of_other_tools_are_noted_with_their_byte_budget(repo: Path, home: Path) -> None:
    _add_foreign_hook(repo)
    install(repo)
    put(home / ".cursor/hooks.json", {"version": 1, "hooks": {"stop": [{"command": "theirs"}]}})
    notes = said(others.shared, repo, "note")
    assert "on stop. There, texts have 6144 bytes instead of 8192." in notes[0]
    assert "Hooks of other tools in ~/.cursor/hooks.json on stop." in notes[1]


@pytest.mark.parametrize(
    ("events", "version", "found"),
    [("full", "2.4.1", True), ("full", "3.12.17", False), ("full", "2026.09.28-64d2043", False),
     ("full", "", False), ("base", "2.4.1", False)],
)  # fmt: skip
def test_events_that_an_old_cursor_does_not_know(repo: Path, events: str, version: str, found: bool) -> None:
    install(repo, events=events)
    assert bool(list(others.unknown_events(doctor.site_of(str(repo)), version))) is found


def test_an_event_that_no_cursor_has_is_named(repo: Path) -> None:
    edit(repo / ".cursor/hooks.json", '"stop"', '"Stop"')
    (text,) = (one.text for one in others.unknown_events(doctor.site_of(str(repo)), ""))
    assert "names Stop" in text


def test_hosts_on_the_path_say_their_versions(repo: Path, quick_python: Path) -> None:
    for name, answer in (("claude", "2.1.332 (Claude Code)"), ("cursor", "3.12.17\nabc\nx64")):
        (quick_python / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
        (quick_python / name).chmod(0o755)
    (text,) = (one.text for one in hosts.hosts(doctor.site_of(str(repo)), "3.20.17"))
    assert text == "Claude Code 2.1.332, Cursor 3.12.17, Cursor 3.20.17 (seen by the hooks)"


def test_failures_of_hooks_are_told_by_kind(repo: Path) -> None:
    folder = repo / ".cursor/.session"
    folder.mkdir(mode=0o700)
    now = {"at": 4e9, "error": "OSError: full", "where": "files.py:9", "event": "PreToolUse"}
    lines = [json.dumps({**now, "kind": "disk"})] * 2 + ["{torn", json.dumps({**now, "kind": "old", "at": 1})]
    (folder / "errors.jsonl").write_text("\n".join(lines))
    (text,) = said(sessions.errors, repo)
    assert "2 × disk. The last: OSError: full (files.py:9, PreToolUse)" in text


def _log_failure(repo: Path, kind: str) -> None:
    (repo / ".cursor/.session").mkdir(mode=0o700, exist_ok=True)
    line = {"at": time.time(), "kind": kind, "error": "E: no", "where": "a.py:1", "event": "Stop"}
    with (repo / ".cursor/.session/errors.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    time.sleep(0.02)  # the clock of a file system has coarser steps


def _mend_by_fix(repo: Path) -> None:
    site = doctor.site_of(str(repo))
    doctor.repair(site, [*installation.files(site), *doctor_settings.settings(site)])


def _mend_by_git(repo: Path) -> None:
    subprocess.run(["git", "-C", repo, "checkout", "-q", "--", HOOKS], check=True)


def _mend_by_upgrade(repo: Path) -> None:
    file = repo / HOOKS / PACKAGE / "wire.py"
    file.write_bytes(file.read_bytes() + b"\n")
    install(repo)


@pytest.mark.parametrize(
    ("kind", "harm", "mend"),
    [
        ("settings", _break_settings, _mend_by_fix),
        ("settings", _break_settings, install),
        ("settings", _break_settings, _mend_by_git),
        ("internal", _lose_module, _mend_by_fix),
        ("internal", _change_module, install),
        ("files", _lose_module, _mend_by_git),
        ("internal", None, _mend_by_upgrade),
    ],
)
def test_failures_before_a_repair_are_history(
    repo: Path, kind: str, harm: Callable[[Path], None] | None, mend: Callable[[Path], None]
) -> None:
    subprocess.run(["git", "-C", repo, "add", HOOKS], check=True)
    time.sleep(0.02)
    if harm is not None:
        harm(repo)
    _log_failure(repo, kind)
    assert len(said(sessions.errors, repo)) == 1
    mend(repo)
    assert said(sessions.errors, repo) == []
    (told,) = said(sessions.errors, repo, "ok")
    assert told == f"What failed was written anew since: 1 × {kind}. The last: E: no (a.py:1, Stop)"
    _log_failure(repo, kind)
    assert len(said(sessions.errors, repo)) == 1, "a fresh one"


def test_a_compilation_repairs_no_code_and_new_code_no_settings(repo: Path) -> None:
    _log_failure(repo, "internal")
    _edit_manifest(repo)
    _mend_by_fix(repo)
    assert "1 × internal" in said(sessions.errors, repo)[0]
    _log_failure(repo, "settings")
    _lose_module(repo)
    _mend_by_fix(repo)
    assert "1 × settings" in said(sessions.errors, repo)[0]


@pytest.mark.parametrize("name", [".session", ".tracking"])
@pytest.mark.parametrize("how", ["file", "link"])
def test_a_state_folder_that_is_none_is_a_problem(repo: Path, name: str, how: str) -> None:
    if how == "file":
        (repo / ".cursor" / name).write_text("x")
    else:
        (repo / ".cursor" / name).symlink_to(repo)
    assert f".cursor/{name}: no folder, or only a link to one" in said(sessions.size, repo)[0]
    assert sessions.cursor_version(doctor.site_of(str(repo))) == ""


@pytest.mark.parametrize("name", [f"{HOOKS}/README.md", ".claude/settings.json", f"{HOOKS}/manifest.yaml"])
def test_a_pipe_in_the_place_of_a_file_keeps_no_other_check_from_looking(repo: Path, name: str) -> None:
    (repo / name).unlink()
    os.mkfifo(repo / name)
    found = doctor.examine(doctor.site_of(str(repo)))
    assert any(
        f"{name} cannot be read: no regular file" in one.text for one in found if one.level == "problem"
    )
    assert {"state", "hosts"} <= {one.check for one in found}


def test_large_state_is_a_problem(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(sessions.size, repo, "ok") == ["0 files of sessions, 0.0 MB."]
    monkeypatch.setattr(sessions, "LARGE_BYTES", 10)
    (repo / ".cursor/.session").mkdir()
    (repo / ".cursor/.session/a.journal.jsonl").write_text("x" * 11)
    assert said(sessions.size, repo) == ["1 file of sessions, 0.0 MB."]
    monkeypatch.setattr(sessions, "LARGE_BYTES", 11)
    monkeypatch.setattr(sessions, "MANY_FILES", 0)
    assert "Too many to be tidied" in said(sessions.size, repo)[0]


def test_an_assumed_window_is_noted(repo: Path) -> None:
    from safepoint.doctor.trial import Scratch

    trial = Scratch.__new__(Scratch)
    trial.project, trial.transcript = repo, repo.parent / "t.jsonl"
    trial.environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}
    trial.fill(50_000)
    for entry in registered.in_project(doctor.site_of(str(repo))):
        if entry.event in ("SessionStart", "PreToolUse", "PostToolUse"):
            trial.run(entry.command, trial.payload("claude_code", entry.event, "s1"))
    (text,) = said(sessions.windows, repo, "note")
    assert text == "The window of safepoint-doctor (claude_code) is 200,000, assumed."


def test_long_lists_are_shortened() -> None:
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more"


def test_a_folder_that_cannot_be_written_is_named(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter.os, "access", lambda *_: False)
    assert any("cannot be written" in one for one in said(interpreter.bytecode, repo))
