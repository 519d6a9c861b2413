"""Hands an address to the system's opener and does not wait for it."""

from __future__ import annotations

import os
import sys


def open_address(address: str) -> bool:
    """Start `open`, `xdg-open` or Windows' own for `address`; False where that did not start."""
    if not address:
        return False
    try:
        if hasattr(os, "startfile"):
            os.startfile(address)
            return True
        command = ["open" if sys.platform == "darwin" else "xdg-open", address]
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),  # our stdout is the host's answer
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        os.posix_spawnp(command[0], command, dict(os.environ), file_actions=actions, setpgroup=0)
    except OSError:
        return False
    return True
