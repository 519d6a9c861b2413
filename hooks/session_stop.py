#!/usr/bin/env python3
"""At a turn's end, log it; after Red, tell what was saved and how to go on.
Cursor: stop. Claude Code: Stop."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import runtime
    runtime.main("turn_end", HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
