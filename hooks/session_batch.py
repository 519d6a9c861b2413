#!/usr/bin/env python3
"""After all calls of one model message: count it; end the turn when three in a row were denied whole.
Claude Code: PostToolBatch."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import runtime
    runtime.main("batch", HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
