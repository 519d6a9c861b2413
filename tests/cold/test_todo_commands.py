from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from safepoint import cli
from safepoint.errors import SafepointError
from safepoint.todo_list import TodoRuleError

LIST = [
    {"content": "Write it", "status": "completed", "activeForm": "Writing it"},
    {"content": "Test it", "status": "pending", "activeForm": "Testing it"},
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`safepoint todo WORDS` as the shell of one Cursor chat runs it."""
    (tmp_path / ".cursor/.session").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    monkeypatch.setenv("CURSOR_CONVERSATION_ID", "cur-1")

    def invoke(*words: str, stdin: str = "") -> Result:
        result = CliRunner().invoke(cli.main, ["todo", *words], input=stdin, standalone_mode=True)
        if isinstance(result.exception, Exception):
            raise result.exception
        return result

    return invoke


def test_list_is_made_and_worked_through(run: Any) -> None:
    assert run("add", "Write it", "--active", "Writing it").output == "[ ] Write it\n(0/1 completed)\n"
    run("add", "Test it")
    assert run("start", "1").output == "[>] Write it <- Writing it\n(0/2 completed)\n"
    assert run("done", "1").output == "[x] Write it\n(1/2 completed)\n"
    run("start", "2")
    assert run("stop", "2").output == "[ ] Test it\n(1/2 completed)\n"
    run("drop", "2")
    assert run().output == run("list").output == "#1 [x] Write it\n(1/1 completed)\n"


@pytest.mark.parametrize("given", [LIST, {"todos": LIST}, {"items": LIST}])
def test_write_takes_what_the_tool_takes(run: Any, given: Any, tmp_path: Path) -> None:
    text = "[x] Write it\n[ ] Test it\n(1/2 completed)\n"
    assert run("write", stdin=json.dumps(given)).output == text
    (tmp_path / "list.json").write_text(json.dumps(given))
    assert run("write", "list.json").output == text


def test_json_has_the_list_and_its_progress(run: Any) -> None:
    run("write", stdin=json.dumps(LIST))
    said = json.loads(run("list", "--json").output)
    assert (said["schema_version"], said["command"], said["session_id"]) == (1, "todo list", "cur-1")
    assert said["todo_progress"] == {"done": 1, "total": 2, "current_item": "Test it"}
    assert json.loads(run("--json").output) == {**said, "command": "todo"}


def test_broken_rule_is_an_error(run: Any) -> None:
    run("add", "Write it")
    with pytest.raises(TodoRuleError, match="No two open items are the same"):
        run("add", " Write it")
    with pytest.raises(TodoRuleError, match="There is no item 7"):
        run("done", "7")


@pytest.mark.parametrize(("text", "said"), [("", "-: "), ("3", "neither a list"), ("{", "-: ")])
def test_bad_json_is_told(run: Any, text: str, said: str) -> None:
    with pytest.raises(SafepointError, match=said):
        run("write", stdin=text)


def test_without_a_session_it_says_how_to_name_one(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CURSOR_CONVERSATION_ID")
    with pytest.raises(SafepointError, match="Name one: --session ID, or set CURSOR_CONVERSATION_ID or"):
        run("list")


def test_options_before_the_command_are_refused(run: Any) -> None:
    assert run("--json", "list").exit_code == 2
