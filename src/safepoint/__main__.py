"""`python -m safepoint`."""

from .cli import entry

entry()
