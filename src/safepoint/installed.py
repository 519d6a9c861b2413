"""Whether Safepoint is on in a project, and what its hooks go by."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import install_record, project
from .called_as import to_type
from .errors import SafepointError
from .hook_process import hooks_dir, not_installed
from .hot import runtime, switches
from .hot.digest import sha256_hex
from .hot.stores.paths import Paths
from .hot.texts import say

HOSTS = {"cursor": "Cursor", "claude_code": "Claude Code"}


def describe(root: str) -> dict[str, Any]:
    """`installed`, `version`, `hosts`, `mode`, `settings` (current, edited, unreadable) and `complaints`."""
    record = _record(root)
    folder = str(hooks_dir(root))
    found: dict[str, Any] = {
        "installed": record is not None,
        "version": record["version"] if record else None,
        "hosts": list(record["hosts"]) if record else [],
        "mode": None,
        "settings": "unreadable",
        "complaints": complaints(root, os.environ),
    }
    settings = runtime.settings_or_trouble(folder)
    if isinstance(settings, dict):
        found["mode"] = switches.from_environment(os.environ) or settings["mode"]
        found["settings"] = "edited" if _is_edited(folder, settings["manifest_sha256"]) else "current"
    return found


def line(found: dict[str, Any], root: str) -> str:
    """The same for a person."""
    if not found["installed"]:
        return not_installed(root)
    hosts = ", ".join(HOSTS[host] for host in found["hosts"])
    settings = {
        "current": "settings up to date",
        "edited": f"manifest.yaml was edited and not compiled: {to_type('generate', root)}",
        "unreadable": f"settings.json cannot be read: {to_type('generate', root)}",
    }[found["settings"]]
    return "\n".join(
        [f"on: {hosts} ({found['version']}); mode {found['mode']}; {settings}", *found["complaints"]]
    )


def _record(root: str) -> Any:
    try:
        return install_record.read(project.find(root))
    except SafepointError:
        return None


def complaints(root: str, environment: Mapping[str, str]) -> list[str]:
    """What there is to say of switches beside the manifest that cannot be gone by."""
    paths, found = Paths(root), switches.complaints(str(hooks_dir(root)), environment)
    return [
        say("en", key, **{**facts, "where": paths.relative(facts["where"])}).removeprefix("Safepoint: ")
        for key, facts in found
    ]


def _is_edited(folder: str, compiled: str) -> bool:
    try:
        with open(f"{folder}/manifest.yaml", "rb") as file:
            return sha256_hex(file.read()) != compiled
    except OSError:
        return False
