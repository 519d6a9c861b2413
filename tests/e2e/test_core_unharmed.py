"""What Safepoint must not change: the user's own rules, and tools when it is broken itself."""

import shutil

import pytest
from model_script import bash, call, turn
from safepoint_install import told
from scratch_project import Project


def whole_folder(hooks):
    shutil.rmtree(hooks)


def package(hooks):
    (folder,) = hooks.glob("_safepoint_*")
    shutil.rmtree(folder)


def settings_file(hooks):
    (hooks / "settings.json").unlink()


def garbage_in_settings(hooks):
    (hooks / "settings.json").write_bytes(b"\xff{]" * 100)


def half_of_settings(hooks):
    path = hooks / "settings.json"
    path.write_bytes(path.read_bytes()[:700])


DAMAGE = [whole_folder, package, settings_file, garbage_in_settings, half_of_settings]


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_every_tool_still_runs_when_files_of_ours_are_gone(claude, project, safepoint, model, damage):
    damage(safepoint.hooks)
    tools = turn(
        bash("touch by-bash"),
        call("Write", file_path=str(project.path / "by-write"), content="x"),
        call("Read", file_path=str(project.path / "README.md")),
        tokens=160_000,
    )
    stub = model(tools, turn(bash("touch later")), "Done here.")
    run = claude.run(project, stub, "go on")
    assert (run.status, run.text, stub.unplayed) == (0, "Done here.", 0), run
    assert all((project.path / name).exists() for name in ("by-bash", "by-write", "later"))
    assert "# A scratch project" in stub.main[1].new_text and "hook error" not in stub.main[1].new_text


@pytest.mark.parametrize("damage", [settings_file, garbage_in_settings], ids=lambda damage: damage.__name__)
def test_settings_that_cannot_be_read_are_told_once(claude, project, safepoint, model, damage):
    damage(safepoint.hooks)
    run = claude.run(project, model(turn(bash("echo 1")), turn(bash("echo 2"))), "go on")
    assert len(told(run)) == 1 and "settings.json" in told(run)[0]


def test_green_run_asks_the_users_rules_as_one_without_it_does(claude, safepoint, model, tmp_path):
    plain = Project(tmp_path / "plain")
    results = []
    for project in (plain, safepoint.project):
        project.write(".claude/settings.local.json", '{"permissions": {"deny": ["Read(./secret.txt)"]}}')
        project.write("secret.txt", "s")
        stub = model(
            turn(bash("touch asked"), call("Write", file_path=str(project.path / "asked"), content="x")),
            turn(call("Read", file_path=str(project.path / "secret.txt"))),
            turn(call("Read", file_path=str(project.path / "README.md"))),
        )
        run = claude.run(project, stub, "go on", tools="Read")
        shown = [text for request in stub.main[1:] for text in request.new_tool_results]
        denials = [(one["tool_name"], one["tool_input"]) for one in run.result["permission_denials"]]
        results.append(repr((shown, denials)).replace(str(project.path), "PROJECT"))
        assert not (project.path / "asked").exists()
    assert results[0] == results[1]
    assert "permission" in results[0]


def test_hooks_of_others_stay_and_run(claude, project, model):
    from safepoint_install import Safepoint

    project.hook("PostToolUse", {"systemMessage": "MINE"})
    before = project.read(".claude/settings.json")
    safepoint = Safepoint(project)
    run = claude.run(project, model(turn(bash("echo 1"), tokens=130_000)), "go on")
    assert sorted(line[:9] for line in told(run)) == ["MINE", "Safepoint"]
    safepoint.command("uninstall", ".", "--yes")
    assert project.read(".claude/settings.json") == before
