"""Safepoint's own todo tool, behind the MCP server and the command line.

The same rules as before a host's tool, the same store, the same fold: a call is one record in the journal.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import uuid4

from .errors import SafepointError
from .hook_process import hook_for, settings_of
from .hot import events as ev
from .hot import todo_calls, todo_notes
from .hot.events import Event
from .hot.handlers.after import write_point
from .hot.hook import Hook
from .hot.policies import todo_lines, todo_log, todo_rules, todos
from .hot.policies.todo_rules import Broken
from .hot.shapes import TodoChange, TodoItem
from .todo_session import resolve

LOCK_S = 2.0
UNKNOWN = "unknown"


class TodoRuleError(SafepointError):
    """A call that breaks a rule; the list is as it was."""

    def __init__(self, rule: str, message: str) -> None:
        self.rule = rule
        super().__init__(message)


class Answer(NamedTuple):
    """The list after a call. `text` is what the model reads."""

    text: str
    items: list[TodoItem]
    session_id: str

    @property
    def data(self) -> dict[str, Any]:
        return {
            "session_id": self.session_id,
            "todo_progress": dict(todos.progress(self.items)),
            "todos": [dict(item) for item in self.items],
        }


class TodoList:
    """The list of the session that is meant, found anew at each call: a server outlives its chats."""

    def __init__(
        self,
        project: str,
        named: str = "",
        how: str = "--session ID",
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.project, self.named, self.how, self.environment = project, named, how, environment

    def call(self, tool: str, given: dict[str, Any]) -> Answer:
        """One call of TodoWrite, TaskCreate, TaskUpdate, TaskList or TaskGet."""
        settings = settings_of(self.project)
        live_s = settings["todo"]["live_hours"] * 3600
        session = resolve(self.project, self.named, self.environment, live_s, self.how)
        hook = hook_for(self.project, session, settings)
        with hook.store.locked(LOCK_S) as lock:
            if not lock.held and not lock.broken:
                raise SafepointError("the session is busy; try again")
            hook.store.load()
            answer = _Call(hook, tool, given).answer()
            hook.store.save()
            if hook.store.state["known_origin"]:
                write_point(hook, "todo")
        return answer


class _Call:
    """One call while the session's lock is held."""

    def __init__(self, hook: Hook, tool: str, given: dict[str, Any]) -> None:
        self.hook, self.tool, self.given = hook, tool, given
        self.warning = ""

    def answer(self) -> Answer:
        state = self.hook.store.state
        self._own_handed_over()
        before = state["todos"]
        self._check(before)
        change = self._change(before)
        self._record(change)
        after = self.hook.store.state["todos"]
        text = todo_notes.mirror_text(self.hook, before, after) if self._is_partial() else self._whole(after)
        if self.warning:
            text += "\n" + self.warning
        shown = after if self.tool != ev.TASK_GET else [i for i in after if i["id"] == self._id]
        return Answer(text, shown, state["session_id"])

    @property
    def _id(self) -> str:
        return str(self.given.get("taskId") or "")

    def _is_partial(self) -> bool:
        return self.tool in (ev.TASK_CREATE, ev.TASK_UPDATE)

    def _whole(self, items: list[TodoItem]) -> str:
        if self.tool == ev.TASK_GET:
            items = [item for item in items if item["id"] == self._id]
            return f"#{self._id} {todo_lines.line(items[0])}"
        lines = [todo_lines.line(item) for item in items]
        if self.tool == ev.TASK_LIST:
            lines = [f"#{item['id']} {line}" for item, line in zip(items, lines, strict=True)]
        progress = todos.progress(items)
        count = self.hook.say("todo_count", done=progress["done"], total=progress["total"])
        return "\n".join([*lines, count])

    def _own_handed_over(self) -> None:
        """Items from the chat before get ids of this list, so that they can be updated."""
        items = self.hook.store.state["todos"]
        if all(item["id"] for item in items):
            return
        number = _next_id(items)
        owned: list[TodoItem] = []
        for item in items:
            owned.append(item if item["id"] else {**item, "id": str(number)})
            number += 0 if item["id"] else 1
        self._record({"op": "sync", "items": owned})

    def _check(self, items: list[TodoItem]) -> None:
        """Raises TodoRuleError, or keeps a warning where rules only warn."""
        settings = self.hook.settings
        if self.tool in (ev.TASK_UPDATE, ev.TASK_GET) and self._id and self._id not in _ids(items):
            self._refuse(Broken(UNKNOWN, item=self._id, known=", ".join(_ids(items)) or "-"))
        intents = self.hook.store.state["todo_log"]["intents"]
        broken = todo_rules.judge(self.tool, self.given, items, intents, "", settings["todo"]["max_open"])
        if self.tool == ev.TASK_GET and not self._id:
            broken = Broken(todo_rules.REQUIRED, field="taskId", number=1, item="")
        if broken is None:
            return
        only_warned = settings["todo"]["mode"] != "strict" or settings["mode"] != "enforce"
        if only_warned and broken.rule in (todo_rules.MAX_OPEN, todo_rules.ONE, todo_rules.DUPLICATE):
            if settings["todo"]["mode"] != "off":
                self.warning = self.hook.say("todo_warned", reason=self._reason(broken))
            return
        self._refuse(broken)

    def _reason(self, broken: Broken) -> str:
        return self.hook.say("todo_rule_" + broken.rule, **broken.facts)

    def _refuse(self, broken: Broken) -> None:
        raise TodoRuleError(broken.rule, self.hook.say("todo_refused", reason=self._reason(broken)))

    def _change(self, items: list[TodoItem]) -> TodoChange | None:
        """The call as a host's own finished call would be read."""
        state = self.hook.store.state
        event = Event(ev.AFTER_TOOL, state["host"], state["session_id"])
        event.tool, event.tool_input = self.tool, self.given
        if self.tool == ev.TASK_CREATE:
            event.output = {"task": {"id": str(_next_id(items))}}
        return todo_calls.read_change(event)

    def _record(self, change: TodoChange | None) -> None:
        hook, state = self.hook, self.hook.store.state
        record = hook.record(todo_log.CALL, key=f"todo:{uuid4().hex}", tool=self.tool)
        if not state["project"]:  # the first record says whose journal this is
            record["project"], record["host"] = hook.event.project, hook.event.host
            record["session_id"] = hook.event.session_id
        if change is not None:
            record["todo"] = change
        hook.store.write(record)


def _ids(items: list[TodoItem]) -> list[str]:
    return [item["id"] for item in items]


def _next_id(items: list[TodoItem]) -> int:
    return max([int(item["id"]) for item in items if item["id"].isdecimal()], default=0) + 1
