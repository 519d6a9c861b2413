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


def show(command: str, result: Any, text: str, as_json: bool) -> None:
    """Print `result` (a frozen dataclass or a dict) as JSON, else `text`."""
    if not as_json:
        if text:
            click.echo(text)
        return
    plain = result if isinstance(result, dict) else dataclasses.asdict(result)
    envelope = {"schema_version": 1, "command": command, **plain}
    text = json.dumps(envelope, ensure_ascii=False, indent=2)
    # half a surrogate pair (a file's name, a broken record) has no UTF-8; Python's escape for it is JSON's
    click.echo(text.encode("utf-8", "backslashreplace").decode())
