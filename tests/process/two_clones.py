"""Two clones of one repository, the bare remote between them, and chats that have reached Red in one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from claude_chat import ClaudeChat, is_denied
from click.testing import CliRunner
from git_command import git
from host_process import install
from scratch_repository import make_repository

from safepoint import cli

SETTING = '"sync": {\n    "remote": "",\n    "auto": "off"'


def take_time(project: Path) -> None:
    """Ten seconds for a hook and five for git: what is told here is not how busy the machine is."""
    settings = project / ".cursor/hooks/settings.json"
    text = settings.read_text()
    for before, after in (('"hook_s": 2.0', '"hook_s": 10.0'), ('"git_s": 1.5', '"git_s": 5.0')):
        assert before in text
        text = text.replace(before, after)
    settings.write_text(text)


def hurry(project: Path) -> None:
    """The deadlines as they come."""
    settings = project / ".cursor/hooks/settings.json"
    text = settings.read_text().replace('"hook_s": 10.0', '"hook_s": 2.0')
    settings.write_text(text.replace('"git_s": 5.0', '"git_s": 1.5'))


class Clones:
    """`a` and `b` are on branch fix-basket, with the hooks committed and `origin` set to take campaigns."""

    def __init__(self, folder: Path, auto: str = "off") -> None:
        begun = make_repository(folder / "begun")
        install(begun)
        settings = begun / ".cursor/hooks/settings.json"
        text = settings.read_text()
        assert SETTING in text
        changed = SETTING.replace('""', '"origin"').replace('"off"', f'"{auto}"')
        settings.write_text(text.replace(SETTING, changed))
        take_time(begun)
        git(begun, "add", "-A")
        git(begun, "commit", "-q", "-m", "Hooks")
        self.folder = folder
        self.remote = folder / "remote.git"
        git(folder, "clone", "-q", "--bare", str(begun), str(self.remote))
        git(self.remote, "symbolic-ref", "HEAD", "refs/heads/main")
        self.a, self.b = self.clone("お店 'a' $x"), self.clone("b")

    def clone(self, name: str, *options: str) -> Path:
        target = self.folder / name
        git(self.folder, "clone", "-q", "-b", "fix-basket", *options, str(self.remote), str(target))
        return target


def chat(project: Path, session: str, tokens: int = 50_000) -> ClaudeChat:
    """A chat that has used one tool."""
    one = ClaudeChat(project, session)
    one.start = one.send("SessionStart", source="startup")  # type: ignore[attr-defined]
    one.prompt = one.send("UserPromptSubmit", prompt="Add a discount to the basket")  # type: ignore[attr-defined]
    one.context(tokens)
    one.tool("Bash", command="make test", response={"stdout": "ok"})
    return one


def red(project: Path, session: str) -> ClaudeChat:
    """A chat whose tools are denied, and whose handoff waits."""
    one = chat(project, session)
    one.context(170_000)
    assert is_denied(one.tool("Bash", command="make test"))
    return one


def run(project: Path, *words: str) -> dict[str, Any]:
    """`safepoint WORDS --json`; a SafepointError comes out as it is."""
    result = CliRunner().invoke(
        cli.main, [*words, "--project", str(project), "--json"], standalone_mode=False
    )
    if result.exception:
        raise result.exception
    value = json.loads(result.output)
    assert isinstance(value, dict)
    value["exit"] = result.return_value
    return value


def changed_on_both(clones: Clones) -> None:
    """The same file was worked on in `a` and committed in `b`, which has pulled what `a` pushed."""
    (clones.a / "basket.py").write_text("of a\n")
    red(clones.a, "first-chat")
    run(clones.a, "push")
    (clones.b / "basket.py").write_text("of b\n")
    git(clones.b, "commit", "-q", "-am", "B")
    run(clones.b, "pull")


def untouched(project: Path) -> dict[str, Any]:
    """What no command of these may change: index, stash, HEAD, branches, config, hooks, files."""
    folder = Path(git(project, "rev-parse", "--absolute-git-dir"))
    names = ("index", "HEAD", "config", "logs/HEAD", "refs/stash", "logs/refs/stash", "FETCH_HEAD",
             "packed-refs", "shallow")  # fmt: skip
    found: dict[str, Any] = {
        name: (folder / name).read_bytes() if (folder / name).exists() else None for name in names
    }
    found["branches"] = git(project, "for-each-ref", "refs/heads", "refs/remotes", "refs/tags")
    found["hooks"] = sorted(path.name for path in (folder / "hooks").glob("*"))
    found["status"] = git(project, "--no-optional-locks", "status", "--porcelain", "-z")
    return found
