"""`uninstall --purge` takes what sessions left, by name, and leaves every file of a person's."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from test_install import HOOKS, edit, git, put_in, recompile, take_out, tree

from safepoint import project, state_files
from safepoint.hot.files import write_temp
from safepoint.hot.stores.paths import Paths

MINE = [
    ".cursor/.artifacts/design.md",
    ".cursor/.artifacts/fix-auth--stepping.md",
    ".cursor/.artifacts/sub/fix-auth--step1.md",
    ".cursor/.session/notes.txt",
    ".cursor/.session/notes.lock",
    ".cursor/.tracking/my tracker.md",
]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def put(root: Path, path: str, text: str = "text") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def sessions_files(root: Path) -> list[str]:
    """One file of every kind that `Paths` names, and what else hooks and commands write."""
    paths = Paths(str(root))
    made = []
    for name, method in inspect.getmembers(paths, inspect.ismethod):
        if name not in ("relative", "absolute", "__init__"):
            words = list(inspect.signature(method).parameters)
            made.append(method(*(2 if word == "number" else "fix-auth" for word in words)))
    made += [paths.resume_point("fix-auth"), paths.red_checkpoint("s-1.a1"), paths.state("s") + ".broken-12"]
    made += [paths.settled("s").replace(".json", ".claim"), paths.session + "/s.told-broken"]
    made += [paths.envelope("fix-auth", name) for name in ("step3", "checkpoint", "worker-a1")]
    made = [Path(path).relative_to(root).as_posix() for path in made]
    made += [".cursor/.artifacts/fix-auth--step3.worker-a.md", ".cursor/.session/.gitignore"]
    return [*made, ".cursor/.session/pruned/2026-01-31/.session/old.state.json"]


def leave(root: Path) -> list[str]:
    left = [path for path in sessions_files(root) if path != ".cursor/.artifacts/fix-auth--fix-auth.md"]
    for path in left:
        is_empty = path.endswith((".lock", ".pruned")) or ".told-" in path
        put(root, path, "*\n" if path.endswith(".gitignore") else "" if is_empty else "text")
    write_temp(f"{root}/.cursor/.session/x.state.json", b"", 0o600, False)
    return left


def test_every_file_of_sessions_goes_and_nothing_is_left(repo: Path) -> None:
    before = tree(repo)
    put_in(repo)
    assert len(leave(repo)) > 25
    take_out(repo, purge=True)
    assert tree(repo) == before


def test_files_of_a_person_stay_and_that_is_said(repo: Path) -> None:
    put_in(repo)
    left = leave(repo)
    for path in MINE:
        put(repo, path)
    plan = take_out(repo, purge=True)
    assert all((repo / path).is_file() for path in MINE)
    gone = [path for path in left if not path.endswith(".gitignore")]
    assert not any((repo / path).exists() for path in gone)
    assert (repo / ".cursor/.session/.gitignore").exists()  # they are as hidden from git as they were
    (said,) = [note for note in plan.notes if "names are not Safepoint's" in note] if plan else [""]
    assert MINE[0] in said and "and 1 more" in said


def test_what_git_tracks_stays(repo: Path) -> None:
    put_in(repo)
    path = leave(repo)[-1]
    envelope = ".cursor/.artifacts/fix-auth--step3.md"
    git(repo, "add", "-f", envelope)
    plan = take_out(repo, purge=True)
    assert plan and f"{envelope}: left in place, since git has them." in plan.notes
    assert git(repo, "status", "--porcelain") == f"A  {envelope}\n" and path != envelope


def test_what_was_there_before_stays(repo: Path) -> None:
    mine = put(repo, ".cursor/.artifacts/fix-auth--step1.md")
    before = tree(repo)
    put_in(repo)
    put_in(repo)
    leave(repo)
    plan = take_out(repo, purge=True)
    assert plan and any("were there before" in note for note in plan.notes)
    assert tree(repo) == before and mine.exists()


def test_what_was_there_before_stays_after_a_second_installation_too(repo: Path) -> None:
    mine = put(repo, ".cursor/.artifacts/fix-auth--step1.md")
    before = tree(repo)
    put_in(repo)
    leave(repo)
    take_out(repo)
    put_in(repo)
    take_out(repo)
    take_out(repo, purge=True)
    assert mine.exists()
    assert {path for path, content in tree(repo).items() if content} == {
        path for path in before if before[path]
    }


def test_envelopes_in_another_folder_go_too(repo: Path) -> None:
    put_in(repo)
    mine = [put(repo, "docs/steps/plan.md"), put(repo, "docs/steps/old--step1.md")]
    edit(repo / HOOKS / "manifest.yaml", "artifact_dir: .cursor/.artifacts", "artifact_dir: docs/steps")
    recompile(repo)
    put(repo, "docs/steps/fix-auth--step1.md")
    put(repo, "docs/steps/fix-auth--checkpoint.md")
    take_out(repo, purge=True)
    assert sorted((repo / "docs/steps").iterdir()) == sorted(mine)


def test_links_are_neither_followed_nor_taken(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    put(outside, "handoff-x.md")
    put_in(repo)
    (repo / ".cursor/.tracking").symlink_to(outside)
    (repo / ".cursor/.session").mkdir()
    (repo / ".cursor/.session/handoff-y.md").symlink_to(outside / "handoff-x.md")
    take_out(repo, purge=True)
    assert (outside / "handoff-x.md").exists() and (repo / ".cursor/.session/handoff-y.md").is_symlink()


def test_after_uninstall_purge_still_takes_what_was_left(repo: Path) -> None:
    before = tree(repo)
    put_in(repo)
    leave(repo)
    plan = take_out(repo)
    assert plan and any(".cursor/.session, " in note and "--purge" in note for note in plan.notes)
    take_out(repo, purge=True)
    assert [path for path in tree(repo) if path not in before] == [".cursor"]


def test_every_place_below_the_state_folders_is_known(repo: Path) -> None:
    found = project.find(repo)
    for path in leave(repo):
        assert state_files.is_ours(found, path, [state_files.ARTIFACTS]), path


def keep_work(root: Path, *names: str) -> None:
    (root / "a.py").write_text("a = 1\n")
    git(root, "add", "a.py")
    git(root, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "A", "--", "a.py")
    for name in names:
        git(root, "update-ref", f"refs/safepoint/{name}", "HEAD")


def ours_in_git(root: Path) -> list[str]:
    return git(root, "for-each-ref", "--format=%(refname)", "refs/safepoint").split()


def test_refs_of_ours_go_with_purge_and_are_named_without(repo: Path) -> None:
    put_in(repo)
    keep_work(repo, "local/s1", "fetched/origin/fix-auth")
    plan = take_out(repo)
    assert plan and any("2 refs" in note and "uninstall --purge" in note for note in plan.notes)
    assert len(ours_in_git(repo)) == 2
    again = take_out(repo, purge=True)  # nothing else of ours is left
    assert again and [ref.name for ref in again.clearing.refs] == [
        "refs/safepoint/fetched/origin/fix-auth", "refs/safepoint/local/s1",
    ]  # fmt: skip
    assert ours_in_git(repo) == [] and git(repo, "rev-parse", "HEAD")


def test_of_several_work_trees_only_the_work_of_sessions_here_goes(
    repo: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    put_in(repo)
    keep_work(repo, "local/s1", "local/s2", "base/origin/fix-auth")
    git(repo, "worktree", "add", "-q", str(tmp_path_factory.mktemp("trees") / "other"))
    put(repo, ".cursor/.session/s1.journal.jsonl", '{"kind": "prompt", "at": 1.0}\n')
    take_out(repo, purge=True)
    assert ours_in_git(repo) == ["refs/safepoint/base/origin/fix-auth", "refs/safepoint/local/s2"]
