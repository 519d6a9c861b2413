"""Where everything lies. The only place that builds a path below a project's `.cursor`."""

from __future__ import annotations

from ..files import safe_name

ROOT = ".cursor"
STATE_FOLDERS = (".session", ".tracking", ".artifacts")


def session_key(session_id: str, agent_id: str = "") -> str:
    """File name stem of a session; a Claude subagent has a state of its own beside its parent's."""
    key = safe_name(session_id)
    return key + "." + safe_name(agent_id) if agent_id else key


class Paths:
    """Absolute paths in one project. Every id passes `safe_name` before it becomes part of one."""

    __slots__ = ("pending", "project", "session", "tracking")

    def __init__(self, project: str) -> None:
        self.project = project
        self.session = f"{project}/{ROOT}/.session"
        self.tracking = f"{project}/{ROOT}/.tracking"
        self.pending = f"{self.session}/pending"

    def journal(self, key: str) -> str:
        return f"{self.session}/{key}.journal.jsonl"

    def journal_segment(self, key: str, number: int) -> str:
        return f"{self.session}/{key}.journal.{number}.jsonl"

    def state(self, key: str) -> str:
        return f"{self.session}/{key}.state.json"

    def lock(self, key: str) -> str:
        return f"{self.session}/{key}.lock"

    def saving_lock(self, key: str) -> str:
        """Held by the one guard that saves a safepoint."""
        return f"{self.session}/{key}.saving.lock"

    def turns(self, key: str) -> str:
        return f"{self.session}/{key}.turns.jsonl"

    def errors(self) -> str:
        return f"{self.session}/errors.jsonl"

    def learned(self) -> str:
        return f"{self.session}/learned.json"

    def resume_point(self, slug: str, session_id: str = "") -> str:
        """The campaign's resume point; with `session_id`, that of a second live session."""
        second = "." + safe_name(session_id)[:8] if session_id else ""
        return f"{self.session}/resume-point-{safe_name(slug)}{second}.json"

    def campaign_lock(self, slug: str) -> str:
        return f"{self.session}/resume-point-{safe_name(slug)}.lock"

    def red_checkpoint(self, key: str, number: int = 1) -> str:
        return f"{self.session}/red-checkpoint-{key}{'' if number == 1 else f'-{number}'}.json"

    def handoff(self, key: str) -> str:
        return f"{self.session}/handoff-{key}.md"

    def notes(self, key: str) -> str:
        return f"{self.session}/handoff-{key}.notes.md"

    def pre_compact(self, key: str) -> str:
        return f"{self.session}/pre-compact-{key}.md"

    def offer(self, key: str) -> str:
        return f"{self.pending}/{key}.json"

    def claim(self, key: str) -> str:
        return f"{self.pending}/{key}.claim"

    def settled(self, key: str) -> str:
        return f"{self.session}/settled/{key}.json"

    def run_journal(self, key: str) -> str:
        """What one `safepoint run` did."""
        return f"{self.session}/runs/{key}.jsonl"

    def run_lock(self, slug: str) -> str:
        """Held while a `safepoint run` works on the campaign; '' stands for work without a name."""
        return f"{self.session}/runs/{safe_name(slug) if slug else '_'}.lock"

    def prune_mark(self) -> str:
        """Its time is that of the last pruning."""
        return f"{self.session}/.pruned"

    def pointer(self) -> str:
        """Names the newest pending handoff, for the always-on rule."""
        return f"{self.session}/HANDOFF.md"

    def tracker(self, key: str) -> str:
        return f"{self.tracking}/tracker-{key}.md"

    def envelope(self, slug: str, step: str) -> str:
        """A step's envelope, where `artifact_dir` is as it comes."""
        return f"{self.project}/{ROOT}/.artifacts/{safe_name(slug)}--{safe_name(step)}.md"

    def relative(self, path: str) -> str:
        """`path` below the project as people write it; a path elsewhere stays whole."""
        prefix = self.project.rstrip("/") + "/"
        return path[len(prefix):] if path.startswith(prefix) else path

    def absolute(self, path: str) -> str:
        return path if path.startswith("/") or path[1:2] == ":" else f"{self.project}/{path}"


def pending_exist(paths: Paths) -> bool:
    """Whether anything may be pending: one listing, so that most starts cost no more."""
    import os

    try:
        return any(name.endswith(".json") for name in os.listdir(paths.pending))
    except OSError:
        return False


def prune_is_due(paths: Paths, now: float) -> bool:
    """Whether old sessions were not looked for today: one stat, which is all that most starts pay."""
    import os

    try:
        return abs(now - os.stat(paths.prune_mark()).st_mtime) > 86_400  # a clock moved back counts as well
    except OSError:
        return True
