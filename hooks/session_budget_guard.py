#!/usr/bin/env python3
"""Before a tool: note Yellow; at Red save the state, then deny. Cursor: preToolUse, beforeShellExecution
(full: subagentStart, beforeReadFile). Claude Code: PreToolUse, SubagentStart."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import runtime
    runtime.main("before_tool", HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
