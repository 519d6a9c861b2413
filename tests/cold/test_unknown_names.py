"""A name that nothing has: the one that was probably meant is named, or those that there are."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from safepoint import cli, registration
from safepoint.hook_process import script_of
from safepoint.hot.stores import pending
from safepoint.hot.stores.paths import Paths
from safepoint.unknown_name import did_you_mean, instead_of

TEXTS = ("session_id", "host", "reason", "campaign_slug", "branch", "base_commit_sha", "checkpoint",
         "handoff")  # fmt: skip


def run(*words: str) -> Result:
    return CliRunner().invoke(cli.main, words)


def groups(group: click.Group = cli.main, words: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    """Every group with the first of its commands."""
    context = click.Context(group)
    names = group.list_commands(context)
    found = [(words, names[0])]
    for name in names:
        inner = group.get_command(context, name)
        if isinstance(inner, click.Group):
            found += groups(inner, (*words, name))
    return found


def waiting(project: Path, *keys: str) -> Path:
    """A folder where these handoffs wait."""
    paths = Paths(str(project))
    Path(paths.pending).mkdir(parents=True)
    for key in keys:
        offered = {**dict.fromkeys(TEXTS, "x"), "session_id": key, "created_at_unix": 1}
        Path(paths.offer(key)).write_text(json.dumps(offered))
    return project


def test_near_and_far_names() -> None:
    known = ["session_budget_guard", "session_stop"]
    assert did_you_mean("session_budget_gaurd", known) == ", did you mean session_budget_guard?"
    assert did_you_mean("SESSION_STOP", known) == ", did you mean session_stop?"
    assert did_you_mean("zzz", known) == "" and did_you_mean("zzz", []) == ""
    assert instead_of("zzz", known) == "; there are: session_budget_guard, session_stop"
    assert instead_of("session_stpo", known).startswith(", did you mean session_stop? There are: session_b")
    assert instead_of("zzz", []) == "; there are none"
    assert instead_of("zzz", [f"a{number}" for number in range(99)]).endswith("a19, …")


@pytest.mark.parametrize(("words", "name"), groups())
def test_a_misspelt_command_of_any_group(words: tuple[str, ...], name: str) -> None:
    slip = name[:-1]
    done = run(*words, slip)
    assert done.exit_code == 2 and f"there is no command {slip!r}, did you mean {name}?" in done.output
    assert "did you mean" not in run(*words, "zzzzzz").output


@pytest.mark.parametrize("name", registration.entrypoints())
def test_the_hooks_that_help_names_are_those_that_run(tmp_path: Path, name: str) -> None:
    short = name.removeprefix("session_")
    told = run("hook", "--help").output.replace(",", " ").replace(";", " ").split()
    assert short in told
    for called in (name, short, f"{name}.py", f"{short}.py"):
        assert script_of(called, str(tmp_path)).stem == name


@pytest.mark.parametrize(
    ("name", "said"),
    [("budget_gaurd", "did you mean budget_guard? There are:"), ("zzz", "hook; there are: bootstrap, "),
     ("../../tools/docs", "is no hook"), ("__init__", "is no hook")],
)  # fmt: skip
def test_nothing_else_is_a_hook(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / ".cursor/.session").mkdir(parents=True)
    assert said in str(run("hook", name, "--project", str(tmp_path)).exception)


@pytest.mark.parametrize("option", ["--pick", "--dismiss"])
@pytest.mark.parametrize(
    ("keys", "name", "said"),
    [
        ((), "zzz", "there is no handoff 'zzz', since none waits here"),
        (("a-one", "a-two"), "zzz", "no handoff 'zzz' waits here; there are: a-one, a-two"),
        (("first-chat",), "frist-chat", "did you mean first-chat?"),
        (("a-one", "a-two"), "a-", "more than one handoff begins with 'a-'; say which: a-one, a-two"),
    ],
)
def test_handoffs(tmp_path: Path, option: str, keys: tuple[str, ...], name: str, said: str) -> None:
    project = waiting(tmp_path, *keys)
    assert said in str(run("resume", option, name, "--project", str(project)).exception)
    assert len(pending.listed(Paths(str(project)))) == len(keys)


def test_a_whole_id_means_its_handoff_though_others_begin_with_it(tmp_path: Path) -> None:
    project = waiting(tmp_path, "a", "a-two")
    assert run("resume", "--dismiss", "a", "--project", str(project)).exception is None
    assert [item.key for item in pending.listed(Paths(str(project)))] == ["a-two"]
