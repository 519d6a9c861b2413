"""Old sessions go by themselves at a session's start, by command, and come back."""

from __future__ import annotations

import json
import os
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from claude_chat import ClaudeChat, is_denied
from click.testing import CliRunner

from safepoint import cli, housekeeping
from safepoint.errors import SafepointError
from safepoint.hot.stores import pruning, retention
from safepoint.hot.stores.paths import Paths
from safepoint.sessions import load


def prune(project: Path, *options: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli.main, ["prune", str(project), "--json", *options], standalone_mode=False)
    if result.exception:
        raise result.exception
    value = json.loads(result.output)
    assert isinstance(value, dict)
    return value


def age(project: Path, days: int) -> None:
    at = time.time() - days * 86_400
    for file in (project / ".cursor").glob(".[sta]*/**/*"):
        os.utime(file, (at, at))


def work(project: Path, name: str, tokens: int = 50_000) -> ClaudeChat:
    chat = ClaudeChat(project, name)
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Add a discount")
    chat.context(tokens)
    chat.tool("Bash", command="make")
    return chat


def test_a_start_prunes_once_a_day_and_the_pending_handoff_stays(project: Path) -> None:
    work(project, "old-green")
    red = work(project, "old-red", 160_000)
    assert is_denied(red.tool("Bash", command="make"))
    age(project, 45)
    folder = project / ".cursor/.session"
    work(project, "today")
    assert not (folder / "old-green.journal.jsonl").exists()
    assert (folder / "old-red.journal.jsonl").exists() and (folder / "handoff-old-red.md").exists()
    assert load(Paths(str(project)), "old-red")["latch"] is not None
    (moved,) = (folder / "pruned").glob("*/.session/old-green.journal.jsonl")
    work(project, "second")
    age_of_mark = time.time() - (folder / ".pruned").stat().st_mtime
    assert 0 <= age_of_mark < 60 and moved.exists()


def test_it_can_be_switched_off(project: Path) -> None:
    work(project, "old-green")
    age(project, 45)
    settings = project / ".cursor/hooks/settings.json"
    settings.write_text(
        settings.read_text().replace(
            '"housekeeping": {\n    "mode": "on"', '"housekeeping": {\n    "mode": "off"'
        )
    )
    work(project, "today")
    assert (project / ".cursor/.session/old-green.journal.jsonl").exists()


def test_the_command_says_what_goes_and_brings_it_back(project: Path) -> None:
    work(project, "old")
    before = load(Paths(str(project)), "old")
    age(project, 45)
    dry = prune(project, "--dry-run")
    assert [one["session"] for one in dry["sessions"]] == ["old"] and dry["sessions"][0]["reason"] == "age"
    assert (project / ".cursor/.session/old.journal.jsonl").exists()
    done = prune(project)
    assert done["sessions"] == dry["sessions"] and done["moved_to"].startswith(".cursor/.session/pruned/")
    assert not (project / ".cursor/.session/old.journal.jsonl").exists()
    assert prune(project, "--undo")["left"] == []
    assert load(Paths(str(project)), "old") == before
    with pytest.raises(SafepointError, match="nothing is there to bring back"):
        prune(project, "--undo")


def test_text_of_the_command(project: Path) -> None:
    run = CliRunner().invoke
    assert run(cli.main, ["prune", str(project)]).output == "Nothing is old enough.\n"
    work(project, "old")
    age(project, 45)
    said = run(cli.main, ["prune", str(project), "--dry-run"]).output
    assert said.startswith("old  last 20") and said.endswith("(age)\nNothing was moved.\n")
    undo = shlex.join(["safepoint", "prune", str(project), "--undo"])
    assert run(cli.main, ["prune", str(project)]).output.endswith(f" To bring it back: {undo}\n")
    assert "restored." in run(cli.main, ["prune", str(project), "--undo"]).output
    assert run(cli.main, ["prune", str(project), "--max-age-days", "1"]).exit_code == 2


@pytest.mark.parametrize("link", ["pruned", "pruned/2020-01-01"])
def test_undo_takes_nothing_out_of_a_link(project: Path, tmp_path: Path, link: str) -> None:
    theirs = tmp_path / "theirs"
    for name in ("2020-01-01/.session/x.md", ".session/x.md"):
        (theirs / name).parent.mkdir(parents=True)
        (theirs / name).write_text("theirs")
    at = project / ".cursor/.session" / link
    at.parent.mkdir(parents=True, exist_ok=True)
    at.symlink_to(theirs)
    with pytest.raises(SafepointError, match="nothing is there to bring back"):
        housekeeping.undo(str(project))
    assert len([path for path in theirs.rglob("*") if path.is_file()]) == 2


def old_sessions(project: Path, count: int) -> Paths:
    paths = Paths(str(project))
    os.makedirs(paths.session)
    for number in range(count):
        for name in ("{}.journal.jsonl", "{}.state.json", "{}.lock", "handoff-{}.md"):
            file = Path(paths.session) / name.format(f"s{number}")
            file.write_bytes(b"x")
            os.utime(file, (time.time() - 45 * 86_400,) * 2)
    return paths


def test_what_a_start_has_no_time_for_is_done_behind_it(tmp_path: Path) -> None:
    paths = old_sessions(tmp_path, 2_500)
    pruning.daily(paths, retention.DEFAULTS, time.time())
    assert os.path.exists(paths.prune_mark())
    until = time.monotonic() + 30
    while any(name.startswith("s") for name in os.listdir(paths.session) if name != "settled"):
        assert time.monotonic() < until
        time.sleep(0.02)
    (day,) = pruning.days(paths)
    assert len(os.listdir(f"{paths.session}/pruned/{day}/.session")) == 10_000
