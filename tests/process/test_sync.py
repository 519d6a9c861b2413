"""A campaign leaves one clone for another over a bare remote, with real git and real hook processes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from claude_chat import added
from git_command import git, have_a_filter_that_fails
from two_clones import Clones, changed_on_both, chat, red, run, untouched

from safepoint.errors import SafepointError
from safepoint.sync.remote import Remote


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def work(project: Path) -> None:
    """Changes of every kind that git keeps, and one that it ignores."""
    (project / "basket.py").write_text("def total(): return 1\n")
    (project / "割引.py").write_text("def discount(): ...\n")
    (project / "staged.py").write_text("staged\n")
    git(project, "add", "staged.py")
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    (project / "link").symlink_to("basket.py")
    (project / "new\nline").write_text("odd\n")
    (project / ".git/info/exclude").write_text("ignored.txt\n")
    (project / "ignored.txt").write_text("not for others\n")


def test_a_new_chat_in_the_other_clone_is_shown_the_handoff(clones: Clones) -> None:
    red(clones.a, "first-chat")
    sent = run(clones.a, "push")
    assert sent["campaign"] == "fix-basket" and sent["ref"] == "refs/safepoint/fix-basket"
    got = run(clones.b, "pull")
    assert got["pending"] and got["id"] == "first-chat"
    shown = chat(clones.b, "second-chat")
    text = added(shown.start) + added(shown.prompt)  # type: ignore[attr-defined]
    assert "[CONTEXT_BUDGET_RESUME] campaign=fix-basket" in text and "make test" in text
    third = chat(clones.b, "third-chat")
    assert "[CONTEXT_BUDGET_RESUME]" not in added(third.start)  # type: ignore[attr-defined]


def test_work_of_every_kind_comes_back_in_the_other_clone(clones: Clones) -> None:
    work(clones.a)
    red(clones.a, "first-chat")
    run(clones.a, "push")
    run(clones.b, "pull")
    before = untouched(clones.b)
    result = run(clones.b, "restore")
    assert result["conflicts"] == [] and not result["merged"]
    for name in ("basket.py", "割引.py", "staged.py", "run.sh", "new\nline"):
        assert (clones.b / name).read_bytes() == (clones.a / name).read_bytes(), name
    assert (clones.b / "run.sh").stat().st_mode & 0o111
    assert (clones.b / "link").readlink() == Path("basket.py")
    assert not (clones.b / "ignored.txt").exists()
    after = untouched(clones.b)
    assert {**after, "status": ""} == {**before, "status": ""}
    assert git(clones.b, "diff", "--cached", "--name-only") == ""


def test_push_and_pull_leave_index_stash_and_all_else_byte_for_byte(clones: Clones) -> None:
    (clones.a / "basket.py").write_text("def total(): return 2\n")
    git(clones.a, "stash")
    work(clones.a)
    red(clones.a, "first-chat")
    here, there = untouched(clones.a), untouched(clones.b)
    run(clones.a, "push")
    run(clones.b, "fetch")
    run(clones.b, "pull")
    assert untouched(clones.a) == here and here["refs/stash"]
    assert untouched(clones.b) == there


def test_no_hook_of_the_repository_runs(clones: Clones) -> None:
    red(clones.a, "first-chat")
    for project in (clones.a, clones.b):
        for name in ("pre-push", "post-checkout", "reference-transaction", "post-index-change", "post-merge"):
            hook = project / ".git/hooks" / name
            hook.write_text(f"#!/bin/sh\ntouch '{clones.folder}/ran-{name}'\n")
            hook.chmod(0o755)
    (clones.a / "basket.py").write_text("changed\n")
    run(clones.a, "push")
    run(clones.b, "pull")
    run(clones.b, "restore")
    run(clones.b, "restore", "--worktree", str(clones.folder / "tree"))
    assert list(clones.folder.glob("ran-*")) == []


def test_of_two_machines_one_is_told(clones: Clones) -> None:
    red(clones.a, "first-chat")
    run(clones.a, "push")
    run(clones.b, "pull")
    red(clones.b, "second-chat")
    git(clones.b, "config", "user.name", "Ben")
    second = run(clones.b, "push")
    before = git(clones.remote, "rev-parse", "refs/safepoint/fix-basket")
    assert second["commit"] == before
    with pytest.raises(SafepointError, match=r"pushed by Ben .*second-chat") as told:
        run(clones.a, "push")
    assert "safepoint pull fix-basket" in str(told.value)
    assert git(clones.remote, "rev-parse", "refs/safepoint/fix-basket") == before
    run(clones.a, "pull")
    with pytest.raises(SafepointError, match="second-chat, came from another machine"):
        run(clones.a, "push")
    chat(clones.a, "third-chat")
    assert run(clones.a, "push")["session_id"] == "third-chat"
    assert git(clones.remote, "rev-parse", "refs/safepoint/fix-basket") != before


def test_force_replaces_what_is_there_and_names_it(clones: Clones) -> None:
    red(clones.a, "first-chat")
    first = run(clones.a, "push")["commit"]
    red(clones.b, "second-chat")
    with pytest.raises(SafepointError, match="has not taken that over"):
        run(clones.b, "push")
    assert run(clones.b, "push", "--force")["replaced"] == first
    assert git(clones.b, "cat-file", "-t", first) == "commit"


def test_push_that_is_overtaken_by_another_overwrites_nothing(clones: Clones) -> None:
    """Between the look at the remote and the arrival there another machine has pushed."""
    red(clones.a, "first-chat")
    red(clones.b, "second-chat")
    first = run(clones.a, "push")["commit"]
    remote = Remote(str(clones.b), "origin", 20.0)
    assert remote.push(git(clones.b, "rev-parse", "HEAD"), "fix-basket", "") is False
    assert git(clones.remote, "rev-parse", "refs/safepoint/fix-basket") == first


def test_of_many_pushes_at_once_exactly_one_arrives(clones: Clones) -> None:
    projects = [clones.a, clones.b, clones.clone("c"), clones.clone("d")]
    for number, project in enumerate(projects):
        chat(project, f"chat-{number}")
    command = [sys.executable, "-m", "safepoint", "push", "--json"]
    started = [subprocess.Popen(command, cwd=one, stdout=subprocess.PIPE) for one in projects]
    answers = [json.loads(one.communicate(timeout=60)[0]) for one in started]
    won = [answer["commit"] for answer in answers if "commit" in answer]
    assert won == [git(clones.remote, "rev-parse", "refs/safepoint/fix-basket")]
    lost = [answer["error"]["message"] for answer in answers if "error" in answer]
    assert len(lost) == 3 and all("has not taken that over" in message for message in lost)


def test_secret_stops_the_push_with_its_name(clones: Clones) -> None:
    red(clones.a, "first-chat")
    (clones.a / "config.py").write_text("KEY = '" + "gh" + "p_" + "a1B2" * 9 + "'\n")
    (clones.a / ".env").write_text("A=1\n")
    with pytest.raises(SafepointError, match=r"config.py: github_token") as told:
        run(clones.a, "push")
    assert ".env: a name like .env" in str(told.value) and "--leave-out" in str(told.value)
    assert git(clones.remote, "for-each-ref", "refs/safepoint") == ""
    with pytest.raises(SafepointError, match=r"config.py"):
        run(clones.a, "push", "--allow", ".env")
    sent = run(clones.a, "push", "--allow", ".env", "--leave-out", "config.py")
    assert sent["left_out"] == ["config.py"]
    names = git(clones.remote, "ls-tree", "-r", "--name-only", sent["work"])
    assert ".env" in names and "config.py" not in names
    assert (clones.a / "config.py").exists()


def test_name_like_a_secrets_is_seen_beside_a_copy_of_the_file(clones: Clones) -> None:
    red(clones.a, "first-chat")
    (clones.a / ".a").mkdir()
    for name in (".a/x", ".env"):
        (clones.a / name).write_text("correct horse\n")
    with pytest.raises(SafepointError, match=r"\.env: a name like \.env"):
        run(clones.a, "push")
    assert git(clones.remote, "for-each-ref", "refs/safepoint") == ""


def test_secret_in_a_commit_that_was_never_pushed_stops_it_as_well(clones: Clones) -> None:
    (clones.a / "deploy.pem").write_text("x\n")
    git(clones.a, "add", "-A")
    git(clones.a, "commit", "-q", "-m", "Key")
    git(clones.a, "rm", "-q", "deploy.pem")
    git(clones.a, "commit", "-q", "-m", "No key")
    red(clones.a, "first-chat")
    with pytest.raises(SafepointError, match=r"deploy.pem"):
        run(clones.a, "push")


def test_a_second_push_without_a_change_sends_nothing(clones: Clones) -> None:
    one = chat(clones.a, "first-chat")
    (clones.a / "basket.py").write_text("def total(): return 1\n")
    first = run(clones.a, "push")
    again = run(clones.a, "push")
    assert (first["new"], again["new"]) == (True, False)
    assert again["commit"] == first["commit"] == git(clones.remote, "rev-parse", "refs/safepoint/fix-basket")
    assert again["has_work"] and again["work"] == first["work"]
    (clones.a / "basket.py").write_text("def total(): return 2\n")
    second = run(clones.a, "push")
    assert second["new"] and second["commit"] != first["commit"]
    one.tool("Bash", command="make lint", response={"stdout": "ok"})
    assert run(clones.a, "push")["new"]


def test_waiting_handoff_is_sent_once(clones: Clones) -> None:
    red(clones.a, "first-chat")
    assert [run(clones.a, "push")["new"] for _ in range(2)] == [True, False]


def test_path_to_allow_that_is_nowhere_is_named(clones: Clones) -> None:
    red(clones.a, "first-chat")
    (clones.a / ".env").write_text("A=1\n")
    sent = run(clones.a, "push", "--allow", "nope.py", "--allow", ".en*")
    assert sent["unused_allow"] == ["nope.py"]


def test_work_that_was_fetched_comes_back_without_the_remote(clones: Clones) -> None:
    red(clones.a, "first-chat")
    (clones.a / "割引.py").write_text("new\n")
    run(clones.a, "push")
    run(clones.b, "pull")
    git(clones.b, "remote", "remove", "origin")
    run(clones.b, "restore")
    assert (clones.b / "割引.py").read_text() == "new\n"
    with pytest.raises(SafepointError, match="this clone has no remote origin"):
        run(clones.b, "pull")


def test_chat_below_red_can_be_pushed_and_nothing_is_written_here(clones: Clones) -> None:
    chat(clones.a, "green-chat")
    before = sorted(path.name for path in (clones.a / ".cursor/.session").rglob("*"))
    assert run(clones.a, "push")["reason"] == "moved"
    assert sorted(path.name for path in (clones.a / ".cursor/.session").rglob("*")) == before
    assert run(clones.b, "pull")["pending"]
    assert "[CONTEXT_BUDGET_RESUME]" in added(chat(clones.b, "next").start)  # type: ignore[attr-defined]


def test_nothing_is_sent_without_a_remote_in_the_settings(clones: Clones) -> None:
    red(clones.a, "first-chat")
    settings = clones.a / ".cursor/hooks/settings.json"
    settings.write_text(settings.read_text().replace('"remote": "origin"', '"remote": ""'))
    for command in ("push", "pull", "fetch", "restore"):
        with pytest.raises(SafepointError, match=r"framework\.sync\.remote"):
            run(clones.a, command)


def test_list_of_the_remote_names_who_and_where(clones: Clones) -> None:
    red(clones.a, "first-chat")
    git(clones.a, "config", "user.name", "Ann")
    run(clones.a, "push")
    git(clones.remote, "update-ref", "refs/safepoint/not-ours", "refs/heads/main")
    found = run(clones.b, "campaign", "list", "--remote")["campaigns"]
    assert [(one["ref"], one.get("by"), one["standing"]) for one in found] == [
        ("fix-basket", "Ann", "new"), ("not-ours", None, "new"),
    ]  # fmt: skip
    assert "bundle.json: missing" in found[1]["problem"] or "no file of a bundle" in found[1]["problem"]
    run(clones.b, "pull")
    assert run(clones.b, "fetch")["campaigns"][0]["standing"] == "here"
    git(clones.remote, "update-ref", "-d", "refs/safepoint/not-ours")
    assert len(run(clones.b, "fetch")["campaigns"]) == 1
    assert "not-ours" not in git(clones.b, "for-each-ref")


def test_ref_that_is_no_bundle_is_not_overwritten(clones: Clones) -> None:
    red(clones.a, "first-chat")
    before = git(clones.remote, "rev-parse", "refs/heads/main")
    git(clones.remote, "update-ref", "refs/safepoint/fix-basket", before)
    with pytest.raises(SafepointError, match="no bundle of Safepoint's"):
        run(clones.a, "push")
    with pytest.raises(SafepointError, match="was not taken over"):
        run(clones.b, "pull")
    assert git(clones.remote, "rev-parse", "refs/safepoint/fix-basket") == before


def test_second_pull_says_that_there_is_nothing_newer(clones: Clones) -> None:
    red(clones.a, "first-chat")
    run(clones.a, "push")
    run(clones.b, "pull")
    run(clones.b, "resume", "--dismiss", "first-chat")
    again = run(clones.b, "pull")
    assert not again["new"] and not again["pending"]
    assert run(clones.b, "pull", "--again")["pending"]


def test_pull_in_the_clone_that_the_chat_is_of_offers_nothing(clones: Clones) -> None:
    red(clones.a, "first-chat")
    run(clones.a, "push")
    run(clones.a, "resume", "--dismiss", "first-chat")
    assert run(clones.a, "pull", "--again")["pending"] is False
    assert run(clones.a, "resume")["handoffs"] == []


def test_submodules_and_pointers_of_large_files_travel_as_git_has_them(clones: Clones) -> None:
    lib = clones.folder / "lib"
    lib.mkdir()
    git(lib, "init", "-q")
    (lib / "l.py").write_text("1\n")
    git(lib, "add", "-A")
    git(lib, "commit", "-q", "-m", "One")
    git(clones.a, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(lib), "lib")
    (clones.a / ".gitattributes").write_text("*.psd filter=pointer\n")
    for project in (clones.a, clones.b):
        git(project, "config", "filter.pointer.clean", "printf 'pointer to '; wc -c | tr -d ' '")
    (clones.a / "art.psd").write_bytes(b"\0" * 5000)
    red(clones.a, "first-chat")
    run(clones.a, "push")
    run(clones.b, "pull")
    run(clones.b, "restore")
    assert (clones.b / "art.psd").read_text() == "pointer to 5000\n"
    assert "path = lib" in (clones.b / ".gitmodules").read_text()
    assert (clones.b / "lib").is_dir() and not (clones.b / "lib/l.py").exists()


def test_work_tree_of_its_own_has_the_handoff_and_the_clone_no_more(clones: Clones) -> None:
    (clones.a / "basket.py").write_text("changed\n")
    red(clones.a, "first-chat")
    run(clones.a, "push")
    run(clones.b, "pull")
    tree = clones.folder / "作業 tree"
    found = run(clones.b, "restore", "--worktree", str(tree))
    assert found["pending_in"] == str(tree) and run(clones.b, "resume")["handoffs"] == []
    assert (tree / "basket.py").read_text() == "changed\n"
    assert "[CONTEXT_BUDGET_RESUME]" in added(chat(tree, "next").start)  # type: ignore[attr-defined]


def test_second_work_tree_of_a_clone_pushes_and_pulls(clones: Clones) -> None:
    tree = clones.folder / "side"
    git(clones.a, "worktree", "add", "-q", "-b", "side", str(tree))
    (tree / "basket.py").write_text("of the side\n")
    red(tree, "side-chat")
    assert run(tree, "push")["campaign"] == "side"
    assert run(clones.b, "pull", "side")["pending"]


def test_detached_head_and_a_commit_that_was_never_pushed(clones: Clones) -> None:
    git(clones.a, "checkout", "-q", "--detach")
    (clones.a / "basket.py").write_text("committed\n")
    git(clones.a, "commit", "-q", "-am", "Nowhere else")
    (clones.a / "basket.py").write_text("and worked on\n")
    one = red(clones.a, "first-chat")
    sent = run(clones.a, "push")
    assert sent["campaign"].startswith("session-")
    got = run(clones.b, "pull", sent["campaign"])
    assert not got["at_base"] and git(clones.b, "cat-file", "-t", got["base"]) == "commit"
    tree = clones.folder / "tree"
    run(clones.b, "restore", sent["campaign"], "--worktree", str(tree))
    assert git(tree, "rev-parse", "HEAD") == git(clones.a, "rev-parse", "HEAD") == got["base"]
    assert (tree / "basket.py").read_text() == "and worked on\n"
    assert one.session == "first-chat"


def test_conflicts_are_named_and_end_in_status_1(clones: Clones) -> None:
    changed_on_both(clones)
    found = run(clones.b, "restore")
    assert found["conflicts"] == ["basket.py"] and found["exit"] == 1


def test_envelopes_notes_and_report_come_along(clones: Clones) -> None:
    run(clones.a, "campaign", "start", "basket-work")
    for words in (("start", "1", "--substep", "one", "--substep", "two"), ("progress", "1", "--done", "1")):
        run(clones.a, "step", *words, "--campaign", "basket-work")
    red(clones.a, "first-chat")
    (clones.a / ".cursor/.session/handoff-first-chat.notes.md").write_text("Mind the rounding.\n")
    run(clones.a, "push", "basket-work")
    run(clones.b, "pull", "basket-work")
    envelope = ".cursor/.artifacts/basket-work--step1.md"
    assert (clones.b / envelope).read_bytes() == (clones.a / envelope).read_bytes()
    assert "rounding" in (clones.b / ".cursor/.session/handoff-first-chat.notes.md").read_text()
    report = clones.b / "docs/agent-tasks/reports/basket-work.md"
    assert not report.exists()
    run(clones.b, "restore", "basket-work")
    assert report.exists()


def test_project_below_the_top_of_the_repository(tmp_path: Path) -> None:
    clones = Clones(tmp_path)
    for project in (clones.a, clones.b):
        below = project / "packages/shop"
        below.mkdir(parents=True)
        git(project, "mv", ".cursor", "packages/shop/.cursor")
        git(project, "mv", ".claude", "packages/shop/.claude")
        git(project, "commit", "-q", "-m", "Below")
    (clones.a / "packages/shop/new.py").write_text("new\n")
    (clones.a / "basket.py").write_text("at the top\n")
    red(clones.a / "packages/shop", "first-chat")
    run(clones.a / "packages/shop", "push")
    run(clones.b / "packages/shop", "pull")
    run(clones.b / "packages/shop", "restore")
    assert (clones.b / "packages/shop/new.py").exists()
    assert (clones.b / "basket.py").read_text() == "at the top\n"


def test_repository_without_a_commit_is_pushed_whole(clones: Clones) -> None:
    fresh = clones.folder / "fresh"
    fresh.mkdir()
    git(fresh, "init", "-q", "-b", "begun")
    git(fresh, "remote", "add", "origin", str(clones.remote))
    git(fresh, "fetch", "-q", "origin")
    for name in (".cursor", ".claude"):
        shutil.copytree(clones.b / name, fresh / name)
    (fresh / "a.py").write_text("a\n")
    red(fresh, "first-chat")
    sent = run(fresh, "push")
    assert sent["base"] == "" and git(clones.remote, "rev-parse", sent["ref"]) == sent["commit"]
    run(clones.b, "pull", sent["campaign"])
    run(clones.b, "restore", sent["campaign"], "--worktree", str(clones.folder / "tree"))
    assert (clones.folder / "tree/a.py").read_text() == "a\n"


def test_sparse_checkout_takes_part(clones: Clones) -> None:
    for name in ("in", "out"):
        (clones.a / name).mkdir()
        (clones.a / name / "new.py").write_text("new\n")
    red(clones.a, "first-chat")
    run(clones.a, "push")
    git(clones.b, "sparse-checkout", "set", "in", ".cursor", ".claude")
    run(clones.b, "pull")
    before = untouched(clones.b)["index"]
    run(clones.b, "restore")
    assert (clones.b / "in/new.py").exists() and untouched(clones.b)["index"] == before


def test_what_is_left_out_is_told_on_both_machines(clones: Clones) -> None:
    have_a_filter_that_fails(clones.a)
    for number in range(60):
        (clones.a / f"{number:02}.bin").write_text("x\n")
    for name in ("basket.py", "own.py"):
        (clones.a / name).write_text("worked on\n")
    red(clones.a, "first-chat")
    sent = run(clones.a, "push", "--leave-out", "own.py")
    assert len(sent["left_out"]) == 50 and run(clones.b, "pull")["left_out"] == sent["left_out"]
    found = run(clones.b, "restore")
    assert found["left_out"] == sent["left_out"] and found["left_out_total"] == 61
    assert (clones.b / "basket.py").exists() and found["files"] == ["basket.py"]


def test_outside_of_a_repository_it_says_so(tmp_path: Path, clones: Clones) -> None:
    shutil.copytree(clones.b / ".cursor", tmp_path / "plain/.cursor")
    with pytest.raises(SafepointError, match="in no git repository"):
        run(tmp_path / "plain", "push")
    with pytest.raises(SafepointError, match="is not installed in"):
        run(clones.remote, "fetch")


@pytest.mark.parametrize("name", ["local", "fetched", "v1..2", "x.lock", "日本語"])
def test_campaign_of_any_name_travels(clones: Clones, name: str) -> None:
    slug = run(clones.a, "campaign", "start", name)["campaign"]
    red(clones.a, "first-chat")
    sent = run(clones.a, "push", slug)
    assert git(clones.remote, "rev-parse", sent["ref"]) == sent["commit"]
    got = run(clones.b, "pull", name)
    assert got["campaign"] == slug and got["pending"]
