"""What is timed: one hook on one event, each from the same state, with the bound it has to keep."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from safepoint import registration

from .chats import ClaudeChat, CursorChat, Payload
from .processes import BARE, Finished, run
from .scratch import Repository, State, command_of, encoded

CALLS = 40  # of the chat in which the hooks are timed
TRANSCRIPT_BYTES = 1_000_000
RED_TOKENS = 170_000  # of a window of 200,000
SECRET = "curl -H 'Authorization: Bearer 0f9b2c7de1a84d5f9c3b' https://api.example.invalid/orders"
RIVALS = Path(__file__).resolve().parent / "rivals"


class Case(NamedTuple):
    name: str
    bound: float | None  # × bare Python; None: told, not judged
    repository: Repository
    command: str
    payload: bytes
    state: State
    before: Callable[[], None] | None = None

    def run(self) -> Finished:
        self.state.put_back()
        if self.before is not None:
            self.before()
        return run(self.command, self.payload, self.repository.environment, str(self.repository.folder))


def green(repository: Repository, quick: bool = False) -> list[Case]:
    """The hooks of every tool call and turn, while there is nothing to say."""
    calls = 10 if quick else CALLS
    claude, state = _work(ClaudeChat(repository, "bench-claude"), calls)
    cursor, cursor_state = _work(CursorChat(repository, "bench-cursor"), calls)
    return [
        case("guard, Claude Code", 1.4, claude, claude.before(), state),
        case("guard, Cursor", 1.4, cursor, cursor.before(), cursor_state),
        case("tracker, Claude Code", 1.8, claude, claude.after(), state),
        case("tracker, Cursor", 1.8, cursor, cursor.after(), cursor_state),
        case("tracker, redaction fires", 3.5, claude, claude.after(SECRET), state),
        case("prompt", 1.8, claude, claude.prompt(), state),
        case("batch", 1.8, claude, claude.batch(), state),
        case("stop", None, claude, claude.stop(), state),
        case("session end", None, claude, claude.end(), state),
        case("bootstrap, nothing pending", 1.6, claude, other_start(claude), state),
        _status_line(claude),
    ]


def _status_line(chat: ClaudeChat) -> Case:
    """As it is drawn most often: what the host states is known already."""
    command, payload = registration.status_line("python3", ""), encoded(chat.status_line(60_000))
    repository = chat.repository
    run(command, payload, repository.environment, str(repository.folder))
    return Case("status line", 2.0, repository, command, payload, repository.state())


def rare(repository: Repository, quick: bool = False) -> list[Case]:
    """Red, and what follows it. A repository of its own: its pending handoff concerns every start there."""
    chat, _ = _work(ClaudeChat(repository, "bench-red"), 10 if quick else CALLS, RED_TOKENS - 60_000)
    chat.answer(RED_TOKENS)
    before = repository.state()
    payload = chat.before("python -m pytest")
    answer = repository.send(chat.host, payload).answer
    if b'"deny"' not in answer:
        raise RuntimeError(f"Red denied nothing: {answer!r}; {repository.errors()}")
    saved = repository.state()
    return [
        case("Red: save with git, deny", 5.0, chat, payload, before),
        case("Red: deny again", None, chat, {**payload, "tool_use_id": "toolu_again"}, saved),
        case("bootstrap, one pending", 3.0, chat, other_start(chat), saved),
    ]


def cold(repository: Repository) -> list[Case]:
    """The first hook after an installation or a clone."""
    chat, state = _work(ClaudeChat(repository, "bench-cold"), 2)
    return [case("guard, no .pyc", 3.0, chat, chat.before(), state)._replace(before=repository.drop_pyc)]


def rivals(case: Case) -> list[Case]:
    """Other ways to take the guard's decision: read the last usage of the transcript, deny above Red."""
    commands = {
        "rival: bash and jq": f"bash '{RIVALS / 'guard.sh'}'",
        "rival: Node": f"node '{RIVALS / 'guard.mjs'}'",
        "an empty Node process": "node -e 0",
        "an empty jq process": "jq -n 0",
    }
    return [case._replace(name=name, bound=None, command=command) for name, command in commands.items()]


def bare(case: Case) -> Case:
    return case._replace(name="bare Python", bound=None, command=BARE)


def _work(chat: ClaudeChat, calls: int, tokens: int = 60_000) -> tuple[ClaudeChat, State]:
    chat.pad(TRANSCRIPT_BYTES)
    for payload in chat.day(calls, tokens):
        chat.repository.send(chat.host, payload)
    return chat, chat.repository.state()


def other_start(chat: ClaudeChat) -> Payload:
    other = copy.copy(chat)
    other.name = chat.name + "-next"
    other.transcript = chat.transcript.with_name(f"{other.name}.jsonl")
    return other.start()


def case(name: str, bound: float | None, chat: ClaudeChat, payload: Payload, state: State) -> Case:
    return Case(name, bound, chat.repository, command_of(chat.host, payload), encoded(payload), state)
