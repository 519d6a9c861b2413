"""A whole chat, stopped and gone on from, on a Python that has nothing that Windows has not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import payloads
import pytest
from claude_chat import ClaudeChat, added, is_denied
from host_process import state

from safepoint import registration

RUNNER = Path(__file__).with_name("windows_like.py")
MARKS = {"plain": b"", "one mark": b"\xef\xbb\xbf", "two marks": b"\xef\xbb\xbf" * 2}


class WindowsChat(ClaudeChat):
    """Hooks run in `windows_like`; the payload is what a PowerShell puts into the pipe."""

    mark = b""
    session_dir = ""

    def send(self, event: str, **fields: Any) -> dict[str, Any]:
        payload = payloads.claude(
            event, session_id=self.session, cwd=str(self.project), transcript_path=str(self.transcript),
            **fields,
        )  # fmt: skip
        text = json.dumps(payload, ensure_ascii=False, indent=1).replace("\n", "\r\n") + "\r\n"
        return run(self.project, registration.CLAUDE[event], self.mark + text.encode(), str(self.project))


def run(project: Path, entrypoint: str, data: bytes, told: str | None) -> dict[str, Any]:
    environment = dict(os.environ)
    if told is not None:
        environment["CLAUDE_PROJECT_DIR"] = told
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(RUNNER), str(project / ".cursor/hooks"), entrypoint],
        input=data, env=environment, cwd=project, capture_output=True, timeout=20,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()
    answer = json.loads(done.stdout) if done.stdout else {}
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
def test_a_full_chat_is_stopped_and_gone_on_from(project: Path, mark: bytes) -> None:
    chat = WindowsChat(project)
    chat.mark = mark
    chat.send("SessionStart", source="startup")
    chat.send("UserPromptSubmit", prompt="表を直す")
    chat.context(60_000)
    chat.tool("Bash", command="make 表", response={"stdout": "ok\r\n"})
    chat.context(160_000)
    answer = chat.tool("Bash", command="dir")
    assert is_denied(answer), answer
    point = json.loads((project / ".cursor/.session/resume-point-fix-basket.json").read_text())
    assert point["git_snapshot"]["branch"] == "fix-basket" and point["last_prompt"] == "表を直す"
    new = WindowsChat(project, "c2")
    assert "[CONTEXT_BUDGET_RESUME]" in added(new.send("SessionStart", source="startup"))
    assert not (project / ".cursor/.session/errors.jsonl").exists()


def cursor(**fields: Any) -> dict[str, Any]:
    return payloads.cursor("preToolUse", session_id="w1", conversation_id="w1", **fields)


MANGLED = {
    # A Japanese path as UTF-8, read in code page 932 and written as UTF-8 again
    "mojibake": "C:/Users/店".encode().decode("cp932", "replace"),
    "question marks": "C:/Users/??",
    "another machine's": "/c:/Users/dev/shop",
    "nothing": "",
}


@pytest.mark.parametrize("root", MANGLED.values(), ids=MANGLED)
def test_a_mangled_project_path_leads_to_the_one_that_the_hooks_lie_in(
    project: Path, tmp_path: Path, root: str
) -> None:
    before = sorted(tmp_path.iterdir())
    payload = cursor(workspace_roots=[root] if root else [], cwd=root)
    run(project, "session_budget_guard", json.dumps(payload, ensure_ascii=False).encode(), None)
    assert list(state(project, "w1")["open_calls"]) == ["tool_1"]
    assert sorted(tmp_path.iterdir()) == before


def test_a_payload_in_the_japanese_code_page_is_read(project: Path) -> None:
    """The second byte of 表 is a backslash there: as UTF-8 the text would be broken JSON."""
    payload = cursor(workspace_roots=[str(project)], tool_input={"command": "type 表"})
    data = json.dumps(payload, ensure_ascii=False).replace(str(project), "x").encode("cp932")
    assert b'\x5c"' in data
    run(project, "session_budget_guard", data, str(project))
    assert [known["subject"] for known in state(project, "w1")["open_calls"].values()] == ["type 表"]


def test_a_large_payload_in_a_pipe_that_stays_open_is_answered(project: Path) -> None:
    payload = cursor(workspace_roots=[str(project)], tool_input={"command": "x" * 300_000})
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(RUNNER), str(project / ".cursor/hooks"), "session_budget_guard"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=project,
        env={**os.environ, "CLAUDE_PROJECT_DIR": str(project)},
    )  # fmt: skip
    assert process.stdin and process.stdout
    try:
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.flush()
        assert process.wait(20) == 0
        assert json.loads(process.stdout.read()) == {}
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        process.wait()
