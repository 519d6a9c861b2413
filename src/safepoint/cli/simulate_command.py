"""simulate: where Yellow and Red would have fallen in a chat that is over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..counted import counted
from ..errors import SafepointError
from .render import show

if TYPE_CHECKING:
    from ..hot.shapes import Reading, Settings
    from ..simulation import Crossing, Simulation

SHOWN_CHARS = 300


@click.command()
@click.argument("transcript", type=click.Path(exists=True, dir_okay=False))
@click.option("--project", "path", type=click.Path(), default=".", help="Whose settings: this folder's.")
@click.option(
    "--manifest", type=click.Path(exists=True, dir_okay=False), help="A manifest.yaml to try instead."
)
@click.option("--window", metavar="TOKENS", help="The window (200k, 1m), where you know what the host said.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def simulate(transcript: str, path: str, manifest: str | None, window: str | None, as_json: bool) -> None:
    """Say where Yellow and Red would have fallen in a recorded chat.

    TRANSCRIPT is one of Claude Code, or a journal of either host (.cursor/.session/ID.journal.jsonl).
    Nothing is recorded, and no tool runs.
    """
    from ..hot.meters.window import LARGEST, SMALLEST, parse_tokens, plausible
    from ..simulation import simulate as run

    tokens = parse_tokens(window) if window else None
    if window and not tokens:
        raise SafepointError(f"{window!r} is no number of tokens; examples: 200000, 200k, 1m")
    if window and not plausible(tokens):
        raise SafepointError(f"--window {window}: no window has so many tokens; {SMALLEST:,} to {LARGEST:,}")
    result = run(Path(transcript), _settings(path, manifest), tokens)
    show(dict(result), "\n".join(_lines(result)), as_json)


def _settings(path: str, manifest: str | None) -> Settings:
    from .. import manifest as manifests
    from ..hook_process import find_project, settings_of

    if manifest:
        return manifests.load(Path(manifest)).settings
    return settings_of(find_project(path))


def _lines(result: Simulation) -> list[str]:
    told = f"{result['form']}, {_shown(result['host'])}, {_shown(result['model']) or 'model not named'}"
    head = f"{_shown(result['file'])} ({told})"
    lines = [f"{head}: {counted(result['lines'], 'line')}, {counted(result['calls'], 'tool call')}"]
    lines += [_line(crossing) for crossing in result["crossings"]]
    if not result["crossings"]:
        lines.append("  Green from the first tool call to the last.")
    if result["highest"] is not None:
        lines.append(f"  highest: {_reading(result['highest'])}")
    if result["not_run"]:
        calls = counted(result["not_run"], "tool call")
        lines.append(f"  {calls}, from the first Red on, would not have run here.")
    return lines


def _line(crossing: Crossing) -> str:
    edge = crossing["red_tokens"] if crossing["level"] == "red" else crossing["yellow_tokens"]
    side = "below" if crossing["level"] == "green" else "from"
    at = f"  {_shown(crossing['at'])}" if crossing["at"] else ""
    return (
        f"  line {crossing['line']}{at}  {crossing['level'].capitalize()} ({side} {edge:,})"
        f" at call {crossing['call']}, {_shown(crossing['tool'])}: {_reading(crossing['reading'])}"
    )


def _shown(told: object) -> str:
    """What the file says, as a terminal may have it."""
    from ..hot.quoting import safe

    return safe(str(told), SHOWN_CHARS)


def _reading(reading: Reading) -> str:
    if reading["tokens"] is None:
        return "nothing measurable"
    window = f"of {reading['window'] or 0:,} ({reading['window_source']})"
    margin = f", may be {reading['margin']:,} too high" if reading.get("margin") else ""
    return f"{reading['tokens']:,} tokens ({reading['source']}) {window}{margin}"
