"""How the two agents are started headless: their command lines and their environment."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from typing import NamedTuple

from ..errors import SafepointError
from ..hot.safepoint import RUN_NAME
from ..hot.shapes import Host
from ..hot.stores.campaigns import ENV_NAME
from ..todo_session import VARIABLES

EXECUTABLES: dict[Host, str] = {"claude_code": "claude", "cursor": "cursor-agent"}
AROUND = ("CLAUDECODE", "CURSOR_AGENT", *VARIABLES)
HOSTS: dict[str, Host] = {"claude": "claude_code", "cursor": "cursor"}


class Agent(NamedTuple):
    """An agent's host and its executable."""

    host: Host
    executable: str

    @property
    def names_sessions(self) -> bool:
        """Whether a fresh session can be given its id; else the stream tells it."""
        return self.host == "claude_code"

    def command(self, prompt: str, session_id: str, resume: bool, flags: tuple[str, ...]) -> list[str]:
        """The words that start a session (`session_id` may be "" for Cursor), or go on with one.

        The prompt stands first, since an option that takes several words would swallow it. `flags` are the
        person's own, as they are: no permission is asked for here.
        """
        if prompt.startswith("-"):
            prompt = f" {prompt}"  # else it is taken for an option
        words = [self.executable, "-p", prompt]
        if resume:
            words += ["--resume", session_id]
        elif self.names_sessions:
            words += ["--session-id", session_id]
        words += ["--output-format", "stream-json"]
        if self.host == "claude_code":
            words.append("--verbose")  # it refuses to stream without
        return [*words, *flags]


def find(host: Host, given: str) -> Agent:
    """The agent at `given`, else on the path. Raises where there is none that can be started."""
    name = given or EXECUTABLES[host]
    path = shutil.which(os.path.expanduser(name))
    if path is None:
        what = f"{given}: {_why_not(given)}" if given else f"{name} is not on the path"
        raise SafepointError(f"{what}; name the agent's executable: --agent-path EXE")
    return Agent(host, os.path.abspath(path))


def _why_not(given: str) -> str:
    path = os.path.expanduser(given)
    if os.path.isdir(path):
        return "this is a folder"
    if os.path.exists(path):
        return "it is there but not executable (chmod +x makes it so)"
    return "there is no such program"


def environment(run_key: str, campaign: str, around: Mapping[str, str]) -> dict[str, str]:
    """What a session's process gets: ours, the run's mark, and the campaign where one was named.

    Where an agent's shell runs us, what names that agent's session stays behind: this is no part of it.
    """
    made = {name: value for name, value in around.items() if name not in AROUND}
    made[RUN_NAME] = run_key
    if campaign:
        made[ENV_NAME] = campaign
    return made
