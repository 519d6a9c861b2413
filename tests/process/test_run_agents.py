"""`safepoint run` against agents that misbehave: executables that print, hang, fork and ignore signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from claude_chat import ClaudeChat

from safepoint.hook_process import hook_for, settings_of
from safepoint.hot import safepoint
from safepoint.hot.stores import pending
from safepoint.hot.stores.paths import Paths
from safepoint.run import starting
from safepoint.run.interrupts import Interrupts
from safepoint.run.journal import Journal
from safepoint.run.outcome import NO_HOOK
from safepoint.run.plan import Limits
from safepoint.run.processes import marked
from safepoint.run.report import Report
from safepoint.run.supervisor import Supervisor
from safepoint.sessions import find

INIT = '{"type":"system","subtype":"init","session_id":"s1"}'
RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1"}'
BUSY = '{"type":"result","subtype":"success","is_error":true,"api_error_status":529,"session_id":"s1"}'
TOOL = '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}'

HERE = Path(__file__).parent
# What a session's start makes of its state; an agent that does not call it is one without our hooks.
HOOK = """
def hook():
    from pathlib import Path
    sys.path[:0] = {paths!r}
    from claude_chat import ClaudeChat
    ClaudeChat(Path.cwd(), "s1").send("SessionStart", source="startup")
"""


class Fake:
    """An agent of Python code. `run` is a run in this process, with limits that are short enough."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project, self.path = project, folder / "agent"

    def says(self, code: str) -> str:
        head = f"#!{sys.executable}\nimport os, signal, subprocess, sys, time\n"
        head += f"INIT, RESULT, TOOL, BUSY = {INIT!r}, {RESULT!r}, {TOOL!r}, {BUSY!r}\n"
        head += HOOK.format(paths=[str(HERE), str(HERE.parent / "hot")])
        self.path.write_text(head + code)
        self.path.chmod(0o755)
        return str(self.path)

    def run(self, code: str, campaign: str = "fix", **limits: Any) -> tuple[str, str, list[dict[str, Any]]]:
        chosen = Limits(**{"sessions": 3, "linger_s": 0.4, "signal_s": 0.4, "tool_s": 0.4, **limits})
        plan = starting.plan(str(self.project), "claude", self.says(code), "do it", campaign, (), chosen)
        self.key = plan.key
        log = Journal(plan.paths, plan.key)
        log.prepare()
        with Interrupts() as interrupts:
            supervisor = Supervisor(plan, Report(True, interrupts.ask), log, interrupts)
            told = {"pid": os.getpid(), "agent": "claude_code", "campaign_slug": campaign, "task": "do it"}
            supervisor.tell("run_started", **told)
            came, why = supervisor.run()
        return came, why, supervisor.rows


@pytest.fixture
def fake(project: Path, tmp_path: Path) -> Fake:
    return Fake(project, tmp_path)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_garbage_around_the_frames_is_passed_over(fake: Fake) -> None:
    code = r"""
hook()
sys.stdout.buffer.write(b"\xff\x00 garbage\n[1]\n{\n\n" + INIT.encode() + b"\n" + b'{"type": 7}\n' * 50)
sys.stdout.buffer.write(b"more\n" + RESULT.encode())  # its last line has no end
"""
    came, why, rows = fake.run(code)
    assert (came, rows[0]["reason"]) == ("done", "finished"), why


def test_agent_that_prints_only_garbage_did_not_start(fake: Fake) -> None:
    came, why, rows = fake.run("print('Segmentation fault'); sys.exit(0)")
    assert (came, len(rows)) == ("failed", 1)
    assert "did not start" in why and "Segmentation fault" in why


def test_line_of_20_megabytes_is_read(fake: Fake) -> None:
    code = """
hook()
print(INIT)
print('{"type":"assistant","message":{"content":[{"type":"text","text":"' + "x" * 20_000_000 + '"}]}}')
print(RESULT)
"""
    assert fake.run(code)[0] == "done"


def test_agent_that_hangs_after_its_result_is_ended(fake: Fake) -> None:
    came, why, rows = fake.run("hook(); print(INIT); print(RESULT, flush=True); time.sleep(60)")
    assert (came, [row["reason"] for row in rows]) == ("done", ["hung"]), why


def test_agent_that_closes_its_output_and_stays_is_ended(fake: Fake) -> None:
    code = "print(INIT, flush=True); os.close(1); os.close(2); time.sleep(60)"
    came, why, rows = fake.run(code, sessions=1)
    assert (came, rows[0]["reason"]) == ("limit", "crashed"), why
    assert rows[0]["exit_status"] < 0


def test_agent_that_never_stops_talking_is_ended_at_the_time_limit(fake: Fake) -> None:
    code = """
print(INIT, flush=True)
while True:
    os.write(1, b"no newline " * 1000)
"""
    came, _, rows = fake.run(code, total_s=0.5)
    assert (came, rows[0]["reason"]) == ("limit", "time_limit")


def test_words_of_an_agent_cannot_steer_the_terminal(fake: Fake) -> None:
    words = r"no \x1b[2J\x1b]0;title\x07 \u65e5\u672c \udcff"
    fake.says(f"os.write(2, '{words}'.encode('utf-8', 'surrogateescape'))")
    process = start(fake, "do it", env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (1, "")
    assert "did not start: no [2J]0;title ??" in out and "\x1b" not in out and "\x07" not in out


def test_task_that_no_command_line_can_hold_is_told(fake: Fake) -> None:
    fake.says("print(INIT); print(RESULT)")
    process = start(fake, "-", stdin=subprocess.PIPE)
    out, errors = process.communicate("a\0b", timeout=20)
    assert process.returncode == 1 and "null byte" in out and errors == ""


def test_agent_that_ignores_signals_is_ended_at_the_time_limit(fake: Fake) -> None:
    code = """
signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(INIT, flush=True)
time.sleep(60)
"""
    came, _, rows = fake.run(code, total_s=0.5)
    assert (came, [(row["reason"], row["exit_status"]) for row in rows]) == ("limit", [("time_limit", -9)])


def test_tool_that_never_ends_is_given_its_time_and_no_more(fake: Fake) -> None:
    code = "print(INIT); print(TOOL, flush=True); time.sleep(60)"
    came, _, rows = fake.run(code, total_s=0.5, tool_s=1.0)
    assert (came, rows[0]["reason"]) == ("limit", "time_limit")
    assert rows[0]["exit_status"] != 0, "it slept on to its end"


def test_child_that_holds_the_pipe_open_keeps_nobody_waiting(fake: Fake, tmp_path: Path) -> None:
    """In a session of its own, as a shell tool's daemon: it is left alone after an end of the agent's own."""
    code = f"""
child = subprocess.Popen(["sleep", "30"], start_new_session=True)
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
hook()
print(INIT); print(RESULT, flush=True)
"""
    assert fake.run(code)[0] == "done"
    pid = int((tmp_path / "pid").read_text())
    assert is_running(pid) and marked(fake.key) == [pid]
    os.kill(pid, 9)


def test_children_of_an_agent_that_crashed_are_ended(fake: Fake, tmp_path: Path) -> None:
    code = f"""
for apart in (False, True):
    child = subprocess.Popen(["sleep", "30"], start_new_session=apart)
    open({str(tmp_path / "pids")!r}, "a").write(f"{{child.pid}}\\n")
print(INIT, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    came, why, rows = fake.run(code, sessions=9)
    assert (came, [row["reason"] for row in rows]) == ("stuck", ["crashed", "crashed"]), why
    assert not [pid for pid in (tmp_path / "pids").read_text().split() if is_running(int(pid))]
    assert marked(fake.key) == []


def test_state_that_is_gone_is_no_error_of_ours_and_not_done(fake: Fake) -> None:
    code = """
import shutil
hook()
print(INIT, flush=True)
shutil.rmtree(".cursor/.session")
open("made.txt", "a").write("x\\n")
print(RESULT)
"""
    came, why, rows = fake.run(code)
    assert (came, why, rows[0]["files"]) == ("failed", NO_HOOK, ["made.txt"])


def handed_over(fake: Fake) -> str:
    """The campaign of a handoff that waits now, of a chat `before`."""
    before, project = ClaudeChat(fake.project, "before"), str(fake.project)
    before.send("SessionStart", source="startup")
    before.tool("Write", file_path=str(fake.project / "made.py"), content="x = 1\n")
    safepoint.hand_over(hook_for(project, find(project, "before"), settings_of(project)))
    (waits,) = pending.listed(Paths(project))
    return waits.handoff["campaign_slug"]


@pytest.mark.parametrize("end", ["", "time.sleep(60)"], ids=["by itself", "hung"])
def test_session_that_no_hook_has_seen_is_not_done_and_its_handoff_waits(fake: Fake, end: str) -> None:
    campaign, project = handed_over(fake), str(fake.project)
    came, why, rows = fake.run(f"print(INIT); print(RESULT, flush=True); {end}", campaign=campaign)
    assert (came, why, len(rows)) == ("failed", NO_HOOK, 1)
    (still,) = pending.listed(Paths(project))
    assert (still.key, still.claim) == ("before", None)
    came, why, _ = fake.run("hook(); print(INIT); print(RESULT)", campaign=campaign)
    assert (came, pending.listed(Paths(project))) == ("done", []), why


def test_run_that_no_hook_has_seen_says_so_and_what_waits(fake: Fake) -> None:
    fake.says("print(INIT); print(RESULT)")
    out, errors = start(fake, "do it").communicate(timeout=20)
    assert f"failed: {NO_HOOK}" in out and "done" not in out and errors == ""


def heed_signals() -> None:
    """In the child, as started from a terminal: under nohup, or behind `&`, the tests' own are ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(fake: Fake, *words: str, **options: Any) -> subprocess.Popen[str]:
    options.setdefault("preexec_fn", heed_signals)
    command = [sys.executable, "-m", "safepoint", "run", "--agent-path", str(fake.path), *words]
    return subprocess.Popen(
        command, cwd=fake.project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_reader_that_goes_away_ends_the_run_as_ctrl_c_does(fake: Fake) -> None:
    fake.says("print(INIT, flush=True); time.sleep(30); print(RESULT)")
    process = start(fake, "--json", "do it")
    assert process.stdout is not None and process.stderr is not None
    assert json.loads(process.stdout.readline())["event"] == "run_started"
    process.stdout.close()
    assert process.wait(20) == 130
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_while_it_waits_for_the_model_ends_the_run(fake: Fake, number: int) -> None:
    fake.says("print(INIT); print(BUSY)")
    process = start(fake, "--json", "--backoff", "600", "do it")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["event"] == "waiting":
            process.send_signal(number)
    assert process.wait(20) == 130
    assert json.loads(line)["outcome"] == "interrupted"
    process.communicate()


def test_hangup_that_the_caller_ignores_is_ignored(fake: Fake) -> None:
    """As under nohup: the terminal goes, and the run stays."""
    fake.says("hook(); print(INIT, flush=True); time.sleep(1); print(RESULT)")
    process = start(fake, "--json", "do it", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["event"] == "session_started":
            process.send_signal(signal.SIGHUP)
    assert process.wait(20) == 0
    process.communicate()


def test_state_folder_that_cannot_be_made_starts_nothing(fake: Fake) -> None:
    fake.says("open('started', 'w')")
    (fake.project / ".cursor/.session").write_text("in the way\n")
    process = start(fake, "do it")
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1 and "nothing was started" in errors
    assert not (fake.project / "started").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((" \n",), "the task is empty"),
        (("x" * 200_000,), "too long for a command line"),
        (("--agent", "cursor", "--agent-path", "/no/agent", "do it"), "/no/agent: there is no such program"),
        (("--project", "/no/folder", "do it"), "there is no such folder"),
    ],
)
def test_what_is_wrong_is_said(fake: Fake, words: tuple[str, ...], said: str) -> None:
    fake.says("print(INIT); print(RESULT)")
    if len(words[-1]) > 100_000:  # from stdin, since it would be too long for us as well
        process = start(fake, "-", stdin=subprocess.PIPE)
        out, errors = process.communicate(words[-1], timeout=20)
    else:
        process = start(fake, *words)
        out, errors = process.communicate(timeout=20)
    assert process.returncode == 1 and said in out + errors


def test_hooks_that_are_switched_off_stop_nobody_so_nothing_is_started(fake: Fake) -> None:
    fake.says("open('started', 'w')")
    process = start(fake, "do it", env={**os.environ, "SAFEPOINT": "off"})
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1 and "mode off" in errors
    assert not (fake.project / "started").exists()
    assert not os.path.exists(Paths(str(fake.project)).run_lock(""))


def test_campaign_that_is_new_here_is_told_with_those_whose_handoffs_wait(fake: Fake) -> None:
    campaign = handed_over(fake)
    fake.says("hook(); print(INIT); print(RESULT)")

    def first(name: str) -> dict[str, Any]:
        out = start(fake, "--json", "--campaign", name, "do it").communicate(timeout=20)[0]
        told: dict[str, Any] = json.loads(out.split("\n", 1)[0])
        return told

    out = start(fake, "--campaign", "mispelt", "do it").communicate(timeout=20)[0]
    assert "campaign mispelt is new here" in out and f"Handoffs wait of {campaign} (1 handoff)" in out
    other = first("another")
    assert (other["campaign_is_new"], other["others_waiting"]) == (True, {campaign: 1})
    assert first("another")["campaign_is_new"] is False, "a run has begun it"
    assert first(campaign)["campaign_is_new"] is False
    assert "is new here" not in start(fake, "do it").communicate(timeout=20)[0]
