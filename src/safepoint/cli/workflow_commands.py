"""step: what an orchestrator and its workers say of their work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..errors import SafepointError
from .groups import Group
from .numbers import WholeNumber
from .render import show

if TYPE_CHECKING:
    from ..place import Place

JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
PROJECT = click.option("--project", "path", type=click.Path(), default=".", help="Default: this folder.")
CAMPAIGN = click.option("--campaign", default="", metavar="SLUG", help="Default: the one that is open here.")
NUMBER = click.argument("number", type=WholeNumber(1, 999_999_999))


def open_place(path: str, campaign: str, say_which: str = "--campaign SLUG") -> Place:
    from ..hook_process import find_project, settings_of
    from ..place import place

    project = find_project(path)
    return place(project, settings_of(project), campaign, say_which)


@click.group(cls=Group)
def step() -> None:
    """Begin, advance and close the steps of a campaign."""


@step.command()
@NUMBER
@CAMPAIGN
@click.option("--phase", default="", help="What kind of work it is: design, implementation, …")
@click.option("--input", "inputs", multiple=True, metavar="PATH", help="To be read before it; repeatable.")
@click.option("--substep", "substeps", multiple=True, metavar="TEXT", help="A part of it; repeatable.")
@PROJECT
@JSON
def start(
    number: int, campaign: str, phase: str, inputs: tuple[str, ...], substeps: tuple[str, ...], path: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Open step NUMBER: its envelope is what a new chat goes on from."""
    from .. import workflow

    where = open_place(path, campaign)
    result = workflow.start_step(where, number, phase, inputs, substeps)
    result["advice"] = workflow.advice(where)
    show(result, _step_text(result), as_json)


@step.command()
@NUMBER
@click.option("--done", required=True, type=WholeNumber(0), metavar="K", help="How many sub-steps are done.")
@CAMPAIGN
@PROJECT
@JSON
def progress(number: int, done: int, campaign: str, path: str, as_json: bool) -> None:
    """The first DONE sub-steps of step NUMBER are done."""
    from .. import workflow

    result = workflow.progress(open_place(path, campaign), number, done)
    show(result, _step_text(result), as_json)


def _end(number: int, status: str, reason: str, outputs: tuple[str, ...], path: str, campaign: str) -> Any:
    from .. import workflow

    return workflow.end_step(open_place(path, campaign), number, status, reason, outputs)


OUTPUT = click.option("--output", "outputs", multiple=True, metavar="PATH", help="What came of it.")
REASON = click.option("--reason", default="", metavar="TEXT", help="Why.")


@step.command("done")
@NUMBER
@OUTPUT
@REASON
@CAMPAIGN
@PROJECT
@JSON
def done_(
    number: int, outputs: tuple[str, ...], reason: str, campaign: str, path: str, as_json: bool
) -> None:
    """Step NUMBER is complete."""
    result = _end(number, "complete", reason, outputs, path, campaign)
    show(result, _step_text(result), as_json)


@step.command()
@NUMBER
@REASON
@CAMPAIGN
@PROJECT
@JSON
def block(number: int, reason: str, campaign: str, path: str, as_json: bool) -> None:
    """Step NUMBER cannot go on until something else happens: --reason says what."""
    result = _end(number, "blocked", reason, (), path, campaign)
    show(result, _step_text(result), as_json)


@step.command()
@NUMBER
@REASON
@CAMPAIGN
@PROJECT
@JSON
def fail(number: int, reason: str, campaign: str, path: str, as_json: bool) -> None:
    """Step NUMBER cannot be done: --reason says why."""
    result = _end(number, "fatal", reason, (), path, campaign)
    show(result, _step_text(result), as_json)


@step.command("show")
@NUMBER
@CAMPAIGN
@PROJECT
@JSON
def show_step(number: int, campaign: str, path: str, as_json: bool) -> None:
    """What the envelope of step NUMBER says."""
    from ..workflow import read_step

    where = open_place(path, campaign)
    _, fields = read_step(where, number)
    result = {"path": where.envelope(number), **fields}
    show(result, _step_text(result), as_json)


@step.command("take-over")
@click.argument("worker")
@CAMPAIGN
@PROJECT
@JSON
def take_over(worker: str, campaign: str, path: str, as_json: bool) -> None:
    """The unfinished work of subagent WORKER has been done by another."""
    from ..workflow import close_workers

    closed = close_workers(open_place(path, campaign), name=worker)
    if not closed:
        raise SafepointError(f"no envelope here is of a subagent {worker!r}")
    show({"closed": closed}, "\n".join(f"complete: {name}" for name in closed), as_json)


def _step_text(result: dict[str, Any]) -> str:
    head = f"{result['campaign']}, step {result['step']}: {result['status']}"
    head += f" ({result['phase']})" if result.get("phase") else ""
    lines = [f"{head}  {result['path']}"]
    lines += [f"  reason: {result['reason']}"] if result.get("reason") else []
    lines += [f"  read: {name}" for name in result.get("inputs", [])]
    for at, part in enumerate(result.get("substeps", []), 1):
        lines.append(f"  {at}. [{'x' if part['status'] == 'done' else ' '}] {part['text']}")
    lines += [f"  output: {name}" for name in result.get("outputs", [])]
    lines += [f"  resume from: {result['resume_from']}"] if result.get("resume_from") else []
    lines += [result["advice"]] if result.get("advice") else []
    return "\n".join(lines)
