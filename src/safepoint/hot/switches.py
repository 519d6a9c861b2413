"""The switches people have beside the manifest: `SAFEPOINT` in the environment, `settings.local.json`.

A value that is none of the known ones changes nothing: a slip must switch the guard neither off nor on. It
is told instead (`complaints`).
"""

from __future__ import annotations

from . import wire
from .files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ENV_NAME, LOCAL_FILE = "SAFEPOINT", "settings.local.json"
MODES = ("enforce", "warn", "off")
OFF = ("0", "false", "no", "disabled")


def mode_of(value: object) -> str:
    """The mode that a person's word means, '' where it means none."""
    word = value.strip().lower() if isinstance(value, str) else "off" if value is False else ""
    return "off" if word in OFF else word if word in MODES else ""


def from_environment(environment: Mapping[str, str]) -> str:
    """The mode that the environment asks for; nobody can enforce what others switched off there."""
    mode = mode_of(environment.get(ENV_NAME, ""))
    return mode if mode in ("off", "warn") else ""


def from_file(hooks_dir: str) -> str:
    """The mode that this person's own settings ask for."""
    return mode_of(_local(hooks_dir)[0])


def complaints(hooks_dir: str, environment: Mapping[str, str]) -> list[tuple[str, str]]:
    """(where, what stands there) of each switch that is set to no known mode."""
    found = []
    value = environment.get(ENV_NAME, "")
    if value.strip() and not mode_of(value):
        found.append((ENV_NAME, value))
    local, trouble = _local(hooks_dir)
    if trouble or (local is not None and not mode_of(local)):
        found.append((LOCAL_FILE, trouble or str(local)))
    return found


def _local(hooks_dir: str) -> tuple[Any, str]:
    """`mode` of the file (None where there is none), and what is wrong with the file as a whole."""
    try:
        data = read_bytes(f"{hooks_dir}/{LOCAL_FILE}")
    except OSError:
        return None, ""
    try:
        settings = wire.loads(data)
    except ValueError:
        return None, "no JSON"
    return (settings.get("mode"), "") if isinstance(settings, dict) else (None, "no JSON object")
