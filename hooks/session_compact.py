#!/usr/bin/env python3
"""Save the state before the host compacts the conversation.
Cursor: preCompact. Claude Code: PreCompact."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import runtime
    runtime.main("compact", HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
