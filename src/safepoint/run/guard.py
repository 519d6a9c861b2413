"""What ends an agent, and all that it has started, when the run that follows it is killed.

The kernel can do that for one process alone, and on Linux only. So a process waits for the end of the run,
which it sees at a pipe. It has a session of its own: what is done to the run's terminal or group spares it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ..hot.stores.paths import Paths
from . import journal, processes

_CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from safepoint.run.guard import main
main(*sys.argv[2:])
"""


class Guard:
    """Beside one agent, from its start until `dismiss`."""

    def __init__(self, project: str, run_key: str, agent_pid: int) -> None:
        """Raises OSError."""
        self.agent_began = processes.began(agent_pid)
        words = [str(Path(__file__).parents[2]), project, run_key, str(agent_pid), self.agent_began]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CODE, *words], cwd="/", stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def dismiss(self) -> None:
        """The run has seen the agent's end itself."""
        try:
            self._process.communicate(b"over")
        except OSError:  # it is gone
            self._process.wait()


def main(project: str, run_key: str, agent_pid: str, known: str) -> None:
    """The guard's own process. Its stdin ends when the run has ended; with a word where all is well."""
    if sys.stdin.buffer.read(1):
        return
    end(project, run_key, int(agent_pid), known)


def end(project: str, run_key: str, agent_pid: int | None, known: str) -> None:
    """End the agent of a run that is gone and what it has started, and write that into the run's journal."""
    if agent_pid is not None and processes.is_group_of(agent_pid, known, run_key):
        processes.end_group(agent_pid)
    processes.end_marked(run_key)
    journal.Journal(Paths(project), run_key).add(
        journal.event(run_key, journal.BROKEN_OFF, agent_pid=agent_pid)
    )
