"""A subagent is measured and stopped by its own context, and its work counts for the chat that started it."""

import json
import threading

from model_script import bash, call, turn

OWN, PARENTS = "the context of this subagent is full", "because the context of this chat is full"


def agent(prompt, background):
    return call("Agent", description="d", prompt=prompt, subagent_type="general-purpose",
                run_in_background=background)  # fmt: skip


def wrote(project, name):
    return call("Write", file_path=str(project.path / name), content="x\n")


def test_subagent_has_its_own_red_and_its_files_reach_the_parent(claude, project, safepoint, model):
    stub = model(
        turn(agent("FRONT job", background=False), tokens=20_000),
        turn(bash("touch by-parent")),
        subagents=[("FRONT", [turn(wrote(project, "by-child.txt"), tokens=30_000),
                              turn(bash("touch denied"), tokens=160_000), "FRONT report"])],
    )  # fmt: skip
    run = claude.run(project, stub, "delegate")
    (reason,) = stub.subagent("FRONT")[-1].new_tool_results
    assert OWN in reason and "160,040 of 200,000" in reason
    assert not (project.path / "denied").exists()
    assert "FRONT report" in stub.main[1].new_text
    assert (project.path / "by-parent").exists()

    child, parent = sorted(safepoint.status(), key=lambda one: one["agent_id"] == "")
    assert (child["level"], child["reading"]["tokens"]) == ("red", 160_040)
    assert (parent["level"], parent["session_id"]) == ("green", child["session_id"])
    assert child["stopped"] and not parent["stopped"]
    assert safepoint.pending() == []  # a new chat goes on from a chat, not from its subagent
    assert safepoint.state(run)["files_changed"] == ["by-child.txt"]
    (point,) = safepoint.session.glob("resume-point-*.json")
    safepoint.validate(point, *safepoint.checkpoints(run.session_id))
    assert '"by-child.txt"' in point.read_text("utf-8")
    assert len(safepoint.checkpoints(run.session_id)) == 1


def test_subagent_that_does_not_stop_is_ended_and_its_parent_told(claude, project, safepoint, model):
    knocks = [turn(bash(f"touch knock{n}"), tokens=160_000) for n in range(5)]
    stub = model(
        turn(agent("FRONT job", background=False), tokens=20_000),
        turn(bash("touch by-parent")),
        "Parent is done.",
        subagents=[("FRONT", [turn(wrote(project, "by-child.txt"), tokens=30_000), *knocks])],
    )
    run = claude.run(project, stub, "delegate")
    assert not list(project.path.glob("knock*"))
    assert len(stub.subagent("FRONT")) == 4
    # The client shows no report of such a subagent, and sends no SubagentStop.
    (note,) = [text for request in stub.main for text in request.new_reminders if "Safepoint" in text]
    assert "subagent" in note and "handoff-" in note and stub.subagent()[0].agent_id in note
    assert run.text == "Parent is done." and (project.path / "by-parent").exists()
    assert safepoint.state(run)["files_changed"] == ["by-child.txt"]


def test_red_of_the_parent_denies_starting_a_subagent_but_not_the_tools_of_a_running_one(
    claude, project, safepoint, model
):
    parent_is_red, child_is_done = threading.Event(), threading.Event()

    def child_works(request):
        assert parent_is_red.wait(30)
        return turn(wrote(project, "by-child.txt"), bash("touch child-ran"))

    def child_reports(request):
        child_is_done.set()
        return "BACK report"

    def parent_stops(request):
        parent_is_red.set()
        assert child_is_done.wait(30)
        return "I stop."

    stub = model(
        turn(agent("BACK job", background=True), tokens=20_000),
        turn(agent("NEVER job", background=False), bash("touch by-parent"), tokens=160_000),
        parent_stops,
        lambda request: turn(bash("touch after-report")),
        "All told.",
        subagents=[("BACK", [lambda r: turn(bash("echo begin"), tokens=10_000), child_works, child_reports])],
    )
    run = claude.run(project, stub, "delegate")
    denied = next(r for r in stub.main if PARENTS in r.new_text).new_tool_results
    assert len(denied) == 2 and all("PreToolUse:" in text for text in denied)
    assert stub.subagent("NEVER") == []
    assert (project.path / "child-ran").exists() and (project.path / "by-child.txt").exists()
    assert not (project.path / "by-parent").exists() and not (project.path / "after-report").exists()
    assert run.text == "All told."
    (checkpoint,) = safepoint.checkpoints(run.session_id)
    saved = json.loads(checkpoint.read_text("utf-8"))["resume_point"]
    assert saved["subagents_running"] == ["general-purpose"]
    (point,) = safepoint.session.glob("resume-point-*.json")
    last = json.loads(point.read_text("utf-8"))
    assert (last["files_changed"], last["subagents_running"]) == (["by-child.txt"], [])
    assert safepoint.pending() == [run.session_id]
