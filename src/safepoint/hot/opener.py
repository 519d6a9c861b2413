"""Hands an address to the system's opener and does not wait for it."""

from __future__ import annotations

import os
import sys

from . import detached


def open_address(address: str) -> bool:
    """Start `open`, `xdg-open` or Windows' own for `address`; False where that did not start."""
    if not address:
        return False
    try:
        if hasattr(os, "startfile"):
            os.startfile(address)
            return True
        detached.start(["open" if sys.platform == "darwin" else "xdg-open", address])
    except OSError:
        return False
    return True
