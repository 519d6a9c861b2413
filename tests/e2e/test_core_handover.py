"""What the next chats are shown, and who claims it."""

import pytest
from model_script import bash, call, turn
from safepoint_install import HEADER, told


@pytest.fixture
def red(claude, project, safepoint, model):
    """A chat on the branch fix-auth that has come to Red; the branch's file is changed."""
    project.git("switch", "--quiet", "--create", "fix-auth")
    work = call("Write", file_path=str(project.path / "auth.py"), content="print('auth')\n")
    stub = model(turn(work, tokens=20_000), turn(bash("touch side-effect"), tokens=160_000), "Stopped.")
    return claude.run(project, stub, "make auth expire")


def headers(request):
    """The client puts "SessionStart hook additional context: " before what a hook adds, on the same line."""
    return [HEADER + line.split(HEADER, 1)[1] for line in request.text.splitlines() if HEADER in line]


def test_second_chat_is_shown_the_handoff_and_the_third_is_not(claude, project, safepoint, model, red):
    project.record("SessionStart")
    stub = model(turn(bash("touch second"), tokens=20_000), "Went on.")
    second = claude.run(project, stub, "hello")
    first_request = stub.main[0]
    (header,) = headers(first_request)
    assert header == f"{HEADER} campaign=fix-auth, step=-."
    (text,) = [text for text in first_request.reminders if HEADER in text]
    assert len(text.encode()) <= 8192
    assert "make auth expire" in text and "auth.py" in text and "The work tree is as it was" in text
    # Later requests carry the same one, not a second.
    assert headers(stub.main[-1]) == [header]
    assert (project.path / "second").exists()
    assert safepoint.pending() == []
    assert safepoint.state(second)["campaign_slug"] == "fix-auth"
    assert safepoint.state(second)["files_changed"] == ["auth.py"]

    third = model(turn(bash("touch third"), tokens=20_000))
    claude.run(project, third, "hello")
    assert "Safepoint" not in third.main[-1].text and HEADER not in third.main[-1].text


def test_handoff_shown_to_a_chat_that_used_no_tool_is_one_line_to_the_next(
    claude, project, safepoint, model, red
):
    looked = model("I only say hello.")
    second = claude.run(project, looked, "hello")
    assert len(headers(looked.main[0])) == 1
    assert safepoint.pending() == [red.session_id]

    stub = model("Hello again.")
    claude.run(project, stub, "hello")
    assert headers(stub.main[0]) == []
    (text,) = [text for text in stub.main[0].reminders if "Safepoint" in text or "pick" in text]
    assert f"safepoint pick {red.session_id}" in text and second.session_id[:8] in text
    assert len(text.strip().splitlines()) <= 3

    # A person's word takes it over; the text follows with the next prompt.
    fourth = claude.run(project, model("."), "hi")
    asked = claude.run(project, model(), f"safepoint pick {red.session_id[:8]}", resume=fourth.session_id)
    assert asked.of_type("assistant") == []
    went_on = model(turn(bash("touch fourth")), "ok")
    claude.run(project, went_on, "go on", resume=fourth.session_id)
    assert len(headers(went_on.main[0])) == 1
    assert safepoint.pending() == []


def test_of_two_chats_at_once_one_claims_and_the_other_is_told(claude, project, safepoint, model, red):
    # Both have started, and been offered the handoff, before either's first prompt claims it.
    both = 'touch "on-$$"; for i in $(seq 100); do [ "$(ls on-* | wc -l)" -ge 2 ] && break; sleep 0.05; done'
    project.hook("SessionStart", f"{both}; sleep 0.5")
    stubs = [model("Done."), model("Done.")]
    running = [claude.start(project, stub, "hello") for stub in stubs]
    runs = [one.wait() for one in running]
    lost = [run for run in runs if any("had been taken before" in line for line in told(run))]
    assert len(lost) == 1
    (won,) = [run for run in runs if run not in lost]
    claim = safepoint.json(f"pending/{red.session_id}.claim")
    assert claim["session_id"] == won.session_id
    told_model = stubs[runs.index(lost[0])].main[0].text
    assert "had been taken before" in told_model and won.session_id[:8] in told_model
    assert "had been taken before" not in stubs[runs.index(won)].main[0].text


def test_chat_that_is_resumed_or_forked_claims_nothing(claude, project, safepoint, model, red):
    stub = model("Again.")
    claude.run(project, stub, "and?", resume=red.session_id)
    assert headers(stub.main[0]) == []
    forked = model("Forked.")
    claude.run(project, forked, "and?", resume=red.session_id, flags=["--fork-session"])
    assert headers(forked.main[0]) == []
    assert safepoint.pending() == [red.session_id]
    assert not (safepoint.session / "pending" / f"{red.session_id}.claim").exists()


def test_handoff_tells_what_changed_since(claude, project, safepoint, model, red):
    project.write("auth.py", "print('changed by hand')\n")
    commit = project.commit("By hand")
    stub = model("ok")
    claude.run(project, stub, "hello")
    (text,) = [text for text in stub.main[0].reminders if HEADER in text]
    assert f"-> {commit[:8]}" in text and "auth.py" in text and "has changed since" in text
