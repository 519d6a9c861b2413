"""The loop of a run: session after session, until one of them is the last."""

from __future__ import annotations

import os
import random
import time
from typing import Any, NamedTuple
from uuid import uuid4

from ..errors import SafepointError
from ..hot import events as ev
from ..hot.policies import todos
from ..hot.stores import pending
from ..hot.stores.paths import session_key
from ..hot.texts import say
from ..sessions import Session, load
from . import agents, handoffs, journal, outcome, progress
from .agent_process import AgentProcess
from .backoff import pause_s
from .following import Told, follow
from .handoffs import Waiting
from .interrupts import Interrupts
from .journal import Journal
from .outcome import Counts, Ended, Next
from .plan import RETRIES, Plan
from .report import REASONS, Live, Report

REFRESH_S = 0.5


class Over(NamedTuple):
    """A session that is over, with all its resumes."""

    session_id: str  # "" where the agent never told it
    session: Session
    ended: Ended
    reason: str
    output_tokens: int


class Supervisor:
    """One run. `run` gives its outcome and why; `rows` are its sessions for the table."""

    def __init__(self, plan: Plan, report: Report, log: Journal, interrupts: Interrupts) -> None:
        self.plan, self.report, self.log, self.interrupts = plan, report, log, interrupts
        self.rows: list[dict[str, Any]] = []
        self.waiting: Waiting | None = None
        began = time.monotonic()
        self._deadline = began + plan.limits.total_s if plan.limits.total_s else float("inf")
        self._look_due, self._known, self._is_stopping = 0.0, "", False
        self._session_began = began

    def tell(self, name: str, **fields: Any) -> None:
        made = journal.event(self.plan.key, name, **fields)
        self.report.event(self.log.add(made))

    def run(self) -> tuple[str, str]:
        """(outcome, why). Whatever the outcome but done, the state is saved and its handoff waits."""
        plan = self.plan
        self.waiting = handoffs.first(plan)
        state = load(plan.paths, self.waiting.key) if self.waiting else None
        before = progress.look(plan.paths, plan.settings, plan.slug, state, None)
        unchanged = 0
        while True:
            number = len(self.rows) + 1
            over = self._session(number)
            slug = self._slug(over.session)
            worked = over.session.state if over.session.state["tool_calls"] else None
            after = progress.look(plan.paths, plan.settings, slug, worked, before)
            change = progress.change(plan.project, before, after)
            unchanged = 0 if change.changed else unchanged + 1
            self._row(number, over, change)
            counts = Counts(number, plan.limits.sessions, unchanged, RETRIES)
            step = outcome.decide(over.reason, self._left(over.session), counts, over.ended)
            try:
                self._hand_on(over.session, step)
            except SafepointError as error:
                return outcome.FAILED, str(error)
            if step.action == outcome.STOP:
                return step.outcome, step.why
            if self.interrupts.count:
                return outcome.INTERRUPTED, ""
            if time.monotonic() >= self._deadline:
                return outcome.LIMIT, outcome.TIME_IS_UP
            before = after

    def _hand_on(self, session: Session, step: Next) -> None:
        if step.outcome != outcome.DONE:
            self.waiting = handoffs.after(self.plan, session, self.waiting)
            return
        for key in {session.key, self.waiting.key if self.waiting else session.key}:
            pending.withdraw(self.plan.paths, key)  # nothing is left to hand over
        self.waiting = None

    # --- one session ---

    def _session(self, number: int) -> Over:
        """One session, with all its resumes while the model cannot be reached."""
        plan, retries, worked = self.plan, 0, 0
        session_id = str(uuid4()) if plan.agent.names_sessions else ""
        handoffs.point_to(plan, self.waiting)
        prompt, resume = handoffs.prompt(plan, self.waiting), False
        self._session_began = time.monotonic()
        tokens = 0
        while True:
            told, ended = self._process(number, session_id, prompt, resume)
            session_id = told.session_id
            tokens += told.output_tokens
            session = self._state_of(session_id)
            latch = session.state["latch"]
            ended = ended._replace(
                worked=session.state["tool_calls"] > 0,
                seen=session.state["last_at"] > 0,
                latch=latch["cause"] if latch is not None and latch["phase"] == "saved" else "",
            )
            reason = outcome.reason(ended)
            retries = 0 if session.state["tool_calls"] > worked else retries
            worked = session.state["tool_calls"]
            counts = Counts(number, number + 1, 0, retries)
            step = outcome.decide(reason, self._left(session), counts, ended)
            if step.action != outcome.RESUME:
                return Over(session_id, session, ended, reason, tokens)
            retries += 1
            stopped = self._pause(number, session_id, reason, retries)
            if stopped:
                return Over(session_id, session, ended, stopped, tokens)
            if session_id and told.started:
                prompt, resume = say(plan.settings["language"], "run_resume_prompt"), True
            elif plan.agent.names_sessions:
                session_id = str(uuid4())

    def _process(self, number: int, session_id: str, prompt: str, resume: bool) -> tuple[Told, Ended]:
        plan = self.plan
        command = plan.agent.command(prompt, session_id, resume, plan.flags)
        env = agents.environment(plan.key, plan.campaign, os.environ)
        told, self._known = Told(session_id), session_id
        process = AgentProcess(command, plan.project, env, plan.key, self.interrupts.fd)
        self.tell(
            "session_resumed" if resume else "session_started", number=number, session_id=session_id,
            agent_pid=process.pid, agent_began=process.began,
            handoff=self.waiting.key if self.waiting else None,
        )  # fmt: skip
        self._say_started(number, session_id, resume)
        ended = follow(
            process, told, self.interrupts, plan.limits, self._deadline, lambda told: self._tick(number, told)
        )
        return told, ended

    def _say_started(self, number: int, session_id: str, resume: bool) -> None:
        what = "goes on" if resume else "begins"
        source = f", from handoff {self.waiting.key[:8]}" if self.waiting and not resume else ""
        name = f" ({session_id[:8]})" if session_id else ""
        self.report.line(f"session {number}{name} {what}{source}")

    def _tick(self, number: int, told: Told) -> bool:
        """Bring the live line up to date; whether subagents of the session run."""
        now = time.monotonic()
        if told.asked and not self._is_stopping:
            self._is_stopping = True
            self.tell("stopping", number=number, reason=told.asked, tool=told.tool)
            behind = f" behind its tool ({told.tool}); Ctrl-C: at once" if told.calls else ""
            self.report.line(f"session {number} is ended{behind}")
        if now < self._look_due or not told.session_id:
            return False
        self._look_due = now + REFRESH_S
        if told.session_id != self._known:
            self._known = told.session_id
            self.tell("session_named", number=number, session_id=told.session_id)
        state = self._state_of(told.session_id).state
        counted = todos.progress(state["todos"])
        reading = state["reading"]
        live = Live(
            number, state["level"], reading["tokens"], reading["window"], state["workflow_step"],
            f"{counted['done']}/{counted['total']}" if counted["total"] else "", told.tool,
        )  # fmt: skip
        if live != self.report.last:
            made = journal.event(self.plan.key, "session_progress", **live._asdict())
            self.report.event(journal.without_secrets(made))
        self.report.live(live, now - self._session_began)
        return any(call["tool"] == ev.SUBAGENT for call in state["open_calls"].values())

    def _pause(self, number: int, session_id: str, reason: str, attempt: int) -> str:
        """Wait before the same session goes on; why the run stops instead, or ""."""
        limits = self.plan.limits
        seconds = pause_s(attempt, limits.backoff_s, limits.backoff_max_s, random.random())
        self.tell(
            "waiting", number=number, session_id=session_id, reason=reason, attempt=attempt,
            seconds=round(seconds, 1),
        )  # fmt: skip
        words = "the model is overloaded" if reason == outcome.OVERLOADED else "the rate limit is reached"
        self.report.line(f"session {number}: {words}; it goes on in {seconds:.0f} s")
        until = time.monotonic() + seconds
        while (left := min(until, self._deadline) - time.monotonic()) > 0 and not self.interrupts.count:
            self.interrupts.wait(left)
        if self.interrupts.count:
            return outcome.INTERRUPTED
        return outcome.TIME if time.monotonic() >= self._deadline else ""

    # --- what is known of it ---

    def _state_of(self, session_id: str) -> Session:
        key = session_key(session_id) if session_id else "none"
        try:
            return Session(key, load(self.plan.paths, key))
        except OSError as error:
            raise SafepointError(f"{error.filename}: {error.strerror}, but the state is there") from error

    def _slug(self, session: Session) -> str:
        return session.state["campaign_slug"] or self.plan.slug

    def _left(self, session: Session) -> outcome.Left:
        return progress.left(self.plan.paths, self.plan.settings, self._slug(session), session.state)

    def _row(self, number: int, over: Over, change: progress.Change) -> None:
        state = over.session.state
        counted = todos.progress(state["todos"])
        row = {
            "number": number, "session_id": over.session_id, "reason": over.reason,
            "exit_status": over.ended.exit_status, "level": state["level"],
            "tokens": state["reading"]["tokens"], "window": state["reading"]["window"],
            "output_tokens": over.output_tokens, "tool_calls": state["tool_calls"],
            "todos_done": counted["done"], "todos": counted["total"], "step": state["workflow_step"],
            "campaign_slug": self._slug(over.session), "files": change.files, "commits": change.commits,
            "changed": change.changed, "took_over": _taken(over.session),
            "seconds": round(time.monotonic() - self._session_began, 1),
            "words": over.ended.words[-500:] if over.ended.is_error or not over.ended.has_result else "",
        }  # fmt: skip
        self.rows.append(row)
        self.tell("session_ended", **row)
        did = f"files {len(change.files)}, commits {change.commits}"
        self.report.line(f"session {number} ended: {REASONS[over.reason]}; {did}")


def _taken(session: Session) -> str | None:
    """The handoff that it was shown and has taken."""
    offer = session.state["offer"]
    return offer["session_id"] if offer is not None and offer["claimed"] else None
