from __future__ import annotations

import json
import os
import shlex
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from user_files import contents

from safepoint import (
    changes,
    hook_files,
    install,
    install_record,
    jsonc,
    manifest,
    project,
    registration,
    shipped,
    uninstall,
)  # fmt: skip
from safepoint.carry_out import carry_out
from safepoint.errors import SafepointError
from safepoint.install import Plan, Wish

Tree = dict[str, "bytes | str | None"]
HOOKS = shipped.HOOKS


def tree(root: Path) -> Tree:
    """Every file, link and folder below `root`, git's own apart from its exclude file."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(".git/") and name != ".git/info/exclude":
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def put_in(root: Path, **wish: Any) -> Plan:
    found = project.find(root)
    plan = carry_out(lambda: install.plan_install(found, Wish(**wish)), found)
    assert plan is not None
    return plan


def take_out(root: Path, purge: bool = False) -> Plan | None:
    found = project.find(root)
    return carry_out(lambda: uninstall.plan_uninstall(found, purge), found)


def recompile(root: Path) -> Plan:
    found = project.find(root)
    plan = carry_out(lambda: install.plan_install(found, Wish(), recompile_only=True), found)
    assert plan is not None
    return plan


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def read_json(file: Path) -> Any:
    return json.loads(file.read_bytes())


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "a repo"
    root.mkdir()
    git(root, "init", "-q")
    return root


# --- what is there afterwards ---------------------------------------------------------------------------


def test_both_hosts_are_registered_and_all_files_are_there(repo: Path) -> None:
    plan = put_in(repo)
    assert read_json(repo / ".cursor/hooks.json") == registration.cursor_hooks("base")
    assert read_json(repo / ".claude/settings.json") == registration.claude_settings()
    package = repo / HOOKS / plan.record["package"] if plan.record else repo
    assert {file.relative_to(package).as_posix() for file in package.rglob("*.py")} == set(
        shipped.hot_package()
    )
    compiled = read_json(repo / HOOKS / "settings.json")
    checked = manifest.load(repo / HOOKS / "manifest.yaml")
    assert compiled == checked.settings
    assert (repo / HOOKS / ".gitignore").read_text().splitlines()[:2] == [
        "__pycache__/",
        "settings.local.json",
    ]


@pytest.mark.parametrize(
    ("host", "there", "absent"),
    [
        ("cursor", [".cursor/hooks.json", ".cursor/rules/safepoint.mdc"], [".claude"]),
        ("claude_code", [".claude/settings.json"], [".cursor/hooks.json", ".cursor/rules"]),
    ],
)
def test_one_host_alone(repo: Path, host: str, there: list[str], absent: list[str]) -> None:
    put_in(repo, hosts=(host,))
    assert all((repo / path).exists() for path in there)
    assert not any((repo / path).exists() for path in absent)


def test_a_second_host_is_added_to_the_first(repo: Path) -> None:
    put_in(repo, hosts=("cursor",))
    plan = put_in(repo, hosts=("claude_code",))
    assert plan.record and plan.record["hosts"] == ["cursor", "claude_code"]


def test_installing_again_changes_nothing(repo: Path) -> None:
    put_in(repo, events="full")
    before = tree(repo)
    assert put_in(repo).changes == []
    assert tree(repo) == before


def run_hook(repo: Path, name: str, payload: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}
    return subprocess.run(
        registration.command(name),
        shell=True,
        cwd=repo,
        env=environment,
        input=json.dumps(payload).encode(),
        capture_output=True,
    )


PAYLOAD = {
    "hook_event_name": "PreToolUse",
    "session_id": "s1",
    "transcript_path": "",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "t1",
}


def test_the_registered_command_answers(repo: Path) -> None:
    put_in(repo)
    done = run_hook(repo, "session_budget_guard", {**PAYLOAD, "cwd": str(repo)})
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, {}, b"")


def test_an_entrypoint_runs_by_hand(repo: Path) -> None:
    put_in(repo)
    file = repo / HOOKS / "session_budget_guard.py"
    payload = json.dumps({**PAYLOAD, "cwd": str(repo)}).encode()
    done = subprocess.run([file], cwd=repo, input=payload, capture_output=True)
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, {}, b"")


def test_nothing_of_the_source_is_needed_to_run(repo: Path) -> None:
    put_in(repo)
    for file in (repo / HOOKS).rglob("*.py"):
        assert b"safepoint.hot" not in file.read_bytes(), file


# --- language and manifest ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "ja_JP.UTF-8"}, "ja"),
        ({"LC_ALL": "ja", "LANG": "en_US"}, "ja"),
        ({"LC_ALL": "C", "LANG": "ja_JP"}, "en"),
        ({"LC_ALL": "", "LANG": "ja_JP"}, "ja"),
        ({}, "en"),
    ],
)
def test_the_language_comes_from_the_locale(environment: dict[str, str], language: str) -> None:
    assert install.language_of_locale(environment) == language


def test_the_chosen_language_reaches_every_text(repo: Path) -> None:
    put_in(repo, language="ja")
    assert read_json(repo / HOOKS / "settings.json")["language"] == "ja"
    assert "language: ja" in (repo / HOOKS / "manifest.yaml").read_text(encoding="utf-8")
    assert (repo / shipped.RULE).read_bytes() == shipped.template("rule.ja.mdc")
    assert put_in(repo).language == "ja"
    put_in(repo, language="en")
    assert (repo / shipped.RULE).read_bytes() == shipped.template("rule.en.mdc")


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_wrong_manifest_stops_everything(repo: Path) -> None:
    put_in(repo)
    edit(repo / HOOKS / "manifest.yaml", "calls: 5", "calls: lots")
    before = tree(repo)
    for attempt in (put_in, recompile):
        with pytest.raises(
            manifest.ManifestError, match=r"\.cursor/hooks/manifest\.yaml:\d+: framework\.grace\.calls"
        ):
            attempt(repo)
    assert tree(repo) == before


def test_recompiling_writes_what_follows_from_the_manifest(repo: Path) -> None:
    put_in(repo)
    assert recompile(repo).changes == []
    edit(repo / HOOKS / "manifest.yaml", "language: en", "language: ja")
    assert {change.path for change in recompile(repo).changes} == {
        f"{HOOKS}/settings.json",
        f"{HOOKS}/README.md",
        shipped.RULE,
        install_record.PATH,
    }


def test_events_of_other_tools_are_marked_as_shared(repo: Path) -> None:
    (repo / ".cursor").mkdir()
    (repo / ".cursor/hooks.json").write_text('{"version": 1, "hooks": {"stop": [{"command": "x"}]}}')
    (repo / ".claude").mkdir()
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "y"}]}
    (repo / ".claude/settings.local.json").write_text(json.dumps({"hooks": {"PreToolUse": [group]}}))
    put_in(repo)
    shared = read_json(repo / HOOKS / "settings.json")["shared_events"]
    assert shared == {"cursor": ["preToolUse", "stop"], "claude_code": ["PreToolUse"]}


# --- the round trip -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", [{}, {"events": "full"}, {"hosts": ("claude_code",)}, {"scope": "local"}])
def test_an_empty_repository_is_empty_again(repo: Path, wish: dict[str, Any]) -> None:
    before = tree(repo)
    put_in(repo, **wish)
    run_hook(repo, "session_end", {"hook_event_name": "Other", "session_id": "s", "cwd": str(repo)})
    take_out(repo, purge=True)
    assert tree(repo) == before


FORMS = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FORMS
@given(contents("cursor"), contents("claude"))
def test_users_files_are_restored_to_the_byte(
    tmp_path_factory: pytest.TempPathFactory, cursor: bytes, claude: bytes
) -> None:
    root = tmp_path_factory.mktemp("repo")
    for path, content in ((".cursor/hooks.json", cursor), (".claude/settings.json", claude)):
        (root / path).parent.mkdir()
        (root / path).write_bytes(content)
    (root / ".cursor/rules").mkdir()
    (root / ".cursor/rules/mine.mdc").write_text("mine")
    before = tree(root)
    put_in(root)
    put_in(root, events="full")
    assert take_out(root) is not None
    assert tree(root) == before
    assert take_out(root) is None


def test_a_users_mode_and_link_stay(repo: Path) -> None:
    real = repo / "dotfiles.json"
    real.write_text('{"a": 1}')
    real.chmod(0o600)
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.json").symlink_to("../dotfiles.json")
    before = tree(repo)
    put_in(repo, hosts=("claude_code",))
    assert "hooks" in read_json(real)
    assert real.stat().st_mode & 0o777 == 0o600
    take_out(repo)
    assert tree(repo) == before


def test_the_users_readme_and_gitignore_in_the_hooks_folder_stay(repo: Path) -> None:
    (repo / HOOKS).mkdir(parents=True)
    (repo / HOOKS / "README.md").write_text("my hooks")
    (repo / HOOKS / ".gitignore").write_bytes(b"*.log")
    before = tree(repo)
    plan = put_in(repo)
    assert (repo / HOOKS / "README.md").read_text() == "my hooks"
    assert (repo / HOOKS / "SAFEPOINT.md").exists()
    assert b"*.log\n# >>> safepoint\n__pycache__/\n" in (repo / HOOKS / ".gitignore").read_bytes()
    assert any("README.md is yours" in note for note in plan.notes)
    assert put_in(repo).changes == []
    take_out(repo)
    assert tree(repo) == before


def test_the_copy_of_a_users_file_is_kept_while_it_says_something_else(repo: Path) -> None:
    (repo / ".cursor").mkdir()
    (repo / ".cursor/hooks.json").write_text('{\n  "version": 1\n}\n')
    put_in(repo)
    edit(repo / ".cursor/hooks.json", '"version": 1', '"mine": true,\n  "version": 1')
    plan = take_out(repo)
    assert (repo / ".cursor/hooks.json").read_text() == '{\n  "mine": true,\n  "version": 1\n}\n'
    assert (repo / HOOKS / "backup/cursor_hooks.json").read_text() == '{\n  "version": 1\n}\n'
    assert plan and any("backup/cursor_hooks.json" in note for note in plan.notes)


def test_state_stays_unless_purged(repo: Path) -> None:
    put_in(repo)
    (repo / ".cursor/.session").mkdir()
    (repo / ".cursor/.session/handoff-x.md").write_text("kept")
    (repo / ".cursor/.session/.index.4711-2-18c2ab.tmp.lock").touch()  # git's, of a save that was killed
    (repo / HOOKS / "settings.local.json").write_text('{"mode": "warn"}')
    plan = take_out(repo)
    assert plan and any("--purge" in note for note in plan.notes)
    assert set(tree(repo / ".cursor")) == {
        ".session",
        ".session/.index.4711-2-18c2ab.tmp.lock",
        ".session/handoff-x.md",
        "hooks",
        "hooks/settings.local.json",
    }
    take_out(repo, purge=True)
    assert not (repo / ".cursor/.session").exists()


def test_an_edited_file_of_ours_stays_unless_purged(repo: Path) -> None:
    put_in(repo)
    edit(repo / HOOKS / "manifest.yaml", "calls: 5", "calls: 6")
    plan = take_out(repo)
    assert set(tree(repo / ".cursor")) == {"hooks", "hooks/manifest.yaml"}
    assert plan and any("left in place: .cursor/hooks/manifest.yaml" in note for note in plan.notes)
    take_out(repo, purge=True)
    assert not (repo / HOOKS / "manifest.yaml").exists()


def test_line_ends_rewritten_by_a_checkout_are_no_edit(repo: Path) -> None:
    put_in(repo)
    for path in (f"{HOOKS}/session_end.py", f"{HOOKS}/manifest.yaml", shipped.RULE):
        (repo / path).write_bytes((repo / path).read_bytes().replace(b"\n", b"\r\n"))
    take_out(repo)
    assert tree(repo) == {".git": None, ".git/info/exclude": (repo / ".git/info/exclude").read_bytes()}


def test_a_lost_record_is_made_up_from_what_is_there(repo: Path) -> None:
    put_in(repo)
    (repo / install_record.PATH).unlink()
    take_out(repo)
    assert [path for path, content in tree(repo).items() if content is not None] == [
        ".claude/settings.json",
        ".cursor/hooks.json",
        ".git/info/exclude",
    ]
    assert "CLAUDE_PROJECT_DIR" not in (repo / ".claude/settings.json").read_text()


# --- upgrades -----------------------------------------------------------------------------------------------


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], None]:
    def publish(version: str, extra: bytes) -> None:
        package = shipped.PACKAGE / "hot"
        modules = {file.relative_to(package).as_posix(): file.read_bytes() for file in package.rglob("*.py")}
        monkeypatch.setattr(shipped, "hot_package", lambda: {**modules, "__init__.py": extra})
        monkeypatch.setattr(shipped, "version", lambda: version)

    return publish


def test_a_new_version_replaces_the_old_in_a_safe_order(
    repo: Path, release: Callable[[str, bytes], None]
) -> None:
    before = tree(repo)
    release("0.1.0", b"# old\n")
    put_in(repo)
    release("0.2.0", b"# new\n")
    plan = put_in(repo)
    order = [change.path for change in plan.changes]
    package = max(order.index(path) for path in order if "_safepoint_0_2_0" in path)
    entrypoint = order.index(f"{HOOKS}/session_end.py")
    removed = min(order.index(path) for path in order if "_safepoint_0_1_0" in path)
    assert package < entrypoint < removed
    assert not (repo / HOOKS / "_safepoint_0_1_0").exists()
    assert b"_safepoint_0_2_0" in (repo / HOOKS / "session_end.py").read_bytes()
    take_out(repo)
    assert tree(repo) == before


def test_other_code_under_the_same_version_gets_a_folder_of_its_own(
    repo: Path, release: Callable[[str, bytes], None]
) -> None:
    release("0.1.0", b"# one\n")
    put_in(repo)
    release("0.1.0", b"# two\n")
    put_in(repo)
    packages = [folder.name for folder in (repo / HOOKS).glob("_safepoint_*")]
    assert len(packages) == 1 and packages[0].startswith("_safepoint_0_1_0_")
    assert put_in(repo).changes == []


def test_a_failure_half_way_takes_everything_back(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo / ".cursor").mkdir()
    (repo / ".cursor/hooks.json").write_text("{}")
    before = tree(repo)
    write = changes.write

    def fail_at_the_last(file: Path, content: bytes, *mode: bool) -> None:
        if file.name == "settings.json" and file.parent.name == ".claude":
            raise OSError(28, "No space left on device", str(file))
        write(file, content, *mode)

    monkeypatch.setattr(changes, "write", fail_at_the_last)
    with pytest.raises(SafepointError, match=r"No space left on device\. Nothing was changed"):
        put_in(repo)
    assert tree(repo) == before


# --- what is refused ----------------------------------------------------------------------------------------


def test_a_malformed_file_is_refused_and_nothing_is_written(repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/settings.json").write_text('{\n  "a": 1,\n  b\n}')
    before = tree(repo)
    with pytest.raises(
        SafepointError, match=r"^\.claude/settings\.json:3:3: 'b' where a key in double quotes"
    ):
        put_in(repo)
    assert tree(repo) == before


@pytest.mark.parametrize("link", [".cursor", ".cursor/hooks.json"])
def test_a_link_is_refused_for_cursor(repo: Path, link: str) -> None:
    target = repo / "elsewhere"
    (repo / link).parent.mkdir(exist_ok=True)
    if link == ".cursor":
        target.mkdir()
    else:
        target.write_text("{}")
    (repo / link).symlink_to(target)
    before = tree(repo)
    with pytest.raises(SafepointError, match=rf"^{link} is a symbolic link"):
        put_in(repo)
    assert tree(repo) == before
    if link == ".cursor":
        put_in(repo, hosts=("claude_code",))


def test_a_link_out_of_the_project_is_refused_for_every_host(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (repo / ".cursor").symlink_to(tmp_path / "outside")
    with pytest.raises(SafepointError, match="leads out of the project"):
        put_in(repo, hosts=("claude_code",))
    assert list((tmp_path / "outside").iterdir()) == []


def test_somebody_elses_file_in_our_place_is_refused(repo: Path) -> None:
    (repo / HOOKS).mkdir(parents=True)
    (repo / HOOKS / "session_stop.py").write_text("print('mine')")
    with pytest.raises(SafepointError, match=r"session_stop\.py is there already and not Safepoint's"):
        put_in(repo)


def test_its_own_source_and_the_home_folder_are_refused(home: Path) -> None:
    with pytest.raises(SafepointError, match="Safepoint's own source"):
        project.find(shipped.source_root())
    with pytest.raises(SafepointError, match="home folder"):
        project.find(home)
    with pytest.raises(SafepointError, match="no such folder"):
        project.find(home / "nowhere")


# --- where it is --------------------------------------------------------------------------------------------


def test_a_local_installation_is_invisible_to_git(repo: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "x")
    before = tree(repo)
    put_in(repo, scope="local")
    assert git(repo, "status", "--porcelain", "-uall") == ""
    assert read_json(repo / ".claude/settings.local.json") == registration.claude_settings()
    take_out(repo)
    assert tree(repo) == before


def test_local_is_refused_for_a_cursor_file_in_git(repo: Path) -> None:
    (repo / ".cursor").mkdir()
    (repo / ".cursor/hooks.json").write_text('{"version": 1, "hooks": {}}')
    git(repo, "add", ".")
    with pytest.raises(SafepointError, match=r"--local: \.cursor/hooks\.json is in git"):
        put_in(repo, scope="local")
    put_in(repo, scope="local", hosts=("claude_code",))


def test_from_shared_to_local_moves_the_registration(repo: Path) -> None:
    put_in(repo, hosts=("claude_code",))
    put_in(repo, scope="local")
    assert not (repo / ".claude/settings.json").exists()
    put_in(repo, scope="shared")
    assert not (repo / ".claude/settings.local.json").exists()
    assert b"safepoint" not in (repo / ".git/info/exclude").read_bytes()


def test_a_subfolder_of_a_repository_is_told_of_both_places(repo: Path) -> None:
    sub = repo / "packages" / "my app!"
    sub.mkdir(parents=True)
    plan = put_in(sub, scope="local")
    assert any(f"safepoint install {shlex.quote(str(repo))}" in note for note in plan.notes)
    assert git(repo, "status", "--porcelain", "-uall") == ""


def test_without_git_it_works_and_says_so(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    plan = put_in(root)
    assert any("no git repository" in note for note in plan.notes)
    take_out(root)
    assert tree(root) == {}


def test_a_second_installer_waits(repo: Path) -> None:
    found = project.find(repo)
    order: list[str] = []

    def slow() -> Plan:
        order.append("first in")
        second.start()
        second.join(0.3)
        order.append("first out")
        return install.plan_install(found, Wish())

    def other() -> Plan:
        order.append("second")
        return install.plan_install(found, Wish())

    second = threading.Thread(target=lambda: carry_out(other, found))
    carry_out(slow, found)
    second.join()
    assert order == ["first in", "first out", "second"]


# --- what is in the way -------------------------------------------------------------------------------------


def _folder(file: Path) -> None:
    file.mkdir()


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _link_to_itself(file: Path) -> None:
    file.symlink_to(file)


def _link_to_nowhere(file: Path) -> None:
    file.symlink_to(file.parent / "gone/file")


def _large(file: Path) -> None:
    file.write_text('{"a": "' + "x" * hook_files.MAX_BYTES + '"}')


IN_THE_WAY: list[tuple[Callable[[Path], None], str]] = [
    (_folder, "no regular file"), (_pipe, "no regular file"), (_link_to_itself, "symbolic link"),
    (_link_to_nowhere, "whose folder is not there"), (_large, "bytes; at most"),
]  # fmt: skip


@pytest.mark.parametrize(("put", "text"), IN_THE_WAY, ids=[row[0].__name__[1:] for row in IN_THE_WAY])
def test_what_stands_where_a_file_has_to_be_is_named_and_nothing_is_changed(
    repo: Path, put: Callable[[Path], None], text: str
) -> None:
    (repo / ".claude").mkdir(exist_ok=True)
    put(repo / ".claude/settings.json")
    before = sorted(path for path in repo.rglob("*") if ".git" not in path.parts)
    with pytest.raises(SafepointError, match=text) as caught:
        put_in(repo)
    assert ".claude/settings.json" in str(caught.value)
    assert sorted(path for path in repo.rglob("*") if ".git" not in path.parts) == before


@pytest.mark.parametrize("name", [".claude", ".cursor", HOOKS, f"{HOOKS}/backup"])
def test_a_file_where_a_folder_has_to_be_is_named(repo: Path, name: str) -> None:
    (repo / name).parent.mkdir(parents=True, exist_ok=True)
    (repo / name).write_text("mine")
    if name.endswith("backup"):
        (repo / ".claude").mkdir()
        (repo / ".claude/settings.json").write_text("{ }")
    with pytest.raises(SafepointError, match=r"it has to be a folder: move it away\. Nothing was changed"):
        put_in(repo)
    assert (repo / name).read_text() == "mine"


def test_a_file_of_many_keys_takes_no_long_time() -> None:
    text = "{" + ",".join(f'"k{i}": 1' for i in range(40_000)) + "}"
    began = time.monotonic()
    jsonc.parse(text)
    assert time.monotonic() - began < 5, "each key was looked for among all the others"


@pytest.mark.parametrize("then", ["install", "uninstall"])
@pytest.mark.parametrize("at", [1, 2, 9, -30, -1])
def test_what_a_killed_installation_was_writing_goes_with_the_next_command(
    repo: Path, at: int, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(repo)
    count = len(install.plan_install(project.find(repo), Wish()).changes) + 1
    left, replace, set_it = [at % count], os.replace, changes._set

    def killed(source: str, target: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        replace(source, target)

    def without_undoing(change: changes.Change, content: bytes | None) -> None:
        if content is change.after:
            set_it(change, content)

    with monkeypatch.context() as patch:  # nothing runs behind the end of a process that is killed
        patch.setattr(changes.os, "replace", killed)
        patch.setattr(changes.os, "unlink", lambda *_: None)
        patch.setattr(changes, "_set", without_undoing)
        with pytest.raises(KeyboardInterrupt):
            put_in(repo)
    assert [name for name in tree(repo) if changes.UNFINISHED in name]
    if then == "install":
        put_in(repo)
        assert not [name for name in tree(repo) if changes.UNFINISHED in name]
    take_out(repo)
    assert tree(repo) == before
