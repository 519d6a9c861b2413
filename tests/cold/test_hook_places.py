"""Whose hook a command line means: by paths, links, folders that it changes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from safepoint import hook_places, registration

CODE = "python3 -c \"import sys;sys.path.insert(0,'{}/.cursor/hooks');import session_stop as h;h.main()\""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("こ の $x", "other", "こ の $x/sub"):
        (tmp_path / name / ".cursor/hooks").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "こ の $x")
    (tmp_path / "to-other").symlink_to(tmp_path / "other")
    (tmp_path / "shares").mkdir()
    (tmp_path / "shares/.cursor").symlink_to(tmp_path / "こ の $x/.cursor")
    return tmp_path / "こ の $x"


@pytest.mark.parametrize(
    "line",
    [
        registration.command("session_stop"),
        f"cd /tmp && {registration.command('session_stop')}",
        "python3 .cursor/hooks/session_stop.py",
        'python3 "$CLAUDE_PROJECT_DIR/.cursor/hooks/session_stop.py"',
        "cd ${CURSOR_PROJECT_DIR} && ./.cursor/hooks/session_stop.py",
        "cd sub && python3 ../.cursor/hooks/session_stop.py",
        "python3 '@/.cursor/hooks/session_stop.py'",
        "python3 '@/sub/../.cursor/hooks/session_stop.py'",
        "cd ^ && python3 'こ の $x/.cursor/hooks/session_stop.py'",
        "python3 ^/link/.cursor/hooks/session_stop.py",
        "python3 ^/shares/.cursor/hooks/session_stop.py",
        "(cd ^/other && make); python3 .cursor/hooks/session_stop.py",
        "cd ^/other && sh -c \"python3 '@/.cursor/hooks/session_stop.py'\"",
        CODE.format("@"),
        CODE.format("^/link"),
        # nobody can tell
        "python3 $ELSEWHERE/.cursor/hooks/session_stop.py",
        "cd $ELSEWHERE && python3 .cursor/hooks/session_stop.py",
        "python3 `pwd`/.cursor/hooks/session_stop.py",
        "cd $ELSEWHERE && sh -c 'python3 .cursor/hooks/session_stop.py'",
        "python3 ^/other\0/.cursor/hooks/session_stop.py",
        CODE.format("here"),
        "make stop",
        "echo '",
        "echo '' ) ( .cursor/hooks",
        None,
    ],
)
def test_line_means_this_project_or_nobody_can_tell(root: Path, line: str | None) -> None:
    text = line and line.replace("@", str(root)).replace("^", str(root.parent))
    assert hook_places.foreign(text, root) == ""


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("python3 ^/other/.cursor/hooks/session_stop.py", "^/other"),
        ("A=1 '^/other/.cursor/hooks/session_stop.py' || true", "^/other"),
        ("HOOK=^/other/.cursor/hooks/session_stop.py sh run.sh", "^/other"),
        ("cat ^/other/.cursor/hooks/session_stop.py", "^/other"),
        ("python3 ^/to-other/.cursor/hooks/session_stop.py", "^/to-other"),
        ("cd ^/other && python3 .cursor/hooks/session_stop.py", "^/other"),
        ("cd ../other; python3 .cursor/hooks/session_stop.py", "^/other"),
        ("python3 ../other/.cursor/hooks/session_stop.py", "^/other"),
        ("cd sub && python3 .cursor/hooks/session_stop.py", "@/sub"),
        ('python3 "$CLAUDE_PROJECT_DIR"/../other/.cursor/hooks/session_stop.py', "^/other"),
        ("sh -c 'cd ^/other && python3 .cursor/hooks/session_stop.py'", "^/other"),
        (CODE.format("^/other"), "^/other"),
        ("python3 ^/no-more/.cursor/hooks/session_stop.py", "^/no-more"),
        ("python3 ^/OTHER/.cursor/hooks/session_stop.py", "^/OTHER"),
        ("python3 /.cursor/hooks/session_stop.py", "/"),
        ("python3 ~/.cursor/hooks/session_stop.py", "~"),
    ],
)
def test_line_that_means_another_project_tells_which(root: Path, line: str, folder: str) -> None:
    def full(text: str) -> str:
        return text.replace("@", str(root)).replace("^", str(root.parent))

    assert hook_places.foreign(full(line), root) == str(Path(full(folder)).expanduser())


def test_spelling_that_the_file_system_takes_for_the_same_is_the_same(root: Path) -> None:
    """As on macOS and Windows, where `Project` and `project` are one folder."""
    (root.parent / "OTHER").symlink_to(root)
    assert hook_places.foreign("python3 ../OTHER/.cursor/hooks/session_stop.py", root) == ""
