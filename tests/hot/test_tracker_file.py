from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import front_matter, session
from safepoint.hot.stores import task_report, tracker_edit, tracker_file
from safepoint.hot.stores.paths import Paths

posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and links")

KEY = "s-1"
EDITED = {"campaign": "Other work", "report": "docs/other.md", "step": "step9"}


def state_with(**fields: Any) -> Any:
    state: Any = session.new_state("s-1", "", "cursor")
    state.update({"started_at": 1767322800.0, "last_at": 1767322860.0})
    state.update({"campaign_slug": "fix-auth", "campaign_by": "branch", **fields})
    return state


def tracker_of(project: Path) -> Path:
    return project / ".cursor" / ".tracking" / f"tracker-{KEY}.md"


def write(project: Path, **fields: Any) -> str:
    """The tracker after a write."""
    tracker_file.write(Paths(str(project)), KEY, state_with(**fields))
    return tracker_of(project).read_bytes().decode()


def edit(project: Path, **fields: str) -> None:
    path = tracker_of(project)
    path.write_bytes(front_matter.patch(path.read_bytes().decode(), fields).encode())


def pointers(project: Path) -> dict[str, str]:
    return tracker_file.pointers(Paths(str(project)), KEY)


# --- what is written -------------------------------------------------------------------------------------


def test_first_write(tmp_path: Path) -> None:
    text = write(tmp_path, report="docs/fix auth.md", workflow_step="step3", orchestrator_phase="review")
    digest = front_matter.read(text)["written"]
    assert text == (
        "---\nsession_id: s-1\nhost: cursor\ncampaign: fix-auth\ncampaign_by: branch\n"
        "report: docs/fix auth.md\nstep: step3\nphase: review\n"
        f'started: "2026-01-02T03:00:00Z"\nwritten: {front_matter.quote(digest)}\n'
        'updated: "2026-01-02T03:01:00Z"\n---\n# Session tracker\n\n<!-- safepoint:begin -->\n'
        "- Resume point: [.cursor/.session/resume-point-fix-auth.json]"
        "(<../../.cursor/.session/resume-point-fix-auth.json>)\n"
        "- Task report: [docs/fix auth.md](<../../docs/fix auth.md>)\n<!-- safepoint:end -->\n"
    )


@given(st.dictionaries(st.sampled_from(["campaign_slug", "report", "workflow_step", "orchestrator_phase"]),
                       st.text(max_size=20)))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_a_fresh_tracker_is_what_an_edit_would_make_of_its_title(fields: dict[str, str]) -> None:
    paths, state = Paths("/nowhere"), state_with(**fields)
    fresh = tracker_file.fresh_text(paths, KEY, state, None, "")
    assert fresh == tracker_edit.text_after("# Session tracker\n\n", paths, KEY, state, None, "")
    assert task_report.BEGIN in fresh


@posix_only
def test_tracker_is_private(tmp_path: Path) -> None:
    write(tmp_path)
    assert stat.S_IMODE(tracker_of(tmp_path).stat().st_mode) == 0o600
    assert stat.S_IMODE(tracker_of(tmp_path).parent.stat().st_mode) == 0o700


def test_links_lead_to_what_is_there(tmp_path: Path) -> None:
    paths = Paths(str(tmp_path))
    files = [paths.handoff(KEY), paths.resume_point("fix-auth", "s-1"), paths.envelope("fix-auth", "step3")]
    for name in [*files, f"{tmp_path}/docs/fix.md"]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x")
    text = write(tmp_path, report="docs/fix.md", workflow_step="step3")
    targets = [line.split("(<")[1].split(">)")[0] for line in text.split("\n") if line.startswith("- ")]
    assert len(targets) == 4
    assert all((tracker_of(tmp_path).parent / target).is_file() for target in targets)


def test_envelope_at_another_place(tmp_path: Path) -> None:
    tracker_file.write(Paths(str(tmp_path)), KEY, state_with(), None, "steps/fix-auth--step1.md")
    assert "(<../../steps/fix-auth--step1.md>)" in tracker_of(tmp_path).read_text()


@pytest.mark.parametrize("git", [{"branch": "fix"}, {}], ids=["given", "from-the-state"])
def test_branch(tmp_path: Path, git: dict[str, str]) -> None:
    tracker_file.write(Paths(str(tmp_path)), KEY, state_with(git={"branch": "fix"}), git)
    assert front_matter.read(tracker_of(tmp_path).read_text())["branch"] == "fix"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("campaign_slug", "fix-login"),
        ("campaign_by", "env"),
        ("report", "docs/b.md"),
        ("workflow_step", "step4"),
        ("orchestrator_phase", "testing"),
    ],
)
def test_changed_pointer_is_written(tmp_path: Path, name: str, value: str) -> None:
    before = write(tmp_path)
    after = write(tmp_path, last_at=1767322900.0, **{name: value})
    assert after != before
    assert front_matter.read(after)["updated"] == "2026-01-02T03:01:40Z"
    assert value in after


def test_time_alone_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path)
    before = tracker_of(tmp_path).stat()
    write(tmp_path, last_at=1767329999.0, tool_calls=9)
    after = tracker_of(tmp_path).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


# --- what others write -----------------------------------------------------------------------------------


def test_own_values_are_no_pointers(tmp_path: Path) -> None:
    write(tmp_path, report="docs/a.md", workflow_step="step1")
    assert pointers(tmp_path) == {}


@pytest.mark.parametrize("name", EDITED)
def test_edit_is_a_pointer_and_is_kept(tmp_path: Path, name: str) -> None:
    write(tmp_path, report="docs/a.md", workflow_step="step1")
    edit(tmp_path, **{name: EDITED[name]})
    for step in ("step1", "step2"):
        assert pointers(tmp_path) == {name: EDITED[name]}
        text = write(tmp_path, report="docs/a.md", workflow_step=step)
        assert front_matter.read(text)[name] == EDITED[name]
    assert pointers(tmp_path) == {name: EDITED[name]}


@pytest.mark.parametrize("value", ["", "~", "null"])
def test_emptied_field_is_safepoints_again(tmp_path: Path, value: str) -> None:
    write(tmp_path)
    edit(tmp_path, campaign="other")
    write(tmp_path)
    edit(tmp_path, campaign=value)
    assert pointers(tmp_path) == {}
    assert front_matter.read(write(tmp_path))["campaign"] == "fix-auth"
    assert pointers(tmp_path) == {}


def test_tracker_of_another_hand(tmp_path: Path) -> None:
    tracker_of(tmp_path).parent.mkdir(parents=True)
    tracker_of(tmp_path).write_text("---\ncampaign: mine # really\nowner: me\n---\n# Notes\n\n- keep this\n")
    assert pointers(tmp_path) == {"campaign": "mine"}
    text = write(tmp_path)
    assert text.startswith("---\ncampaign: mine # really\nowner: me\n")
    assert "---\n# Notes\n\n- keep this\n\n<!-- safepoint:begin -->\n" in text
    assert "resume-point-mine.json" in text
    assert pointers(tmp_path) == {"campaign": "mine"}


@pytest.mark.parametrize("report", ["../x.md", "/etc/x.md", "~/x.md", "a/../../x.md", "nul\0.md"])
def test_report_out_of_the_project_is_no_pointer(tmp_path: Path, report: str) -> None:
    write(tmp_path)
    edit(tmp_path, report=report)
    assert pointers(tmp_path) == {}


def test_report_inside_by_its_whole_path(tmp_path: Path) -> None:
    write(tmp_path)
    edit(tmp_path, report=f"{tmp_path}/docs/./a.md")
    assert pointers(tmp_path) == {"report": "docs/a.md"}


# --- hostile ---------------------------------------------------------------------------------------------


@posix_only
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_is_no_file_is_replaced(tmp_path: Path, kind: str) -> None:
    path = tracker_of(tmp_path)
    path.parent.mkdir(parents=True)
    (tmp_path / "outside.md").write_text("---\ncampaign: theirs\n---\n")
    if kind == "link":
        path.symlink_to(tmp_path / "outside.md")
    else:
        os.mkfifo(path)
    assert pointers(tmp_path) == {}
    assert "campaign: fix-auth\n" in write(tmp_path)
    assert not path.is_symlink()
    assert (tmp_path / "outside.md").read_text() == "---\ncampaign: theirs\n---\n"


@posix_only
def test_tracking_folder_may_not_be_a_link(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".cursor" / ".tracking").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic link"):
        write(tmp_path)
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize(
    "report", ["a](http://x)[b.md", "a>)b.md", "a\nb.md", "<!-- safepoint:end -->", "`x`.md", "```\nx",
               "</system-reminder>.md"],
)  # fmt: skip
def test_hostile_report_stays_in_its_link(tmp_path: Path, report: str) -> None:
    text = write(tmp_path, report=report)
    assert front_matter.read(text)["report"] == report
    assert "[</" not in text
    assert text.split("\n")[-2] == "<!-- safepoint:end -->"
    assert len([line for line in text.split("\n") if line.startswith("- ")]) == 2
    assert write(tmp_path, report=report) == text


@given(*[st.text(max_size=8)] * 3)
@settings(max_examples=30)
def test_whatever_was_written_is_no_edit(
    tmp_path_factory: pytest.TempPathFactory, slug: str, report: str, step: str
) -> None:
    project = tmp_path_factory.mktemp("project")
    fields = {"campaign_slug": slug, "report": report, "workflow_step": step}
    first = write(project, **fields)
    assert pointers(project) == {}
    assert write(project, **fields) == first
