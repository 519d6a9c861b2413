#!/usr/bin/env python3
"""Leave a last snapshot when the session ends.
Cursor: sessionEnd. Claude Code: SessionEnd."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import runtime
    runtime.main("session_end", HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
