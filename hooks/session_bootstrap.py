#!/usr/bin/env python3
"""At a session's start, offer the pending handoff.
Cursor: sessionStart. Claude Code: SessionStart, PostModelSwitch."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import runtime
    runtime.main("session_start", HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
