"""Todo rules and the mirror: the real client with its own todo tools, and with ours."""

import json
import sys

from model_script import bash, call, turn

TASKS = "Bash Read Write Edit Agent TaskCreate TaskUpdate TaskList TaskGet"
TODO_WRITE = "Bash Read Write Edit TodoWrite"
REFUSED = "Safepoint did not run this call"
LOAD = turn(call("ToolSearch", query="select:TaskCreate,TaskUpdate,TaskList"))


def create(*subjects):
    return turn(*[call("TaskCreate", subject=subject, description=subject) for subject in subjects])


def update(task, status):
    return call("TaskUpdate", taskId=str(task), status=status)


def todos(*statuses):
    names = ("Write it", "Test it", "Tell it")
    items = [
        {"content": name, "status": status, "activeForm": f"Doing: {name}"}
        for name, status in zip(names, statuses)
    ]
    return turn(call("TodoWrite", todos=items))


def test_second_start_is_refused_and_the_list_is_mirrored(claude, project, safepoint, model):
    stub = model(
        LOAD,
        create("Write it", "Test it"),
        turn(update(1, "in_progress")),
        turn(update(2, "in_progress")),
        turn(update(1, "completed")),
        turn(update(2, "in_progress")),
        create("Test it"),
        "That is it.",
    )
    run = claude.run(project, stub, "fix the login", tools=TASKS, env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"})
    assert (run.text, stub.unplayed) == ("That is it.", 0)
    shown = [request.new_text for request in stub.main]
    assert "[ ] Write it\n(0/1 completed)" in shown[2] and "[ ] Test it\n(0/2 completed)" in shown[2]
    assert "[>] Write it <- Write it\n(0/2 completed)" in shown[3]
    (reason,) = stub.main[4].new_tool_results
    assert REFUSED in reason and '"Write it"' in reason and '"Test it"' in reason and "item 1" in reason
    assert "[x] Write it\n(1/2 completed)" in shown[5]
    assert "[>] Test it <- Test it" in shown[6] and REFUSED not in shown[6]
    assert "No two open items are the same" in shown[7]
    point = safepoint.resume_point(safepoint.state(run)["campaign_slug"])
    assert point["todo_progress"] == {"done": 1, "total": 2, "current_item": "Test it"}


def test_complete_and_start_in_one_message_pass_in_either_order(claude, project, safepoint, model):
    """Twenty such messages; the two hooks of each run side by side."""
    first, second = range(1, 21), range(21, 24)
    steps = [LOAD, create(*[f"Step {n}" for n in first]), turn(update(1, "in_progress"))]
    for n in range(1, 20):
        pair = [update(n, "completed"), update(n + 1, "in_progress")]
        steps.append(turn(*(pair if n % 2 else reversed(pair))))
    steps += [
        create(*[f"Step {n}" for n in second]),
        turn(update(21, "in_progress"), update(20, "completed")),
    ]
    stub = model(*steps)
    run = claude.run(project, stub, "go", tools=TASKS, timeout_s=120)
    assert stub.unplayed == 0
    assert not [text for request in stub.main for text in request.new_tool_results if REFUSED in text]
    state = safepoint.state(run)
    assert [item["status"] for item in state["todos"]] == ["completed"] * 20 + ["in_progress"] + [
        "pending"
    ] * 2
    assert state["todo_log"]["intents"] == []


def test_two_starts_in_one_message_leave_one_running(claude, project, safepoint, model):
    stub = model(LOAD, create("a", "b", "c"), turn(update(1, "in_progress"), update(2, "in_progress")))
    run = claude.run(project, stub, "go", tools=TASKS)
    assert [REFUSED in text for text in stub.main[-1].new_tool_results].count(True) == 1
    running = [item for item in safepoint.state(run)["todos"] if item["status"] == "in_progress"]
    assert len(running) == 1


def test_twenty_first_item_of_one_message_is_refused(claude, project, safepoint, model):
    stub = model(LOAD, create(*[f"Step {n}" for n in range(21)]))
    run = claude.run(project, stub, "go", tools=TASKS)
    assert [REFUSED in text for text in stub.main[-1].new_tool_results].count(True) == 1
    assert "At most 20" in stub.main[-1].new_text
    assert len(safepoint.state(run)["todos"]) == 20


def test_rules_only_warn_where_the_manifest_says_so(claude, project, safepoint, model):
    safepoint.set("    mode: strict", "    mode: warn")
    stub = model(LOAD, create("a", "b"), turn(update(1, "in_progress")), turn(update(2, "in_progress")))
    run = claude.run(project, stub, "go", tools=TASKS)
    assert "the call was not stopped" in stub.main[-1].new_text
    assert [item["status"] for item in safepoint.state(run)["todos"]] == ["in_progress"] * 2


def test_todo_write_has_the_same_rules_and_mirror(claude, project, safepoint, model):
    stub = model(
        turn(call("ToolSearch", query="select:TodoWrite")),
        todos("in_progress", "pending", "pending"),
        todos("in_progress", "in_progress", "pending"),
        todos("completed", "in_progress", "pending"),
    )
    run = claude.run(project, stub, "go", tools=TODO_WRITE, env={"CLAUDE_CODE_ENABLE_TASKS": "0"})
    mirror = "[>] Write it <- Doing: Write it\n[ ] Test it\n[ ] Tell it\n(0/3 completed)"
    assert mirror in stub.main[2].new_text
    (reason,) = stub.main[3].new_tool_results
    assert REFUSED in reason and "One item at a time" in reason
    assert "[x] Write it\n[>] Test it <- Doing: Test it\n(1/3 completed)" in stub.main[4].new_text
    assert [item["status"] for item in safepoint.state(run)["todos"]] == [
        "completed",
        "in_progress",
        "pending",
    ]


def test_list_changed_by_others_is_learned_from_task_list(claude, project, safepoint, model):
    """What a subagent did to the shared list reaches no hook of the main chat."""
    stub = model(
        LOAD,
        create("a", "b"),
        turn(call("Agent", description="do a", prompt="CHILD", subagent_type="general-purpose",
                  run_in_background=False)),
        turn(call("TaskList")),
        subagents=[("CHILD", [LOAD, turn(update(1, "completed")), "done"])],
    )  # fmt: skip
    run = claude.run(project, stub, "go", tools=TASKS)
    shown = [line for line in stub.main[-1].new_text.splitlines() if line.startswith("#1")]
    expected = "completed" if shown and "[completed]" in shown[0] else "pending"
    assert safepoint.state(run)["todos"][0]["status"] == expected == "completed"
    assert "[x] a\n(1/2 completed)" in stub.main[-1].new_text


def test_our_own_tool_finds_the_session_that_the_client_runs(claude, project, safepoint, model):
    server = {"command": sys.executable, "args": ["-m", "safepoint", "mcp"]}
    config = project.write("servers.json", json.dumps({"mcpServers": {"safepoint": server}}))
    tools = "Bash mcp__safepoint__TaskCreate mcp__safepoint__TaskUpdate"
    stub = model(
        turn(call("ToolSearch", query="select:mcp__safepoint__TaskCreate,mcp__safepoint__TaskUpdate")),
        turn(call("mcp__safepoint__TaskCreate", subject="Write it"),
             call("mcp__safepoint__TaskCreate", subject="Test it")),
        turn(call("mcp__safepoint__TaskUpdate", taskId="1", status="in_progress")),
        turn(call("mcp__safepoint__TaskUpdate", taskId="2", status="in_progress")),
        turn(bash(f"{sys.executable} -m safepoint todo done 1")),
    )  # fmt: skip
    flags = ["--mcp-config", config, "--strict-mcp-config"]
    run = claude.run(project, stub, "go", tools=tools, flags=flags)
    results = [text for request in stub.main for text in request.new_tool_results]
    assert "[>] Write it <- Write it\n(0/2 completed)" in results[3]
    assert "One item at a time" in results[4]
    assert "[x] Write it\n(1/2 completed)" in results[5]
    state = safepoint.state(run)
    assert [(item["content"], item["status"]) for item in state["todos"]] == [
        ("Write it", "completed"), ("Test it", "pending"),
    ]  # fmt: skip
    assert state["todo_log"]["tools"] == ["TaskCreate", "TaskUpdate"]
