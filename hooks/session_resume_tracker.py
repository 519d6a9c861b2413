#!/usr/bin/env python3
"""After a tool, move the resume point on. Cursor: postToolUse, afterShellExecution (full: postToolUseFailure,
subagentStop, afterAgentResponse). Claude Code: PostToolUse, PostToolUseFailure, SubagentStop."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import runtime
    runtime.main("after_tool", HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
