"""What the model is given of its list: the mirror after a change, and the reminders."""

from __future__ import annotations

import os

from .decisions import Decision
from .policies import reminders, todo_lines, todo_log, todos
from .session import was_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook
    from .shapes import Record, TodoItem


def mirror(hook: Hook, before: list[TodoItem]) -> Decision | None:
    """The changed lines and how far the list is; None where nothing has changed."""
    after = hook.store.state["todos"]
    if before == after:
        return None
    decision = Decision()
    decision.context.append(("todo", mirror_text(hook, before, after)))
    return decision


def mirror_text(hook: Hook, before: list[TodoItem], after: list[TodoItem]) -> str:
    lines, more = todo_lines.fitting(todo_lines.changed(before, after))
    if more:
        lines.append(hook.say("todo_more", count=more))
    progress = todos.progress(after)
    return "\n".join([*lines, hook.say("todo_count", done=progress["done"], total=progress["total"])])


def after_batch(hook: Hook, record: Record) -> Decision | None:
    """Count the request, and remind where that is due. `record` is the batch's, not written yet."""
    with hook.store.locked(hook.lock_s):
        if was_seen(hook.store.load(), hook.key):
            return None
        hook.store.write(record)
        decision = remind(hook)
        hook.store.save()
    return decision


def remind(hook: Hook, at_prompt: bool = False) -> Decision | None:
    """The reminder that is due, recorded as given. The session's lock is held."""
    state, settings = hook.store.state, hook.settings
    kind = reminders.due(state, settings, os.environ, at_prompt)
    if not kind:
        return None
    tool = reminders.todo_tool(state, settings, os.environ)
    requests, log = reminders.requests(state), state["todo_log"]
    facts: dict[str, object] = {"tool": tool, "requests": requests - log["called"]}
    if kind == todo_log.STALE:
        lines, more = todo_lines.fitting(todo_lines.reminder_lines(state["todos"]))
        facts["list"] = [*lines, hook.say("todo_more", count=more)] if more else lines
        facts["requests"] = requests - log["updated"]
    decision = Decision()
    decision.context.append(("reminder", _tagged(hook, hook.say("reminder_" + kind, **facts))))
    hook.store.write(hook.record(todo_log.REMINDED, name=kind))
    return decision


def _tagged(hook: Hook, text: str) -> str:
    """Claude Code puts the tag around what a hook adds, and escapes one that the text brings along."""
    return f"<system-reminder>\n{text}\n</system-reminder>" if hook.event.host == "cursor" else text
