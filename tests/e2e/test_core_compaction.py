"""The client compacts: what was known before is said again after it, or handed over where that is wanted."""

from model_script import bash, call, turn

TASKS = "Bash Read Write Edit Agent TaskCreate TaskUpdate"
BRIEF = "Safepoint: this chat was compacted"


def begun(project):
    return [
        turn(call("ToolSearch", query="select:TaskCreate,TaskUpdate"), tokens=20_000),
        turn(call("TaskCreate", subject="Write it", description="d"),
             call("TaskCreate", subject="Test it", description="d")),
        turn(call("TaskUpdate", taskId="1", status="completed"),
             call("Write", file_path=str(project.path / "app.py"), content="x\n")),
    ]  # fmt: skip


def test_brief_is_said_after_a_compaction_and_the_level_falls(claude, project, safepoint, model):
    stub = model(*begun(project), turn(bash("echo yellow"), tokens=140_000), "Yellow now.", summary="SUMMARY")
    run = claude.run(project, stub, "build it", tools=TASKS)
    assert safepoint.status()[0]["level"] == "yellow"

    project.record("SubagentStop", "PreCompact")
    compacted = claude.run(project, stub, "/compact keep the names", resume=run.session_id)
    (summary,) = stub.of_kind("summary")
    instructions = summary.prompts[-1]
    assert "keep the names" in instructions and "afepoint" not in instructions
    assert [p["agent_type"] for p in project.payloads("SubagentStop")] == [""]
    state = safepoint.state(run)
    assert state["completed_work"][-1]["description"] == "Write app.py"  # and no work of a summariser
    saved = safepoint.session / f"pre-compact-{run.session_id}.md"
    assert 0 < len(saved.read_bytes()) <= 8192 and "Test it" in saved.read_text("utf-8")
    assert compacted.status == 0 and safepoint.pending() == []

    stub.then(turn(bash("touch after"), tokens=30_000), "Went on.")
    claude.run(project, stub, "go on", resume=run.session_id)
    request = stub.main[-2]
    assert "SUMMARY" in request.text and request.text.count(BRIEF) == 1
    brief = request.text.split(BRIEF, 1)[1]
    assert "Test it" in brief and "app.py" in brief and f"pre-compact-{run.session_id}.md" in brief
    (status,) = safepoint.status()
    assert (status["level"], status["reading"]["tokens"]) == ("green", 30_040)
    assert (project.path / "after").exists()


def test_red_chat_that_is_compacted_goes_on_and_withdraws_its_handoff(claude, project, safepoint, model):
    stub = model(turn(bash("touch denied"), tokens=160_000), "Stopped.")
    run = claude.run(project, stub, "build it")
    assert safepoint.pending() == [run.session_id]
    claude.run(project, stub, "/compact", resume=run.session_id)
    stub.then(turn(bash("touch after"), tokens=30_000), turn(bash("touch more")))
    claude.run(project, stub, "go on", resume=run.session_id)
    assert not (project.path / "denied").exists()
    assert (project.path / "after").exists() and (project.path / "more").exists()
    assert safepoint.pending() == []


def test_with_on_compact_handoff_the_next_tool_is_denied(claude, project, safepoint, model):
    safepoint.set("claude_code: continue", "claude_code: handoff")
    stub = model(*begun(project), turn(bash("echo yellow"), tokens=140_000), "Yellow now.")
    run = claude.run(project, stub, "build it", tools=TASKS)
    claude.run(project, stub, "/compact", resume=run.session_id)
    assert "afepoint" not in stub.of_kind("summary")[0].prompts[-1]
    (checkpoint,) = safepoint.checkpoints(run.session_id)
    safepoint.validate(checkpoint, safepoint.handoff(run))
    assert '"compact_handoff"' in checkpoint.read_text("utf-8")
    stub.then(turn(bash("touch denied"), tokens=30_000), "Stopped.")
    claude.run(project, stub, "go on", resume=run.session_id)
    assert "the host has compacted this chat" in stub.main[-1].new_tool_results[0]
    assert BRIEF not in stub.main[-1].text
    assert not (project.path / "denied").exists()
    assert safepoint.pending() == [run.session_id]
    new = model("ok")
    claude.run(project, new, "hello")
    assert new.main[0].text.count("[CONTEXT_BUDGET_RESUME]") == 1


def test_compaction_in_the_middle_of_a_turn_is_followed_by_the_brief(claude, project, safepoint, model):
    stub = model(
        turn(call("Write", file_path=str(project.path / "app.py"), content="x\n"), tokens=150_000),
        turn(bash("touch two"), tokens=975_000),
        turn(bash("touch three"), tokens=20_000),
    )
    run = claude.run(project, stub, "build it", model_id="claude-opus-4-8", env={"SAFEPOINT": "warn"})
    assert [request.kind for request in stub.requests] == ["main", "main", "summary", "main", "main"]
    assert stub.main[2].text.count(BRIEF) == 1 and "app.py" in stub.main[2].text.split(BRIEF, 1)[1]
    (status,) = safepoint.status()
    assert (status["level"], status["reading"]["window"]) == ("green", 1_000_000)
    assert (project.path / "three").exists() and run.status == 0
