"""`safepoint run` with the real client: sessions that hand over until the work is done, whatever happens."""

import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest
from model_script import bash, failure, turn
from run_process import RunProcess, files_in
from safepoint_install import HEADER

from safepoint.run.processes import marked

DENIED = "Safepoint did not run this tool"
TASK = "Write part-01 to part-12, a line in each"
ONCE = {f"part-{n:02}": "done\n" for n in range(1, 13)}


class Worker:
    """A model that does one part a message, and knows of the parts before only what its chat shows.

    `at_red` messages of a chat fill its context. `instead` is what it does for a part the first time.
    """

    def __init__(self, at_red=4, parts=12, instead=None, steps=False):
        self.at_red, self.parts, self.steps = at_red, parts, steps
        self.instead = dict(instead or {})

    def __call__(self, request):
        if DENIED in request.new_text:
            return "Stopped: the context is full."
        calls = request.text.count('"tool_use"')
        tokens = 160_000 if calls >= self.at_red else 20_000 + 10_000 * calls
        known = [int(number) for number in re.findall(r"part-(\d\d)", request.text.replace(TASK, ""))]
        part = max(known, default=0) + 1
        if part <= self.parts:
            said = self.instead.pop(part, None) or bash(f"echo done >> part-{part:02}")
            return said if not hasattr(said, "name") else turn(said, tokens=tokens)
        if not self.steps:
            return "Every part is there."
        if "step done 1" not in request.text:
            return turn(bash("safepoint step done 1"), tokens=tokens)
        return turn(bash("touch after"), tokens=160_000)


@pytest.fixture
def run(claude, project, safepoint):
    """run(model, *words, **options) -> a RunProcess that ends with the test."""
    started = []

    def start(stub, *words, **options):
        started.append(RunProcess(claude, project, stub, *words, **options))
        return started[-1]

    yield start
    for one in started:
        one.close()


def headers(request):
    return [line.split(HEADER, 1)[1] for line in request.text.splitlines() if HEADER in line]


def first_requests(stub):
    """The first request of each session, in order."""
    return list({request.session_id: request for request in reversed(stub.main)}.values())[::-1]


def test_twelve_files_over_three_sessions_that_each_reach_red(claude, run, project, safepoint, model):
    begin = turn(bash("safepoint step start 1 --phase build"), tokens=20_000)
    stub = model(begin, *[Worker(at_red=5, steps=True)] * 40)
    path = f"{claude.environment(stub)['PATH']}:{Path(sys.executable).parent}"  # for the agent's shell
    going = run(stub, "--campaign", "parts", TASK, env={"PATH": path})
    assert going.wait() == 0, going.text
    assert going.end["outcome"] == "done" and going.end["why"] == "every step is complete"
    assert files_in(project.path) == ONCE and not (project.path / "after").exists()
    rows = going.end["sessions"]
    assert [(row["reason"], row["level"]) for row in rows] == [("red", "red")] * 3
    assert [row["campaign_slug"] for row in rows] == ["parts"] * 3
    assert sorted(name for row in rows for name in row["files"]) == sorted(ONCE)
    ids = [row["session_id"] for row in rows]
    assert [row["took_over"] for row in rows] == [None, *ids[:2]]
    requests = first_requests(stub)
    assert [request.session_id for request in requests] == ids
    assert [len(headers(request)) for request in requests] == [0, 1, 1]
    assert requests[0].prompts[-1] == TASK
    for request, before in zip(requests[1:], ids):
        assert request.prompts[-1] == f"Continue parts (safepoint handoff {before})\n\n{TASK}"
        assert "campaign=parts, step=step1" in request.text
    assert safepoint.pending() == []
    (told,) = safepoint.status("runs")
    assert (told["state"], told["sessions"], told["campaign_slug"]) == ("done", 3, "parts")
    assert f"run {told['run']}: done, 3 sessions, claude_code, parts" in safepoint.command("status").stdout


def test_client_killed_in_the_second_session_loses_nothing(run, project, safepoint, model):
    """Its shell tool is a session of its own and would go on, and do the part a second time."""
    slow = bash("touch running; sleep 15; echo done >> part-10")
    stub = model(*[Worker(at_red=5, instead={10: slow})] * 40)
    going = run(stub, "--campaign", "parts", TASK)
    going.until((project.path / "running").exists)
    second = going.of("session_started")[1]
    os.kill(second["agent_pid"], signal.SIGKILL)
    assert going.wait() == 0, going.text
    rows = going.end["sessions"]
    assert [row["reason"] for row in rows] == ["red", "crashed", "finished"]
    assert rows[2]["took_over"] == second["session_id"]
    assert files_in(project.path) == ONCE
    assert marked(going.end["run"]) == []
    (request,) = [one for one in first_requests(stub) if one.session_id == rows[2]["session_id"]]
    assert len(headers(request)) == 1 and "part-09" in request.text


def test_compaction_hands_over_where_the_manifest_says_so(run, project, safepoint, model):
    safepoint.set("claude_code: continue", "claude_code: handoff")
    too_long = failure(400, "invalid_request_error", "prompt is too long: 205000 tokens > 200000 maximum")
    first = [turn(bash("echo done >> part-01"), tokens=100_000), too_long]
    stub = model(*first, turn(bash("echo done >> part-02"), tokens=20_000), *[Worker(parts=3)] * 9)
    going = run(stub, TASK)
    assert going.wait() == 0, going.text
    assert [row["reason"] for row in going.end["sessions"]] == ["compacted", "finished"]
    assert len(stub.of_kind("summary")) == 1
    assert list(files_in(project.path).values()) == ["done\n"] * 3


def test_model_that_goes_on_calling_at_red_is_followed_by_the_next_session(run, project, safepoint, model):
    def stubborn(request):
        return turn(bash("touch no"), tokens=160_000)

    stub = model(turn(bash("echo done >> part-01"), tokens=20_000), *[stubborn] * 3, *[Worker(parts=2)] * 9)
    going = run(stub, TASK)
    assert going.wait() == 0, going.text
    assert [row["reason"] for row in going.end["sessions"]] == ["red", "finished"]
    assert list(files_in(project.path)) == ["part-01", "part-02"] and not (project.path / "no").exists()


@pytest.mark.parametrize("answer", [(529, "overloaded_error"), (429, "rate_limit_error")])
def test_same_session_goes_on_when_the_model_is_there_again(run, project, safepoint, model, answer):
    away = failure(*answer, "not now")
    worker = Worker(at_red=99, parts=3)
    stub = model(worker, away, away, worker, worker, away, worker)
    going = run(stub, "--backoff", "0.2", TASK)
    assert going.wait() == 0, going.text
    (row,) = going.end["sessions"]
    assert (row["reason"], len(files_in(project.path))) == ("finished", 3)
    assert {request.session_id for request in stub.main} == {row["session_id"]}
    pauses = going.of("waiting")
    reason = "overloaded" if answer[0] == 529 else "rate_limited"
    assert [(one["reason"], one["attempt"]) for one in pauses] == [(reason, 1), (reason, 2), (reason, 1)]
    assert all(0.1 * one["attempt"] <= one["seconds"] <= 0.4 for one in pauses)
    assert [event["event"] for event in going.events].count("session_resumed") == 3
    assert len(set(files_in(project.path).values())) == 1


def test_request_that_the_model_refuses_ends_the_run(run, project, safepoint, model):
    stub = model(turn(bash("echo done >> part-01"), tokens=20_000), failure(403, "permission_error", "no"))
    going = run(stub, TASK, as_json=False)
    assert going.wait() == 1
    assert "failed: the model refused the request: " in going.text and "403" in going.text
    (waiting,) = safepoint.pending()
    assert f"Handoff {waiting} waits" in going.text


def test_two_sessions_in_a_row_without_a_change_are_the_last(run, project, safepoint, model):
    stub = model(*[turn(bash("true"), tokens=20_000), turn(bash("true"), tokens=160_000), "Full."] * 5)
    going = run(stub, TASK)
    assert going.wait() == 5, going.text
    assert going.end["outcome"] == "stuck" and len(going.end["sessions"]) == 2
    assert len(safepoint.pending()) == 1


def test_run_that_reached_its_limit_is_gone_on_with_by_the_same_command(run, project, safepoint, model):
    stub = model(*[Worker()] * 40)
    first = run(stub, "--campaign", "parts", "--max-sessions", "2", TASK)
    assert first.wait() == 4 and first.end["outcome"] == "limit"
    assert len(files_in(project.path)) == 8
    assert [first.end["handoff"]] == safepoint.pending()
    second = run(stub, "--campaign", "parts", TASK)
    assert second.wait() == 0, second.text
    assert second.end["sessions"][0]["took_over"] == first.end["handoff"]
    assert files_in(project.path) == ONCE


def test_time_limit_waits_for_the_tool(run, project, safepoint, model):
    stub = model(turn(bash("touch running; sleep 5; echo done >> part-01"), tokens=20_000), *[Worker()] * 9)
    going = run(stub, "--max-minutes", "0.06", TASK)
    assert going.wait() == 4, going.text
    assert (going.end["outcome"], going.end["why"]) == ("limit", "the time is up")
    assert files_in(project.path) == {"part-01": "done\n"}
    assert safepoint.pending() == [going.end["sessions"][0]["session_id"]]


def test_first_ctrl_c_lets_the_tool_end_and_saves(run, project, safepoint, model):
    slow = bash("touch running; sleep 3; echo done >> part-02")
    stub = model(*[Worker(instead={2: slow})] * 40)
    going = run(stub, TASK, as_json=False, terminal=True)
    going.until((project.path / "running").exists)
    going.until(lambda: "Bash: touch running" in going.text)
    going.type("\x03")
    going.until(lambda: "is ended behind its tool (Bash: touch running" in going.text)
    assert going.wait() == 130
    assert files_in(project.path) == {"part-01": "done\n", "part-02": "done\n"}
    (waiting,) = safepoint.pending()
    text = going.text
    assert "interrupted" in text and f"Handoff {waiting} waits" in text
    assert re.search(r"^1 +[0-9a-f]{8} +interrupted +green ", text, re.M)
    # The next run goes on behind the tool that was waited for.
    assert run(stub, TASK).wait() == 0
    assert files_in(project.path) == ONCE


def test_second_ctrl_c_ends_everything_at_once(run, project, safepoint, model):
    slow = bash("touch running; sleep 90; echo done >> part-02")
    stub = model(*[Worker(instead={2: slow})] * 40)
    going = run(stub, "--json", TASK, as_json=False, terminal=True)
    going.until((project.path / "running").exists)
    (started,) = going.of("session_started")
    for _ in range(2):
        going.type("\x03")
        time.sleep(0.3)
    assert going.wait(20) == 130
    assert marked(started["run"]) == [] and not Path(f"/proc/{started['agent_pid']}").exists()
    assert files_in(project.path) == {"part-01": "done\n"}
    assert len(safepoint.pending()) == 1


def test_second_run_on_a_campaign_is_refused(run, project, safepoint, model):
    stub = model(turn(bash("touch running; sleep 20"), tokens=20_000))
    first = run(stub, "--campaign", "parts", TASK)
    first.until((project.path / "running").exists)
    second = run(stub, "--campaign", "parts", TASK, as_json=False)
    assert second.wait() == 1
    assert f"(process {first.process.pid}) works on the campaign parts already" in second.text
    (told,) = safepoint.status("runs")
    assert (told["state"], told["pid"], told["sessions"]) == ("running", first.process.pid, 1)


def test_run_that_was_killed_is_gone_on_with_by_the_same_command(run, project, safepoint, model):
    """Its agent is still at work, and would do the part a second time."""
    slow = bash("touch running; sleep 15; echo done >> part-07")
    stub = model(*[Worker(at_red=5, instead={7: slow})] * 40)
    first = run(stub, "--campaign", "parts", TASK)
    first.until((project.path / "running").exists)
    first.process.kill()  # the lock falls with it
    first.process.wait()
    (told,) = safepoint.status("runs")
    second = first.of("session_started")[1]
    assert (told["state"], told["session_id"]) == ("broken_off", second["session_id"])
    second = run(stub, "--campaign", "parts", TASK)
    assert second.wait() == 0, second.text
    assert second.of("session_started")[0]["handoff"] == told["session_id"]
    assert marked(told["run"]) == []
    assert files_in(project.path) == ONCE


def test_of_several_handoffs_the_run_takes_its_own(claude, run, project, safepoint, model):
    foreign = model(turn(bash("touch other"), tokens=20_000), turn(bash("touch no"), tokens=160_000), "Full.")
    other = claude.run(project, foreign, "something else", env={"SAFEPOINT_CAMPAIGN": "other"})
    assert safepoint.pending() == [other.session_id]
    stub = model(*[Worker(parts=6)] * 40)
    going = run(stub, "--campaign", "parts", TASK)
    assert going.wait() == 0, going.text
    rows = going.end["sessions"]
    assert [row["took_over"] for row in rows] == [None, rows[0]["session_id"]]
    one, two = first_requests(stub)
    assert headers(one) == [] and "of another campaign than this chat's" in one.text
    assert len(headers(two)) == 1
    assert safepoint.pending() == [other.session_id]
    assert len(files_in(project.path)) == 6


def test_task_with_quotes_japanese_and_a_leading_dash_arrives_as_it_is(run, project, safepoint, model):
    task = "-x \"quoted\" 'too'\n\n日本語で $HOME `書く`\\n"
    stub = model("Nothing to do.")
    going = run(stub, "-", stdin=task)
    assert going.wait() == 0, going.text
    assert stub.main[0].prompts[-1].strip() == task.strip()


def test_without_hooks_nothing_is_started(claude, project, model):
    stub = model()
    going = RunProcess(claude, project, stub, TASK, as_json=False)
    assert going.wait() == 1
    assert f"Safepoint is not installed in {project.path}" in going.text
    assert f"safepoint install {project.path}" in going.text
    assert stub.requests == []


def test_option_that_the_agent_does_not_know_ends_the_run(run, project, safepoint, model):
    going = run(model(), TASK, flags=["--no-such-option"], as_json=False)
    assert going.wait() == 1
    assert "the agent did not start" in going.text and "--no-such-option" in going.text


def test_no_permission_is_asked_for_unless_the_person_does(run, project, safepoint, model):
    """Without --allowedTools behind --, the client itself refuses the tool: that is not done."""
    stub = model(turn(bash("echo done >> part-01"), tokens=20_000), "It was not allowed.")
    going = run(stub, TASK, flags=["--model", "claude-sonnet-4-5"], as_json=False)
    assert going.wait() == 1
    assert "not allowed 1 of its tools" in going.text and "stand behind --" in going.text
    assert files_in(project.path) == {}


def test_handoff_that_a_person_took_meanwhile_is_left_to_them(claude, run, project, safepoint, model):
    theirs = []

    def take(request):
        """While the full session says its last words, a person opens a chat here."""
        own = model(turn(bash("touch theirs"), tokens=20_000))
        theirs.append(claude.run(project, own, "I go on here").session_id)
        return "Stopped."

    full = turn(bash("touch no"), tokens=160_000)
    stub = model(turn(bash("echo done >> part-01"), tokens=20_000), full, take)
    going = run(stub, "--campaign", "parts", TASK)
    assert going.wait() == 1, going.text
    assert f"chat {theirs[0]} has taken the handoff" in going.end["why"]
    assert len(going.end["sessions"]) == 1 and safepoint.pending() == []
