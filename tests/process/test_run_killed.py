"""A run that is killed with -9: its agent ends with it, the next run finds what is left, `status` says so."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_run_agents import Fake, is_running, start

from safepoint.hot.flock import Lock
from safepoint.hot.safepoint import RUN_NAME
from safepoint.hot.stores.paths import Paths
from safepoint.run import guard, journal, processes
from safepoint.run.agent_process import AgentProcess

# An agent with two helpers in its group, one without the run's mark, and a shell tool in a session apart.
BUSY = """
for options in ({"env": {}}, {}, {"start_new_session": True}):
    child = subprocess.Popen(["/bin/sleep", "60"], **options)
    open("pids", "a").write(f"{child.pid}\\n")
print(INIT, flush=True)
open("pids", "a").write(f"{os.getpid()}\\n")
time.sleep(60)
"""


@pytest.fixture
def fake(project: Path, tmp_path: Path) -> Iterator[Fake]:
    made = Fake(project, tmp_path)
    yield made
    for pid in pids(made):
        if is_running(pid):
            os.kill(pid, signal.SIGKILL)


def pids(fake: Fake) -> list[int]:
    file = fake.project / "pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def until(condition: Callable[[], Any]) -> None:
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < 20, "did not come about"
        time.sleep(0.02)


def busy(fake: Fake) -> subprocess.Popen[str]:
    """A run whose agent is at work."""
    fake.says(BUSY)
    process = start(fake, "--campaign", "fix", "do it")
    until(lambda: len(pids(fake)) == 4)
    return process


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def told(fake: Fake, *words: str) -> str:
    command = [sys.executable, "-m", "safepoint", *words]
    return subprocess.run(command, cwd=fake.project, capture_output=True, text=True, check=True).stdout


def runs(fake: Fake) -> list[dict[str, Any]]:
    return journal.listed(Paths(str(fake.project)))


def guards(run_key: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if run_key.encode() in words:
            found.append(int(folder.name))
    return found


def test_agent_and_all_that_it_started_ends_with_its_run(fake: Fake) -> None:
    told(fake, "campaign", "start", "fix")
    process = busy(fake)
    (before,) = runs(fake)
    assert (before["state"], before["agent_pid"]) == ("running", pids(fake)[3])
    killed(process)
    until(lambda: runs(fake)[0]["is_tidy"])
    assert not [pid for pid in pids(fake) if is_running(pid)]
    (after,) = runs(fake)
    assert (after["state"], after["why"], after["agent_pid"]) == ("broken_off", journal.GONE, None)
    until(lambda: guards(after["run"]) == [])
    for command in (("status",), ("campaign", "show", "fix")):
        shown = told(fake, *command)
        assert f"run {after['run']}: broken off, 1 session, claude_code, fix ({journal.GONE})" in shown
        assert "the same command goes on from there" in shown
    assert json.loads(told(fake, "campaign", "show", "fix", "--json"))["run"]["state"] == "broken_off"


def test_agent_ends_with_its_run_although_the_guard_is_gone(fake: Fake) -> None:
    """And what it had started is ended by the next run, on whatever campaign."""
    process = busy(fake)
    (run,) = runs(fake)
    (guard,) = guards(run["run"])
    os.kill(guard, signal.SIGKILL)
    killed(process)
    _, helper, tool, agent = pids(fake)
    until(lambda: not is_running(agent))
    assert is_running(helper) and is_running(tool)
    assert runs(fake)[0]["state"] == "broken_off" and not runs(fake)[0]["is_tidy"]
    fake.says("hook(); print(INIT); print(RESULT)")
    process = start(fake, "--campaign", "other", "do it")
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert f"run {run['run']} was broken off; what it had left at work is ended" in out
    assert not is_running(helper) and not is_running(tool)
    assert {one["state"]: one["is_tidy"] for one in runs(fake)} == {"done": True, "broken_off": True}
    assert "was broken off" not in start(fake, "--campaign", "other", "do it").communicate(timeout=30)[0]


def test_what_a_run_that_goes_on_has_started_is_not_touched_by_another(fake: Fake, tmp_path: Path) -> None:
    first = busy(fake)
    other = Fake(fake.project, tmp_path / "bin")
    other.path.parent.mkdir()
    other.says("hook(); print(INIT); print(RESULT)")
    second = start(other, "--campaign", "other", "do it")
    assert "broken off" not in second.communicate(timeout=30)[0] and second.returncode == 0
    assert all(is_running(pid) for pid in pids(fake))
    assert sorted(one["state"] for one in runs(fake)) == ["done", "running"]
    shown = told(fake, "status")
    assert f"process {first.pid}" in shown
    killed(first)
    until(lambda: not [pid for pid in pids(fake) if is_running(pid)])


def test_agent_that_survived_its_run_is_shown_and_ended(fake: Fake) -> None:
    """As where the system has no signal for it, and the guard was killed as well."""
    log = journal.Journal(Paths(str(fake.project)), "20260101-000000-aaaa")
    log.prepare()
    environment = {**os.environ, RUN_NAME: log.key}
    agent = subprocess.Popen(["sleep", "60"], env=environment, start_new_session=True)
    gone = subprocess.Popen(["true"])
    gone.wait()
    log.add(journal.event(log.key, "run_started", pid=gone.pid, pid_began="x:1", agent="claude_code",
                          campaign_slug="fix", task="t"))  # fmt: skip
    log.add(journal.event(log.key, "session_started", session_id="s1", handoff=None, agent_pid=agent.pid,
                          agent_began=processes.began(agent.pid)))  # fmt: skip
    assert f"its agent (process {agent.pid}) is still at work; the next run" in told(fake, "status")
    fake.says("hook(); print(INIT); print(RESULT)")
    out, _ = start(fake, "--json", "--campaign", "other", "do it").communicate(timeout=30)
    ended = [json.loads(line) for line in out.splitlines() if "orphan_ended" in line]
    assert [(one["of"], one["agent_pid"]) for one in ended] == [(log.key, agent.pid)]
    assert agent.wait(5) == -signal.SIGKILL


def test_number_of_a_process_that_is_another_by_now_is_no_run_and_no_agent(fake: Fake) -> None:
    """Although a new run of the same campaign holds the lock."""
    paths = Paths(str(fake.project))
    log = journal.Journal(paths, "20260101-000000-aaaa")
    log.prepare()
    other = subprocess.Popen(["sleep", "60"], start_new_session=True)
    log.add(journal.event(log.key, "run_started", pid=other.pid, pid_began="an-earlier-boot:1",
                          agent="claude_code", campaign_slug="fix", task="t"))  # fmt: skip
    log.add(journal.event(log.key, "session_started", session_id="s1", handoff=None, agent_pid=other.pid,
                          agent_began="an-earlier-boot:2"))  # fmt: skip
    later = journal.Journal(paths, "20260102-000000-bbbb")
    later.add(journal.event(later.key, "run_started", pid=os.getpid(), pid_began=processes.began(os.getpid()),
                            agent="claude_code", campaign_slug="fix", task="t"))  # fmt: skip
    with Lock(paths.run_lock("fix"), 0.5):
        _, one = journal.listed(paths)
    Path(paths.run_journal(later.key)).unlink()
    assert (one["state"], one["agent_pid"]) == ("broken_off", None)
    fake.says("hook(); print(INIT); print(RESULT)")
    process = start(fake, "--campaign", "fix", "do it")
    process.communicate(timeout=30)
    assert process.returncode == 0 and is_running(other.pid)
    other.kill()
    other.wait()


def test_program_whose_parent_ended_before_it_began_is_killed() -> None:
    """The process that would have to be its parent is another one."""
    there = subprocess.Popen(["sleep", "60"], preexec_fn=processes.ends_with(os.getppid()))
    assert there.wait(10) == -signal.SIGKILL


def test_process_that_nobody_has_waited_for_does_not_run() -> None:
    over = subprocess.Popen(["true"])
    until(lambda: processes.began(over.pid) == "")
    assert Path(f"/proc/{over.pid}").exists() and not processes.is_running(over.pid, "some:1")
    over.wait()
    assert processes.is_running(os.getpid(), processes.began(os.getpid()))


# A process that begins a group, leaves one in it, and ends.
LEADER = """
import subprocess, sys
for mark in sys.argv[1:]:
    env = {"SAFEPOINT_RUN": mark} if mark else {}
    print(subprocess.Popen(["/bin/sleep", "60"], env=env, stdout=subprocess.DEVNULL).pid)
"""


@pytest.mark.parametrize(
    ("marks", "is_ended"),
    [(["", "another-run"], [False, False]), (["a-run", ""], [True, True]), (["", ""], [False, False])],
    ids=["of another run", "with one of the run", "of nobody knows whom"],
)
def test_group_whose_leader_is_gone_is_ended_only_with_a_member_that_is_the_runs(
    project: Path, marks: list[str], is_ended: list[bool]
) -> None:
    """As where the agent's number was given again, to a leader that has ended since."""
    leader = subprocess.Popen(
        [sys.executable, "-c", LEADER, *marks], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    left = [int(line) for line in leader.communicate(timeout=20)[0].split()]
    try:
        assert sorted(processes.grouped(leader.pid)) == sorted(left)
        here = processes.began(os.getpid()).rpartition(":")[0]
        journal.Journal(Paths(str(project)), "a-run").prepare()
        guard.end(str(project), "a-run", leader.pid, f"{here}:1")
        assert [not is_running(pid) for pid in left] == is_ended
    finally:
        for pid in left:
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("way", ["of itself", "killed"])
def test_number_of_an_agent_stays_its_own_until_its_group_is_ended(project: Path, way: str) -> None:
    """However long the run stands still behind its end: nobody else is given a number that is in use."""
    said = "import subprocess; subprocess.Popen(['/bin/sleep', '60'], env={}); raise SystemExit(3)"
    command = [sys.executable, "-c", said if way == "of itself" else "import time; time.sleep(60)"]
    read, write = os.pipe()
    agent = AgentProcess(command, str(project), os.environ, "a-run", read)
    if way == "killed":
        agent.kill()
    until(lambda: agent.exit_status is not None)
    assert agent.exit_status == (3 if way == "of itself" else -signal.SIGKILL)
    assert Path(f"/proc/{agent.pid}").exists()
    assert processes.is_group_of(agent.pid, agent.began, "a-run")
    agent.close(clean=True)
    assert processes.grouped(agent.pid) == [] and not Path(f"/proc/{agent.pid}").exists()
    assert agent.exit_status == (3 if way == "of itself" else -signal.SIGKILL)
    os.close(read)
    os.close(write)
