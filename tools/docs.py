#!/usr/bin/env python3
"""Brings the generated blocks of docs/cli.md up to date: the `--help` of every command, as it is.

    .venv/bin/python tools/docs.py           writes
    .venv/bin/python tools/docs.py --check   writes nothing; 1 when a block is not up to date
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from safepoint.cli import main

CLI_PAGE = Path(__file__).resolve().parent.parent / "docs/cli.md"
WIDTH = 80
_BLOCK = re.compile(
    r"<!-- help: (?P<command>[^\n]*?) -->\n```text\n(?P<text>.*?)```\n<!-- end of help -->", re.DOTALL
)


def commands(group: click.Group = main, name: str = "safepoint") -> Iterator[str]:
    """Every command as it is typed, groups before what is in them."""
    yield name
    context = click.Context(group)
    for sub in group.list_commands(context):
        command = group.get_command(context, sub)
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {sub}")
        elif command is not None and not command.hidden:
            yield f"{name} {sub}"


def help_of(command: str) -> str:
    """What `command --help` prints."""
    arguments = [*command.split()[1:], "--help"]
    result = CliRunner().invoke(
        main, arguments, prog_name="safepoint", terminal_width=WIDTH, catch_exceptions=False
    )
    return result.output


def block(command: str) -> str:
    return f"<!-- help: {command} -->\n```text\n{help_of(command)}```\n<!-- end of help -->"


def refresh(page: str) -> str:
    """`page` with every block as it should be; a command without one gets a section at the end."""
    known = set(commands())
    documented = [match["command"] for match in _BLOCK.finditer(page)]
    gone = [command for command in documented if command not in known]
    if gone:
        raise SystemExit(f"{CLI_PAGE.name} describes what is no command any more: {', '.join(gone)}")
    page = _BLOCK.sub(lambda match: block(match["command"]), page)
    for command in commands():
        if command not in documented:
            level = "#" * min(len(command.split()), 4)
            page = f"{page.rstrip()}\n\n{level} `{command}`\n\n{block(command)}\n"
    return page


def run(arguments: list[str]) -> int:
    before = CLI_PAGE.read_text(encoding="utf-8")
    after = refresh(before)
    if before == after:
        return 0
    if "--check" in arguments:
        print(f"{CLI_PAGE} is not up to date; run tools/docs.py", file=sys.stderr)
        return 1
    CLI_PAGE.write_text(after, encoding="utf-8")
    print(f"wrote {CLI_PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
