"""Yellow, Red, and what still runs then: the real client with Safepoint installed by its own installer."""

import json
import os
import stat

import pytest
from model_script import bash, call, turn
from safepoint_install import told

TASKS = "Bash Read Write Edit Agent TaskCreate TaskUpdate"
REPORT = "docs/agent-tasks/reports/login.md"
ENVELOPE = ".cursor/.artifacts/login--step3.md"
FULL, BRIEF = "because the context of this chat is full", "did not run this one either"


def wrote(project, name, text="x\n"):
    return call("Write", file_path=str(project.path / name), content=text)


def test_work_then_yellow_then_red(claude, project, safepoint, model):
    project.write(REPORT, "# Login\n\n- [ ] Sessions expire\n\nMy own words.\n")
    project.write(ENVELOPE, "---\ncampaign: login\nstep: step3\nstatus: incomplete\nphase: make\n---\nMine\n")
    drafts = []

    def after_yellow(request):
        drafts.append(safepoint.handoff(request.session_id).read_text("utf-8"))
        return turn(bash("echo still yellow"), tokens=140_000)

    stub = model(
        turn(call("ToolSearch", query="select:TaskCreate,TaskUpdate"), tokens=20_000),
        turn(*[call("TaskCreate", subject=s, description=s) for s in ("Write it", "Test it", "Tell it")]),
        turn(call("TaskUpdate", taskId="1", status="completed"),
             call("TaskUpdate", taskId="2", status="in_progress")),
        turn(wrote(project, "app.py", "print(1)\n"), call("Read", file_path=str(project.path / "README.md"))),
        turn(bash("python3 app.py --wrong && exit 3"), tokens=100_000),
        turn(bash("python3 app.py"), tokens=130_000),
        after_yellow,
        turn(bash("touch side-effect"), tokens=160_000),
        "I stop here.",
    )  # fmt: skip
    run = claude.run(project, stub, "fix the login", tools=TASKS)
    assert (run.status, run.text, stub.unplayed) == (0, "I stop here.", 0), run

    # The model: silence, one note at Yellow, the reason at Red.
    notes = [[text for text in request.new_reminders if "Safepoint:" in text] for request in stub.main]
    assert [len(found) for found in notes] == [0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert "65% full (130,040 of 200,000 tokens" in notes[6][0] and "156,000" in notes[6][0]
    (reason,) = stub.main[-1].new_tool_results
    assert FULL in reason and "160,040 of 200,000" in reason
    assert not (project.path / "side-effect").exists()
    # The user: one line at Yellow, one at the end of the Red turn.
    yellow, red = told(run)
    assert "65%" in yellow and "draft" in yellow
    assert f"handoff-{run.session_id}.md" in red and "claude-cli://open?" in red
    assert "\nkind: draft\n" in drafts[0]

    # The files.
    (checkpoint,) = safepoint.checkpoints(run.session_id)
    for path in (checkpoint, safepoint.handoff(run), safepoint.session / "resume-point-login.json"):
        assert str(path.relative_to(project.path)) in reason
    point = safepoint.resume_point("login")
    pending = safepoint.session / "pending" / f"{run.session_id}.json"
    journal = safepoint.session / f"{run.session_id}.journal.jsonl"
    envelope = project.path / ENVELOPE
    safepoint.validate(
        checkpoint, safepoint.handoff(run), safepoint.session / "resume-point-login.json", pending, journal,
        envelope,
    )  # fmt: skip
    assert stat.S_IMODE(checkpoint.stat().st_mode) == 0o400
    for name in os.listdir(safepoint.session):
        mode = stat.S_IMODE((safepoint.session / name).stat().st_mode)
        assert mode & 0o077 == 0, f"{name}: {mode:o}"

    # The resume point, as it is in the checkpoint and as the last hook left it.
    saved = json.loads(checkpoint.read_text("utf-8"))
    assert (saved["session_id"], saved["reason"]) == (run.session_id, "red_guard")
    for one in (point, saved["resume_point"]):
        assert one["campaign_slug"] == "login" and one["orig_session_id"] == run.session_id
        assert (one["workflow_step"], one["orchestrator_phase"], one["level"]) == ("step3", "make", "red")
        assert [(c["command"], c["exit"]) for c in one["recent_commands"]] == [
            ("python3 app.py --wrong && exit 3", 3), ("python3 app.py", 0), ("echo still yellow", 0),
        ]  # fmt: skip
        assert (one["files_changed"], one["files_read"]) == (["app.py"], ["README.md"])
        assert one["todo_progress"] == {"done": 1, "total": 3, "current_item": "Test it"}
        assert one["next_action"] == {
            "description": "Test it", "inputs_to_read": [REPORT, "app.py"], "source": "todo",
        }  # fmt: skip
        assert one["last_completed"]["summary"] == "echo still yellow"
        assert [error["tool"] for error in one["open_errors"]] == ["Shell"]
        assert one["last_prompt"] == "fix the login"
        assert one["git_snapshot"]["branch"] == "main"
    assert safepoint.handoff(run).read_text("utf-8").count("\n- Test it\n") == 1

    # Report and envelope: Safepoint's own part, and nothing else of them.
    report = project.read(REPORT)
    assert report.startswith("# Login\n\n- [ ] Sessions expire\n\nMy own words.\n")
    assert "Test it" in report and f"handoff-{run.session_id}.md" in report
    fields = project.read(ENVELOPE)
    assert "\nstatus: incomplete\n" in fields and run.session_id in fields and fields.endswith("---\nMine\n")
    assert "todo 2/3" in fields.split("resume_from:")[1].split("\n")[0]

    (status,) = safepoint.status()
    assert (status["session_id"], status["campaign_slug"]) == (run.session_id, "login")
    assert (status["level"], status["stopped"], status["handoff_pending"]) == ("red", True, True)
    assert status["reading"]["tokens"] == 160_000 + 40  # what was sent, and what the model said to it
    assert (status["reading"]["source"], status["reading"]["window"]) == ("transcript", 200_000)


def test_calls_of_one_message_share_one_reason_and_the_third_denied_message_ends_the_turn(
    claude, project, safepoint, model
):
    knocks = [turn(*[bash(f"touch side-effect-{m}{c}") for c in "abcd"], tokens=160_000) for m in "123"]
    stub = model(*knocks, "never asked for")
    run = claude.run(project, stub, "go on")
    assert len(stub.main) == 3 and stub.unplayed == 1
    assert run.terminal_reason == "hook_stopped"
    last = [block["content"] for r in run.records("user")[-4:] for block in r["message"]["content"]]
    for results in (stub.main[1].new_tool_results, stub.main[2].new_tool_results, last):
        assert len(results) == 4
        assert (sum(FULL in text for text in results), sum(BRIEF in text for text in results)) == (1, 3)
    assert not list(project.path.glob("side-effect*"))
    assert len(safepoint.checkpoints(run.session_id)) == 1

    # A new prompt is a new turn: the model reads the reason again, and has time to say so.
    stub._left[None].clear()
    stub.then(turn(bash("touch side-effect")), "I cannot.")
    again = claude.run(project, stub, "try again", resume=run.session_id)
    assert (again.terminal_reason, again.text) == ("completed", "I cannot.")
    assert FULL in stub.main[-1].new_tool_results[0]
    assert not list(project.path.glob("side-effect*"))
    assert len(safepoint.checkpoints(run.session_id)) == 1


def test_grace_lets_notes_and_commits_through_and_ends(claude, project, safepoint, model):
    def notes(request):
        return str(safepoint.notes(request.session_id))

    project.write("work.txt", "work\n")
    stub = model(
        turn(bash("touch side-effect"), tokens=160_000),
        lambda r: turn(call("Write", file_path=notes(r), content="The clue is in work.txt\n")),
        lambda r: turn(call("Read", file_path=notes(r))),
        lambda r: turn(call("Edit", file_path=notes(r), old_string="clue", new_string="CLUE")),
        turn(bash("git add work.txt"), bash("git status; rm work.txt"), wrote(project, "other.txt")),
        turn(bash("git -c user.name=T -c user.email=t@example.com commit -m 'Keep the work'")),
        turn(bash("git commit -m 'Keep the work'")),
        turn(bash("git status")),
        turn(call("Read", file_path=str(project.path / "README.md"))),
    )
    project.git("config", "user.name", "Tester")
    project.git("config", "user.email", "tester@example.com")
    run = claude.run(project, stub, "go on")
    results = [request.new_tool_results for request in stub.main[1:]]
    shown = [[text.startswith("PreToolUse:") for text in found] for found in results]
    assert shown == [[True], [False], [False], [False], [False, True, True], [True], [False], [True], [True]]
    assert "CLUE is in work.txt" in safepoint.notes(run).read_text("utf-8")
    assert project.git("log", "-1", "--format=%s").strip() == "Keep the work"
    assert (project.path / "work.txt").exists() and not (project.path / "other.txt").exists()
    # Five calls are used up by then, so `git status` is the sixth.
    assert "0 calls in all" in results[7][0]
    assert safepoint.state(run)["grace_used"] == 5

    stub.then("ok")
    claude.run(project, stub, "next chat")
    assert "CLUE is in work.txt" in stub.main[-1].text


def test_resumed_red_session_is_still_denied_without_a_second_checkpoint(claude, project, safepoint, model):
    stub = model(turn(bash("touch side-effect"), tokens=160_000), "Stopped.")
    run = claude.run(project, stub, "go on")
    checkpoint = safepoint.checkpoints(run.session_id)[0].read_bytes()
    stub.then(turn(bash("touch side-effect")), "Stopped again.")
    again = claude.run(project, stub, "and now?", resume=run.session_id)
    assert FULL in stub.main[-1].new_tool_results[0]
    assert "[CONTEXT_BUDGET_RESUME]" not in stub.main[-1].text
    assert "safepoint extend" in told(again)[-1]
    assert not (project.path / "side-effect").exists()
    assert [path.read_bytes() for path in safepoint.checkpoints(run.session_id)] == [checkpoint]
    assert safepoint.pending() == [run.session_id]


@pytest.mark.parametrize("way", ["environment", "settings.local.json"])
def test_switched_off_it_does_nothing(claude, project, safepoint, model, way):
    if way == "settings.local.json":
        (safepoint.hooks / "settings.local.json").write_text('{"mode": "off"}', "utf-8")
        assert "settings.local.json" not in project.git("status", "--porcelain", "--untracked-files=all")
    stub = model(turn(bash("touch one"), tokens=160_000), turn(bash("touch two")))
    run = claude.run(project, stub, "go on", env={"SAFEPOINT": "off"} if way == "environment" else {})
    assert (project.path / "one").exists() and (project.path / "two").exists()
    assert "Safepoint" not in stub.main[-1].text and told(run) == []
    assert not safepoint.session.exists()


def test_warn_tells_of_red_once_and_stops_nothing(claude, project, safepoint, model):
    stub = model(turn(bash("touch one"), tokens=160_000), turn(bash("touch two")))
    run = claude.run(project, stub, "go on", env={"SAFEPOINT": "warn"})
    assert (project.path / "one").exists() and (project.path / "two").exists()
    assert stub.main[-1].text.count("past Red") == 1 and len(told(run)) == 1
    assert safepoint.pending() == [] and safepoint.checkpoints(run.session_id) == []
