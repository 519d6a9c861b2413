"""Windows that a host has stated, by host and model, for sessions that are told nothing."""

from __future__ import annotations

from .. import wire
from ..files import read_bytes, write_atomic

SMALLEST = 200_000  # no model that agents run in has less; a smaller window has to be stated twice
_ONCE = "once"  # beside the hosts: what was stated once so far

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .paths import Paths


def window(paths: Paths, host: str, model: str) -> int | None:
    """The window in tokens that this host once stated for this model."""
    found = _read(paths).get(host, {}).get(model)
    return found if type(found) is int and found > 0 else None


def remember(paths: Paths, host: str, model: str, tokens: int) -> None:
    """Keep a stated window. Two writers at once: one of two true statements is lost, and comes again.

    One that would stop every later chat early waits for a second statement of the same figure.
    """
    learned = _read(paths)
    models = learned.setdefault(host, {})
    if not model or models.get(model) == tokens:
        return
    once, name = learned.get(_ONCE, {}), f"{host} {model}"
    if tokens < SMALLEST and once.get(name) != tokens:
        learned[_ONCE] = {**once, name: tokens}
    else:
        models[model] = tokens
        once.pop(name, None)
    write_atomic(paths.learned(), wire.dumps(learned, indent=2).encode("ascii"))


def _read(paths: Paths) -> dict[str, Any]:
    try:
        value = wire.loads(read_bytes(paths.learned()))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {host: models for host, models in value.items() if isinstance(models, dict)}
