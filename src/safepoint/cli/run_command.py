"""run: headless sessions one after the other, until the work is done."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from ..counted import counted
from ..errors import SafepointError
from .numbers import Number, WholeNumber

FLAGS = "safepoint.run.flags"


class PassingOn(click.Command):
    """A command whose words behind `--` are another program's, and kept apart from its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[FLAGS] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- AGENT FLAGS...]"]


@click.command(cls=PassingOn)
@click.argument("task")
@click.option("--agent", type=click.Choice(["claude", "cursor"]), default="claude", show_default=True)
@click.option("--agent-path", default="", metavar="EXE", help="Default: claude or cursor-agent on the path.")
@click.option("--campaign", default="", metavar="SLUG", help="Default: as the hooks find it.")
@click.option("--max-sessions", type=WholeNumber(1), metavar="N", default=10, show_default=True)
@click.option(
    "--max-minutes", type=Number(min=0, min_open=True), metavar="MINUTES", help="Default: no limit."
)
@click.option(
    "--backoff", type=Number(min=0, min_open=True), default=15.0, show_default=True,
    metavar="SECONDS", help="First pause while the model is overloaded; doubled each time.",
)  # fmt: skip
@click.option("--project", "path", type=click.Path(), default=".", help="Default: this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per event and line.")
@click.pass_context
def run(
    ctx: click.Context, task: str, agent: str, agent_path: str, campaign: str, max_sessions: int,
    max_minutes: float | None, backoff: float, path: str, as_json: bool,
) -> int:  # fmt: skip
    """Work on TASK in headless sessions, each going on where the one before stopped at Red.

    TASK is a prompt; - reads it from stdin. The words behind -- go to the agent as they are; without a
    permission flag among them it asks for none. Exit status: 0 done, 1 failed, 4 a limit, 5 stuck, 130
    interrupted.
    """
    from ..run import starting
    from ..run.plan import Limits

    limits = Limits(sessions=max_sessions, total_s=(max_minutes or 0.0) * 60, backoff_s=backoff)
    text = sys.stdin.read() if task == "-" else task
    if not text.strip():
        raise SafepointError("the task is empty")
    plan = starting.plan(path, agent, agent_path, text, campaign, tuple(ctx.meta[FLAGS]), limits)
    return starting.start(plan, as_json)


def runs_text(runs: list[dict[str, Any]]) -> list[str]:
    """The runs as `status` shows them: those that go on, and the newest of a campaign that was broken off."""
    newest: dict[str, dict[str, Any]] = {}
    for one in runs:
        newest.setdefault(one["campaign_slug"], one)
    shown = [
        one for one in runs
        if one["state"] == "running" or (one["state"] == "broken_off" and one in newest.values())
    ]  # fmt: skip
    return [line for one in shown or runs[:1] for line in run_lines(one)]


def run_lines(one: dict[str, Any]) -> list[str]:
    """One run: how it stands, or how it ended."""
    head = (
        f"run {one['run']}: {one['state'].replace('_', ' ')}, {counted(one['sessions'], 'session')},"
        f" {one['agent']}, {one['campaign_slug'] or 'no campaign'}"
    )
    if one["state"] == "running":
        return [f"{head}, process {one['pid']}"]
    lines = [f"{head} ({one['why']})" if one["why"] else head]
    if one["state"] == "broken_off":
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(one["last_at_unix"]))
        lines.append(f"  last heard of {at}; the same command goes on from there")
        if one["agent_pid"] is not None:
            agent = f"its agent (process {one['agent_pid']}) is still at work"
            lines.append(f"  {agent}; the next run here ends it")
    return lines
