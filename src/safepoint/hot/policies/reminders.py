"""When the model is reminded of its todo list. Pure: the counters are part of the session state.

A stale list is told of when an item is open and N requests have not touched the list; a missing one when the
work since the last todo call is of the kind that a list is for. Nothing is said where the session is not
known to have a todo tool, and nothing soon after a reminder of the host's own.
"""

from __future__ import annotations

from .. import events as ev
from .todo_log import HOST, STALE
from .todos import active

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..shapes import ListWorth, SessionState, Settings

INITIAL, NO_CALL = "initial", "no_call"
TASKS, TODO_WRITE = "TaskCreate, TaskUpdate", "TodoWrite"
_ON, _OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_BULLETS = ("- ", "* ", "+ ", "• ", "・")


def due(state: SessionState, settings: Settings, env: Mapping[str, str], at_prompt: bool) -> str:
    """The kind of reminder to give now, or "". The request that has just ended is counted already."""
    limits = settings["reminders"]
    if limits["mode"] != "on" or state["latch"] is not None or not todo_tool(state, settings, env):
        return ""
    if since(state, HOST) < limits["stale"]["cooldown_requests"]:
        return ""
    if active(state["todos"]):
        return "" if at_prompt or not _is_stale(state, settings) else STALE
    if at_prompt:
        fits = since(state, INITIAL) >= limits["initial"]["cooldown_requests"]
        return INITIAL if fits and is_worth_a_list(state, limits["worth"]) else ""
    idle = requests(state) - state["todo_log"]["called"]
    if idle <= limits["no_call"]["after_requests"]:
        return ""
    fits = since(state, NO_CALL) >= limits["no_call"]["cooldown_requests"]
    return NO_CALL if fits and is_worth_a_list(state, limits["worth"]) else ""


def requests(state: SessionState) -> int:
    return state["meter"].get("requests", 0)


def since(state: SessionState, kind: str) -> int:
    """Requests since the last reminder of that kind; before the first one, more than any cooldown."""
    last = state["todo_log"]["reminded"].get(kind)
    return 1_000_000 if last is None else requests(state) - last


def _is_stale(state: SessionState, settings: Settings) -> bool:
    limits = settings["reminders"]["stale"]
    untouched = requests(state) - state["todo_log"]["updated"]
    return untouched >= limits["after_requests"] and since(state, STALE) >= cooldown(state, settings)


def cooldown(state: SessionState, settings: Settings) -> int:
    """Requests between two reminders of a stale list: twice as many each time, once it is being ignored."""
    limits, unanswered = settings["reminders"]["stale"], state["todo_log"]["unanswered"]
    pause: int = limits["cooldown_requests"]
    if unanswered >= limits["back_off_after"]:
        pause *= 2 ** min(unanswered - limits["back_off_after"] + 1, 20)
    return max(limits["cooldown_requests"], min(pause, limits["max_cooldown_requests"]))


def is_worth_a_list(state: SessionState, worth: ListWorth) -> bool:
    """Whether the work since the last todo call has several steps, many calls or several files."""
    log = state["todo_log"]
    if state["tool_calls"] - log["tool_calls"] >= worth["tool_calls"] or len(log["files"]) >= worth["files"]:
        return True
    return state["prompts"] > log["prompts"] and steps_named(state["last_prompt"]) >= worth["steps"]


def steps_named(prompt: str) -> int:
    """List lines of a prompt, or its numbering where that runs on in one line."""
    lines = [line.strip() for line in prompt.splitlines()]
    listed = [line for line in lines if line.startswith(_BULLETS) or _is_numbered(line)]
    number = 0
    while any(f"{number + 1}{mark}" in prompt for mark in (".", ")", "、", "）", "．")):
        number += 1
    return max(len(listed), number)


def _is_numbered(line: str) -> bool:
    digits = len(line) - len(line.lstrip("0123456789"))
    return 0 < digits < 3 and line[digits : digits + 1] in tuple(".)、）．")


def todo_tool(state: SessionState, settings: Settings, env: Mapping[str, str]) -> str:
    """The name of the todo tool that this session is known to have, or ""."""
    seen = state["todo_log"]["tools"]
    if seen:
        return TODO_WRITE if seen[-1] == ev.TODO_WRITE else TASKS
    if state["host"] != "claude_code":
        return ""  # Cursor's own list shows in no hook
    model = state["meter"].get("model") or state["model"]
    allowed = env.get("CLAUDE_CODE_ENABLE_TODO_TOOLS", "").lower() in _ON
    if not allowed and not any(_is_model(model, name) for name in settings["todo"]["models_with_tools"]):
        return ""
    return TODO_WRITE if env.get("CLAUDE_CODE_ENABLE_TASKS", "").lower() in _OFF else TASKS


def _is_model(model: str, name: str) -> bool:
    return model == name or model.startswith(name + "-20")  # a date
