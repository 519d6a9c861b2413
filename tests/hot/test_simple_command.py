"""A simple command is one of the allowed ones with harmless arguments, whatever is tried."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot.policies.simple_command import is_simple_command

COMMANDS = ["git status", "git diff", "git add", "git commit"]
HOSTILE = st.text(st.sampled_from(list("ab ;&|<>`$(){}'\"\\\n\r\t-=あ")), max_size=12)


@pytest.mark.parametrize(
    "command",
    [
        "git status",
        "  git  status --short ",
        "git\tdiff --stat",
        "git diff HEAD~1 -- src/a.py",
        "git add -A",
        "git add src/*.py",
        'git commit -m "done"',
        "git commit -am 'step 3: done'",
        'git commit -m "割引を追加：テスト済み（第３段階）"',
        "git commit -m テスト済み",
        'git commit -m "全角　空白"',
        'git commit -m "fix(basket): round once"',
        "git commit --amend --no-edit",
        "git commit -C HEAD",
        'git commit -m "/api: -p --edit ../x"',
        "git diff --stat HEAD -- src/a.py",
        "git diff --no-ext-diff",
        "git diff --exit-code",
        "git diff --",
        "git diff --word-diff",
    ],
)
def test_simple_command_passes(command: str) -> None:
    assert is_simple_command(command, COMMANDS)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "git",
        "git push",
        "git statusx",
        "GIT STATUS",
        "make",
        "git reset --hard",
        "/tmp/git status",
        "git status; rm -rf /",
        "git status && make",
        "git status || make",
        "git status & make",
        "git diff | sh",
        "git diff |& sh",
        "git diff > src/a.py",
        "git diff >> a",
        "git commit -F < a",
        'git commit -m "$(x)"',
        "git commit -m `x`",
        "git commit -m ${x}",
        "git add $FILES",
        "git diff $'\\x2d'",
        "git status\nrm -rf /",
        "git status\r\nmake",
        'git commit -m "a\nb"',
        "git status\0",
        "git status \\\nmake",
        "git diff --out\\put=x",
        "git add (make)",
        "git add *(e:make:)",
        "git diff {--output=x,}",
        "git -c core.pager=x status",
        "git --exec-path=/tmp status",
        "git --config-env=a=b status",
        "git commit -c HEAD",
        "git diff --no-index a /dev/null",
        "git diff ../other",
        "git add /etc/passwd",
        "git add --edit",
        "git add -i",
        "git add --interactive",
        "git commit -p",
        "git commit -m x --edit",
        "git commit --patch",
        "git diff -Ofile",
        "git diff --output=x",
        "git diff --output x",
        'git diff "--output=x"',
        "git diff --out'put'=x",
        "git diff --outp=x",
        "git diff --o x",
        "git diff --ext-diff",
        "git diff --ext",
        "git diff --textconv",
        "git diff -O x",
        "PATH=/tmp git status",
        "sudo git status",
        "sh -c 'git status'",
        '"git status"',
        "git commit -m 'open",
        'git commit -m "open',
        "git commit -m \"it's",
        "; git status",
        'git commit -m "a & b"',
        "git commit -m 'a; b'",
        "git commit -m 'a -> b'",
        'git commit -m "5 $"',
    ],
)
def test_command_that_could_do_more_is_refused(command: str) -> None:
    assert not is_simple_command(command, COMMANDS)


@pytest.mark.parametrize("allowed", [[], [""], [" "]], ids=["none", "empty", "blank"])
def test_nothing_allowed_is_nothing_allowed(allowed: list[str]) -> None:
    assert not is_simple_command("rm -rf /", allowed)
    assert not is_simple_command("", allowed)


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_nothing_a_shell_gives_a_meaning_passes(tail: str) -> None:
    command = "git status" + tail
    if is_simple_command(command, COMMANDS):
        assert not set(command.strip()) & set(";&|<>`$\\\n\r")
        assert shlex.split(command)[:2] == ["git", "status"]
