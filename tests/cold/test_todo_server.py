"""The MCP server as a process, spoken to by the official SDK's client over stdio."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

from safepoint.hot import events as ev
from safepoint.hot.session import INHERIT
from safepoint.hot.stores.paths import Paths
from safepoint.hot.stores.session_store import SessionStore
from safepoint.sessions import load

# The SDK's own deprecations and its process clean-up are not what is tested here.
pytestmark = pytest.mark.filterwarnings("default")

Script = Callable[[Client], Awaitable[None]]


def item(content: str, status: str = "pending", active: str = "Doing it") -> dict[str, str]:
    return {"content": content, "status": status, "activeForm": active}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".cursor/.session").mkdir(parents=True)
    return folder


def talk(
    project: Path, *scripts: Script, session: str = "cur-1", variable: str = "CURSOR_CONVERSATION_ID"
) -> None:
    """Run each script with a server process of its own, all of them at once."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "CURSOR"))
    }
    if session:
        environment[variable] = session
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "safepoint", "mcp", "--project", str(project)], env=environment
    )

    async def one(script: Script) -> None:
        async with Client(server) as client:
            await script(client)

    async def all_of_them() -> None:
        await asyncio.gather(*(one(script) for script in scripts))

    asyncio.run(all_of_them())


async def call(client: Client, tool: str, **arguments: Any) -> tuple[str, bool, Any]:
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    return content.text, bool(result.is_error), (result.meta or {}).get("safepoint/list")


def begin_chat(project: Path, session: str, host: Any = "cursor", **inherited: Any) -> None:
    store = SessionStore(Paths(str(project)), session, session, "", host)
    with store.locked(1.0):
        store.load()
        at = time.time()
        store.write(
            {"kind": ev.PROMPT, "at": at, "project": str(project), "host": host, "session_id": session,
             "text": "go"}
        )  # fmt: skip
        if inherited:
            store.write({"kind": INHERIT, "at": at, "value": inherited})
        store.save()


def test_every_tool(project: Path) -> None:
    async def script(client: Client) -> None:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(listed) == ["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"]
        items = listed["TodoWrite"].input_schema["properties"]["items"]["items"]
        assert items["required"] == ["content", "status", "activeForm"]
        assert await call(client, "TaskList") == ("(0/0 completed)", False, {
            "session_id": "cur-1", "todos": [], "todo_progress": {"done": 0, "total": 0, "current_item": ""},
        })  # fmt: skip
        text, failed, data = await call(
            client, "TodoWrite", items=[item("Refactor", "completed"), item("Test", "in_progress", "Testing")]
        )
        assert (text, failed) == ("[x] Refactor\n[>] Test <- Testing\n(1/2 completed)", False)
        assert data["todo_progress"] == {"done": 1, "total": 2, "current_item": "Test"}
        text, _, data = await call(client, "TaskCreate", subject="Document", activeForm="Documenting")
        assert text == "[ ] Document\n(1/3 completed)"
        assert data["todos"][-1]["id"] == "3"
        await call(client, "TaskUpdate", taskId="2", status="completed")
        assert (await call(client, "TaskUpdate", taskId="3", status="in_progress"))[0] == (
            "[>] Document <- Documenting\n(2/3 completed)"
        )
        assert (await call(client, "TaskGet", taskId="3"))[0] == "#3 [>] Document <- Documenting"
        await call(client, "TaskUpdate", taskId="3", status="deleted")
        assert (await call(client, "TaskList"))[0] == "#1 [x] Refactor\n#2 [x] Test\n(2/2 completed)"
        assert (await call(client, "TodoWrite", todos=[]))[0] == "(0/0 completed)"

    talk(project, script)
    state = load(Paths(str(project)), "cur-1")
    assert state["host"] == "cursor" and state["project"] == str(project)
    assert state["todo_log"]["tools"][-1] == "TodoWrite"


BROKEN = [
    pytest.param("TodoWrite", {}, "holds no list", id="no-list"),
    pytest.param("TodoWrite", {"items": "a, b"}, "holds no list", id="text-for-a-list"),
    pytest.param("TodoWrite", {"items": ["a"]}, "no content", id="text-for-an-item"),
    pytest.param("TodoWrite", {"items": [{"content": "a", "status": "pending"}]}, "no activeForm",
                 id="no-active-form"),
    pytest.param("TodoWrite", {"items": [{"content": "a", "activeForm": "b"}]}, "no status", id="no-status"),
    pytest.param("TodoWrite", {"items": [item(" \u3000")]}, "No item may be empty", id="empty"),
    pytest.param("TodoWrite", {"items": [item("a", "cancelled")]}, '"cancelled"', id="unknown-status"),
    pytest.param("TodoWrite", {"items": [item("ﾃｽﾄ"), item("テスト ")]}, "No two open items", id="duplicate"),
    pytest.param("TodoWrite", {"items": [item("a", "in_progress"), item("b", "in_progress")]},
                 "One item at a time", id="two-in-progress"),
    pytest.param("TodoWrite", {"items": [item(f"item {n}") for n in range(21)]}, "At most 20", id="too-many"),
    pytest.param("TaskCreate", {}, "no subject", id="create-without-subject"),
    pytest.param("TaskCreate", {"subject": ["a"]}, "no subject", id="subject-no-text"),
    pytest.param("TaskCreate", {"subject": "  "}, "No item may be empty", id="create-empty"),
    pytest.param("TaskCreate", {"subject": "Open"}, "No two open items", id="create-duplicate"),
    pytest.param("TaskUpdate", {}, "no taskId", id="update-without-id"),
    pytest.param("TaskUpdate", {"taskId": "9", "status": "completed"}, "no item 9", id="update-of-unknown"),
    pytest.param("TaskUpdate", {"taskId": "1", "status": "done"}, '"done"', id="update-unknown-status"),
    pytest.param("TaskUpdate", {"taskId": "2", "status": "in_progress"}, "One item at a time",
                 id="second-start"),
    pytest.param("TaskUpdate", {"taskId": "2", "subject": "Open"}, "No two open items", id="renamed-alike"),
    pytest.param("TaskGet", {}, "no taskId", id="get-without-id"),
    pytest.param("TaskGet", {"taskId": "9"}, "no item 9", id="get-of-unknown"),
    pytest.param("TaskList", {"session": 3}, "id of a chat", id="session-no-text"),
    pytest.param("TaskDelete", {}, "no tool TaskDelete", id="unknown-tool"),
]  # fmt: skip


def test_bad_input_is_answered_and_changes_nothing(project: Path) -> None:
    async def script(client: Client) -> None:
        await call(client, "TodoWrite", items=[item("Open", "in_progress"), item("Other")])
        before = await call(client, "TaskList")
        for case in BROKEN:
            tool, given, message = case.values
            text, failed, _ = await call(client, str(tool), **given)  # type: ignore[arg-type]
            assert failed, case.id
            assert str(message) in text, (case.id, text)
        assert await call(client, "TaskList") == before

    talk(project, script)


def test_two_clients_at_once_share_one_list(project: Path) -> None:
    async def create(client: Client, name: str) -> None:
        for number in range(8):
            text, failed, _ = await call(client, "TaskCreate", subject=f"{name}{number}")
            assert not failed, text

    talk(project, lambda client: create(client, "a"), lambda client: create(client, "b"))
    todos = load(Paths(str(project)), "cur-1")["todos"]
    assert sorted(one["content"] for one in todos) == sorted(f"{who}{n}" for who in "ab" for n in range(8))
    assert len({one["id"] for one in todos}) == 16


def test_two_clients_cannot_start_two_items(project: Path) -> None:
    outcomes: list[bool] = []

    async def start(client: Client, name: str) -> None:
        _, failed, _ = await call(client, "TaskUpdate", taskId=name, status="in_progress")
        outcomes.append(failed)

    async def fill(client: Client) -> None:
        await call(client, "TodoWrite", items=[item("a"), item("b")])

    talk(project, fill)
    talk(project, lambda client: start(client, "1"), lambda client: start(client, "2"))
    assert sorted(outcomes) == [False, True]


def test_owner_has_one_item_of_his_own_in_progress(project: Path) -> None:
    async def script(client: Client) -> None:
        await call(client, "TodoWrite", items=[item("a"), item("b"), item("c")])
        for number, owner, refused in (("1", "ann", False), ("2", "bob", False), ("3", "ann", True)):
            _, failed, _ = await call(client, "TaskUpdate", taskId=number, status="in_progress", owner=owner)
            assert failed is refused, owner

    talk(project, script)


def test_without_an_environment_the_one_live_chat_is_meant(project: Path) -> None:
    begin_chat(project, "only-1")

    async def script(client: Client) -> None:
        assert (await call(client, "TaskCreate", subject="a"))[2]["session_id"] == "only-1"

    talk(project, script, session="")


def test_several_live_chats_have_to_be_told_apart(project: Path) -> None:
    begin_chat(project, "chat-1")
    begin_chat(project, "chat-2")

    async def script(client: Client) -> None:
        text, failed, _ = await call(client, "TaskCreate", subject="a")
        assert failed and "chat-1" in text and "chat-2" in text and 'pass its id as "session"' in text
        assert (await call(client, "TaskCreate", subject="a", session="chat-2"))[2]["session_id"] == "chat-2"

    talk(project, script, session="")


def test_chat_whose_hooks_announced_the_call_is_meant(project: Path) -> None:
    begin_chat(project, "chat-1")
    begin_chat(project, "chat-2")
    store = SessionStore(Paths(str(project)), "chat-2", "chat-2", "", "cursor")
    store.append({"kind": ev.BEFORE_TOOL, "at": 1.0, "call": "c1", "tool": ev.OWN_TODO})

    async def script(client: Client) -> None:
        assert (await call(client, "TaskCreate", subject="a"))[2]["session_id"] == "chat-2"

    talk(project, script, session="")


def test_no_chat_at_all_is_said(project: Path) -> None:
    async def script(client: Client) -> None:
        text, failed, _ = await call(client, "TaskList")
        assert failed and "no live chat is known" in text and "CLAUDE_CODE_SESSION_ID" in text

    talk(project, script, session="")


def test_items_that_were_handed_over_can_be_updated(project: Path) -> None:
    old = {"id": "7", "content": "Test it", "status": "in_progress", "active_form": "Testing it"}
    begin_chat(project, "new-1", todos=[old])

    async def script(client: Client) -> None:
        assert (await call(client, "TaskList"))[0] == "#1 [>] Test it <- Testing it\n(0/1 completed)"
        assert (await call(client, "TaskUpdate", taskId="1", status="completed"))[0] == (
            "[x] Test it\n(1/1 completed)"
        )

    talk(project, script, session="new-1")


def test_secret_never_reaches_the_disk(project: Path) -> None:
    secret = "ghp_" + "a1B2" * 9

    async def script(client: Client) -> None:
        await call(client, "TaskCreate", subject=f"use {secret}")

    talk(project, script)
    for file in (project / ".cursor").rglob("*"):
        assert not file.is_file() or secret not in file.read_text("utf-8", errors="replace")
