"""Which hosts are on this machine, as far as their commands say."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator

from .findings import Finding, Site

COMMANDS = {"Claude Code": ("claude",), "Cursor": ("cursor",), "Cursor CLI": ("cursor-agent",)}
TIMEOUT_S = 10
_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.-]*")


def hosts(site: Site, seen: str) -> Iterator[Finding]:
    """`seen`: the Cursor whose version the hooks were told last, '' if none."""
    found = versions(site)
    said = [f"{name} {version}" for name, version in found.items()]
    if seen:
        said.append(f"Cursor {seen} (seen by the hooks)")
    if said:
        yield Finding("hosts", "ok", ", ".join(said))
    else:
        text = "No host is found on the PATH, and none has run the hooks yet."
        yield Finding("hosts", "note", text, "Nothing, if you start it from somewhere else.")


def versions(site: Site) -> dict[str, str]:
    found = {}
    for name, (command,) in COMMANDS.items():
        path = shutil.which(command, path=site.environment.get("PATH"))
        version = _ask(path, dict(site.environment)) if path else ""
        if version:
            found[name] = version
    return found


def _ask(path: str, environment: dict[str, str]) -> str:
    try:
        done = subprocess.run(
            [path, "--version"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=TIMEOUT_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    match = _VERSION.search(done.stdout)
    return match[0] if match and done.returncode == 0 else ""
