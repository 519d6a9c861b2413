"""What the harness can be relied on for, and the host behaviour that it is built on."""

import json
import os
import pwd
import subprocess
import threading
from pathlib import Path

import pytest
from claude_client import Client
from model_script import bash, call, failure, turn
from scratch_project import context, deny, halt

OPUS = "claude-opus-4-8"  # 1M window
TOO_LONG = "prompt is too long: 205000 tokens > 200000 maximum"


def occupancy(record):
    usage = record["message"]["usage"]
    return sum(usage[f"{kind}_tokens"] for kind in ("input", "cache_creation_input", "cache_read_input"))


def test_two_calls_end_to_end(claude, project, model):
    project.record()
    stub = model(turn("I look", bash("echo one")), turn(bash("echo two"), tokens=50_000), "All done")
    run = claude.run(project, stub, "do the work")
    assert (run.status, run.terminal_reason, run.text) == (0, "completed", "All done"), run
    assert [request.prompt for request in stub.requests] == ["do the work"] * 3
    assert [request.kind for request in stub.requests] == ["main"] * 3
    assert "one" in stub.main[1].new_text
    assert "one" not in stub.main[2].new_text and "two" in stub.main[2].new_tool_results[0]
    assert [occupancy(record) for record in run.records("assistant")] == [1000, 1000, 50_000, 50_000]
    assert [payload["hook_event_name"] for payload in project.payloads()] == [
        "SessionStart", "UserPromptSubmit",
        "PreToolUse", "PostToolUse", "PostToolBatch",
        "PreToolUse", "PostToolUse", "PostToolBatch",
        "Stop", "SessionEnd",
    ]  # fmt: skip
    assert {payload["transcript_path"] for payload in project.payloads()} == {str(run.transcript)}
    assert stub.unplayed == 0
    assert run.seconds < 30


@pytest.mark.parametrize("model_id", ["claude-sonnet-4-5", OPUS])
def test_parallel_calls_a_deny_and_added_context(claude, project, model, model_id):
    project.record("PostToolBatch")
    project.hook("SessionStart", context("SessionStart", "START-FACT"))
    project.hook("PreToolUse", deny("DENY-REASON"), matcher="Write")
    project.hook("PostToolUse", context("PostToolUse", "TOOL-FACT"))
    write = call("Write", file_path=str(project.path / "new.txt"), content="x")
    stub = model(turn(bash("echo 1"), bash("echo 2"), write, bash("echo 3")), "fin")
    run = claude.run(project, stub, "do the work", model_id=model_id)
    first, second = stub.main
    assert "START-FACT" in "".join(first.reminders)
    assert second.new_text.count("DENY-REASON") == 1
    assert sum("TOOL-FACT" in text for text in "\n".join(second.new_reminders).split("PostToolUse:Bash")) == 3
    assert len(second.new_tool_results) == 4
    assert not (project.path / "new.txt").exists()
    (batch,) = project.payloads("PostToolBatch")
    assert [item["tool_name"] for item in batch["tool_calls"]] == ["Bash", "Bash", "Write", "Bash"]
    assert batch["tool_calls"][2]["tool_response"].endswith("DENY-REASON")
    assert run.terminal_reason == "completed"


def test_batch_hook_ends_the_turn_and_no_stop_hook_runs(claude, project, model):
    project.record("PreToolUse", "Stop", "SessionEnd")
    project.hook("PostToolBatch", halt("ENOUGH"))
    stub = model(turn(bash("echo 1"), bash("echo 2")), turn(bash("echo 3")))
    run = claude.run(project, stub, "do the work")
    assert run.terminal_reason == "hook_stopped"
    assert stub.unplayed == 1
    assert [p["hook_event_name"] for p in project.payloads()] == ["PreToolUse", "PreToolUse", "SessionEnd"]


def test_resume_then_compact_then_resume(claude, project, model):
    project.record()
    stub = model(turn(bash("echo one"), tokens=90_000), "First part done", summary="SUMMARY-OF-IT")
    session = claude.run(project, stub, "first prompt").session_id
    stub.then("Second part done")
    resumed = claude.run(project, stub, "second prompt", resume=session)
    assert stub.main[-1].prompts == ["first prompt", "second prompt"]
    assert {r["sessionId"] for r in resumed.records("user")} == {session}

    compacted = claude.run(project, stub, "/compact", resume=session)
    assert len(stub.of_kind("summary")) == 1
    (boundary,) = [r for r in compacted.records("system") if r["subtype"] == "compact_boundary"]
    assert boundary["compactMetadata"]["trigger"] == "manual"
    sources = [p["source"] for p in project.payloads("SessionStart")]
    assert sources == ["startup", "resume", "resume", "compact"]
    (post_compact,) = project.payloads("PostCompact")
    assert "SUMMARY-OF-IT" in post_compact["compact_summary"]

    stub.then("Third part done")
    assert claude.run(project, stub, "third prompt", resume=session).text == "Third part done"
    assert "SUMMARY-OF-IT" in stub.main[-1].text
    assert stub.main[-1].prompts[-1] == "third prompt"


@pytest.mark.parametrize(
    ("model_id", "second"),
    [
        (OPUS, turn(bash("echo 2"), tokens=975_000)),
        # Models of 200k are not compacted ahead of time, whatever their usage says.
        ("claude-sonnet-4-5", failure(400, "invalid_request_error", TOO_LONG)),
    ],
    ids=["at the threshold of a 1M window", "when the prompt is refused as too long"],
)
def test_auto_compaction(claude, project, model, model_id, second):
    project.record()
    stub = model(turn(bash("echo 1"), tokens=150_000), second, turn("Went on", tokens=20_000), summary="SUM")
    run = claude.run(project, stub, "do the work", model_id=model_id)
    assert [request.kind for request in stub.requests] == ["main", "main", "summary", "main"]
    assert "SUM" in stub.main[-1].text
    names = [payload["hook_event_name"] for payload in project.payloads()]
    start = names.index("PreCompact")
    assert project.payloads("PreCompact")[0]["trigger"] == "auto"
    assert names[start:] == [
        "PreCompact",
        "SubagentStop",
        "SessionStart",
        "PostCompact",
        "Stop",
        "SessionEnd",
    ]
    assert project.payloads("SubagentStop")[0]["agent_type"] == ""
    assert run.text == "Went on"


def test_subagents_in_the_foreground_and_in_the_background(claude, project, model):
    project.record("PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop", "UserPromptSubmit")
    work = call("Agent", description="d", prompt="FRONT job", subagent_type="general-purpose",
                run_in_background=False)  # fmt: skip
    later = call("Agent", description="d", prompt="BACK job", subagent_type="general-purpose")
    stub = model(
        turn(work),
        lambda request: turn("It said: " + str("FRONT report" in request.new_text), later),
        "Waiting",
        lambda request: "Report came: " + str("BACK report" in request.new_text),
        subagents=[
            ("FRONT", [turn(bash("echo front"), tokens=70_000), "FRONT report"]),
            (lambda request: "BACK" in request.prompt, [turn(bash("echo back")), "BACK report"]),
        ],
    )
    run = claude.run(project, stub, "delegate")
    assert stub.main[1].answer.text == "It said: True"
    assert run.text == "Report came: True"
    assert [request.kind for request in stub.subagent("FRONT")] == ["subagent"] * 2
    assert "back" in stub.subagent("BACK")[1].new_tool_results[0]
    assert len(run.subagent_transcripts()) == 2
    ids = {request.agent_id for request in stub.of_kind("subagent")}
    assert {p["agent_id"] for p in project.payloads("SubagentStart")} == ids
    assert {p["agent_id"] for p in project.payloads("SubagentStop")} == ids
    assert {p["agent_id"] for p in project.payloads("PreToolUse") if p["tool_name"] == "Bash"} == ids
    assert {p["session_id"] for p in project.payloads()} == {run.session_id}
    assert "<task-notification>" in project.payloads("UserPromptSubmit")[-1]["prompt"]


def test_todo_write(claude, project, model):
    project.record("PostToolUse")
    item = {"content": "Look", "status": "in_progress", "activeForm": "Looking"}
    stub = model(turn(call("TodoWrite", todos=[item])))
    claude.run(project, stub, "plan", env={"CLAUDE_CODE_ENABLE_TASKS": "0"})
    (payload,) = project.payloads("PostToolUse")
    assert (payload["tool_name"], payload["tool_response"]["newTodos"]) == ("TodoWrite", [item])


@pytest.mark.parametrize("model_id", ["claude-sonnet-4-5", OPUS])
def test_task_tools(claude, project, model, model_id):
    project.record("PostToolUse")
    stub = model(
        turn(call("ToolSearch", query="select:TaskCreate,TaskUpdate")),
        turn(call("TaskCreate", subject="Look", description="Look around")),
        turn(call("TaskUpdate", taskId="1", status="in_progress")),
    )
    claude.run(project, stub, "plan", model_id=model_id, env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"})
    task = {"id": "1", "subject": "Look", "description": "Look around"}
    responses = [(p["tool_name"], p["tool_response"]) for p in project.payloads("PostToolUse")[1:]]
    assert responses[0] == ("TaskCreate", {"task": task})
    assert responses[1][1]["statusChange"] == {"from": "pending", "to": "in_progress"}
    assert {"TaskCreate", "TaskUpdate"} <= set(stub.main[-1].tools)


def test_api_error_is_marked_in_the_transcript(claude, project, model):
    stub = model(turn(bash("echo one"), tokens=9_000), failure(403, "permission_error", "NO-GOOD"))
    run = claude.run(project, stub, "do the work")
    assert "NO-GOOD" in run.text
    last = run.records("assistant")[-1]
    assert (last["isApiErrorMessage"], last["message"]["model"]) == (True, "<synthetic>")


def test_killed_client_leaves_a_transcript_that_can_be_resumed(claude, project, model):
    asked, go_on = threading.Event(), threading.Event()

    def never(request):
        asked.set()
        go_on.wait(30)

    stub = model(turn(bash("echo one")), never, "Resumed")
    running = claude.start(project, stub, "do the work")
    assert asked.wait(30)
    run = running.kill()
    go_on.set()
    assert run.status == -9 and run.result == {}
    assert "one" in run.transcript.read_text("utf-8")
    assert claude.run(project, stub, "go on", resume=run.session_id).text == "Resumed"


def test_timeout_kills_the_client(claude, project, model):
    go_on = threading.Event()
    stub = model(lambda request: str(go_on.wait(30)))
    running = claude.start(project, stub, "do the work")
    with pytest.raises(Exception, match="timed out"):
        running.wait(timeout_s=1)
    go_on.set()
    with pytest.raises(ProcessLookupError):
        os.kill(running.pid, 0)


def test_home_is_a_scratch_folder(home, tmp_path):
    own = Path(pwd.getpwuid(os.getuid()).pw_dir)
    assert Path.home() == home and tmp_path in home.parents
    with pytest.raises(ValueError, match="own home"):
        Client(Path("claude"), own)


def test_recorded_payloads_survive_parallel_hooks(project):
    project.record("PreToolUse")
    settings = json.loads(Path(project.client_flags[1]).read_text("utf-8"))
    command = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    hooks = []
    for number in range(20):
        payload = {"hook_event_name": "PreToolUse", "n": number, "filler": "x" * 100_000}
        with project.write(f"{number}.json", json.dumps(payload)).open("rb") as stdin:
            hooks.append(subprocess.Popen(["sh", "-c", command], stdin=stdin))
    assert [hook.wait(10) for hook in hooks] == [0] * 20
    assert {payload["n"] for payload in project.payloads()} == set(range(20))
