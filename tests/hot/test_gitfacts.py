from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from safepoint.hot import gitfacts
from safepoint.hot.git_files import default_branch, head
from safepoint.hot.gitfacts import has_commit, snapshot

DEADLINE_S = 10.0
ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
}


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], env=ENV, capture_output=True, check=check)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


@pytest.fixture(autouse=True)
def own_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A repository before its first commit."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git(repo, "init", "-q", "-b", "main")
    return repo


@pytest.fixture
def repo(empty: Path) -> Path:
    (empty / "a.txt").write_text("one\n")
    (empty / "b.txt").write_text("two\n" * 20)
    git(empty, "add", ".")
    git(empty, "commit", "-q", "-m", "first")
    return empty


def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A `git` of ours before the real one."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\n" + script)
    os.chmod(folder / "git", 0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


# --- snapshot --------------------------------------------------------------------------------------------


def test_clean_tree_has_a_commit_and_no_files(repo: Path) -> None:
    assert snapshot(str(repo), DEADLINE_S) == {
        "base_commit_sha": git(repo, "rev-parse", "HEAD"),
        "branch": "main",
        "changed_files": [],
        "changed_total": 0,
        "untracked_total": 0,
        "truncated": False,
    }


def test_repository_without_a_commit_has_a_branch(empty: Path) -> None:
    facts = snapshot(str(empty), DEADLINE_S)
    assert (facts["base_commit_sha"], facts["branch"]) == ("", "main")


def test_detached_head_has_no_branch(repo: Path) -> None:
    git(repo, "checkout", "-q", "--detach")
    facts = snapshot(str(repo), DEADLINE_S)
    assert (facts["base_commit_sha"], facts["branch"]) == (git(repo, "rev-parse", "HEAD"), "")


def test_every_kind_of_change_is_listed_once(repo: Path) -> None:
    git(repo, "mv", "b.txt", "ren amed.txt")
    (repo / "a.txt").write_text("changed\n")
    (repo / "new.txt").write_text("")
    (repo / "staged.txt").write_text("")
    git(repo, "add", "staged.txt")
    facts = snapshot(str(repo), DEADLINE_S)
    assert sorted(facts["changed_files"]) == ["a.txt", "new.txt", "ren amed.txt", "staged.txt"]
    assert (facts["changed_total"], facts["untracked_total"]) == (4, 1)


@pytest.mark.parametrize(
    "name", ["with space", "line\nbreak", "日本語.txt", "? odd", '"quoted"', "tab\tbed", "-dash"]
)
def test_any_name_is_told_as_it_is(repo: Path, name: str) -> None:
    (repo / name).write_text("")
    assert snapshot(str(repo), DEADLINE_S)["changed_files"] == [name]
    git(repo, "add", ".")
    assert snapshot(str(repo), DEADLINE_S)["changed_files"] == [name]


def test_conflict_is_a_change(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "side")
    (repo / "a.txt").write_text("side\n")
    git(repo, "commit", "-qam", "side")
    git(repo, "checkout", "-q", "main")
    (repo / "a.txt").write_text("main\n")
    git(repo, "commit", "-qam", "main")
    git(repo, "merge", "side", check=False)
    facts = snapshot(str(repo), DEADLINE_S)
    assert (facts["changed_files"], facts["changed_total"]) == (["a.txt"], 1)


def test_hooks_that_are_not_committed_yet_are_one_entry(repo: Path) -> None:
    for folder in (".cursor/hooks/_safepoint_0_1_0", "packages/app/.cursor/hooks", "my.cursor/hooks"):
        (repo / folder).mkdir(parents=True)
        for number in range(3):
            (repo / folder / f"{number}.py").write_text("")
    facts = snapshot(str(repo), DEADLINE_S)
    others = [f"my.cursor/hooks/{number}.py" for number in range(3)]
    assert facts["changed_files"] == [".cursor/hooks/", *others, "packages/app/.cursor/hooks/"]
    assert (facts["changed_total"], facts["untracked_total"]) == (5, 5)


def test_files_beyond_the_limit_are_counted(repo: Path) -> None:
    for number in range(gitfacts.MAX_FILES + 50):
        (repo / f"n{number}").write_text("")
    facts = snapshot(str(repo), DEADLINE_S)
    assert len(facts["changed_files"]) == gitfacts.MAX_FILES
    assert (facts["untracked_total"], facts["truncated"]) == (gitfacts.MAX_FILES + 50, True)


def test_secret_in_a_file_name_is_hidden(repo: Path) -> None:
    secret = "gh" + "p_" + "a1B2" * 9
    (repo / secret).write_text("")
    assert snapshot(str(repo), DEADLINE_S)["changed_files"] == ["[redacted:github_token]"]


def test_folder_without_a_repository_is_told(tmp_path: Path) -> None:
    assert snapshot(str(tmp_path), DEADLINE_S) == {"unavailable": "not a repository"}


def test_missing_git_is_told(repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert snapshot(str(repo), DEADLINE_S) == {"unavailable": "no git"}


def test_broken_repository_is_told(repo: Path) -> None:
    (repo / ".git" / "index").write_bytes(b"garbage")
    assert snapshot(str(repo), DEADLINE_S) == {"unavailable": "failed"}


def test_git_is_not_asked_in_a_bare_repository_among_the_files(repo: Path, tmp_path: Path) -> None:
    inner = repo / "inner"
    git(repo, "init", "-q", "--bare", "inner")
    (inner / "w").mkdir()
    (inner / "w/.gitattributes").write_text("* filter=x\n")
    (inner / "w/f").write_text("before")
    place = ("--git-dir", str(inner), "--work-tree", str(inner / "w"))
    git(repo, *place, "add", "-A")
    (inner / "w/f").write_text("after!")
    for name, value in (("core.bare", "false"), ("core.worktree", "w"),
                        ("filter.x.clean", f"touch '{tmp_path}/run'; cat")):  # fmt: skip
        git(repo, "config", "-f", str(inner / "config"), name, value)
    for folder in (inner, inner / "w", inner / "refs"):
        assert snapshot(str(folder), DEADLINE_S) == {"unavailable": "failed"}
    assert not (tmp_path / "run").exists()


def test_git_variables_of_ours_do_not_lead_astray(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/nowhere")
    assert snapshot(str(repo), DEADLINE_S)["branch"] == "main"


def test_index_is_not_written(repo: Path) -> None:
    index = repo / ".git" / "index"
    os.utime(repo / "a.txt", (1, 1))
    before = index.read_bytes()
    snapshot(str(repo), DEADLINE_S)
    assert index.read_bytes() == before
    assert not (repo / ".git" / "index.lock").exists()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or ") Z " not in state.read_text()


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("sleep 60", id="silent"),
        pytest.param("sleep 60 & echo $! >> {pids}; wait", id="with-a-child"),
        pytest.param("exec >&- 2>&-; sleep 60", id="pipes-closed"),
        pytest.param("exec yes", id="endless"),
    ],
)
def test_git_that_hangs_is_ended_with_its_children(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    pids = tmp_path / "pids"
    on_path(tmp_path, monkeypatch, f"echo $$ > {pids}\n" + script.format(pids=pids))
    started = time.monotonic()
    assert snapshot(str(repo), 0.15) == {"unavailable": "timeout"}
    assert time.monotonic() - started < 2
    time.sleep(0.05)
    assert not any(is_alive(int(pid)) for pid in pids.read_text().split())
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_large_status_is_cut_and_says_so(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path(tmp_path, monkeypatch, "head -c 9000000 /dev/zero | tr '\\0' 'x'")
    assert snapshot(str(repo), DEADLINE_S)["truncated"]


def test_no_descriptor_is_left_open(repo: Path, tmp_path: Path) -> None:
    def count() -> int:
        probe = os.dup(0)
        os.close(probe)
        return probe

    before = count()
    for folder in (repo, tmp_path):
        snapshot(str(folder), DEADLINE_S)
    assert count() == before


@pytest.mark.parametrize("how", ["missing", "hangs"])
def test_without_posix_spawn_the_answer_is_the_same(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    expected = snapshot(str(repo), DEADLINE_S)
    monkeypatch.delattr(os, "posix_spawnp")
    assert snapshot(str(repo), DEADLINE_S) == expected
    assert snapshot(str(tmp_path), DEADLINE_S) == {"unavailable": "not a repository"}
    if how == "missing":
        monkeypatch.setenv("PATH", str(tmp_path))
        assert snapshot(str(repo), DEADLINE_S) == {"unavailable": "no git"}
    else:
        on_path(tmp_path, monkeypatch, "exec sleep 60")
        assert snapshot(str(repo), 0.2) == {"unavailable": "timeout"}


# --- has_commit ------------------------------------------------------------------------------------------


def test_commit_is_known_only_where_it_is(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = git(repo, "rev-parse", "HEAD")
    assert has_commit(str(repo), sha, DEADLINE_S)
    assert not has_commit(str(repo), "0" * 40, DEADLINE_S)
    assert not has_commit(str(repo), "", DEADLINE_S)
    assert not has_commit(str(repo), "--help", DEADLINE_S)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert has_commit(str(repo), "0" * 40, DEADLINE_S)


# --- without a process -----------------------------------------------------------------------------------


@pytest.fixture
def no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gitfacts, "run", None)


@pytest.mark.usefixtures("no_process")
@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_head_is_what_git_says(repo: Path, packed: bool) -> None:
    git(repo, "checkout", "-q", "-b", "feature/日本-x")
    if packed:
        git(repo, "pack-refs", "--all")
    (repo / "deep" / "er").mkdir(parents=True)
    expected = {"branch": "feature/日本-x", "sha": git(repo, "rev-parse", "HEAD"), "root": str(repo)}
    assert head(str(repo)) == expected
    assert head(str(repo / "deep" / "er")) == expected


def test_detached_head_has_a_commit_only(repo: Path) -> None:
    git(repo, "checkout", "-q", "--detach")
    assert head(str(repo)) == {"branch": "", "sha": git(repo, "rev-parse", "HEAD"), "root": str(repo)}


def test_head_before_the_first_commit_has_a_branch_only(empty: Path) -> None:
    assert head(str(empty)) == {"branch": "main", "sha": "", "root": str(empty)}


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_worktree_has_a_head_of_its_own(repo: Path, tmp_path: Path, packed: bool) -> None:
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", "-b", "side", str(tree))
    (tree / "a.txt").write_text("side\n")
    git(tree, "commit", "-qam", "side")
    if packed:
        git(repo, "pack-refs", "--all")
    assert head(str(tree)) == {"branch": "side", "sha": git(tree, "rev-parse", "HEAD"), "root": str(tree)}
    assert default_branch(str(tree)) == "main"


def test_submodule_is_a_tree_of_its_own(repo: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo), "sub")
    facts = head(str(outer / "sub"))
    assert facts == {"branch": "main", "sha": git(repo, "rev-parse", "HEAD"), "root": str(outer / "sub")}


def test_no_repository_has_no_head(tmp_path: Path) -> None:
    assert head(str(tmp_path)) is None
    assert default_branch(str(tmp_path)) is None
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    assert head(str(tmp_path)) is None


def test_refs_that_only_git_can_read_are_unknown(repo: Path) -> None:
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    assert head(str(repo)) is None


def test_default_branch_is_the_remotes(repo: Path, tmp_path: Path) -> None:
    git(repo, "branch", "-m", "trunk/v2")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repo), str(clone))
    git(clone, "checkout", "-q", "-b", "main")
    assert default_branch(str(clone)) == "trunk/v2"


@pytest.mark.parametrize(("name", "expected"), [("main", "main"), ("master", "master"), ("other", None)])
def test_default_branch_is_main_or_master(repo: Path, name: str, expected: str | None) -> None:
    git(repo, "checkout", "-q", "-b", "work")
    git(repo, "branch", "-m", "main", name)
    assert default_branch(str(repo)) == expected
