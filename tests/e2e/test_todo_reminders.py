"""Reminders of the todo list: the real client, a model that works on without touching it."""

import pytest
from model_script import bash, call, turn

TASKS = "Bash Read Write Edit Agent TaskCreate TaskUpdate TaskList"
TODO_WRITE = "Bash Read Write Edit TodoWrite"
STALE, INITIAL, NO_CALL = (
    "since the todo list was last changed", "this looks like work of several steps", "without a todo list",
)  # fmt: skip
HOSTS_OWN = "tools haven't been used recently"
ANY = (STALE, INITIAL, NO_CALL)
STEPS = "Fix the shop:\n" + "\n".join(f"{n}. step number {n}" for n in range(1, 7))
LOAD = turn(call("ToolSearch", query="select:TaskCreate,TaskUpdate"))


def begin(*subjects):
    return [LOAD, turn(*[call("TaskCreate", subject=name, description=name) for name in subjects]),
            turn(update(1, "in_progress"))]  # fmt: skip


def update(task, status):
    return call("TaskUpdate", taskId=str(task), status=status)


def work(count):
    return [turn(bash(f"echo working {n}")) for n in range(count)]


def shown_with(stub, *texts):
    """Numbers of the requests in which one of the texts is new."""
    return [n for n, one in enumerate(stub.main, 1) if any(text in one.new_text for text in texts)]


def test_stale_list_is_told_after_eight_requests_then_after_eight_more_and_never_when_all_is_done(
    claude, project, safepoint, model
):
    done = turn(*[update(n, "completed") for n in (1, 2)])
    stub = model(*begin("Write it", "Test it"), *work(19), done, *work(15))
    run = claude.run(
        project, stub, "go", tools=TASKS, env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}, timeout_s=180
    )
    assert stub.unplayed == 0
    # The list was changed with request 3; 4 to 11 are the eight. The client's own comes with 14, and ours
    # keeps eight requests away from that one.
    assert shown_with(stub, HOSTS_OWN)[0] == 14
    assert shown_with(stub, STALE) == [12, 22]
    (told,) = [text for text in stub.main[11].new_reminders if STALE in text]
    assert "8 requests" in told and "1 (in_progress): Write it" in told and "2 (pending): Test it" in told
    assert shown_with(stub, INITIAL, NO_CALL) == []
    assert safepoint.state(run)["todo_log"]["unanswered"] == 0


def test_several_calls_of_one_message_are_one_request_and_the_clients_own_reminder_silences_ours(
    claude, project, safepoint, model
):
    """The client counts its records, one a call: with three calls a message it is the first to remind."""
    busy = [turn(*[bash(f"echo {n}{c}") for c in "abc"]) for n in range(10)]
    stub = model(*begin("Write it"), *busy)
    run = claude.run(project, stub, "go", tools=TASKS)
    assert safepoint.state(run)["meter"]["requests"] == 13
    assert shown_with(stub, HOSTS_OWN)[0] < 12
    assert shown_with(stub, *ANY) == []


def test_reminder_and_counters_are_there_when_the_session_is_resumed(claude, project, safepoint, model):
    stub = model(*begin("Write it"), *work(5), "So far.")
    run = claude.run(project, stub, "go", tools=TASKS)
    assert shown_with(stub, *ANY) == []
    first = len(stub.main)
    stub.then(*work(4), "So far.")
    claude.run(project, stub, "go on", resume=run.session_id, tools=TASKS)
    assert shown_with(stub, STALE) == [first + 4]  # 5 requests before and 3 since
    stub.then("And on.")
    claude.run(project, stub, "go on", resume=run.session_id, tools=TASKS)
    assert STALE in stub.main[-1].text and STALE not in stub.main[-1].new_text


def test_counters_go_on_over_a_compaction(claude, project, safepoint, model):
    stub = model(*begin("Write it"), *work(5), "So far.")
    run = claude.run(project, stub, "go", tools=TASKS)
    claude.run(project, stub, "/compact", resume=run.session_id, tools=TASKS)
    first = len(stub.main)
    stub.then(*work(4), "So far.")
    claude.run(project, stub, "go on", resume=run.session_id, tools=TASKS)
    assert shown_with(stub, STALE) == [first + 4]


def test_stale_list_of_todo_write(claude, project, safepoint, model):
    items = [{"content": "Write it", "status": "in_progress", "activeForm": "Writing it"}]
    write = turn(call("TodoWrite", todos=items))
    stub = model(turn(call("ToolSearch", query="select:TodoWrite")), write, *work(9))
    claude.run(project, stub, "go", tools=TODO_WRITE, env={"CLAUDE_CODE_ENABLE_TASKS": "0"})
    assert shown_with(stub, STALE) == [11]
    (told,) = [text for text in stub.main[10].new_reminders if STALE in text]
    assert "1 (in_progress): Write it" in told and "TodoWrite" in told and "TaskUpdate" not in told


def test_work_of_several_steps_is_told_of_the_tool_at_its_beginning_and_after_ten_requests(
    claude, project, safepoint, model
):
    stub = model(*work(18))
    claude.run(project, stub, STEPS, tools="Bash", env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"})
    assert shown_with(stub, INITIAL) == [1]
    # More than ten requests are over with the eleventh, but the client's own came with it.
    assert shown_with(stub, HOSTS_OWN) == [11]
    assert shown_with(stub, NO_CALL) == [19]
    assert shown_with(stub, STALE) == []


def test_small_work_is_told_nothing(claude, project, safepoint, model):
    stub = model(*work(13))
    claude.run(project, stub, "rename the basket", tools="Bash", env={"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"})
    assert shown_with(stub, *ANY) == []


@pytest.mark.parametrize("model_id", ["claude-opus-4-8", "some-model-of-ours"])
def test_session_without_todo_tools_is_never_told_to_use_one(claude, project, safepoint, model, model_id):
    stub = model(*[turn(*[bash(f"echo {n}{c}") for c in "ab"]) for n in range(13)])
    run = claude.run(project, stub, STEPS, tools="Bash", model_id=model_id)
    assert len(safepoint.state(run)["recent_commands"]) == 20
    assert shown_with(stub, *ANY) == []


def test_subagent_neither_counts_nor_is_nudged(claude, project, safepoint, model):
    child = call("Agent", description="look", prompt="CHILD", subagent_type="general-purpose",
                 run_in_background=False)  # fmt: skip
    stub = model(
        *begin("Write it"), turn(child), *work(6), subagents=[("CHILD", [*work(12), "I have looked."])]
    )
    run = claude.run(project, stub, "go", tools=TASKS, timeout_s=120)
    assert len(stub.subagent("CHILD")) == 13
    assert not [one for one in stub.subagent("CHILD") if any(text in one.text for text in ANY)]
    assert shown_with(stub, *ANY) == []
    assert safepoint.state(run)["meter"]["requests"] == 10
