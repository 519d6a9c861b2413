"""Which entrypoint stands on which event of which host, and the one command line that starts it.

The command imports the entrypoint instead of naming a file: both hosts set CLAUDE_PROJECT_DIR, Cursor drops
a Claude entry whose command is byte for byte its own, and a missing file or interpreter ends with 1 or 127,
which lets the tool go on (`python3 missing.py` ends with 2, which would deny every tool).
"""

from __future__ import annotations

import re
import shlex
from itertools import takewhile
from typing import Any, Literal

EventSet = Literal["base", "full"]
EVENT_SETS: tuple[EventSet, ...] = ("base", "full")
TIMEOUT_S = 10
HOOK_PREFIX = "session_"  # of every entrypoint's name
STATUS_LINE = "session_statusline"  # on no event: see `status_line_file`
PYTHON = "python3"  # a shared installation names no path of one machine

# Every Cursor version that has preToolUse knows these. One name that a version does not know voids the
# whole hooks file of its user, so the others are registered only when asked for.
CURSOR_BASE = {
    "sessionStart": "session_bootstrap",
    "beforeSubmitPrompt": "session_prompt",
    "preToolUse": "session_budget_guard",
    "beforeShellExecution": "session_budget_guard",
    "postToolUse": "session_resume_tracker",
    "afterShellExecution": "session_resume_tracker",
    "preCompact": "session_compact",
    "stop": "session_stop",
    "sessionEnd": "session_end",
}
CURSOR_FULL = CURSOR_BASE | {
    "postToolUseFailure": "session_resume_tracker",
    "subagentStart": "session_budget_guard",
    "subagentStop": "session_resume_tracker",
    "afterAgentResponse": "session_resume_tracker",
    "beforeReadFile": "session_budget_guard",
}
CURSOR: dict[EventSet, dict[str, str]] = {"base": CURSOR_BASE, "full": CURSOR_FULL}

CLAUDE = {
    "SessionStart": "session_bootstrap",
    "UserPromptSubmit": "session_prompt",
    "PreToolUse": "session_budget_guard",
    "PostToolUse": "session_resume_tracker",
    "PostToolUseFailure": "session_resume_tracker",
    "PostToolBatch": "session_batch",
    "SubagentStart": "session_budget_guard",
    "SubagentStop": "session_resume_tracker",
    "PreCompact": "session_compact",
    "Stop": "session_stop",
    "SessionEnd": "session_end",
    "PostModelSwitch": "session_bootstrap",
}
CLAUDE_WITHOUT_MATCHER = {"UserPromptSubmit", "PostToolBatch", "Stop", "PostModelSwitch"}

# Claude's events as Cursor reads them out of .claude/settings.json.
CLAUDE_IN_CURSOR = {
    "SessionStart": "sessionStart",
    "UserPromptSubmit": "beforeSubmitPrompt",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "SubagentStop": "subagentStop",
    "PreCompact": "preCompact",
    "Stop": "stop",
    "SessionEnd": "sessionEnd",
}

_COMMAND = (
    '{python} -I -S -c "import sys,os;'
    "sys.path.insert(0,os.environ['CLAUDE_PROJECT_DIR']+'/.cursor/hooks');"
    'import {name} as h;h.main()"'
)
# A plugin lies anywhere; its host says where. Without that the command ends with 1, and the tool goes on.
_PLUGIN_COMMAND = (
    'python3 -I -S -c "import sys,os;'
    "r=os.environ.get('CURSOR_PLUGIN_ROOT')or os.environ['CLAUDE_PLUGIN_ROOT'];"
    "sys.path[:0]=[r+'/hooks',r+'/src'];"
    'import {name} as h;h.main()"'
)
SETTINGS_ONLY = {"PostModelSwitch"}  # one event that is not allowed in a plugin voids its whole file
_WORD = r"""(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\|&;<>()`#])+"""  # of a shell: one argument
_PLAIN = r"[\w./~=:@%+,-]+"
_OURS = re.compile(
    rf"""\s*{_WORD}(?:\s+-\w+)*\s+-c\s+"[^"]*CLAUDE_PROJECT_DIR[^"]*/\.cursor/hooks[^"]*"""
    r"""\bimport\ session_\w+\ as\ h;h\.main\(\)\""""
    rf"""(?:\s+(?P<theirs>{_WORD}|{_PLAIN}(?:\s+{_PLAIN})+))?\s*""",
    re.DOTALL,
)

_RUNS = re.compile(
    r"\bimport\s+(?P<imported>session_\w+)\s+as\s+h\b|\.cursor/hooks/(?P<file>session_\w+)\.py\b"
)
_HOOK_FILE = re.compile(r"(?:.*/)?\.cursor/hooks/(session_\w+)\.py", re.DOTALL)
_HOOK_CODE = re.compile(r".*/\.cursor/hooks.*\bimport\s+(session_\w+)\s+as\s+h\s*;\s*h\.main\(\)", re.DOTALL)
_INTERPRETER = re.compile(r"python[\d.]*(?:\.exe)?")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_FLAGS = re.compile(r"-[BEIOPSbdqsuv]+")


def entrypoints() -> list[str]:
    return list(dict.fromkeys([*CURSOR_FULL.values(), *CLAUDE.values(), STATUS_LINE]))


def hook_names() -> list[str]:
    """The entrypoints as a person calls them: without what all their names begin with."""
    return [name.removeprefix(HOOK_PREFIX) for name in entrypoints()]


def entrypoint_of(host: str, event: str) -> str | None:
    """The entrypoint for a host's event, whether it is registered by default or not."""
    return (CURSOR_FULL if host == "cursor" else CLAUDE).get(event)


def status_line(python: str, theirs: str) -> str:
    """The command of the status line. `theirs`: the one that it runs beside itself, '' for none."""
    quoted = shlex.quote(theirs)
    if quoted == theirs:  # in quotes all the same: who edits it in place may add a word
        quoted = f"'{theirs}'"
    return command(STATUS_LINE, python) + (f" {quoted}" if theirs else "")


def wrapped(text: str) -> str:
    """The command that a status line of ours runs beside itself; '' where it has none."""
    found = _OURS.fullmatch(text)
    theirs = found["theirs"] if found else None
    return " ".join(shlex.split(theirs)) if theirs else ""


def command(entrypoint: str, python: str = PYTHON) -> str:
    """`python`: how the command line names the interpreter, quoted where that is needed."""
    return _COMMAND.format(python=python, name=entrypoint)


def is_ours(text: object) -> bool:
    """Whether a registered command line is one of Safepoint's, of this version or another, and nothing else:
    one of a person's that has ours in a pipeline is theirs."""
    return isinstance(text, str) and _OURS.fullmatch(text) is not None


def runs(text: object) -> str:
    """The entrypoint that a command line runs, anywhere in it and whosever it is; "" for none."""
    found = _RUNS.search(text) if isinstance(text, str) else None
    name = (found["imported"] or found["file"]) if found else ""
    return name if name in entrypoints() else ""


def surely_runs(text: object) -> str:
    """The same where there is no doubt; "" for a line that may only name the file, or run it not always.

    No doubt: it is the line's first command, but for what sets a folder or a variable, or hands the input
    on; it has the event as its input, and the host has its answer and its end.
    """
    try:
        lexer = shlex.shlex(text if isinstance(text, str) else "", posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""  # it takes a # inside a word for a comment
        tokens = list(lexer)
    except ValueError:  # a quote that is not closed
        return ""
    command: list[str] = []
    is_plain = True
    for token in [*takewhile(lambda token: token[0:1] != "#", tokens), ";"]:
        if set(token) - set("();<>|&"):
            command.append(token)
        elif set(token) & set("<>"):
            is_plain = is_plain and token[0] == ">" and command[-1:] == ["2"]
        else:
            name = _run_by(command)
            if name or not (is_plain and _leads_on(command, token)):
                return name if name in entrypoints() and is_plain and token != "&" else ""
            command = []
    return ""


def _leads_on(words: list[str], end: str) -> bool:
    """Whether what stands behind a command and its `end` runs all the same, with the same input."""
    if end == "|":
        return words in (["cat"], ["cat", "-"]) or words[:1] == ["tee"]
    is_setting = words[:1] in (["cd"], ["export"]) or all(_ASSIGNMENT.match(word) for word in words)
    return bool(words) and is_setting and end in ("&&", ";")


def _run_by(words: list[str]) -> str:
    """What a single command runs of Safepoint's hooks."""
    while words and (_ASSIGNMENT.match(words[0]) or words[0] in ("exec", "env", "/usr/bin/env")):
        words = words[1:]
    if words and _INTERPRETER.fullmatch(re.split(r"[\\/]", words[0])[-1]):
        words = words[1:]
        while words and _FLAGS.fullmatch(words[0]):
            words = words[1:]
        if words[:1] == ["-c"]:
            found = _HOOK_CODE.fullmatch("".join(words[1:2]))
            return found[1] if found else ""
    found = _HOOK_FILE.fullmatch(words[0]) if words else None
    return found[1] if found else ""


def is_certain(text: object) -> bool:
    """Whether a command line is Safepoint's own, or a person's that runs one of its hooks without a doubt."""
    return is_ours(text) or bool(surely_runs(text))


def cursor_entry(entrypoint: str, python: str = PYTHON) -> dict[str, Any]:
    return {"command": command(entrypoint, python), "timeout": TIMEOUT_S}


def claude_group(event: str, entrypoint: str, python: str = PYTHON) -> dict[str, Any]:
    hook = {"type": "command", "command": command(entrypoint, python), "timeout": TIMEOUT_S}
    return {"hooks": [hook]} if event in CLAUDE_WITHOUT_MATCHER else {"matcher": "*", "hooks": [hook]}


def cursor_hooks(events: EventSet, python: str = PYTHON) -> dict[str, Any]:
    """`.cursor/hooks.json` with nothing but Safepoint in it."""
    hooks = {event: [cursor_entry(name, python)] for event, name in CURSOR[events].items()}
    return {"version": 1, "hooks": hooks}


def claude_settings(python: str = PYTHON) -> dict[str, Any]:
    """The part of `.claude/settings.json` that is Safepoint's."""
    return {"hooks": {event: [claude_group(event, name, python)] for event, name in CLAUDE.items()}}


def claude_plugin_hooks() -> dict[str, Any]:
    """`hooks/hooks.json` of the Claude Code plugin."""
    hooks = {}
    for event, name in CLAUDE.items():
        if event not in SETTINGS_ONLY:
            group = claude_group(event, name)
            group["hooks"][0]["command"] = _PLUGIN_COMMAND.format(name=name)
            hooks[event] = [group]
    return {"hooks": hooks}


def cursor_plugin_hooks() -> dict[str, Any]:
    """The hooks file that the Cursor plugin names: events that no version with preToolUse lacks."""
    hooks = {}
    for event, name in CURSOR_BASE.items():
        hooks[event] = [{**cursor_entry(name), "command": _PLUGIN_COMMAND.format(name=name)}]
    return {"version": 1, "hooks": hooks}
