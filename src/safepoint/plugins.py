"""The repository as a plugin of Claude Code and of Cursor: the files that make it one."""

from __future__ import annotations

from typing import Any

from . import registration, shipped

CLAUDE_HOOKS = "hooks/hooks.json"  # where Claude Code looks by itself
CURSOR_HOOKS = "hooks/cursor-hooks.json"
DESCRIPTION = (
    "Stops a coding agent at a safepoint before its context is full, "
    "and hands the next chat the place to go on."
)


def files() -> dict[str, dict[str, Any]]:
    """Content by path below the repository."""
    common = {
        "name": "safepoint", "version": shipped.version(), "description": DESCRIPTION, "license": "MIT",
        "keywords": ["hooks", "context", "handoff"],
    }  # fmt: skip
    return {
        ".claude-plugin/plugin.json": {**common, "author": {"name": "Safepoint maintainers"}},
        CLAUDE_HOOKS: registration.claude_plugin_hooks(),
        # Without a name of its own Cursor would take up the file that is in Claude Code's form.
        ".cursor-plugin/plugin.json": {**common, "hooks": f"./{CURSOR_HOOKS}"},
        CURSOR_HOOKS: registration.cursor_plugin_hooks(),
    }
