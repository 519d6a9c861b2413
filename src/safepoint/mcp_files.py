"""Safepoint's todo server in the users' own `.cursor/mcp.json` and `.mcp.json`: put in and taken out."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Any

from . import json_edit, jsonc
from .hook_files import HookFileError, Made, Merged, decode, ensure, restore, withdraw_root
from .hot.shapes import Host
from .json_edit import Steps
from .jsonc import JsoncError, Node

FILES: dict[Host, str] = {"cursor": ".cursor/mcp.json", "claude_code": ".mcp.json"}
SERVERS, NAME = "mcpServers", "safepoint"


def launcher() -> list[str]:
    """The words that start this command line from anywhere."""
    return ["safepoint"] if shutil.which("safepoint") else [sys.executable, "-m", "safepoint"]


def entry(host: Host) -> dict[str, Any]:
    """How the host starts the server. Claude Code starts it in the project; Cursor has to be told to."""
    words = [*launcher(), "mcp"]
    if host == "cursor":
        words += ["--project", "${workspaceFolder}"]
    return {"command": words[0], "args": words[1:]}


def is_portable(started: dict[str, Any]) -> bool:
    """Whether the entry also works on a colleague's machine."""
    return bool(started["command"] == "safepoint")


def merge(content: bytes | None, file: str, started: dict[str, Any], made: Made) -> Merged:
    """The file with the server in it, whatever else is there left as it is."""
    text, bom = decode(content, file)
    made = dict(made)
    try:
        if not text.strip():
            made.setdefault("", None if content is None else text)
            text = "{" + ("\r\n" if "\r\n" in text else "\n") + "}\n"
        _check(text)
        root = jsonc.parse(text)
        if not root.items:
            made.setdefault("", text[root.start : root.end])
        text = _place(text, started, made)
    except JsoncError as error:
        raise HookFileError(file, error.line, error.column, error.message) from error
    return Merged((bom + text).encode(), made)


def withdraw(content: bytes, file: str, made: Made) -> Merged:
    """The file without the server; content None where it was Safepoint's whole."""
    text, bom = decode(content, file)
    made = dict(made)
    try:
        if not text.strip():
            return Merged(content, {})
        _check(text)
        if _is_ours(_node(text, [SERVERS, NAME])):
            text = json_edit.remove(text, [SERVERS, NAME])
        text = restore(text, made, keep=set())
        if "" in made:
            return withdraw_root(text, bom, made)
    except JsoncError as error:
        raise HookFileError(file, error.line, error.column, error.message) from error
    return Merged((bom + text).encode(), made)


def is_registered(content: bytes | None) -> bool:
    """Whether a file that may be anything holds the server."""
    try:
        text, _ = decode(content, "")
        return bool(text.strip()) and _is_ours(_node(text, [SERVERS, NAME]))
    except (HookFileError, JsoncError):
        return False


def _place(text: str, started: dict[str, Any], made: Made) -> str:
    present = _node(text, [SERVERS, NAME])
    if present is None:
        text = ensure(text, [], SERVERS, {}, made)
        return json_edit.append(text, [SERVERS], started, NAME)
    if present.value == started:
        return text
    return json_edit.replace(text, [SERVERS, NAME], json.dumps(started, ensure_ascii=False))


def _check(text: str) -> None:
    """Refuse what a merge could only guess about."""
    root = jsonc.parse(text)
    if not isinstance(root.value, dict):
        raise JsoncError(text, root.start, "an object {…} is expected here")
    servers = root.child(SERVERS)
    if servers is None:
        return
    if not isinstance(servers.value, dict):
        raise JsoncError(text, servers.start, "an object {…} with the servers is expected here")
    present = servers.child(NAME)
    if present is not None and not _is_ours(present):
        raise JsoncError(text, present.start, f"a server {NAME} is there already and not Safepoint's")


def _is_ours(present: Node | None) -> bool:
    if present is None or not isinstance(present.value, dict):
        return False
    args = present.value.get("args")
    return isinstance(args, list) and "mcp" in args and NAME in (present.value.get("command"), *args)


def _node(text: str, path: Steps) -> Node | None:
    return jsonc.parse(text).at(path)
