"""Before the first session and after the last: is all there that a run needs, is it alone, what came."""

from __future__ import annotations

import os
import time
from collections import Counter

from .. import installed
from ..called_as import to_type
from ..counted import counted
from ..errors import SafepointError
from ..hook_process import known_project, settings_of
from ..hot.flock import Lock
from ..hot.safepoint import RUN_NAME
from ..hot.stores import campaigns, pending
from ..hot.stores.paths import Paths
from ..place import has_begun
from ..unknown_name import did_you_mean
from . import agents, guard, journal, outcome, processes
from .agents import HOSTS
from .interrupts import Interrupts
from .journal import Journal
from .plan import Limits, Plan, new_key
from .report import Report, table
from .supervisor import Supervisor


def plan(
    path: str, agent: str, agent_path: str, task: str, campaign: str, flags: tuple[str, ...], limits: Limits
) -> Plan:
    """Everything a run needs, looked up. Raises SafepointError for what is missing."""
    if os.name == "nt":
        raise SafepointError("`safepoint run` needs process groups and signals, which Windows has not")
    project, host = known_project(path), HOSTS[agent]
    _check_hooks(project, host)
    settings = settings_of(project)
    named = {**os.environ, **({campaigns.ENV_NAME: campaign} if campaign else {})}
    found = campaigns.resolve(Paths(project), "none", "none", named, settings)
    return Plan(
        new_key(time.time()), project, settings, agents.find(host, agent_path), task, campaign,
        "" if found.by == "session" else found.slug, flags, limits,
    )  # fmt: skip


def _check_hooks(project: str, host: str) -> None:
    state = installed.describe(project)
    name = "claude" if host == "claude_code" else host
    if not state["installed"] or host not in state["hosts"]:
        raise SafepointError(
            f"Safepoint is not installed for {installed.HOSTS[host]} in {project}, and a run goes by its"
            f" hooks. Install it: {to_type('install', project, '--host', name)}"
        )
    if state["settings"] == "unreadable":
        raise SafepointError(installed.line(state, project))
    if state["mode"] == "off":
        raise SafepointError(
            "the hooks are switched off (mode off): no session would be stopped before its context is full."
            " The switches are SAFEPOINT in the environment, settings.local.json and manifest.yaml"
        )


def start(plan: Plan, as_json: bool) -> int:
    """Run it, if nobody else works on the campaign; the exit status."""
    log = Journal(plan.paths, plan.key)
    log.prepare()
    with Lock(plan.paths.run_lock(plan.slug), 0.5) as lock:
        if not lock.held and not lock.broken:
            raise SafepointError(_who_works(plan))
        with Interrupts() as interrupts:
            return _run(plan, log, Report(as_json, interrupts.ask), interrupts)


def _end_orphans(supervisor: Supervisor) -> None:
    """Runs of whatever campaign that are gone: what they left would work on these files beside us."""
    paths = supervisor.plan.paths
    for run in journal.listed(paths, most=journal.ALL):
        is_around = os.environ.get(RUN_NAME) == run["run"]  # it is its agent that asks
        if run["state"] != "broken_off" or run["is_tidy"] or is_around:
            continue
        left = processes.marked(run["run"]) or run["agent_pid"]
        guard.end(paths.project, run["run"], run["agent_pid"], run["agent_began"])
        if left:
            supervisor.tell("orphan_ended", of=run["run"], agent_pid=run["agent_pid"])
            supervisor.report.line(f"run {run['run']} was broken off; what it had left at work is ended")


def _who_works(plan: Plan) -> str:
    runs = [one for one in journal.listed(plan.paths) if one["campaign_slug"] == plan.slug]
    other = next((one for one in runs if one["state"] == "running"), None)
    who = f"run {other['run']} (process {other['pid']})" if other else "another run"
    what = f"the campaign {plan.slug}" if plan.slug else "this project, without a campaign's name"
    return (
        f"{who} works on {what} already. Wait for it, end it with Ctrl-C in its terminal"
        f"{' or kill ' + str(other['pid']) if other else ''}, or name another campaign: --campaign SLUG"
    )


def _others_waiting(plan: Plan) -> dict[str, int] | None:
    """Where --campaign names one that nothing here has: those whose free handoffs wait, with how many."""
    if not plan.campaign or has_begun(plan.paths, plan.settings, plan.slug):
        return None
    if journal.newest(plan.paths, plan.slug, besides=plan.key) is not None:
        return None
    free = [item for item in pending.listed(plan.paths) if item.claim is None]
    return dict(Counter(item.handoff["campaign_slug"] for item in free))


def _new_text(slug: str, others: dict[str, int]) -> str:
    head = f"campaign {slug} is new here: nothing has been begun under this name"
    if not others:
        return head
    waiting = ", ".join(f"{other} ({counted(count, 'handoff')})" for other, count in others.items())
    head += did_you_mean(slug, others) or "."
    return f"{head} Handoffs wait of {waiting}; to go on with one: Ctrl-C, then --campaign with its name"


def _run(plan: Plan, log: Journal, report: Report, interrupts: Interrupts) -> int:
    supervisor = Supervisor(plan, report, log, interrupts)
    mode = installed.describe(plan.project)["mode"]
    others = _others_waiting(plan)
    supervisor.tell(
        "run_started", mode=mode, pid=os.getpid(), pid_began=processes.began(os.getpid()),
        project=plan.project, agent=plan.agent.host, agent_path=plan.agent.executable,
        flags=list(plan.flags), task=plan.task, campaign_slug=plan.slug,
        max_sessions=plan.limits.sessions, max_seconds=plan.limits.total_s or None,
        campaign_is_new=others is not None, others_waiting=others or {},
    )  # fmt: skip
    if others is not None:
        report.line(_new_text(plan.slug, others))
    if mode != "enforce":
        report.line(f"mode {mode}: sessions are told of Red, and not stopped at it")
    _end_orphans(supervisor)
    try:
        came, why = supervisor.run()
    except SafepointError as error:
        came, why = outcome.FAILED, str(error)
    except OSError as error:
        came, why = outcome.FAILED, f"{error.filename or plan.paths.session}: {error.strerror or error}"
    waiting = supervisor.waiting.key if supervisor.waiting else None
    supervisor.tell(
        "run_ended", outcome=came, why=why, exit_status=outcome.EXIT[came], handoff=waiting,
        sessions=supervisor.rows,
    )  # fmt: skip
    if supervisor.rows:
        report.line("\n" + table(supervisor.rows))
    report.line(f"\n{came}{': ' + why if why else ''}")
    if waiting:
        report.line(f"Handoff {waiting} waits: the same command goes on from it, as does a new chat here.")
    if log.trouble:
        report.line(f"The journal of this run could not be written on: {log.trouble}")
    return outcome.EXIT[came]
