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


def of_clone(compiled: object, hooks_dir: str) -> str:
    """The mode that the compiled settings and this person's own ask for.

    Raises ValueError where the compiled one is none: nobody wrote that by hand, so the file is damaged.
    """
    if compiled not in MODES:
        raise ValueError(f"mode is {compiled!r}, which is none of {', '.join(MODES)}")
    return from_file(hooks_dir) or str(compiled)


def from_file(hooks_dir: str) -> str:
    """The mode that this person's own settings ask for, '' where they ask for none."""
    return mode_of(_local(hooks_dir)[0].get("mode"))


def complaints(hooks_dir: str, environment: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
    """Key and facts of a text about each switch that cannot be gone by, wherever it is set."""
    found = []
    value = environment.get(ENV_NAME, "")
    if value.strip() and not mode_of(value):
        found.append(("switch_user", {"where": ENV_NAME, "value": value}))
    where = f"{hooks_dir}/{LOCAL_FILE}"
    local, trouble = _local(hooks_dir)
    strange = sorted(key for key in local if key != "mode")
    if trouble or strange:
        why = trouble or f"{', '.join(strange)}: unknown"
        found.append(("switch_file_user", {"where": where, "why": why}))
    if "mode" in local and not mode_of(local["mode"]):
        found.append(("switch_user", {"where": where, "value": wire.dumps(local["mode"]).strip('"')}))
    return found


def _local(hooks_dir: str) -> tuple[dict[str, Any], str]:
    """What the file holds ({} where there is none), and why it cannot be read, if it cannot."""
    try:
        settings = wire.loads(read_bytes(f"{hooks_dir}/{LOCAL_FILE}"))
    except (FileNotFoundError, NotADirectoryError):
        return {}, ""
    except OSError as error:
        return {}, error.strerror or "?"
    except ValueError:
        return {}, "no JSON"
    return (settings, "") if isinstance(settings, dict) else ({}, "no JSON object")
