"""Secrets of all kinds in what is no hook's payload: runs, status lines, bundles, simulations.

What the hooks are given is in `tests/hot/test_redact_canaries.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from claude_chat import ClaudeChat
from git_command import git
from planted import across, secrets_of_all_kinds, traces_in
from scratch_repository import make_repository
from test_status_line import StatusLine
from two_clones import Clones, run

from safepoint.hot.stores.paths import Paths
from safepoint.run import tail
from safepoint.run.journal import TEXT_BYTES, Journal

SECRETS = secrets_of_all_kinds()
BY_KIND = {secret.kind: secret for secret in SECRETS}
CHUNKS = [" ;\n".join(one.text for one in SECRETS[at : at + 4]) for at in range(0, len(SECRETS), 4)]
CUT = [across(secret, TEXT_BYTES, part) for secret in SECRETS[::3] for part in (0.4, 0.9)]


def files(folder: Path) -> dict[str, bytes]:
    """Every file that Safepoint keeps for a project, by its name, with the name."""
    found = {}
    for path in (folder / ".cursor").rglob("*"):
        name = path.relative_to(folder).as_posix()
        found[name] = os.fsencode(name) + b"\n" + (path.read_bytes() if path.is_file() else b"")
    return found


def assert_no_trace(texts: dict[str, bytes]) -> None:
    assert list(traces_in(texts, SECRETS)) == []


def test_the_search_finds_a_part_of_a_secret() -> None:
    assert list(traces_in({"x": SECRETS[0].core[3:12].lower().encode()}, SECRETS[:1]))


def test_journal_of_runs_keeps_none(project: Path) -> None:
    log = Journal(Paths(str(project)), "20260101-000000")
    log.prepare()
    for text in [*CHUNKS, *CUT]:
        log.add({"event": "session_ended", "task": text, "why": {"stderr": [text]}, "flags": [text]})
    kept = files(project)
    assert any("runs/" in name and b"[redacted:" in data for name, data in kept.items())
    assert_no_trace(kept)


AGENT = """#!{python}
import json, sys
text = {text!r}
print(json.dumps({{"type": "system", "subtype": "init", "session_id": "s1"}}))
use = {{"type": "tool_use", "id": "t", "name": "Bash", "input": {{"command": text}}}}
print(json.dumps({{"type": "assistant", "message": {{"content": [{{"type": "text", "text": text}}, use]}}}}))
print(text, file=sys.stderr)
print(json.dumps({{"type": "result", "subtype": "success", "is_error": {fails}, "result": text,
                  "session_id": "s1"}}))
"""


@pytest.mark.parametrize("fails", [True, False])
def test_run_keeps_none_of_its_task_and_of_what_the_agent_says(
    project: Path, tmp_path: Path, fails: bool
) -> None:
    agent = tmp_path / "agent"
    said = []
    for number, text in enumerate(["\n".join(CHUNKS[:6]), *CUT[:2]]):
        agent.write_text(AGENT.format(python=sys.executable, text=text, fails=fails))
        agent.chmod(0o755)
        words = ["run", "--agent-path", str(agent), "--max-sessions", "1", text]
        command = [sys.executable, "-m", "safepoint", *words, *(["--json"] if number else [])]
        said.append(subprocess.run(command, cwd=project, capture_output=True, timeout=60))
    status = [sys.executable, "-m", "safepoint", "status", "--json"]
    shown = subprocess.run(status, cwd=project, capture_output=True, check=True).stdout
    assert b"[redacted:" in shown
    printed = {f"run {number}": done.stdout + done.stderr for number, done in enumerate(said)}
    assert_no_trace({**files(project), **printed, "status": shown})


@pytest.mark.parametrize("size", [0, 100, tail.TAKEN])
def test_end_of_a_stream_shows_no_part_of_what_the_cut_fell_into(size: int) -> None:
    for secret in SECRETS:
        for part in (0.1, 0.5, 0.9):
            at = secret.text.index(secret.core) + int(len(secret.core) * part)
            data = (secret.text[at:] + "\n" + "look again\n" * (tail.TAKEN // 10)).encode()
            shown = tail.of_bytes(data[: tail.TAKEN])
            whole = tail.of_text("x " * size + secret.text + "\n" + "look again\n" * 30)
            assert list(traces_in({"cut": shown.encode(), "whole": whole.encode()}, [secret])) == []
            assert "look again" in shown and whole.endswith("look again")


def test_status_line_keeps_and_shows_none(project: Path, tmp_path: Path) -> None:
    chat = ClaudeChat(project)
    chat.send("UserPromptSubmit", prompt="Begin")
    home = tmp_path / "home"
    line = StatusLine(project, home)
    for number, text in enumerate(["\n".join(CHUNKS[at::4]) for at in range(4)]):
        payload = line.payload(tokens=144_000 + number)
        payload.update(session_name=text, version=text, output_style={"name": text})
        payload["model"]["display_name"] = text
        shown = line.raw(json.dumps(payload).encode()).stdout
        assert_no_trace({"shown": shown})
    assert_no_trace(files(project))


def test_simulation_shows_none(tmp_path: Path) -> None:
    project = make_repository(tmp_path / "shop")
    chat = ClaudeChat(project)
    for number, text in enumerate(CHUNKS):
        call = {"type": "tool_use", "id": f"t{number}", "name": text, "input": {"command": text}}
        chat.write({"type": "user", "isSidechain": False, "message": {"role": "user", "content": text}})
        chat.context(60_000 + 5_000 * number, calls=[call], timestamp=text)
    for words in ([], ["--json"]):
        command = [sys.executable, "-m", "safepoint", "simulate", str(chat.transcript), *words]
        done = subprocess.run(command, cwd=project, capture_output=True, check=True)
        assert_no_trace({"printed": done.stdout + done.stderr})


def objects(folder: Path, ref: str) -> dict[str, bytes]:
    """A bundle: its names, the commit's message, the tree's names and contents. Not the work it stands on."""
    names = git(folder, "ls-tree", "-r", "-z", "--name-only", ref).split("\0")
    found = {f"{ref}:{name}": git(folder, "show", f"{ref}:{name}").encode() for name in names if name}
    head = git(folder, "log", "-1", "--format=%an %ae %s %b", ref)
    return {**found, ref: "\n".join([ref, head, *names]).encode()}


def test_bundles_and_work_put_aside_are_named_and_described_without_any(tmp_path: Path) -> None:
    clones = Clones(tmp_path)
    git(clones.a, "checkout", "-q", "-b", f"fix/{BY_KIND['stripe'].text}")
    chat = ClaudeChat(clones.a, "c1")
    chat.send("SessionStart", source="startup")
    for number, text in enumerate(["\n".join(CHUNKS[at::4]) for at in range(4)]):
        chat.send("UserPromptSubmit", prompt=text)
        todo = {"subject": text, "activeForm": text}
        chat.tool("TaskCreate", {"task": {"id": str(number)}}, **todo)
        chat.context(60_000 + number)
        chat.tool("Bash", f"Exit code 1\n{text}", ok=False, command=text)
    (clones.a / "basket.py").write_text("def total(): return 1\n")
    chat.context(170_000)
    chat.tool("Bash", command="make")
    pushed: dict[str, Any] = run(clones.a, "push")
    kept = dict(files(clones.a))
    for folder in (clones.a, clones.remote):
        refs = git(folder, "for-each-ref", "--format=%(refname)", "refs/safepoint").split()
        assert refs
        for ref in refs:
            if "/local/" in ref:
                kept[ref] = git(folder, "log", "-1", "--format=%D %an %s %b", ref).encode()
            else:
                kept.update(objects(folder, ref))
    pulled: dict[str, Any] = run(clones.b, "pull")
    listed = run(clones.b, "fetch")
    aside = run(clones.a, "restore", "--local", "--list")
    kept["printed"] = json.dumps([pushed, pulled, listed, aside]).encode()
    assert any(b"[redacted:" in data for data in kept.values())
    assert_no_trace({**kept, **files(clones.b)})
