"""With `handoff.open_link: true` the new-chat link goes to the system's opener, once per Red."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from claude_chat import ClaudeChat, is_denied


@pytest.mark.parametrize(("asked", "in_a_run"), [(True, False), (False, False), (True, True)])
def test_the_link_is_opened_only_where_asked_and_nobody_opens_the_next_chat_already(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: bool, in_a_run: bool
) -> None:
    folder, told = tmp_path / "bin", tmp_path / "opened"
    folder.mkdir()
    opener = folder / ("open" if sys.platform == "darwin" else "xdg-open")
    opener.write_text(f'#!/bin/sh\necho "$1" >> "{told}"\necho noise\n')
    opener.chmod(0o755)
    import os

    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    settings = project / ".cursor/hooks/settings.json"
    if asked:
        settings.write_text(settings.read_text().replace('"open_link": false', '"open_link": true'))
    if in_a_run:
        monkeypatch.setenv("SAFEPOINT_RUN", "20260101-000000-0001")
    asked = asked and not in_a_run
    chat = ClaudeChat(project)
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="Go")
    chat.context(160_000)
    assert is_denied(chat.tool("Bash", command="make")) and is_denied(chat.tool("Bash", command="make"))
    until = time.monotonic() + 5
    while asked and not told.exists() and time.monotonic() < until:
        time.sleep(0.02)
    lines = told.read_text().splitlines() if told.exists() else []
    assert len(lines) == (1 if asked else 0)
    assert all(line.startswith("claude-cli://open?cwd=") and "c1" in line for line in lines)
