"""One request of the client, and what it shows the model."""

import json
import re
from collections.abc import Mapping
from typing import Any, Optional

from model_script import Turn

REMINDER = re.compile(r"<system-reminder>\n?(.*?)\n?</system-reminder>", re.DOTALL)


class Request:
    """`kind` is one of main, subagent, summary (the client's own compaction), side (titles and the like:
    no tools) and count (token counting). `answer` is the turn it got."""

    def __init__(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> None:
        self.body = body
        self.agent_id: Optional[str] = headers.get("x-claude-code-agent-id")
        self.session_id: Optional[str] = headers.get("x-claude-code-session-id")
        self.messages: list[dict[str, Any]] = body.get("messages", [])
        self.model: str = body.get("model", "")
        self.tools: list[str] = [tool.get("name", "") for tool in body.get("tools") or []]
        self.answer: Optional[Turn] = None
        self.kind = self._kind(path)

    def __repr__(self) -> str:
        return f"<Request {self.kind}: {len(self.messages)} messages, new: {self.new_text[:200]!r}>"

    def _kind(self, path: str) -> str:
        if "count_tokens" in path:
            return "count"
        # The summariser goes out with the session's own tools and headers; only its order tells it apart. It
        # is not the last message where reminders travel as one of role "system".
        if any(text.startswith("CRITICAL: Respond with TEXT ONLY") for text in _texts(self.new_messages)):
            return "summary"
        if not self.tools:
            return "side"
        return "subagent" if self.agent_id else "main"

    @property
    def new_messages(self) -> list[dict[str, Any]]:
        """Those after the model's last message: what this request shows for the first time."""
        last = max((i for i, m in enumerate(self.messages) if m["role"] == "assistant"), default=-1)
        return self.messages[last + 1 :]

    @property
    def text(self) -> str:
        """All that the messages show, the system prompt left out."""
        return "\n".join(_texts(self.messages))

    @property
    def new_text(self) -> str:
        return "\n".join(_texts(self.new_messages))

    @property
    def system(self) -> str:
        return "\n".join(_flatten(self.body.get("system") or []))

    @property
    def prompts(self) -> list[str]:
        """The user's own texts, oldest first: no reminders, no tool results."""
        texts = _texts([m for m in self.messages if m["role"] == "user"], skip="tool_result")
        return [text for text in texts if not text.startswith("<system-reminder>")]

    @property
    def prompt(self) -> str:
        return next(iter(self.prompts), "")

    @property
    def tool_results(self) -> list[str]:
        return _tool_results(self.messages)

    @property
    def new_tool_results(self) -> list[str]:
        return _tool_results(self.new_messages)

    @property
    def reminders(self) -> list[str]:
        return _reminders(self.messages)

    @property
    def new_reminders(self) -> list[str]:
        return _reminders(self.new_messages)


def _flatten(content: Any, skip: str = "") -> list[str]:
    if isinstance(content, str):
        return [content]
    found: list[str] = []
    for block in content:
        if block["type"] == skip:
            continue
        if block["type"] == "text":
            found.append(block["text"])
        elif block["type"] == "tool_result":
            found += _flatten(block.get("content") or "")
        else:
            found.append(json.dumps(block, ensure_ascii=False))
    return found


def _texts(messages: list[dict[str, Any]], skip: str = "") -> list[str]:
    return [text for message in messages for text in _flatten(message["content"], skip)]


def _tool_results(messages: list[dict[str, Any]]) -> list[str]:
    blocks = [block for m in messages if isinstance(m["content"], list) for block in m["content"]]
    return ["\n".join(_flatten(b.get("content") or "")) for b in blocks if b["type"] == "tool_result"]


def _reminders(messages: list[dict[str, Any]]) -> list[str]:
    # Older models get reminders as tagged blocks, merged into tool results where there are any; newer ones
    # (Opus 4.8 on) as one message of role "system" without tags.
    found: list[str] = []
    for message in messages:
        for text in _texts([message]):
            found += [text] if message["role"] == "system" else REMINDER.findall(text)
    return found
