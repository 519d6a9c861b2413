#!/usr/bin/env python3
"""Answer the prompt words; with a session's first prompt, claim the handoff that was offered.
Cursor: beforeSubmitPrompt. Claude Code: UserPromptSubmit."""
import os
import sys

HOOKS_DIR = os.path.dirname(os.path.abspath(__file__))

def main() -> None:
    from safepoint.hot import runtime
    runtime.main("prompt", HOOKS_DIR)

if __name__ == "__main__":
    sys.path.insert(0, os.path.join(HOOKS_DIR, "..", "src"))
    main()
