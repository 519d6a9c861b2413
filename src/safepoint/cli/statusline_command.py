"""statusline: the status line for hosts whose settings name a command of this command line."""

from __future__ import annotations

import os
import sys

import click


@click.command()
@click.argument("command", default="")
@click.option("--project", "path", type=click.Path(), default="", help="Default: as the payload says.")
def statusline(command: str, path: str) -> None:
    """Print the status line for a payload from stdin: how full the context is.

    COMMAND is one that runs beside it, on the same payload; what it prints comes first, as it is.
    """
    from ..hook_process import find_project, run_status_line
    from ..hot import wire
    from ..hot.hosts.status_line import folder

    data = sys.stdin.buffer.read()
    told = folder(wire.peek(data) or {})
    project = find_project(path or (told if os.path.isdir(told) else "."))
    answer = run_status_line(data, project, command)
    sys.stdout.buffer.write(answer.stdout)
    sys.stderr.buffer.write(answer.stderr)
