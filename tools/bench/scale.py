"""What must not grow: long transcripts and journals, huge payloads, many hooks at once."""

from __future__ import annotations

import copy
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from .cases import CALLS, Case, bare
from .chats import ClaudeChat
from .latency import Clock, Row, wall
from .processes import run_together
from .scratch import Repository, command_of, encoded

FLAT = 1.10  # the longer may cost so many times the shorter
LONG_TRANSCRIPT, SHORT_TRANSCRIPT = 200_000_000, 100_000  # bytes
LONG_JOURNAL, SHORT_JOURNAL = 100_000, 10  # lines
MEMORY_MB = 5.0
PAYLOAD_BYTES, PAYLOAD_MS, PAYLOAD_MEMORY = 20_000_000, 200.0, 4.0  # memory: payloads above bare Python


def flat(folder: Path, python: str, runs: int, clock: Clock = wall) -> list[Row]:
    """The same guard on a short and a long transcript, and behind a short and a long journal."""
    rows = []
    for name, sizes in (
        ("transcript 100 kB and 200 MB", ((SHORT_TRANSCRIPT, CALLS), (LONG_TRANSCRIPT, CALLS))),
        ("journal of 10 and 100,000 lines", ((SHORT_TRANSCRIPT, 4), (SHORT_TRANSCRIPT, LONG_JOURNAL))),
    ):
        pair = [_guard(folder / f"{name[:4]}{number}", python, *size) for number, size in enumerate(sizes)]
        ratios = []
        for _ in range(runs):
            first, second = (clock(case.run()) for case in pair)
            ratios.append(second / first)
        rows.append(Row(f"guard: {name}", statistics.median(ratios), "× the shorter", FLAT))
    return rows


def _guard(folder: Path, python: str, transcript_bytes: int, lines: int) -> Case:
    """A Green guard after a chat of `lines` journal lines, most of which are written by hand."""
    repository = Repository(folder / "shop", python)
    chat = ClaudeChat(repository, "bench-scale")
    chat.pad(transcript_bytes)
    for payload in chat.day(min(lines, CALLS)):
        repository.send(chat.host, payload)
    if lines > CALLS:
        _lengthen(repository, chat, lines)
        repository.send(chat.host, chat.after())  # the next tracker folds them
        chat.answer(60_000)
    payload = chat.before()
    return Case("", None, repository, command_of(chat.host, payload), encoded(payload), repository.state())


def _lengthen(repository: Repository, chat: ClaudeChat, lines: int) -> None:
    journal = repository.folder / f".cursor/.session/{chat.name}.journal.jsonl"
    like = next(
        json.loads(line) for line in journal.read_text().splitlines() if '"kind":"before_tool"' in line
    )
    for name in ("transcript", "seen"):
        like.pop(name, None)
    with journal.open("a", encoding="utf-8") as file:
        for number in range(lines):
            file.write(json.dumps({**like, "key": f"k{number}", "call": f"c{number}"}) + "\n")


def memory(cases: list[Case]) -> list[Row]:
    """Resident memory of each at its highest, above bare Python's."""
    base = _peak_bytes(bare(cases[0]))
    return [Row(f"{case.name}, memory", (_peak_bytes(case) - base) / 1e6, "MB above bare", MEMORY_MB)
            for case in cases]  # fmt: skip


def large_payload(case: Case, runs: int) -> list[Row]:
    """A guard whose tool is given 20 MB: how much time and memory beyond bare Python."""
    given = json.loads(case.payload)
    given.update(tool_name="Write", tool_input={"file_path": "big.txt", "content": "x" * PAYLOAD_BYTES})
    large = case._replace(payload=encoded(given))
    extra_ms = []
    for _ in range(runs):
        base, full = bare(case).run(), large.run()
        extra_ms.append((full.seconds - base.seconds) * 1000)
    memory = (_peak_bytes(large) - _peak_bytes(bare(case))) / PAYLOAD_BYTES
    return [
        Row("payload of 20 MB", statistics.median(extra_ms), "ms above bare", PAYLOAD_MS),
        Row("payload of 20 MB, memory", memory, "payloads above bare", PAYLOAD_MEMORY),
    ]


_WATCHER = """
import os, sys
actions = [(os.POSIX_SPAWN_OPEN, 0, sys.argv[2], os.O_RDONLY, 0),
           (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exec " + sys.argv[1]], os.environ, file_actions=actions)
print(os.wait4(pid, 0)[2].ru_maxrss)
"""


def _peak_bytes(case: Case) -> int:
    """Resident memory at its highest. A small process starts it: a child begins with its parent's figure."""
    case.state.put_back()
    with tempfile.NamedTemporaryFile() as file:
        file.write(case.payload)
        file.flush()
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _WATCHER, case.command, file.name], capture_output=True,
            env=case.repository.environment, cwd=case.repository.folder, check=True,
        )  # fmt: skip
    return int(done.stdout) * 1024


def together(repository: Repository, runs: int) -> list[Row]:
    """Many hooks of one session at the same time, guards and trackers: the slow end, and what is lost."""
    rows = []
    for count, bound_ms in ((4, 50.0), (32, 500.0)):
        seconds: list[float] = []
        lost = 0
        for number in range(max(1, runs)):
            chat = ClaudeChat(repository, f"bench-{count}-{number}")
            for payload in chat.day(1):
                repository.send(chat.host, payload)
            payloads = []
            for call in range(count):
                one = copy.copy(chat)
                one.calls = 1000 + call
                payloads.append(encoded(one.after(f"make part{call}")))
            command = command_of("claude_code", json.loads(payloads[0]))
            done = run_together(command, payloads, repository.environment, str(repository.folder))
            seconds += [one.seconds for one in done]
            lost += count + 1 - _tool_calls(repository, chat.name)
        p95 = statistics.quantiles(seconds, n=20)[-1] * 1000
        rows.append(Row(f"{count} trackers at once, p95", p95, "ms", bound_ms, note=f"{lost} lost"))
        if lost:
            raise RuntimeError(f"{lost} of the events of {count} parallel hooks are lost")
    return rows


def _tool_calls(repository: Repository, name: str) -> int:
    from safepoint.hot.stores.paths import Paths
    from safepoint.sessions import load

    return load(Paths(str(repository.folder)), name)["tool_calls"]
