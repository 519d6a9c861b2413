"""One way out for every command's result: text for a person, or one JSON envelope."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import click


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines, each cell but a row's last as wide as the widest of its column."""
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    return [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row[:-1], widths)), row[-1]]) for row in rows
    ]


def show(result: Any, text: str, as_json: bool) -> None:
    """Print `result` (a frozen dataclass or a dict) of the command that runs as JSON, else `text`."""
    if not as_json:
        if text:
            click.echo(text)
        return
    plain = result if isinstance(result, dict) else dataclasses.asdict(result)
    _print({**_head(_command()), **plain}, indent=2)


def _command() -> str:
    """The command that runs, with its group: `campaign list`."""
    context: click.Context | None = click.get_current_context()
    names: list[str] = []
    while context is not None and context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return " ".join(names)


def show_error(command: str, message: str) -> None:
    """Print as JSON that `command` has failed, on one line: `run` prints lines."""
    _print({**_head(command), "error": {"message": message}})


def _head(command: str) -> dict[str, Any]:
    return {"schema_version": 1, "command": command}


def _print(envelope: dict[str, Any], indent: int | None = None) -> None:
    text = json.dumps(envelope, ensure_ascii=False, indent=indent)
    # half a surrogate pair (a file's name, a broken record) has no UTF-8; Python's escape for it is JSON's
    click.echo(text.encode("utf-8", "backslashreplace").decode())
