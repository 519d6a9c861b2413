"""What a run is to do, and its limits."""

from __future__ import annotations

import random
import time
from typing import NamedTuple

from ..hot.shapes import Settings
from ..hot.stores.paths import Paths
from .agents import Agent

MAX_SESSIONS = 10
UNCHANGED = 2  # sessions in a row that changed nothing: the run is stuck
RETRIES = 8  # in a row, while the model cannot be reached


class Limits(NamedTuple):
    """Bounds of a run. All times in seconds; `total_s` 0 stands for none."""

    sessions: int = MAX_SESSIONS
    total_s: float = 0.0
    backoff_s: float = 15.0  # the first pause while the model is overloaded; doubled each time
    backoff_max_s: float = 600.0
    linger_s: float = 60.0  # silence that an agent is given after its result, before it is ended
    tool_s: float = 60.0  # what a running tool is given at the time limit
    signal_s: float = 5.0  # between SIGINT, SIGTERM and SIGKILL


class Plan(NamedTuple):
    """One run, as it was asked for."""

    key: str
    project: str
    settings: Settings
    agent: Agent
    task: str
    campaign: str  # as given by --campaign; "" where it is left to the hooks
    slug: str  # of the campaign that hooks would find now; "" for none
    flags: tuple[str, ...]
    limits: Limits

    @property
    def paths(self) -> Paths:
        return Paths(self.project)


def new_key(now: float) -> str:
    """A name for a run: when it began (UTC), and four digits that tell two of one second apart."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(now))}-{random.randrange(16**4):04x}"
