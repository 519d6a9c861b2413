from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from safepoint import cli
from safepoint.errors import SafepointError


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "safepoint", *arguments],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


# --- the frame ----------------------------------------------------------------------------------------------


def test_help_names_every_command_and_imports_none() -> None:
    code = (
        "import sys\nfrom safepoint.cli import entry\ntry: entry(['--help'])\n"
        "finally: print([m for m in ('pydantic', 'yaml', 'filelock') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "[]\n")
    for name, command in cli.COMMANDS.items():
        assert f"{name} " in done.stdout and command.help in done.stdout


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_has_help(name: str) -> None:
    done = run(name, "--help")
    assert done.returncode == 0 and done.stdout.startswith(f"Usage: {sys.executable} -m safepoint {name}")


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (SafepointError("the disk is gone"), 1, "safepoint: the disk is gone\n"),
        (click.UsageError("no such thing"), 2, "Error: no such thing\n"),
        (KeyboardInterrupt(), 130, "\ninterrupted\n"),
        (click.Abort(), 130, "\ninterrupted\n"),
    ],
)
def test_each_failure_has_its_code(
    raised: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(cli.main, "main", raiser(raised))
    with pytest.raises(SystemExit) as caught:
        cli.entry(["status"])
    assert (caught.value.code, capsys.readouterr().err) == (code, said)


def raiser(error: BaseException) -> Any:
    def fail(*_arguments: object, **_options: object) -> None:
        raise error

    return fail


def test_a_bug_leaves_its_traceback_in_a_file(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli.main, "main", raiser(ZeroDivisionError("oh")))
    with pytest.raises(SystemExit) as caught:
        cli.entry(["status", "x"])
    assert caught.value.code == 3
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "safepoint: this is a bug: ZeroDivisionError: oh"
    (log,) = (home / ".cache/safepoint").glob("error-*.log")
    assert said[1] == f"The traceback is in {log}"
    assert log.read_text().startswith("safepoint status x\n") and "Traceback" in log.read_text()


def test_a_reader_that_leaves_early_is_no_bug() -> None:
    line = f"{sys.executable} -m safepoint --help | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert done.stdout.strip() in ("0", "1") and done.stderr == ""


def test_an_expected_failure_is_json_where_json_was_asked_for() -> None:
    done = run("install", "/nowhere", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"] == {"message": "/nowhere: there is no such folder"}


def test_both_ways_out_name_the_command_with_its_group(repo: Path) -> None:
    run("install", str(repo))
    failed = run("campaign", "list", "--remote", "--json", cwd=repo)
    assert failed.returncode == 1 and json.loads(failed.stdout)["command"] == "campaign list"
    (repo / ".cursor/.session").mkdir()
    failed = run("todo", "add", "Tests", "--session", "nobody", "--json", cwd=repo)
    assert json.loads(failed.stdout)["command"] == "todo add"
    assert json.loads(run("todo", "--json", cwd=repo).stdout)["command"] == "todo"


# --- install, uninstall, generate ---------------------------------------------------------------------------


def test_install_says_what_it_did_and_again_that_there_is_nothing(repo: Path) -> None:
    said = run("install", str(repo)).stdout
    for part in (
        "  create  .cursor/hooks/_safepoint_",
        "  create  .cursor/hooks.json\n",
        "  create  .claude/settings.json\n",
        "is on for Cursor and Claude Code.",
    ):
        assert part in said
    assert run("install", ".", cwd=repo).stdout == "Nothing to do: everything is up to date.\n"
    assert run("uninstall", str(repo)).stdout.endswith("Safepoint is out of this repository.\n")
    assert run("uninstall", str(repo)).stdout.startswith(f"Nothing is installed in {repo}")


def test_dry_run_prints_a_diff_that_git_can_apply_and_writes_nothing(repo: Path) -> None:
    (repo / ".claude").mkdir()
    file = repo / ".claude/settings.json"
    file.write_bytes(b'{\n  "model": "opus"\n}')
    said = run("install", str(repo), "--dry-run").stdout
    assert "--- a/.claude/settings.json\n+++ b/.claude/settings.json\n" in said
    assert "\\ No newline at end of file" in said and said.endswith("Nothing was written.\n")
    assert [path.name for path in repo.iterdir() if path.name != ".git"] == [".claude"]
    patch = said[said.index("--- ") : said.rindex("Nothing was written.")]
    subprocess.run(["git", "apply", "-"], cwd=repo, input=patch, text=True, check=True)
    applied = file.read_bytes()
    file.write_bytes(b'{\n  "model": "opus"\n}')
    run("install", str(repo))
    assert file.read_bytes() == applied


def test_dry_run_shows_the_users_own_files_first(repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.json").write_text("{}")
    lines = run("install", str(repo), "--dry-run").stdout.splitlines()
    theirs, ours = lines.index("Your own files:"), lines.index("Safepoint's files:")
    assert theirs < lines.index("--- a/.claude/settings.json") < ours
    assert "  change  .claude/settings.json" in lines[theirs:ours]
    assert {"  create  .cursor/hooks/manifest.yaml", "  create  .cursor/hooks.json"} <= set(lines[ours:])
    assert [line for line in lines if line.startswith("+++ ")] == ["+++ b/.claude/settings.json"]


def test_the_result_as_json(repo: Path) -> None:
    result = json.loads(run("install", str(repo), "--host", "claude", "--json").stdout)
    assert (result["schema_version"], result["command"], result["done"]) == (1, "install", True)
    assert result["hosts"] == ["claude_code"]
    assert {"action": "create", "path": ".claude/settings.json"} in result["changes"]
    planned = json.loads(run("uninstall", str(repo), "--dry-run", "--json").stdout)
    assert planned["dry_run"] is True and planned["done"] is False
    assert {"action": "remove", "path": ".claude/settings.json"} in planned["changes"]


def test_purge_wants_a_yes(repo: Path) -> None:
    run("install", str(repo))
    (repo / ".cursor/.session").mkdir()
    (repo / ".cursor/.session/handoff-x.md").write_text("gone")
    refused = run("uninstall", str(repo), "--purge")
    assert (refused.returncode, refused.stderr) == (
        1,
        "safepoint: --purge deletes handoffs, and work put aside at Red, for good: add --yes\n",
    )
    said = run("uninstall", str(repo), "--purge", "-y").stdout
    assert "remove  .cursor/.session/ (1 file of sessions)\n" in said
    assert not (repo / ".cursor").exists()


def test_generate_compiles_an_installed_manifest(repo: Path) -> None:
    assert f"not installed in {repo}" in run("generate", str(repo)).stderr
    run("install", str(repo))
    file = repo / ".cursor/hooks/manifest.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("calls: 5", "calls: 6"), encoding="utf-8")
    stale = run("generate", str(repo), "--check")
    assert stale.returncode == 1
    assert ".cursor/hooks/settings.json: differs from what manifest.yaml says" in stale.stderr
    assert f"safepoint generate {repo}" in stale.stderr
    assert run("generate", ".", cwd=repo).stdout.startswith("wrote .cursor/hooks/settings.json\n")
    assert run("generate", str(repo), "--check").returncode == 0


def test_from_a_subfolder_the_installation_above_is_meant(repo: Path) -> None:
    below = repo / "src/deep"
    below.mkdir(parents=True)
    run("install", str(repo))
    assert run("generate", cwd=below).stdout == "Everything generated is up to date.\n"
    assert json.loads(run("generate", "--json", cwd=below).stdout)["project"] == str(repo)
    assert json.loads(run("doctor", "--json", cwd=below).stdout)["project"] == str(repo)
    refused = run("uninstall", cwd=below)
    assert refused.returncode == 1 and f"but in {repo}. To take it out there" in refused.stderr
    assert (repo / ".cursor/hooks.json").exists()


PAYLOAD = __file__  # a file that is there
NEED_AN_INSTALLATION = [
    "push", "pull", "fetch", "restore", "restore --local", "restore --local --list", "extend", "explain",
    "open", "resume", "resume --list", "resume --pick x", "resume --dismiss x", "prune", "prune --dry-run",
    "prune --undo", "generate", "hook session_stop", "hook nope", f"replay {PAYLOAD}", "run task",
    "campaign list --remote", "todo", "todo list", "todo add x", "todo write",
    *(f"todo {name} 1" for name in ("start", "done", "stop", "drop")),
]  # fmt: skip
# Files of a campaign can be there without hooks. The others look, install, or go by what they are given.
NEED_NONE = {
    "campaign": {"start", "show", "list", "finish"}, "checkpoint": {"save", "show"},
    "step": {"start", "progress", "done", "block", "fail", "show", "take-over"},
    "install": {""}, "uninstall": {""}, "doctor": {""}, "demo": {""}, "status": {""}, "simulate": {""},
    "statusline": {""}, "mcp": {""}, "validate": {""},
}  # fmt: skip


@pytest.mark.parametrize("command", NEED_AN_INSTALLATION)
def test_where_nothing_is_installed_that_is_said_first(
    repo: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CLAUDECODE", "CURSOR_AGENT"):
        monkeypatch.delenv(name, raising=False)
    done = run(*command.split(), cwd=repo)
    said = f"safepoint: Safepoint is not installed in {repo}, nor in a folder above it. Install it:"
    assert done.returncode == 1 and done.stderr.startswith(said) and done.stdout == ""
    assert [path.name for path in repo.iterdir()] == [".git"]


def test_of_every_command_it_is_known_whether_it_needs_an_installation() -> None:
    needing = [command.split() for command in NEED_AN_INSTALLATION]
    for name in cli.COMMANDS:
        command = cli.main.get_command(click.Context(cli.main), name)
        subs = command.list_commands(click.Context(command)) if isinstance(command, click.Group) else [""]
        for sub in subs:
            needs = any(words[0] == name and (not sub or words[1:2] == [sub]) for words in needing)
            assert needs or sub in NEED_NONE.get(name, set()), f"{name} {sub}".strip()


def test_what_a_plugin_has_left_is_enough_for_a_command(repo: Path) -> None:
    said = f"Safepoint is not installed in {repo}, nor in a folder above it."
    assert run("status", cwd=repo).stdout.startswith(f"{said} Install it: ")
    (repo / ".cursor/.session").mkdir(parents=True)
    assert run("status", cwd=repo).stdout.startswith(f"{said} Hooks have run here, as those of a plugin do.")
    for command in ("resume", "prune", "restore --local --list", "hook session_stop"):
        done = run(*command.split(), cwd=repo)
        assert (done.returncode, done.stderr) == (0, ""), command


def test_where_nothing_was_put_aside_it_is_said_what_puts_it_there(repo: Path) -> None:
    (repo / ".cursor/.session").mkdir(parents=True)
    told = run("restore", "--local", "--list", cwd=repo).stdout
    assert told.startswith(f"No work is put aside in {repo} (as refs/safepoint/local/") and "Red" in told
    again = run("restore", "--local", cwd=repo)
    assert again.returncode == 1 and told.strip()[3:-1] in again.stderr


def test_uninstall_of_nothing_says_so_and_names_what_is_left(repo: Path) -> None:
    nothing = f"Nothing is installed in {repo}, so nothing was changed."
    for options in ([], ["--purge", "-y"], ["--dry-run"]):
        done = run("uninstall", str(repo), *options)
        assert (done.returncode, done.stdout) == (0, f"{nothing}\n"), options
    (repo / ".cursor/.session").mkdir(parents=True)
    (repo / ".cursor/.session/handoff-x.md").write_text("of a plugin")
    told = run("uninstall", str(repo)).stdout
    assert told.startswith(nothing) and "--purge removes them" in told and "plugin" in told
    assert (repo / ".cursor/.session/handoff-x.md").exists()


def test_a_wrong_manifest_is_told_line_by_line(repo: Path) -> None:
    run("install", str(repo))
    file = repo / ".cursor/hooks/manifest.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("calls: 5", "calls: x").replace("0.78", "7"))
    done = run("generate", str(repo))
    assert done.returncode == 1
    first, second = done.stderr.splitlines()
    assert first.startswith("safepoint: .cursor/hooks/manifest.yaml:")
    assert second.startswith(".cursor/hooks/manifest.yaml:")


def on_a_terminal(arguments: list[str], keys: bytes, cwd: Path) -> tuple[int, str]:
    """Run a command as a person would, with `keys` typed in."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execv(sys.executable, [sys.executable, "-m", "safepoint", *arguments])
    os.write(terminal, keys)
    said = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:
            part = b""
        if not part:
            break
        said += part
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()


def test_on_a_terminal_it_asks_first(repo: Path) -> None:
    code, said = on_a_terminal(["install"], b"n\n", repo)
    assert code == 130 and "Install? [Y/n]" in said
    assert not (repo / ".cursor").exists()
    code, said = on_a_terminal(["install"], b"y\n", repo)
    assert code == 0 and (repo / ".cursor/hooks.json").exists()


def test_in_a_subfolder_it_offers_both_places(repo: Path) -> None:
    (repo / "sub").mkdir()
    code, _ = on_a_terminal(["install", "sub"], b"2\ny\n", repo)
    assert code == 0
    assert (repo / ".cursor/hooks.json").exists() and not (repo / "sub/.cursor").exists()


# --- the launcher -------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    """The launcher in a repository without an environment."""
    (tmp_path / "copy").mkdir()
    for name in ("bin", "pyproject.toml"):
        subprocess.run(["cp", "-R", ROOT / name, tmp_path / "copy"], check=True)
    return tmp_path / "copy/bin/safepoint"


def test_the_launcher_says_when_there_is_no_python(launcher: Path) -> None:
    environment = {**os.environ, "SAFEPOINT_PYTHON": "/no/python"}
    done = subprocess.run([launcher], env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "safepoint: SAFEPOINT_PYTHON=/no/python is no Python 3.10 or later.\n"


def test_the_launcher_says_when_venv_is_missing(launcher: Path) -> None:
    python = launcher.parent / "python"
    python.write_text('#!/bin/sh\ncase "$*" in *venv*) exit 1;; esac\n')
    python.chmod(0o755)
    environment = {**os.environ, "SAFEPOINT_PYTHON": str(python)}
    done = subprocess.run([launcher], env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "apt install python3-venv" in done.stderr
    assert not (launcher.parents[1] / ".venv.lock").exists()
