"""prune: old sessions out of the way, and the way back."""

from __future__ import annotations

import time
from typing import Any

import click

from ..called_as import to_type
from ..counted import counted
from ..errors import SafepointError
from .numbers import WholeNumber
from .render import show


@click.command()
@click.argument("path", type=click.Path(), default=".")
@click.option("--dry-run", is_flag=True, help="Show what would go, and move nothing.")
@click.option("--undo", is_flag=True, help="Move back what was moved last.")
@click.option("--max-age-days", type=WholeNumber(2), metavar="DAYS", help="Default: as the manifest says.")
@click.option("--max-mb", type=WholeNumber(1), metavar="MB", help="Default: as the manifest says.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def prune(
    path: str, dry_run: bool, undo: bool, max_age_days: int | None, max_mb: int | None, as_json: bool
) -> None:
    """Move files of old sessions in the repository at PATH to a dated folder, deleted days later.

    Never a session that waits to be taken over, and none that wrote something in the last two days.
    """
    from .. import housekeeping
    from ..hook_process import known_project, settings_of

    project = known_project(path)
    if undo:
        if dry_run or max_age_days or max_mb:
            raise SafepointError("--undo goes with no other option")
        back = housekeeping.undo(project)
        show(back, _undo_text(back), as_json)
        return
    limits = housekeeping.limits_of(settings_of(project), max_age_days, max_mb)
    result = housekeeping.prune(project, limits, dry_run)
    show(result, _text(result), as_json)


def _text(result: dict[str, Any]) -> str:
    lines = []
    for one in result["sessions"]:
        last = time.strftime("%Y-%m-%d", time.localtime(one["last_at_unix"]))
        size = f"{counted(one['files'], 'file')}, {one['bytes'] / 1000:.0f} kB"
        lines.append(f"{one['session']}  last {last}  {size}  ({one['reason']})")
    lines += [f"work put aside at Red in {name}" for name in result["works"]]
    lines += [f"{path}  (history of a session that goes on)" for path in result["segments"]]
    lines += [f"{path}  (left by a hook that was killed)" for path in result["leftovers"]]
    lines += [f"{_shown(day)}  (deleted for good)" for day in result["expired"]]
    if not lines:
        return "Nothing is old enough."
    if result["dry_run"]:
        return "\n".join([*lines, "Nothing was moved."])
    undo = to_type("prune", result["project"], "--undo")
    moved = f"Moved to {result['moved_to']}. To bring it back: {undo}"
    return "\n".join([*lines, moved] if result["moved_to"] else lines)


def _shown(expired: str) -> str:
    return expired if expired.startswith("refs/") else f"pruned/{expired}"


def _undo_text(back: dict[str, Any]) -> str:
    lines = [f"{counted(len(back['restored']), 'file')} of {back['day']} restored."]
    lines += [f"{name} is back." for name in back["works"]]
    return "\n".join(
        [*lines, *(f"{name} is there again already; its old form stays." for name in back["left"])]
    )
