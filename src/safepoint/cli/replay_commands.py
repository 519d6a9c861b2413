"""replay and hook: run one of the real hooks by hand, on a saved payload."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..registration import HOOK_PREFIX, hook_names
from .render import show

PROJECT = click.option("--project", "path", type=click.Path(), default=".", help="Default: this folder.")


@click.command()
@click.argument("payload", type=click.Path(exists=True, dir_okay=False))
@PROJECT
@click.option("--scratch", is_flag=True, help="Run in an empty folder: nothing here is read or recorded.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def replay(payload: str, path: str, scratch: bool, as_json: bool) -> None:
    """Run the real hook on a saved PAYLOAD and show its answer. It records, as the hook does."""
    from ..hook_process import known_project, replay_payload

    result = replay_payload(Path(payload).read_bytes(), "" if scratch else known_project(path))
    text = (
        f"{result['hook']} answered in {result['seconds'] * 1000:.0f} ms (exit {result['exit']}):\n"
        f"{result['answer'] or '(nothing)'}" + (f"\n{result['stderr']}" if result["stderr"] else "")
    )
    show(result, text, as_json)


@click.command(
    help="Run the hook NAME on a payload from stdin, as the host would.\n\n"
    f"NAME is one of {', '.join(hook_names())}; or as its file is called, {HOOK_PREFIX}NAME.py."
)
@click.argument("name")
@PROJECT
def hook(name: str, path: str) -> None:
    from ..hook_process import known_project, run_hook, script_of

    project = known_project(path)
    script = script_of(name, project)
    answer = run_hook(script, sys.stdin.buffer.read(), project)
    sys.stdout.buffer.write(answer.stdout)
    sys.stderr.buffer.write(answer.stderr)
