"""A stand-in for Cursor's headless CLI: its stream-json frames, and the project's registered hooks.

It plays `$AGENT_SCRIPT`, a JSON file: one list of steps for each time that it is started. A step is a shell
command, or one of COMPACT (the host compacts), ENDS (it ends its turn), LIMIT (the model is not to be had),
KILLED (it dies at once). A command that a hook denies does not run, and ends the turn.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "hot")]
from host_process import CursorChat  # noqa: E402

COMPACT, ENDS, LIMIT, KILLED = "COMPACT", "ENDS", "LIMIT", "KILLED"


def tell(kind: str, **fields: object) -> None:
    print(json.dumps({"type": kind, **fields}), flush=True)


def main(words: list[str]) -> int:
    script = Path(os.environ["AGENT_SCRIPT"])
    log = script.with_suffix(".log")
    number = len(log.read_text().splitlines()) if log.exists() else 0
    session = words[words.index("--resume") + 1] if "--resume" in words else str(uuid4())
    chat = CursorChat(Path.cwd(), session, version="2026.09.28-64d2043")
    tell("system", subtype="init", apiKeySource="login", cwd=os.getcwd(), session_id=session, model="Auto",
         permissionMode="default")  # fmt: skip
    # The CLI sends no prompt event under -p, and no session start when it resumes.
    shown = {} if "--resume" in words else chat.send("sessionStart", generation_id="")
    told = {"words": words, "session": session, "shown": shown.get("additional_context", "")}
    with log.open("a") as file:
        file.write(json.dumps(told) + "\n")
    prompt = {"role": "user", "content": [{"type": "text", "text": words[words.index("-p") + 1]}]}
    tell("user", message=prompt, session_id=session)
    for step in json.loads(script.read_text())[number]:
        if step == LIMIT:
            print("Error: [resource_exhausted] rate limit", file=sys.stderr, flush=True)
            return 1
        if step == KILLED:
            os.kill(os.getpid(), signal.SIGKILL)
        if step == COMPACT:
            chat.send("preCompact")
        elif step == ENDS or not work(chat, session, step):
            break
    tell("assistant", message={"role": "assistant", "content": [{"type": "text", "text": "So far."}]},
         session_id=session)  # fmt: skip
    chat.send("sessionEnd", reason="completed", duration_ms=10, final_status="completed")
    tell("result", subtype="success", duration_ms=5, duration_api_ms=5, is_error=False, result="So far.",
         session_id=session, request_id=str(uuid4()))  # fmt: skip
    return 0


def work(chat: CursorChat, session: str, command: str) -> bool:
    """One shell call with its hooks, as the host makes it; False where a hook denied it."""
    chat.calls += 1
    call = {"tool_name": "Shell", "tool_use_id": f"tool_{session}_{chat.calls}",
            "tool_input": {"command": command, "cwd": "", "timeout": 30000}}  # fmt: skip
    shown = {"args": {"command": command}}
    tell("tool_call", subtype="started", call_id=call["tool_use_id"], tool_call={"shellToolCall": shown},
         session_id=session)  # fmt: skip
    allowed = chat.send("preToolUse", **call).get("permission") != "deny"
    allowed = allowed and chat.send("beforeShellExecution", command=command).get("permission") != "deny"
    if allowed:
        env = {**os.environ, "CURSOR_AGENT": "1", "CURSOR_CONVERSATION_ID": session}
        done = subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True)
        chat.send("afterShellExecution", command=command, output=done.stdout, duration=12.5)
        told = json.dumps({"output": done.stdout, "exitCode": done.returncode})
        chat.send("postToolUse", **call, tool_output=told, duration=12.5)
    ended = {**shown, "result": {"success" if allowed else "rejected": {}}}
    tell("tool_call", subtype="completed", call_id=call["tool_use_id"], tool_call={"shellToolCall": ended},
         session_id=session)  # fmt: skip
    return allowed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
