"""The python3 that a host finds, and how long it takes to start."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from ..called_as import to_type
from ..interpreters import OLDEST, ask, start_s
from . import registered
from .findings import Finding, Level, Site

SLOW_S = 0.08  # several times what a bare CPython takes; it is paid twice for every tool call
TOO_SLOW_S = 0.25  # from here on a person waits for it, and the guard's deadline comes near
SHIM_FACTOR = 1.8  # a launcher that costs this many times its interpreter


def interpreter(site: Site) -> Iterator[Finding]:
    """Found as a shell of the host would find it. An editor started from a desktop may have another PATH."""
    word = command_word(site)
    look = ask(word, site.environment)
    if look is None:
        text = f"{word} is not found, or does not run: no hook runs, and every tool goes on."
        yield Finding(
            "interpreter", "problem", text, "Install Python 3.9 or later, as `python3` on the PATH."
        )
        return
    name = f"{look.found} (Python {'.'.join(map(str, look.version))})"
    if look.version < OLDEST:
        text = f"{name} is older than 3.9: the hooks do not run."
        yield Finding("interpreter", "problem", text, "Put a newer python3 first on the PATH.")
        return
    seconds = start_s(word, site.environment)
    if seconds > SLOW_S:  # the machine may have been busy for a moment
        seconds = min(seconds, start_s(word, site.environment))
    direct = start_s(look.real, site.environment) if os.path.realpath(look.found) != look.real else seconds
    level: Level = "problem" if seconds > TOO_SLOW_S else "note"
    shown = f"{name} starts in {seconds * 1000:.0f} ms"
    if seconds > SHIM_FACTOR * direct and seconds - direct > 0.01:
        text = f"{shown}; it only passes on to {look.real}, which needs {direct * 1000:.0f} ms."
        yield Finding("interpreter", level, text, _remedy(site, look.real))
    elif seconds > SLOW_S:
        text = f"{shown}: two hooks run for every tool call."
        yield Finding("interpreter", level, text, _remedy(site, "PATH"))
    else:
        yield Finding("interpreter", "ok", f"{shown}.")


def _remedy(site: Site, python: str) -> str:
    """A shared installation names no interpreter of one machine; one for a single person may."""
    again = to_type("install", str(site.path), "--local", "--python", python)
    if site.record is None or site.record["scope"] == "shared":
        return (
            "Put the folder of a faster python3 first on the PATH that your host is started with, or, where"
            f" the hooks are for you alone: {again}"
        )
    return again


def command_word(site: Site) -> str:
    """The interpreter as the registered command lines name it."""
    ours = [entry.command for entry in registered.in_project(site) if entry.is_ours]
    try:
        return shlex.split(ours[0])[0] if ours else "python3"
    except (ValueError, IndexError):
        return "python3"


def bytecode(site: Site) -> Iterator[Finding]:
    """Without a place for compiled modules every hook compiles them anew."""
    if site.record is None:
        return
    package = Path(site.path) / ".cursor/hooks" / site.record["package"]
    if package.is_dir() and not os.access(package, os.W_OK):
        text = f"{package} cannot be written: each hook compiles its modules again, which triples its time."
        yield Finding("interpreter", "problem", text, "Make the folder writable for yourself.")
