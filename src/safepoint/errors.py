"""What a command may tell a user and exit 1 for. Anything else that is raised is a bug."""

from __future__ import annotations


class SafepointError(Exception):
    """An expected failure; its text is written for the person who typed the command."""
