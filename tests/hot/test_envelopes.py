from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, Optional

import pytest

from safepoint.hot import front_matter
from safepoint.hot.stores.envelopes import OpenStep, mark_incomplete, open_step
from safepoint.hot.stores.paths import Paths

posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and links")

FOLDER = ".cursor/.artifacts"
DONE, OPEN = "---\nstatus: complete\n---\n", "---\nstatus: in_progress\nphase: review\n---\n"
AT = "2026-01-02T03:04:05Z"


def settings(artifact_dir: str = FOLDER) -> Any:
    return {"campaign": {"report_dir": "docs/reports", "artifact_dir": artifact_dir}}


def put(project: Path, files: dict[str, str], folder: str = FOLDER) -> Paths:
    (project / folder).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (project / folder / name).write_text(text, encoding="utf-8")
    return Paths(str(project))


@pytest.mark.parametrize(
    ("files", "step"),
    [
        pytest.param({}, None, id="none"),
        pytest.param({"fix--step1.md": OPEN}, "step1", id="one"),
        pytest.param({"fix--step1.md": DONE}, None, id="over"),
        pytest.param({"fix--step1.md": DONE, "fix--step2.md": OPEN}, "step2", id="the-next"),
        pytest.param({"fix--step1.md": OPEN, "fix--step2.md": DONE}, "step1", id="a-later-one-is-over"),
        pytest.param({"fix--step9.md": OPEN, "fix--step10.md": OPEN}, "step10", id="by-number"),
        pytest.param({"fix--step03.md": OPEN, "fix--step2.md": OPEN}, "step3", id="leading-zero"),
        pytest.param({"fix--step1.md": "---\nstatus: Blocked # why\n---\n"}, None, id="blocked"),
        pytest.param({"fix--step1.md": "---\nstatus: 'fatal'\n---\n"}, None, id="fatal"),
        pytest.param({"fix--step1.md": "---\nstatus: incomplete\n---\n"}, "step1", id="incomplete"),
        pytest.param({"fix--step1.md": "# no front matter"}, "step1", id="says-nothing"),
        pytest.param({"fix--step1.md": "\ufeff---\r\nstatus: complete\r\n---\r\n"}, None, id="bom-crlf"),
        pytest.param({"fixes--step1.md": OPEN, "fix-a--step1.md": OPEN}, None, id="other-campaigns"),
        pytest.param(
            {"fix--step.md": OPEN, "fix--stepx.md": OPEN, "fix--step1.txt": OPEN}, None, id="other-names"
        ),
        pytest.param({"fix--step\u0661.md": OPEN, "fix--step\u00b2.md": OPEN}, None, id="other-digits"),
        pytest.param({f"fix--step{'9' * 100}.md": OPEN}, None, id="absurd-number"),
        pytest.param(
            {"fix--step-1.md": OPEN, "fix--step+1.md": OPEN, "fix--step1_0.md": OPEN}, None, id="signs"
        ),
    ],
)
def test_open_step(tmp_path: Path, files: dict[str, str], step: Optional[str]) -> None:
    found = open_step(put(tmp_path, files), settings(), "fix")
    assert (found and found.step) == step


def test_open_step_tells_where_and_what(tmp_path: Path) -> None:
    found = open_step(put(tmp_path, {"fix--step3.md": OPEN}), settings(), "fix")
    path = f"{tmp_path}/{FOLDER}/fix--step3.md"
    assert found == OpenStep(path, "step3", "review", "in_progress")
    assert found is not None
    assert (found.path, found.step, found.phase, found.status) == tuple(found)
    assert Paths(str(tmp_path)).relative(found.path) == f"{FOLDER}/fix--step3.md"


@pytest.mark.parametrize("artifact_dir", ["steps", "./steps/", "a//b"])
def test_folder_is_a_setting(tmp_path: Path, artifact_dir: str) -> None:
    paths = put(tmp_path, {"fix--step1.md": OPEN}, artifact_dir)
    found = open_step(paths, settings(artifact_dir), "fix")
    assert found is not None
    assert Path(found.path).is_file()


@pytest.mark.parametrize(
    "artifact_dir", ["..", "../outside", "/", "", ".", "~", "nul\0", "missing", "file.txt"]
)
def test_folder_elsewhere_holds_no_step(tmp_path: Path, artifact_dir: str) -> None:
    put(tmp_path, {"fix--step1.md": OPEN}, "outside")
    put(tmp_path, {"fix--step1.md": OPEN}, ".")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "file.txt").write_text("")
    assert open_step(Paths(str(tmp_path / "project")), settings(artifact_dir), "fix") is None


@posix_only
def test_links_and_pipes_are_passed_over(tmp_path: Path) -> None:
    paths = put(tmp_path, {"fix--step1.md": OPEN})
    folder = tmp_path / FOLDER
    (folder / "fix--step2.md").symlink_to("fix--step1.md")
    (folder / "fix--step3.md").mkdir()
    os.mkfifo(folder / "fix--step4.md")
    found = open_step(paths, settings(), "fix")
    assert found is not None
    assert found.step == "step1"


@posix_only
def test_folder_behind_a_link_out_of_the_project(tmp_path: Path) -> None:
    put(tmp_path, {"fix--step1.md": OPEN}, "outside")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "steps").symlink_to("../outside")
    assert open_step(Paths(str(tmp_path / "project")), settings("steps"), "fix") is None


@pytest.mark.parametrize("slug", ["", "../x", "/etc/passwd", "a\0b", "x" * 500, "*", "fix--step1.md/.."])
def test_hostile_slug_finds_nothing(tmp_path: Path, slug: str) -> None:
    assert open_step(put(tmp_path, {"fix--step1.md": OPEN}), settings(), slug) is None


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_mark_incomplete_keeps_everything_else(tmp_path: Path, newline: str) -> None:
    lines = [
        "---",
        "campaign: fix",
        "status: in_progress  # by the worker",
        "inputs:",
        "- a.md",
        "---",
        "# Step",
        "",
    ]
    path = tmp_path / "fix--step1.md"
    path.write_bytes(newline.join(lines).encode())
    mark_incomplete(str(path), "todo 4/7", "0123", AT)
    after = path.read_bytes().decode().split(newline)
    lines[2] = "status: incomplete  # by the worker"
    added = ["resume_from: todo 4/7", f'updated: "{AT}"', 'session: "0123"']
    assert after == [*lines[:5], *added, *lines[5:]]


def test_marking_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fix--step1.md"
    path.write_text("# Step\n")
    mark_incomplete(str(path), "", "s", AT)
    first = path.read_bytes()
    mark_incomplete(str(path), "", "s", AT)
    assert path.read_bytes() == first
    fields = front_matter.read(first.decode())
    assert fields == {"status": "incomplete", "resume_from": "", "updated": AT, "session": "s"}


@pytest.mark.parametrize("text", ["a\nstatus: complete", "---", "\ud800\0", '"', "\u2028x: y"])
def test_hostile_resume_from_stays_one_value(tmp_path: Path, text: str) -> None:
    path = tmp_path / "fix--step1.md"
    path.write_text(OPEN)
    mark_incomplete(str(path), text, text, AT)
    fields = front_matter.read(path.read_bytes().decode())
    assert fields == {
        "status": "incomplete",
        "phase": "review",
        "resume_from": text,
        "session": text,
        "updated": AT,
    }


@posix_only
def test_mode_stays(tmp_path: Path) -> None:
    path = tmp_path / "fix--step1.md"
    path.write_text(OPEN)
    path.chmod(0o664)
    mark_incomplete(str(path), "", "s", AT)
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


@posix_only
@pytest.mark.parametrize("kind", ["missing", "folder", "link", "pipe"])
def test_what_is_no_file_cannot_be_marked(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "fix--step1.md"
    (tmp_path / "other.md").write_text(OPEN)
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("other.md")
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(OSError, match=r"No such file|not a regular file"):
        mark_incomplete(str(path), "", "s", AT)
    assert (tmp_path / "other.md").read_text() == OPEN
