"""todo and mcp: Safepoint's own todo tool, for an agent's shell and as a server."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import click

from ..called_as import to_type
from ..errors import SafepointError
from .groups import Group
from .render import show

F = TypeVar("F", bound=Callable[..., Any])


def _common(command: F) -> F:
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text."),
        click.option("--session", default="", help="Id of the chat, or its beginning. Default: this one."),
        click.option("--project", "path", type=click.Path(), default=".", help="Default: this folder."),
    ):
        command = option(command)
    return command


def _call(tool: str, given: dict[str, Any], path: str, session: str, as_json: bool) -> None:
    from ..hook_process import known_project
    from ..todo_list import TodoList

    answer = TodoList(known_project(path), session).call(tool, given)
    show(answer.data, answer.text, as_json)


@click.group(cls=Group, invoke_without_command=True)
@_common
@click.pass_context
def todo(ctx: click.Context, path: str, session: str, as_json: bool) -> None:
    """The todo list of a chat: show it, or change it by the same rules as the agent's own tool.

    Without a command: the list. The chat is that of the agent whose shell this is, else the one live chat.
    """
    if ctx.invoked_subcommand is None:
        _call("TaskList", {}, path, session, as_json)
    elif as_json or session or path != ".":
        raise click.UsageError(
            f"options belong behind the command: {to_type('todo', str(ctx.invoked_subcommand))} ..."
        )


@todo.command("list")
@_common
def list_(path: str, session: str, as_json: bool) -> None:
    """Show the list."""
    _call("TaskList", {}, path, session, as_json)


@todo.command()
@click.argument("subject")
@click.option("--active", default="", metavar="TEXT", help="The same while it is done: Running the tests.")
@_common
def add(subject: str, active: str, path: str, session: str, as_json: bool) -> None:
    """Add one item."""
    given = {"subject": subject, **({"activeForm": active} if active else {})}
    _call("TaskCreate", given, path, session, as_json)


def _status_command(name: str, status: str, text: str) -> None:
    @todo.command(name, help=text)
    @click.argument("item")
    @click.option("--owner", default="", help="Who does it.")
    @_common
    def change(item: str, owner: str, path: str, session: str, as_json: bool) -> None:
        given = {"taskId": item, "status": status, **({"owner": owner} if owner else {})}
        _call("TaskUpdate", given, path, session, as_json)


_status_command("start", "in_progress", "Begin the item with this id; only one may be in progress.")
_status_command("done", "completed", "Complete the item with this id.")
_status_command("stop", "pending", "Put the item with this id back among the open ones.")
_status_command("drop", "deleted", "Take the item with this id off the list.")


@todo.command()
@click.argument("file", type=click.Path(allow_dash=True), default="-")
@_common
def write(file: str, path: str, session: str, as_json: bool) -> None:
    """Replace the list by the JSON in FILE (default: stdin), as TodoWrite takes it."""
    from ..hook_process import known_project

    project = known_project(path)
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        given = json.loads(text)
    except (OSError, ValueError) as error:
        raise SafepointError(f"{file}: {error}") from error
    if isinstance(given, list):
        given = {"todos": given}
    if not isinstance(given, dict):
        raise SafepointError(f'{file}: neither a list of items nor an object with "todos" or "items"')
    _call("TodoWrite", given, project, session, as_json)


@click.command()
@click.option(
    "--project", "path", type=click.Path(), default="", help="Default: as the host says, else here."
)
@click.option("--session", default="", help="Serve this chat only. Default: the one that asks.")
def mcp(path: str, session: str) -> None:
    """Serve the todo tool over stdio (MCP), for a host that starts it."""
    from ..hook_process import find_project

    if find_spec("mcp") is None:
        raise SafepointError(
            "the todo server needs the package mcp: start it by `./bin/safepoint mcp`,"
            " or install Safepoint with its extra `mcp`"
        )
    from ..todo_server import serve

    serve(find_project(path or os.environ.get("CLAUDE_PROJECT_DIR") or "."), session)
