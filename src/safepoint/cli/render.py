"""One way out for every command's result: text for a person, or one JSON envelope."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import click


def show(command: str, result: Any, text: str, as_json: bool) -> None:
    """Print `result` (a frozen dataclass or plain data) as JSON, else `text`."""
    if not as_json:
        if text:
            click.echo(text)
        return
    plain = result
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        plain = dataclasses.asdict(result)
    envelope = {"schema_version": 1, "command": command, "result": plain}
    click.echo(json.dumps(envelope, ensure_ascii=False, indent=2))
