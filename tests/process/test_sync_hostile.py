"""A bundle is data of a stranger: what is not one is refused before anything is written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from git_command import git
from two_clones import Clones, red, run

from safepoint import cli
from safepoint.errors import SafepointError
from safepoint.hot.stores import bundle_check, checkpoints
from safepoint.sync import pack
from safepoint.sync.git import Git

REF = "refs/safepoint/fix-basket"


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    made = Clones(tmp_path)
    red(made.a, "first-chat")
    (made.a / "basket.py").write_text("changed\n")
    run(made.a, "push")
    return made


def files_of(clones: Clones) -> dict[str, bytes]:
    names = git(clones.remote, "ls-tree", "-r", "--name-only", REF).split("\n")
    return {name: git(clones.remote, "show", f"{REF}:{name}").encode() for name in names}


def put(clones: Clones, files: dict[str, bytes]) -> None:
    """Have these files as the campaign's bundle on the remote."""
    tool = Git(str(clones.a))
    work = git(clones.remote, "rev-parse", f"{REF}^")
    sha = pack.commit(tool, pack.tree_of(tool, files), work, "hostile")
    git(clones.a, "push", "-q", "-f", "origin", f"{sha}:{REF}")


def change(name: str, **fields: Any) -> Callable[[dict[str, bytes]], None]:
    def edit(files: dict[str, bytes]) -> None:
        value = json.loads(files[name])
        value.update(fields)
        if name == "checkpoint.json":
            value["sha256"] = checkpoints.digest(value)
        files[name] = json.dumps(value).encode()

    return edit


def point(**fields: Any) -> Callable[[dict[str, bytes]], None]:
    def edit(files: dict[str, bytes]) -> None:
        value = json.loads(files["checkpoint.json"])
        value["resume_point"].update(fields)
        value["sha256"] = checkpoints.digest(value)
        files["checkpoint.json"] = json.dumps(value).encode()

    return edit


def lay(name: str, data: bytes) -> Callable[[dict[str, bytes]], None]:
    def edit(files: dict[str, bytes]) -> None:
        files[name] = data

    return edit


def drop(name: str) -> Callable[[dict[str, bytes]], None]:
    def edit(files: dict[str, bytes]) -> None:
        del files[name]

    return edit


HOSTILE = {
    "a slug that leads out": (change("bundle.json", campaign="../x"), "no name of a campaign"),
    "another campaign": (change("bundle.json", campaign="other"), "another campaign"),
    "a session id that leads out": (change("bundle.json", session_id="../../x"), "no id"),
    "no JSON": (lay("bundle.json", b"{"), "no JSON"),
    "JSON that is deep": (lay("resume-point.json", b"[" * 100_000), "no JSON"),
    "a list for an object": (lay("checkpoint.json", b"[]"), "no object"),
    "a number for a text": (change("bundle.json", by=3), "bundle.json: top.by"),
    "true for a number": (change("bundle.json", created_at_unix=True), "created_at_unix"),
    "a time before all times": (change("bundle.json", created_at_unix=-10**30), "is no time"),
    "a time that is none": (point(open_errors=[{"key": "", "tool": "", "message": "", "at": 1e300}]),
                            "is no time"),
    "a host that is none": (change("bundle.json", host="x"), "host"),
    "a newer version": (change("bundle.json", schema_version=2), "newer version"),
    "a report that leads out": (change("bundle.json", report="../../x.md"), "leaves the project"),
    "a changed checkpoint": (lambda files: lay("checkpoint.json", files["checkpoint.json"].replace(
        b"make test", b"rm -rf /"))(files), "digest"),
    "a checkpoint of another session": (point(orig_session_id="x"), "another campaign or session"),
    "todos that are none": (point(todos=["x"]), "todos"),
    "work done that is none": (point(completed_work=[{"description": 1}]), "completed_work"),
    "no checkpoint": (drop("checkpoint.json"), "missing"),
    "no handoff": (drop("handoff.md"), "missing"),
    "a file too many": (lay("evil.md", b"x"), "no file of a bundle"),
    "an envelope with an odd name": (lay("artifacts/..md", b"x"), "no file of a bundle"),
    "an envelope that is none": (lay("artifacts/x.sh", b"x"), "no file of a bundle"),
    "two names in another case": (lambda files: files.update(
        {"artifacts/fix-basket--step1.md": b"1", "artifacts/FIX-basket--step1.md": b"2"}), "letters alone"),
    "a huge file": (lay("notes.md", b"x" * 3_000_000), "too large"),
}  # fmt: skip


def state_of(project: Path) -> list[str]:
    """All files of the project but git's own and the folder's that a reader makes for itself."""
    found = []
    for where, _, names in os.walk(project):
        if "/.git" not in where:
            found += [f"{where}/{name}" for name in names if name != ".gitignore"]
    return sorted(found)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_bundle_is_refused_and_nothing_is_written(clones: Clones, kind: str) -> None:
    edit, words = HOSTILE[kind]
    files = files_of(clones)
    edit(files)
    put(clones, files)
    before = state_of(clones.b)
    with pytest.raises(SafepointError, match=words):
        run(clones.b, "pull")
    assert state_of(clones.b) == before
    assert run(clones.b, "resume")["handoffs"] == []
    assert [one["ref"] for one in run(clones.b, "fetch")["campaigns"]] == ["fix-basket"]


@pytest.mark.parametrize("mode", ["120000", "100755", "160000"])
def test_link_program_or_submodule_in_a_bundle_is_refused(clones: Clones, mode: str) -> None:
    tree = git(clones.remote, "ls-tree", f"{REF}").replace("100644 blob", f"{mode} blob", 1)
    if mode == "160000":
        tree = re.sub("160000 blob [0-9a-f]+", "160000 commit " + "1" * 40, tree)
    made = git(clones.remote, "mktree", "--missing", given=tree.encode() + b"\n")
    sha = git(clones.remote, "commit-tree", made, "-p", f"{REF}^", "-m", "x")
    git(clones.remote, "update-ref", REF, sha)
    with pytest.raises(SafepointError, match="not a regular file"):
        run(clones.b, "pull")


def test_ref_that_names_a_blob_is_no_bundle(clones: Clones) -> None:
    blob = git(clones.remote, "rev-parse", f"{REF}:handoff.md")
    git(clones.remote, "update-ref", "refs/safepoint/blob", blob)
    found = run(clones.b, "fetch")["campaigns"]
    assert ["no commit" in one["problem"] for one in found] == [True, False]


def test_words_of_a_stranger_do_not_reach_the_terminal(clones: Clones) -> None:
    files = files_of(clones)
    evil = "\x1b]0;owned\x07\x1b[2J"
    change("bundle.json", by=evil, machine=evil, branch=evil, left_out=[evil])(files)
    put(clones, files)
    for command in (["fetch"], ["pull"]):
        shown = CliRunner().invoke(cli.main, [*command, "--project", str(clones.b)]).output
        assert "fix-basket" in shown and "\x1b" not in shown and "\x07" not in shown


def test_marks_of_files_elsewhere_are_dropped(clones: Clones) -> None:
    """A checkpoint that names /etc/passwd has nothing of it looked at here."""
    files = files_of(clones)
    marks = [{"path": path, "size": 1, "mtime_ns": 1} for path in ("/etc/passwd", "../x", "basket.py", "~/x")]
    change("checkpoint.json", file_marks=marks)(files)
    put(clones, files)
    run(clones.b, "pull")
    kept = checkpoints.read(str(clones.b / ".cursor/.session/red-checkpoint-first-chat.json"))
    assert [mark["path"] for mark in kept["file_marks"]] == ["basket.py"]


@pytest.mark.parametrize("report", [".git/hooks/x.md", ".claude/CLAUDE.md", "CLAUDE.md", "docs/x.md"])
def test_report_is_written_in_the_folder_of_reports_alone(clones: Clones, report: str) -> None:
    files = files_of(clones)
    files["report.md"] = b"# Mine\n"
    change("bundle.json", report=report)(files)
    put(clones, files)
    before = (clones.b / report).exists()
    run(clones.b, "pull")
    assert (clones.b / report).exists() == before
    change("bundle.json", report="docs/agent-tasks/reports/fix-basket.md")(files)
    put(clones, files)
    run(clones.b, "pull")
    assert (clones.b / "docs/agent-tasks/reports/fix-basket.md").read_text() == "# Mine\n"


def test_state_folder_that_is_a_link_is_not_written_through(clones: Clones) -> None:
    outside = clones.folder / "outside"
    outside.mkdir()
    (clones.b / ".cursor/.session").symlink_to(outside)
    with pytest.raises(SafepointError, match="symbolic link"):
        run(clones.b, "pull")
    assert list(outside.iterdir()) == []


def test_work_that_is_not_the_bundles_own_is_not_restored(clones: Clones) -> None:
    files = files_of(clones)
    change("bundle.json", work_sha=git(clones.remote, "rev-parse", "main"))(files)
    put(clones, files)
    run(clones.b, "pull")
    with pytest.raises(SafepointError, match="no sound bundle"):
        run(clones.b, "restore")


def test_older_version_of_a_file_is_set_aside_and_comes_back(clones: Clones) -> None:
    files = files_of(clones)
    run(clones.b, "pull")
    handoff = clones.b / ".cursor/.session/handoff-first-chat.md"
    first = handoff.read_text()
    files["handoff.md"] += b"\nmore\n"
    put(clones, files)
    assert run(clones.b, "pull")["moved"] == [".cursor/.session/handoff-first-chat.md"]
    (aside,) = (clones.b / ".cursor/.session/pruned").glob("*/.session/handoff-first-chat.md")
    assert aside.read_text() == first and handoff.read_text().endswith("more\n")


def test_table_of_the_check_has_the_fields_of_the_shapes() -> None:
    from safepoint.hot.shapes import Bundle, GitSnapshot, RedCheckpoint, ResumePoint

    for shape, wanted in ((bundle_check.POINT, ResumePoint), (bundle_check.CHECKPOINT, RedCheckpoint),
                          (bundle_check.BUNDLE, Bundle),
                          (bundle_check.POINT["git_snapshot"], GitSnapshot)):  # fmt: skip
        assert {name.rstrip("?") for name in shape} == set(wanted.__annotations__)
