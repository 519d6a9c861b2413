from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from safepoint import registration, shipped

ROOT = Path(__file__).parents[2]


def test_one_entrypoint_has_one_command_on_both_hosts() -> None:
    cursor = {
        entry["command"]
        for entries in registration.cursor_hooks("full")["hooks"].values()
        for entry in entries
    }
    claude = {
        hook["command"]
        for groups in registration.claude_settings()["hooks"].values()
        for group in groups
        for hook in group["hooks"]
    }
    assert len(cursor | claude) == len(registration.entrypoints()) - 1 == 8  # the status line has no event


def test_events_that_cursor_reads_from_claudes_file_have_cursors_command() -> None:
    for claude, cursor in registration.CLAUDE_IN_CURSOR.items():
        assert registration.CLAUDE[claude] == registration.CURSOR_FULL[cursor]


def test_the_command_is_one_simple_command() -> None:
    """Cursor appends a heredoc: in a compound command only the last part would get the payload."""
    outside = registration.command("session_end").split('"')[0::2]
    assert not set("".join(outside)) & set(";|&<>`$\n")


@pytest.mark.parametrize("name", registration.entrypoints())
def test_the_command_means_the_same_in_sh_powershell_and_cmd(name: str) -> None:
    """Within its double quotes nothing stands that one of them replaces; outside of them are words alone."""
    for text in (registration.command(name), registration._PLUGIN_COMMAND.format(name=name)):
        before, inside, behind = text.split('"')
        assert not set(inside) & set("$`\\%!^\n") and text.isascii() and len(text) < 400
        assert before == "python3 -I -S -c " and behind == ""


def test_full_adds_to_base() -> None:
    assert registration.CURSOR_BASE.items() < registration.CURSOR_FULL.items()


@pytest.mark.parametrize("name", registration.entrypoints())
def test_every_entrypoint_exists_is_short_and_can_be_executed(name: str) -> None:
    file = ROOT / "hooks" / f"{name}.py"
    assert len(file.read_text().splitlines()) <= 15
    assert os.access(file, os.X_OK)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_installed_page_names_every_entrypoint_and_event(language: str) -> None:
    page = shipped.template(f"README.{language}.md").decode()
    for event, name in [*registration.CURSOR_FULL.items(), *registration.CLAUDE.items()]:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}.py`"))
        assert event in row, (event, name)


@pytest.mark.parametrize("name", registration.entrypoints())
def test_a_missing_installation_lets_every_tool_go_on(name: str, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(tmp_path)}
    done = subprocess.run(
        registration.command(name), shell=True, env=environment, input=b"{}", capture_output=True
    )
    assert (done.returncode, done.stdout) == (1, b"")


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        (registration.command("session_stop"), True),
        (registration.command("session_stop").replace("-I -S", "-I"), True),
        (".cursor/hooks/session_stop.py", False),
        ("python3 -c 'import session_stop'", False),
        (None, False),
    ],
)
def test_own_commands_are_told_from_others(text: object, ours: bool) -> None:
    assert registration.is_ours(text) is ours


STOP = registration.command("session_stop")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (STOP, "session_stop"),
        (f"cd sub && {STOP}", "session_stop"),
        (f"env SAFEPOINT=warn {STOP}", "session_stop"),
        (f"{STOP} | tee /tmp/log", "session_stop"),
        ("python3 .cursor/hooks/session_stop.py", "session_stop"),
        ('"$CURSOR_PROJECT_DIR"/.cursor/hooks/session_budget_guard.py', "session_budget_guard"),
        ("python3 .cursor/hooks/session_of_mine.py", ""),
        ("python3 tools/session_stop.py", ""),
        ("make stop", ""),
        (None, ""),
    ],
)
def test_command_line_tells_which_hook_it_runs(text: object, name: str) -> None:
    assert registration.runs(text) == name


GUARD = registration.command("session_budget_guard")


@pytest.mark.parametrize(
    "line",
    [
        f"cd . && {GUARD}",
        f"cd 'my folder'; export A=1 && {GUARD} 2>/dev/null || true",
        f"env SAFEPOINT=warn {GUARD}",
        f"A=1 B='x y' {GUARD} | tee /tmp/log",
        f"cat | {GUARD}",
        f"tee -a /tmp/payloads | {GUARD}",
        registration.command("session_budget_guard", '"/opt/my python/bin/python3.12"'),
        "python3 .cursor/hooks/session_budget_guard.py",
        'exec /usr/bin/python3 -I -S "$CURSOR_PROJECT_DIR/.cursor/hooks/session_budget_guard.py"; exit 0',
        "'/a b/.cursor/hooks/session_budget_guard.py'",
        '"$CURSOR_PROJECT_DIR"/.cursor/hooks/session_budget_guard.py',
        "python3 $CURSOR_PROJECT_DIR/.cursor/hooks/session_budget_guard.py # ours",
        f"A=1 B=2; {GUARD} 2>&1",
    ],
)
def test_line_that_runs_a_hook_for_certain(line: str) -> None:
    assert registration.surely_runs(line) == "session_budget_guard"


@pytest.mark.parametrize(
    "line",
    [
        "python3 -m py_compile .cursor/hooks/session_budget_guard.py || true",
        "true # python3 .cursor/hooks/session_budget_guard.py",
        f"false && {GUARD}",
        f"test -e x && {GUARD}",
        f"true || {GUARD}",
        f"# {GUARD}",
        "sha256sum .cursor/hooks/session_budget_guard.py",
        "python3 check.py .cursor/hooks/session_budget_guard.py",
        "cd .cursor/hooks/session_budget_guard.py",
        "cat .cursor/hooks/session_budget_guard.py | wc -l",
        "python3 .cursor/hooks/session_budget_guard.py.orig",
        "python3 -c 'print(1)' .cursor/hooks/session_budget_guard.py",
        f"echo '{GUARD.replace(chr(39), chr(34))}'",
        f"if false; then {GUARD}; fi",
        f"{GUARD} < /dev/null",
        f"{GUARD} 2>/dev/null </dev/null || true",
        f"{GUARD} > /dev/null",
        f"{GUARD} &> /dev/null",
        f"{GUARD} &",
        f"cat notes.txt | {GUARD}",
        "python3 .cursor/hooks/session_budget_guard.py#x",
        "",
    ],
)
def test_line_that_may_only_name_a_hook_is_in_doubt(line: str) -> None:
    assert registration.surely_runs(line) == ""
