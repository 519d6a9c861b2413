#!/usr/bin/env python3
"""The status line: the user's own, and below it how full the context is. Only with --with-statusline.
Claude Code: statusLine."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import statusline
    statusline.main(HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
