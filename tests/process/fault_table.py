"""Which faults are tried at which moments, and how an outcome is put into words."""

from __future__ import annotations

import errno
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

from fault_scene import BASES, MOMENTS, SESSION, Around, Moment, Scene, make_base, told, verdict

HOSTS = ("claude_code", "cursor")
# Words of the texts that tell a user of trouble.
TROUBLE = ("errors.jsonl", "settings", "not be saved", "could not", "damaged", "cannot be", "did not tell")


class Fault(NamedTuple):
    """`what` for the table; `call` and `part` as `fault_runner` takes them."""

    what: str
    call: str
    part: str
    errors: tuple[int, ...]


WRITE = (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO)
READ = (errno.EACCES, errno.EIO)
TRANSCRIPT = "/transcript.jsonl"  # of Claude Code; no other host has one that is read
FAULTS = (
    Fault("all writing below `.cursor`", "open-write", "/.cursor/", WRITE),
    Fault("a read-only `.cursor`", "change", "/.cursor", (errno.EROFS,)),
    Fault("making the state folder", "mkdir", "/.cursor", (errno.ENOSPC, errno.EACCES, errno.EROFS)),
    Fault("opening the journal", "open-write", ".journal.jsonl", (errno.EACCES, errno.EROFS)),
    Fault("appending to the journal", "write", ".journal.jsonl", (errno.ENOSPC, errno.EIO)),
    Fault("half of a journal line", "half", ".journal.jsonl", (errno.ENOSPC,)),
    Fault("reading the journal", "open-read", ".journal.jsonl", READ),
    Fault("writing the state file", "write", ".state.json", (errno.ENOSPC, errno.EIO)),
    Fault("replacing the state file", "rename", ".state.json", (errno.EACCES, errno.EIO)),
    Fault("reading the state file", "open-read", ".state.json", READ),
    Fault("opening the lock", "open-write", ".lock", (errno.EACCES, errno.EROFS)),
    Fault("locking", "lock", ".lock", (errno.ENOLCK, errno.ENOSYS)),
    Fault("writing the checkpoint", "write", "red-checkpoint-", (errno.ENOSPC, errno.EIO)),
    Fault("syncing the checkpoint", "sync", "red-checkpoint-", (errno.EIO,)),
    Fault("naming the checkpoint", "link", "red-checkpoint-", (errno.EPERM, errno.ENOSPC)),
    Fault("writing the handoff", "write", "handoff-", (errno.ENOSPC, errno.EIO)),
    Fault("reading the handoff back", "open-read", "handoff-", READ),
    Fault("writing the resume point", "write", "resume-point-", (errno.ENOSPC, errno.EIO)),
    Fault("making the handoff pending", "write", "/pending/", (errno.ENOSPC,)),
    Fault("making the handoff pending", "open-write", "/pending/", (errno.EACCES, errno.EROFS)),
    Fault("reading what is pending", "open-read", "/pending/", READ),
    Fault("reading the checkpoint", "open-read", "red-checkpoint-", READ),
    Fault("reading the transcript", "open-read", TRANSCRIPT, READ),
    Fault("reading the transcript once it is open", "read", TRANSCRIPT, (errno.EIO,)),
    Fault("reading the settings", "open-read", "settings.json", READ),
)


class Outcome(NamedTuple):
    """`verdict`: what the host does. `told`: the user reads of it. `logged`: a line in errors.jsonl."""

    verdict: str
    told: bool
    logged: bool
    seconds: float

    @property
    def words(self) -> str:
        return self.verdict + (", told" if self.told else "") + (", logged" if self.logged else "")


def faults(host: str) -> tuple[Fault, ...]:
    return tuple(fault for fault in FAULTS if host == "claude_code" or fault.part != TRANSCRIPT)


def outcome(scene: Scene, moment: Moment, around: Around, call: str = "toolu_2") -> Outcome:
    """Let the moment come with the fault. What no fault may do is asserted on the way."""
    journal = scene.session / f"{SESSION}.journal.jsonl"
    before = journal.read_bytes() if journal.exists() else b""
    errors = scene.errors()
    began = time.monotonic()
    answer = scene.calm(moment.event, moment.session, call, around)
    seconds = time.monotonic() - began
    assert (journal.read_bytes() if journal.exists() else b"").startswith(before), "a written line was lost"
    said = verdict(answer, moment.event)
    if said == "denied":
        assert (scene.session / f"handoff-{SESSION}.md").read_bytes()
        checkpoint = json.loads((scene.session / f"red-checkpoint-{SESSION}.json").read_bytes())
        assert checkpoint["session_id"] == SESSION
    return Outcome(said, _is_told(answer), scene.errors() > errors, seconds)


def _is_told(answer: dict[str, Any]) -> bool:
    return any(word in told(answer) for word in TROUBLE)


def around_of(fault: Fault, number: int) -> Around:
    return Around((fault.call, fault.part, str(number)))


def afterwards(scene: Scene, moment: Moment) -> str:
    """The disk is well again: what a tool call of the same chat is answered at Red, half a minute later."""
    if moment.base == "work":
        scene.fill()
    answer = scene.calm("before", moment.session, "toolu_3", Around(("later", "", "1")))
    return verdict(answer, "before")


def row(what: str, names: str, words: list[str]) -> str:
    """One line of a table in docs/reliability.md."""
    return f"| {what} | {names} | {' | '.join(words)} |"


def head() -> str:
    titles = ["what fails", "with", *(moment.what for moment in MOMENTS)]
    return f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}"


def table(folder: Path, host: str) -> str:
    """Every fault at every moment with every error; errors of one outcome share a line."""
    bases = {base: make_base(base, folder / base, host) for base in BASES}
    lines = [head()]
    for i, fault in enumerate(faults(host)):
        by_words: dict[tuple[str, ...], list[int]] = {}
        for number in fault.errors:
            words = []
            for j, moment in enumerate(MOMENTS):
                scene = bases[moment.base].copy(folder / f"{i}-{number}-{j}")
                words.append(outcome(scene, moment, around_of(fault, number)).words)
            by_words.setdefault(tuple(words), []).append(number)
        for found, numbers in by_words.items():
            lines.append(row(fault.what, ", ".join(errno.errorcode[n] for n in numbers), list(found)))
    return "\n".join(lines)
