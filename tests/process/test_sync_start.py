"""The start of a chat looks at the remote: within its deadline, and only where the settings say so."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from claude_chat import ClaudeChat, added
from git_command import git
from host_process import CursorChat
from test_imports import claude_payload, loaded
from two_clones import Clones, chat, hurry, red, run, untouched

RESUME = "[CONTEXT_BUDGET_RESUME] campaign=fix-basket"


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    made = Clones(tmp_path, auto="fetch")
    red(made.a, "first-chat")
    run(made.a, "push")
    return made


def start(project: Path, session: str = "next") -> dict[str, object]:
    answer = ClaudeChat(project, session).send("SessionStart", source="startup")
    assert isinstance(answer, dict)
    return answer


def test_first_chat_of_a_fresh_clone_is_shown_the_handoff(clones: Clones) -> None:
    before = untouched(clones.b)
    answer = start(clones.b)
    assert RESUME in added(answer)
    assert "campaign fix-basket came from origin" in str(answer["systemMessage"])
    assert untouched(clones.b) == before


def test_cursor_is_shown_it_as_well(clones: Clones) -> None:
    answer = CursorChat(clones.b).send("sessionStart", generation_id="")
    assert RESUME in str(answer["additional_context"])


def test_where_no_chat_ever_was_the_only_campaign_is_taken_on_any_branch(clones: Clones) -> None:
    git(clones.b, "checkout", "-q", "main")
    git(clones.b, "checkout", "-q", "fix-basket", "--", ".cursor", ".claude")
    assert RESUME in added(start(clones.b))


def test_clone_in_use_on_another_branch_takes_nothing(clones: Clones) -> None:
    chat(clones.b, "earlier")
    git(clones.b, "checkout", "-q", "-b", "other-work")
    red(clones.a, "second-chat")
    run(clones.a, "push")
    assert RESUME not in added(start(clones.b))
    assert run(clones.b, "resume")["handoffs"] == []


def test_what_was_taken_once_is_not_taken_again(clones: Clones) -> None:
    start(clones.b)
    run(clones.b, "resume", "--dismiss", "first-chat")
    assert RESUME not in added(start(clones.b, "later"))
    red(clones.a, "second-chat")
    run(clones.a, "push")
    assert RESUME in added(start(clones.b, "last"))


def test_push_after_a_chat_has_gone_on_needs_no_pull(clones: Clones) -> None:
    red(clones.b, "second-chat")
    assert run(clones.b, "push")["session_id"] == "second-chat"


def test_push_while_the_other_handoff_still_waits_is_told(clones: Clones) -> None:
    red(clones.b, "mine")
    run(clones.b, "push")
    red(clones.a, "theirs")
    run(clones.a, "push", "--force")
    start(clones.b, "only-looks")
    with pytest.raises(Exception, match=r"came from another machine|has not taken that over"):
        run(clones.b, "push")


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A server on this machine that takes connections and says nothing."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    held: list[socket.socket] = []

    def take() -> None:
        while True:
            try:
                held.append(server.accept()[0])
            except OSError:
                return

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    yield int(server.getsockname()[1])
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(5)
    for one in held:
        one.close()


def test_remote_that_hangs_is_given_up_and_the_chat_starts(clones: Clones, silent_port: int) -> None:
    hurry(clones.b)
    git(clones.b, "remote", "set-url", "origin", f"git://127.0.0.1:{silent_port}/x")
    began = time.monotonic()
    answer = start(clones.b)
    assert time.monotonic() - began < 5
    assert "was not asked for campaigns" in str(answer["systemMessage"])
    began = time.monotonic()
    with pytest.raises(Exception, match=r"no answer within 1\.0 s"):
        run(clones.b, "pull", "--timeout", "1")
    assert time.monotonic() - began < 10


def test_remote_that_is_not_there_or_refuses_is_told_in_gits_words(clones: Clones) -> None:
    (clones.remote / "hooks/pre-receive").write_text("#!/bin/sh\necho 'no room here' >&2\nexit 1\n")
    (clones.remote / "hooks/pre-receive").chmod(0o755)
    chat(clones.a, "more")
    with pytest.raises(Exception, match="no room here"):
        run(clones.a, "push")
    git(clones.b, "remote", "set-url", "origin", str(clones.folder / "nowhere.git"))
    assert "was not asked" in str(start(clones.b)["systemMessage"])
    with pytest.raises(Exception, match=r"nowhere\.git"):
        run(clones.b, "pull")
    git(clones.b, "remote", "remove", "origin")
    assert "no remote origin" in str(start(clones.b, "again")["systemMessage"])


def test_ssh_asks_nobody(clones: Clones) -> None:
    """The command line that ssh gets forbids prompts; it is a script here that writes down its words."""
    script = clones.folder / "ssh"
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{clones.folder}/words'\nexit 1\n")
    script.chmod(0o755)
    git(clones.b, "config", "core.sshCommand", str(script))
    git(clones.b, "remote", "set-url", "origin", "ssh://nobody@127.0.0.1/x.git")
    start(clones.b)
    assert "BatchMode=yes" in (clones.folder / "words").read_text()


def test_remote_named_with_a_dash_is_no_option(clones: Clones) -> None:
    settings = clones.b / ".cursor/hooks/settings.json"
    text = settings.read_text()
    settings.write_text(text.replace('"remote": "origin"', '"remote": "--upload-pack=touch x"'))
    assert "has no remote" in str(start(clones.b)["systemMessage"])
    assert not (clones.b / "x").exists()


def test_switched_off_it_loads_nothing_of_it(tmp_path: Path) -> None:
    for auto, wanted in (("off", False), ("fetch", True)):
        made = Clones(tmp_path / auto, auto)
        one = chat(made.b, "earlier")
        payload = claude_payload(one, "SessionStart")
        payload["session_id"], payload["transcript_path"] = "another", "/nowhere/another.jsonl"
        names = loaded(made.b, "session_bootstrap", payload)
        assert ({"sync_start", "campaign_refs", "stores.bundles"} <= names) == wanted
        assert wanted or not {"sync_start", "campaign_refs", "work_commit", "stores.bundles"} & names


def test_shallow_clone_takes_part(clones: Clones) -> None:
    target = clones.folder / "shallow"
    address = f"file://{clones.remote}"
    git(clones.folder, "clone", "-q", "--depth", "1", "-b", "fix-basket", address, str(target))
    before = untouched(target)
    assert RESUME in added(start(target))
    assert untouched(target)["shallow"] == before["shallow"] and before["shallow"]
    (target / "basket.py").write_text("changed in the shallow clone\n")
    red(target, "shallow-chat")
    assert run(target, "push")["has_work"]
    run(clones.a, "pull")
    run(clones.a, "restore")
    assert "shallow" in (clones.a / "basket.py").read_text()
