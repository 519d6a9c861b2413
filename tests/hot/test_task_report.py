from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot.stores import project_file
from safepoint.hot.stores.task_report import BEGIN, END, update_section, without_section, write_section

posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX modes and links")

PIECES = st.sampled_from(
    [BEGIN, END, f"  {BEGIN}", f"{END} ", f"    {BEGIN}", f"see {END}", "```", "````", "~~~",
     "  ``` py", "a", ""]
)  # fmt: skip
BREAKS = st.sampled_from(["\n", "\r\n"])
TEXTS = st.one_of(
    st.text(),
    st.builds(lambda lines, newline: newline.join(lines), st.lists(PIECES, max_size=10), BREAKS),
)
SECTIONS = st.one_of(st.text(), st.builds("\n".join, st.lists(PIECES, max_size=5)))


def section(body: str) -> str:
    return f"{BEGIN}\n{body}{END}\n"


OLD, NEW, ONE, TWO = section("old\n"), section("new\n"), section("1\n"), section("2\n")


# --- update_section --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "after"),
    [
        pytest.param("", NEW, id="empty"),
        pytest.param("# T\n", "# T\n\n" + NEW, id="appended"),
        pytest.param("# T\n\n", "# T\n\n" + NEW, id="appended-behind-a-blank-line"),
        pytest.param("# T", "# T\n\n" + NEW, id="no-last-newline"),
        pytest.param(f"a\n{OLD}b", f"a\n{NEW}b", id="replaced"),
        pytest.param(f"a\n{BEGIN}\n{END}", f"a\n{BEGIN}\nnew\n{END}", id="was-empty"),
        pytest.param(
            f"a\n {BEGIN}  \nold\n  {END} \nb", f"a\n {BEGIN}  \nnew\n  {END} \nb", id="marks-as-they-are"
        ),
        pytest.param(f"a\n{BEGIN}\nold\n", f"a\n{BEGIN}\nold\n\n{NEW}", id="never-ended"),
        pytest.param(f"a\n{END}\nb\n", f"a\n{END}\nb\n\n{NEW}", id="never-begun"),
        pytest.param(f"{END}\na\n{BEGIN}\n", f"{END}\na\n{BEGIN}\n\n{NEW}", id="wrong-order"),
        pytest.param(f"{ONE}{TWO}b\n", f"{ONE}{TWO}b\n\n{NEW}", id="doubled"),
        pytest.param(f"{BEGIN}\na\n\n{TWO}", f"{BEGIN}\na\n\n{NEW}", id="appended-before"),
        pytest.param(f"```\n{ONE}```\n", f"```\n{ONE}```\n\n{NEW}", id="marks-in-code"),
        pytest.param(f"    {BEGIN}\n    {END}\n", f"    {BEGIN}\n    {END}\n\n{NEW}", id="indented-code"),
        pytest.param(f"`{BEGIN}` x\n{END} y\n", f"`{BEGIN}` x\n{END} y\n\n{NEW}", id="not-alone"),
        pytest.param("a\n~~~~\ncode", f"a\n~~~~\ncode\n~~~~\n\n{NEW}", id="code-left-open"),
        pytest.param("a\r", f"a\r\n\n{NEW}", id="a-lone-carriage-return"),
        pytest.param("a\r\n", f"a\r\n\r\n{BEGIN}\r\nnew\r\n{END}\r\n", id="crlf-appended"),
        pytest.param(
            f"a\r\n{BEGIN}\r\nold\r\n{END}\r\nb", f"a\r\n{BEGIN}\r\nnew\r\n{END}\r\nb", id="crlf-replaced"
        ),
    ],
)
def test_update(text: str, after: str) -> None:
    assert update_section(text, "new") == after
    assert update_section(after, "new") == after


@pytest.mark.parametrize(
    ("body", "written"),
    [
        pytest.param("", "", id="empty"),
        pytest.param("\n\na\n\nb\n\n", "a\n\nb\n", id="trimmed"),
        pytest.param("a\r\nb\rc", "a\nb\nc\n", id="line-breaks"),
        pytest.param("a\n```\nb", "a\n```\nb\n```\n", id="code-left-open"),
        pytest.param("\ud800\0", "?\ufffd\n", id="what-no-file-can-hold"),
    ],
)
def test_section_is_made_harmless(body: str, written: str) -> None:
    assert update_section("", body) == section(written)


@pytest.mark.parametrize("mark", [BEGIN, END, f"{END}\n{BEGIN}", f"x {BEGIN}", f"```\n{END}"])
def test_a_mark_in_the_section_is_none(mark: str) -> None:
    text = update_section("# T\n", f"before\n{mark}\nafter")
    assert [text.count(BEGIN), text.count(END)] == [1, 1]
    assert "after" not in without_section(text)


@given(TEXTS, SECTIONS)
@settings(max_examples=40)
def test_text_outside_the_marks_stays(text: str, body: str) -> None:
    after = update_section(text, body)
    if after.startswith(text):
        return  # appended: every byte that was there is still there
    assert without_section(after) == without_section(text)


@given(TEXTS, SECTIONS, SECTIONS)
@settings(max_examples=40)
def test_updates_do_not_pile_up(text: str, first: str, second: str) -> None:
    once = update_section(text, first)
    assert update_section(once, first) == once
    assert update_section(update_section(once, second), first) == once


# --- write_section ---------------------------------------------------------------------------------------


def test_report_gets_the_section(tmp_path: Path) -> None:
    report = tmp_path / "docs" / "fix.md"
    report.parent.mkdir()
    report.write_bytes(b"\xef\xbb\xbf# T\r\n\xff\xfe broken\r\n")
    assert write_section(str(tmp_path), "docs/fix.md", "new \u65e5")
    expected = f"\r\n{BEGIN}\r\nnew \u65e5\r\n{END}\r\n".encode()
    assert report.read_bytes() == b"\xef\xbb\xbf# T\r\n\xff\xfe broken\r\n" + expected
    assert [entry.name for entry in report.parent.iterdir()] == ["fix.md"]


def test_same_section_writes_nothing(tmp_path: Path) -> None:
    report = tmp_path / "fix.md"
    report.write_text("# T\n")
    assert write_section(str(tmp_path), "fix.md", "new")
    before = report.stat()
    assert write_section(str(tmp_path), "fix.md", "new")
    assert (report.stat().st_ino, report.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@posix_only
@pytest.mark.parametrize("mode", [0o644, 0o664, 0o600, 0o755, 0o444])
def test_mode_stays(tmp_path: Path, mode: int) -> None:
    report = tmp_path / "fix.md"
    report.write_text("# T\n")
    report.chmod(mode)
    assert write_section(str(tmp_path), "fix.md", "new")
    assert stat.S_IMODE(report.stat().st_mode) == mode


@pytest.mark.parametrize(
    "report",
    [
        "", ".", "missing.md", "folder.md", "../outside.md", "a/../../outside.md", "~/x.md", "code.py",
        "/etc/hostname.md", "C:/x.md", "nul\0.md", "x" * 5000 + ".md", "fix.md/x.md", "binary.md", "huge.md",
    ],
)  # fmt: skip
def test_nothing_is_written_elsewhere(tmp_path: Path, report: str) -> None:
    project = tmp_path / "project"
    (project / "folder.md").mkdir(parents=True)
    files = {"code.py": b"x\n", "fix.md": b"x\n", "../outside.md": b"x\n"}
    files["binary.md"] = "# T".encode("utf-16")
    files["huge.md"] = b"x" * (project_file.MAX_BYTES + 1)
    for name, data in files.items():
        (project / name).write_bytes(data)
    assert not write_section(str(project), report, "new")
    assert all((project / name).read_bytes() == data for name, data in files.items())


@posix_only
@pytest.mark.parametrize(
    ("link", "target", "is_written"),
    [
        pytest.param("link.md", "real.md", True, id="inside"),
        pytest.param("link.md", "../outside.md", False, id="outside"),
        pytest.param("link.md", "link.md", False, id="to-itself"),
        pytest.param("folder", "..", False, id="folder-outside"),
    ],
)
def test_links(tmp_path: Path, link: str, target: str, is_written: bool) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "real.md").write_text("# T\n")
    (tmp_path / "outside.md").write_text("# T\n")
    (project / link).symlink_to(target)
    report = "folder/outside.md" if link == "folder" else link
    assert write_section(str(project), report, "new") is is_written
    assert (project / link).is_symlink()
    assert (BEGIN in (project / "real.md").read_text()) is is_written
    assert (tmp_path / "outside.md").read_text() == "# T\n"


@posix_only
def test_project_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "project").symlink_to("real")
    (tmp_path / "real" / "fix.md").write_text("# T\n")
    assert write_section(str(tmp_path / "project"), "fix.md", "new")


@posix_only
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fix.md")
    assert not write_section(str(tmp_path), "fix.md", "new")


def test_an_edit_in_between_is_not_lost(tmp_path: Path) -> None:
    report = tmp_path / "fix.md"
    report.write_text("# Old title\n")
    assert project_file.rewrite(str(report), lambda text: edit_once(report, text))
    assert report.read_text() == "# Edited\nnew\n"


def test_a_file_that_keeps_changing_is_left_alone(tmp_path: Path) -> None:
    report = tmp_path / "fix.md"
    report.write_text("# T\n")
    with pytest.raises(OSError, match="keeps changing"):
        project_file.rewrite(str(report), lambda text: edit_always(report, text))
    assert report.read_text() == "# T\nxxx"


def edit_always(report: Path, text: str) -> str:
    report.write_text(text + "x")
    return text + "new\n"


def edit_once(report: Path, text: str) -> str:
    """What is to be written; the first time an editor saves meanwhile."""
    if text == "# Old title\n":
        report.write_text("# Edited\n")
    return text + "new\n"
