"""The repository as a plugin of the real client: validated, run by itself, and beside an installation."""

import shutil
import subprocess
from pathlib import Path

import pytest
from model_script import bash, turn
from safepoint_install import told

from safepoint.hot.stores.paths import Paths
from safepoint.sessions import load

ROOT = Path(__file__).resolve().parents[2]
FULL = "because the context of this chat is full"


@pytest.fixture
def plugin(tmp_path):
    """What of the repository its hooks need, under a path that a shell or Python could trip over."""
    folder = tmp_path / "プラグイン 'x' $y"
    for name in (".claude-plugin", "hooks", "src/safepoint/hot"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "src/safepoint/__init__.py", folder / "src/safepoint")
    return folder


def to_red(model):
    return model(
        turn(bash("echo one"), bash("echo two"), tokens=20_000),
        turn(bash("echo three"), tokens=130_000),
        turn(bash("echo four"), tokens=140_000),
        turn(bash("touch side-effect"), tokens=160_000),
        "I stop here.",
    )


def state_of(project, run):
    return load(Paths(str(project.path)), run.session_id)


def test_the_repository_is_a_valid_plugin(client_binary, home):
    command = [client_binary, "plugin", "validate", str(ROOT), "--strict"]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "session_batch" in done.stdout


def test_the_plugin_by_itself_stops_and_hands_over(claude, project, model, plugin):
    stub = to_red(model)
    first = claude.run(project, stub, "work", flags=["--plugin-dir", plugin])
    assert (first.status, first.text, stub.unplayed) == (0, "I stop here.", 0), first
    assert FULL in stub.main[-1].new_tool_results[0] and not (project.path / "side-effect").exists()
    assert len(told(first)) == 2
    assert (project.path / f".cursor/.session/handoff-{first.session_id}.md").is_file()
    assert not (project.path / ".cursor/hooks").exists()

    stub = model("Going on.")
    claude.run(project, stub, "go on", flags=["--plugin-dir", plugin])
    assert any("[CONTEXT_BUDGET_RESUME]" in text for text in stub.main[0].new_reminders)


def test_beside_an_installation_every_event_counts_once(claude, project, safepoint, model, plugin):
    alone = claude.run(project, to_red(model), "work")
    expected = state_of(project, alone)
    safepoint.command("resume", "--dismiss", alone.session_id)
    stub = to_red(model)
    both = claude.run(project, stub, "work", flags=["--plugin-dir", plugin])
    found = state_of(project, both)
    for count in ("tool_calls", "prompts", "grace_used", "todo_log"):
        assert found[count] == expected[count], count
    assert FULL in stub.main[-1].new_tool_results[0]
    assert len(told(both)) == len(told(alone)) == 2


def test_the_settings_of_an_installation_hold_for_the_plugin_too(claude, project, safepoint, model, plugin):
    safepoint.set("mode: enforce", "mode: warn")
    run = claude.run(project, to_red(model), "work", flags=["--plugin-dir", plugin])
    assert run.text == "I stop here." and (project.path / "side-effect").exists()
