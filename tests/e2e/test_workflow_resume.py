"""A campaign in steps is cut in the middle of one, and the next chat is shown where it goes on."""

import json
import os
import sys
import threading
from pathlib import Path

import pytest
from model_script import bash, call, turn
from safepoint_install import HEADER

PARTS = ["Read it", "Model", "Store", "View", "Forms", "Tests", "Docs"]
REPORT = "docs/agent-tasks/reports/shop.md"
# The transcript may be one response behind: the second call is refused whatever happens to the first.
RED = (turn(bash("true"), tokens=160_000), turn(bash("touch side-effect")))
STEP2 = ".cursor/.artifacts/shop--step2.md"


@pytest.fixture
def env():
    """The command is on the agent's path, as after an installation."""
    return {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def wrote(project, name, text="x = 1\n"):
    return call("Write", file_path=str(project.path / name), content=text)


def agent(prompt, background=False):
    return call("Agent", description=f"{prompt} work", prompt=prompt, subagent_type="general-purpose",
                run_in_background=background)  # fmt: skip


def shown(stub):
    (text,) = [text for text in stub.main[0].reminders if HEADER in text]
    return text


def plan(safepoint):
    return json.loads(safepoint.command("resume", "--plan", "--json").stdout)["plan"]


def test_step_is_gone_on_with_at_its_next_sub_step(claude, project, safepoint, model, env):
    substeps = " ".join(f'--substep "{part}"' for part in PARTS)
    stub = model(
        turn(bash("safepoint campaign start shop"), tokens=20_000),
        turn(bash("safepoint step start 1 --phase design --substep Plan")),
        turn(bash("safepoint step done 1 --output docs/design.md")),
        turn(
            bash(f"safepoint step start 2 --phase build --input docs/design.md --input {REPORT} {substeps}")
        ),
        turn(wrote(project, "model.py"), wrote(project, "store.py")),
        turn(bash("python3 -c 'import model, store' && touch built"), tokens=100_000),
        turn(bash("safepoint step progress 2 --done 4"), tokens=130_000),
        turn(bash("SAFEPOINT_CAMPAIGN=other safepoint step start 3 --phase ship"), tokens=135_000),
        *RED,
        "Stopped.",
    )
    run = claude.run(project, stub, "build the shop", env={**env, "PYTHONPATH": str(project.path)})
    assert run.text == "Stopped." and not (project.path / "side-effect").exists()
    # At Yellow a step is better not begun.
    assert "is yellow already" in stub.main[8].new_tool_results[0].lower()
    envelope = project.path / STEP2
    safepoint.validate(envelope, safepoint.session / "resume-point-shop.json", project.path / REPORT)
    fields = json.loads(safepoint.command("step", "show", "2", "--campaign", "shop", "--json").stdout)
    assert (fields["status"], fields["resume_from"]) == ("incomplete", "sub-step 5/7")
    assert fields["session"] == run.session_id and fields["campaign"] == "shop"
    assert [part["status"] for part in fields["substeps"]] == ["done"] * 4 + ["open"] * 3
    report = project.read(REPORT)
    assert "step step2" in report and "- [ ] The first thing" in report

    (project.path / "store.py").write_text("changed by hand\n")
    stub = model("I know.")
    claude.run(project, stub, "hello")
    text = shown(stub)
    assert f"{HEADER} campaign=shop, step=step2, resume from todo 5/7." in text
    (line,) = [line for line in text.splitlines() if "Plan (" in line]
    assert "redispatch_step" in line and "step=2" in line and "sub-step 5/7" in line
    assert "docs/design.md" in line and STEP2 in line
    assert "- Sub-step: Forms" in text and f"{REPORT}, docs/design.md" in text
    done, changed = text.split("## Completed work")[1].split("## Done then, but not as it was any more")
    assert "Write model.py" in done and "Write store.py" not in done and "touch built" not in done
    assert "Write store.py (verified: file written): changed since: store.py" in changed
    assert "touch built" in changed.split("## ")[0]

    found = plan(safepoint)
    assert (found["action"], found["step"], found["substep"]) == ("redispatch_step", 2, 5)
    assert found["inputs"] == ["docs/design.md", REPORT] and found["envelope"] == STEP2


def test_subagent_broken_off_at_red_is_named_by_the_next_plan(claude, project, safepoint, model, env):
    safepoint.command("campaign", "start", "shop")
    safepoint.command("step", "start", "2", "--phase", "build", "--input", "docs/design.md")
    stub = model(
        turn(agent("FRONT"), tokens=20_000),
        *RED,
        "Stopped.",
        subagents=[("FRONT", [turn(wrote(project, "by-child.txt"), tokens=30_000),
                              turn(bash("true"), tokens=160_000), turn(bash("touch denied")),
                              "I was at the forms."])],
    )  # fmt: skip
    claude.run(project, stub, "delegate", env=env)
    (path,) = (project.path / ".cursor/.artifacts").glob("shop--step2.worker-*.md")
    safepoint.validate(path)
    text = path.read_text("utf-8")
    assert "\nstatus: incomplete\n" in text and "  - by-child.txt" in text and "  - docs/design.md" in text
    assert "I was at the forms." in text and "FRONT work" in text

    found = plan(safepoint)
    assert (found["action"], found["step"]) == ("resume_worker", 2)
    assert [Path(one["path"]).name for one in found["workers"]] == [path.name]
    stub = model("I know.")
    claude.run(project, stub, "hello")
    (line,) = [line for line in shown(stub).splitlines() if "Plan (resume_worker)" in line]
    assert str(path.relative_to(project.path)) in line and "step=2" in line
    safepoint.command("step", "take-over", found["workers"][0]["worker"])
    assert plan(safepoint)["action"] == "redispatch_step"


def test_background_subagent_is_refused_at_red_and_one_that_runs_leaves_its_report(
    claude, project, safepoint, model, env
):
    safepoint.command("campaign", "start", "shop")
    safepoint.command("step", "start", "2", "--phase", "build")
    parent_is_red = threading.Event()

    def late(request):
        parent_is_red.wait(30)
        return "The forms are done."

    def stopped(request):
        parent_is_red.set()
        return "Stopped."

    stub = model(
        turn(agent("FIRST", background=True), tokens=20_000),
        turn(bash("true"), tokens=160_000),
        turn(agent("SECOND", background=True)),
        stopped,
        subagents=[
            ("FIRST", [turn(wrote(project, "form.html"), tokens=30_000), late]),
            ("SECOND", ["never"]),
        ],
    )
    claude.run(project, stub, "delegate", env=env)
    assert stub.subagent("SECOND") == []
    assert "did not" in stub.main[3].new_tool_results[0] or "is full" in stub.main[3].new_tool_results[0]
    (path,) = (project.path / ".cursor/.artifacts").glob("shop--step2.worker-*.md")
    text = path.read_text("utf-8")
    assert "\nstatus: complete\n" in text and "The forms are done." in text and "form.html" in text
    found = plan(safepoint)
    assert found["action"] == "redispatch_step" and [one["path"] for one in found["reports"]]
    stub = model("I know.")
    claude.run(project, stub, "hello")
    assert path.name in shown(stub)


def test_heavy_skill_is_reminded_and_goes_on_with_the_round_that_is_open(
    claude, project, safepoint, model, env
):
    safepoint.command("install", ".", "--yes", "--with-workflow")
    safepoint.command("campaign", "start", "shop")
    save = "safepoint checkpoint save --phase round-0"
    stub = model(
        turn(bash(f"{save} --skill deep-thinking --worker parent --text 'The question' --next round-1"),
             tokens=20_000),
        turn(agent("ALPHA"), agent("BETA")),
        turn(bash(f"{save} --worker A --text 'A says yes'"), bash(f"{save} --worker B --text 'B says no'")),
        *RED,
        "Stopped.",
        subagents=[("ALPHA", ["ALPHA says yes."]), ("BETA", ["BETA says no."])],
    )  # fmt: skip
    claude.run(project, stub, "think", env=env)
    told = [text for request in stub.main for text in request.new_reminders if "deep-thinking" in text]
    assert any("after each subagent has ended" in text and "checkpoint save" in text for text in told)
    text = project.read(".cursor/.artifacts/shop--checkpoint.md")
    assert "A says yes" in text and "B says no" in text
    assert "ALPHA says yes." in text and "BETA says no." in text  # as hooks saw it

    stub = model("I know.")
    claude.run(project, stub, "hello")
    assert "The skill deep-thinking stands at round-0" in shown(stub)
    checkpoint = plan(safepoint)["checkpoint"]
    assert (checkpoint["phase"], checkpoint["next"]) == ("round-0", "round-1")
    assert "go on with the phase" in checkpoint["resume"]
