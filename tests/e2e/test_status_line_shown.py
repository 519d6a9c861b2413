"""The status line in the real client: drawn below the user's own, and the guard knows the window from it."""

import json

import pytest
from model_script import bash, turn
from safepoint_install import Safepoint
from terminal import Terminal

OWN = "MY-OWN-LINE"


@pytest.fixture
def terminal(claude, project):
    started = []

    def start(model, **options):
        started.append(Terminal(claude, project, model, **options))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_client_draws_ours_below_the_users_own_and_the_guard_knows_the_window(
    terminal, home, project, model
):
    (home / ".claude").mkdir()
    own = {"statusLine": {"type": "command", "command": f"echo {OWN}; cat > {home}/payload.json"}}
    (home / ".claude/settings.json").write_text(json.dumps(own), "utf-8")
    safepoint = Safepoint(project, "--with-statusline")
    # A model of two windows: without the client's word it would get no further than Yellow.
    stub = model(turn(bash("touch one"), tokens=150_000), "Waiting.", turn(bash("touch two"), tokens=160_000))
    chat = terminal(stub, model_id="claude-opus-4-6")
    chat.send("do the work", lambda: len(stub.main) == 2)
    chat.until(lambda: "150k/" in chat.screen and OWN in chat.screen)
    payload = json.loads((home / "payload.json").read_text("utf-8"))
    window = payload["context_window"]["context_window_size"]
    reading = chat.until(lambda: _measured(safepoint, chat, "host"))
    assert (reading["window"], payload["session_id"]) == (window, chat.session_id)
    chat.send("go on", lambda: len(stub.main) == 4)
    assert (project.path / "one").exists() and (project.path / "two").exists() is (window > 200_000)
    assert safepoint.errors == []


def _measured(safepoint, chat, source):
    (status,) = safepoint.status()
    return status["reading"] if status["reading"]["window_source"] == source else None
