"""How large the window is: named with the model, or by its table."""

import pytest
from model_script import bash, turn


@pytest.mark.parametrize("model_id", ["claude-sonnet-4-5[1m]", "claude-opus-4-8"])
def test_chat_with_a_window_of_a_million_is_not_stopped_at_160k(claude, project, safepoint, model, model_id):
    stub = model(turn(bash("touch one"), tokens=160_000), turn(bash("touch two"), tokens=300_000))
    run = claude.run(project, stub, "go on", model_id=model_id)
    assert (project.path / "one").exists() and (project.path / "two").exists()
    assert {r["requestedModel"] for r in run.records("assistant")} == {model_id}
    (status,) = safepoint.status()
    assert (status["level"], status["reading"]["window"]) == ("green", 1_000_000)

    # Resumed with the same model, it is known again, though no hook names it this time.
    stub.then(turn(bash("touch three"), tokens=400_000))
    claude.run(project, stub, "go on", model_id=model_id, resume=run.session_id)
    assert (project.path / "three").exists()


def test_jump_that_the_transcript_does_not_hold_yet_stops_the_next_call(claude, project, safepoint, model):
    # Without an estimate to go by: the level rises with nothing that a hook could have weighed.
    jump, after = turn(bash("touch jump"), tokens=185_000), turn(bash("touch after"), tokens=185_000)
    claude.run(project, model(turn(bash("touch one"), tokens=20_000), jump, after), "go on", up_to_date=False)
    assert (project.path / "one").exists() and not (project.path / "after").exists()


def test_jump_over_red_is_stopped_all_the_same(claude, project, safepoint, model):
    stub = model(turn(bash("touch one"), tokens=20_000), turn(bash("touch two"), tokens=185_000))
    claude.run(project, stub, "go on")
    assert (project.path / "one").exists() and not (project.path / "two").exists()
    (status,) = safepoint.status()
    assert (status["level"], status["reading"]["window"]) == ("red", 200_000)
