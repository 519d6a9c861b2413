"""The todo tool as an MCP server over stdio, for hosts whose own list no hook can see.

Its input schemas say what is expected; what a call breaks is said by the rules, so that the model reads which
rule and what to send instead, and not a validator's message.
"""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import version
from typing import Any

import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from .errors import SafepointError
from .hot import events as ev
from .todo_list import TodoList
from .unknown_name import instead_of

NAME = "safepoint"
META = "safepoint/list"  # the list as data, for programs
_STATUS = {"type": "string", "enum": ["pending", "in_progress", "completed"]}
_SESSION = {
    "type": "string",
    "description": "Id of the chat, only needed where an answer says that several are live.",
}
_ITEMS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "content": {"type": "string", "description": "The task, as a command: Run the tests"},
            "status": _STATUS,
            "activeForm": {"type": "string", "description": "The same while it is done: Running the tests"},
        },
        "required": ["content", "status", "activeForm"],
    },
}
_TASK_ID = {"type": "string", "description": "Id of the task, as TaskList shows it."}
_OWNER = {"type": "string", "description": "Who does it; one task in_progress for each owner."}
_TEXT = {"type": "string"}

_TOOLS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    ev.TODO_WRITE: (
        "Replaces the todo list of this chat: only so many may be open, one in_progress. Worth it for work"
        " of five or more steps, many tool calls or several files.",
        {"items": _ITEMS, "todos": {**_ITEMS, "description": "The same as items."}},
        [],
    ),
    ev.TASK_CREATE: (
        "Adds one task to the todo list of this chat, as pending.",
        {"subject": _TEXT, "description": _TEXT, "activeForm": _TEXT},
        ["subject"],
    ),
    ev.TASK_UPDATE: (
        "Changes one task: its status (deleted takes it off the list), its wording or its owner.",
        {
            "taskId": _TASK_ID,
            "status": {"type": "string", "enum": [*_STATUS["enum"], "deleted"]},
            "subject": _TEXT,
            "activeForm": _TEXT,
            "owner": _OWNER,
        },
        ["taskId"],
    ),
    ev.TASK_LIST: ("Shows the todo list of this chat.", {}, []),
    ev.TASK_GET: ("Shows one task.", {"taskId": _TASK_ID}, ["taskId"]),
}


def tools() -> list[types.Tool]:
    return [
        types.Tool(
            name=name,
            description=description,
            input_schema={
                "type": "object",
                "properties": {**properties, "session": _SESSION},
                "required": required,
            },
        )
        for name, (description, properties, required) in _TOOLS.items()
    ]


def call(project: str, session: str, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """The answer to one call; what is wrong with it is an answer as well."""
    try:
        if name not in _TOOLS:
            raise SafepointError(f"there is no tool {name}{instead_of(name, list(_TOOLS))}")
        named = arguments.pop("session", "") or session
        if not isinstance(named, str):
            raise SafepointError(f"session is {json.dumps(named)}; it takes the id of a chat as text")
        answer = TodoList(project, named, how='pass its id as "session"').call(name, arguments)
    except SafepointError as error:
        return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
    text = types.TextContent(type="text", text=answer.text)
    # Not as structured content: Claude Code shows the model that, and then not the text.
    return types.CallToolResult(content=[text], _meta={META: answer.data})


def build(project: str, session: str) -> Server[Any]:
    async def on_list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools())

    async def on_call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        # A call waits for the session's lock, so it must not hold up the loop that reads the next one.
        arguments = dict(params.arguments or {})
        return await asyncio.to_thread(call, project, session, params.name, arguments)

    return Server(NAME, version=version(NAME), on_list_tools=on_list_tools, on_call_tool=on_call_tool)


def serve(project: str, session: str) -> None:
    """Serve until the host closes the pipe."""

    async def run() -> None:
        server = build(project, session)
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    asyncio.run(run())
