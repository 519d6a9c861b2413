"""Copies that an installation keeps: private, out of git's sight, and said."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_install import HOOKS, edit, git, put_in, recompile, take_out, tree

from safepoint import generate, install_record

PRIVATE = ".claude/settings.local.json"
COPY = f"{HOOKS}/backup/claude_settings.local.json"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("settings.local.json\n.gitignore\n")
    (tmp_path / ".claude").mkdir()
    (tmp_path / PRIVATE).write_text('{\n  "token": "x"\n}\n')
    return tmp_path


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


def test_a_copy_that_stays_is_private_and_ignored(repo: Path) -> None:
    put_in(repo, scope="local")
    assert (mode(repo / COPY), mode((repo / COPY).parent)) == (0o600, 0o700)
    edit(repo / PRIVATE, '"token"', '"key"')
    take_out(repo)
    assert (repo / COPY).is_file()
    assert (mode(repo / COPY), mode((repo / COPY).parent)) == (0o600, 0o700)
    assert git(repo, "status", "--porcelain", "-uall") == ""


def test_copies_of_an_older_version_become_private(repo: Path) -> None:
    put_in(repo, scope="local")
    (repo / HOOKS / "backup/.gitignore").unlink()
    (repo / HOOKS / "backup").chmod(0o755)
    edit(repo / PRIVATE, '"token"', '"key"')
    take_out(repo)
    assert git(repo, "status", "--porcelain", "-uall") == ""
    assert mode(repo / HOOKS / "backup") == 0o700


def test_an_edited_script_is_kept_when_it_is_replaced(repo: Path) -> None:
    before = tree(repo)
    put_in(repo)
    for number in ("", "2-"):
        script = repo / HOOKS / "session_stop.py"
        came = script.read_bytes()
        script.write_bytes(came + f"print('mine {number}')\n".encode())
        mine = script.read_bytes()
        plan = put_in(repo)
        kept = f"{HOOKS}/backup/edited-{number}session_stop.py"
        assert script.read_bytes() == came and (repo / kept).read_bytes() == mine
        assert (
            f"{HOOKS}/session_stop.py was edited and is replaced; the edited one is kept in {kept}."
            in plan.notes
        )
        assert f"{HOOKS}/session_stop.py" in plan.yours
    assert put_in(repo).changes == []
    plan_out = take_out(repo)
    assert plan_out and any(
        "edited-2-session_stop.py" in note and "--purge" in note for note in plan_out.notes
    )
    put_in(repo)
    take_out(repo, purge=True)
    assert {path for path, content in tree(repo).items() if path not in before and content} == set()


def test_an_edit_is_kept_when_the_record_is_lost(repo: Path) -> None:
    put_in(repo)
    (repo / install_record.PATH).unlink()
    script = repo / HOOKS / "session_stop.py"
    script.write_bytes(script.read_bytes() + b"print('mine')\n")
    put_in(repo)
    assert b"mine" in (repo / HOOKS / "backup/edited-session_stop.py").read_bytes()
    assert [file.name for file in (repo / HOOKS / "backup").glob("edited-*")] == ["edited-session_stop.py"]


def test_generate_keeps_an_edit_and_names_no_copies(repo: Path) -> None:
    put_in(repo)
    edit(repo / HOOKS / "settings.json", '"mode": "enforce"', '"mode": "warn"')
    plan = recompile(repo)
    assert '"mode": "warn"' in (repo / HOOKS / "backup/edited-settings.json").read_text()
    assert [one.path for one in generate.from_changes(plan.changes)] == [f"{HOOKS}/settings.json"]


def test_moving_between_scopes_is_said(repo: Path) -> None:
    (repo / ".gitignore").unlink()
    put_in(repo, hosts=("claude_code",))
    git(repo, "add", ".claude/settings.json")
    plan = put_in(repo, scope="local")
    assert plan.notes[-1] == (
        "It was installed for everybody and is now for you alone. The registration moves from "
        ".claude/settings.json to .claude/settings.local.json. Once you commit that, colleagues have the "
        "hooks no more."
    )
    assert "is now for everybody. The registration moves" in put_in(repo, scope="shared").notes[-1]
    assert not any("It was installed for" in note for note in put_in(repo).notes)
