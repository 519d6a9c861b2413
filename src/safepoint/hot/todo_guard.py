"""The todo rules before a todo tool: deny, warn, or wait a moment for the sibling that frees the place."""

from __future__ import annotations

import time

from . import records, todo_calls
from .decisions import ALLOW, DENY, Decision
from .policies import todo_log, todo_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook

STEP_S = 0.01
WAITED_FOR = (todo_rules.ONE, todo_rules.MAX_OPEN, todo_rules.DUPLICATE)  # what a sibling can put right


def check(hook: Hook, decision: Decision | None) -> Decision | None:
    """`decision` as the budget took it, unless the call breaks a rule of the list."""
    limits, state = hook.settings["todo"], hook.store.state
    if limits["mode"] == "off" or state["paused"] or (decision is not None and decision.verdict == DENY):
        return decision
    intent = todo_calls.read_intent(hook.event)
    call = records.call_id(hook.event)
    if intent is not None:
        hook.store.append(hook.record(todo_log.INTENT, call=call, todo=intent))
    broken = _judge(hook, call)
    until = time.monotonic() + limits["wait_ms"] / 1000
    while broken is not None and broken.rule in WAITED_FOR and time.monotonic() < until:
        # Two calls of one message arrive in either order: the one that frees the place may be on its way.
        time.sleep(STEP_S)
        broken = _judge(hook, call)
    if broken is None:
        return decision
    reason = hook.say("todo_rule_" + broken.rule, **broken.facts)
    if limits["mode"] == "strict" and hook.settings["mode"] == "enforce":
        hook.store.append(hook.record(todo_log.REFUSED, call=call))
        return Decision(DENY, hook.say("todo_refused", reason=reason))
    decision = decision or Decision(ALLOW)
    decision.context.append(("todo", hook.say("todo_warned", reason=reason)))
    return decision


def _judge(hook: Hook, call: str) -> todo_rules.Broken | None:
    state, event = hook.store.load(), hook.event
    return todo_rules.judge(
        event.tool, event.tool_input, state["todos"], state["todo_log"]["intents"], call,
        hook.settings["todo"]["max_open"],
    )  # fmt: skip
