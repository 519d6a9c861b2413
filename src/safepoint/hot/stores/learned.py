"""Windows that a host has stated, by host and model, for sessions that are told nothing."""

from __future__ import annotations

from .. import wire
from ..files import read_bytes, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .paths import Paths


def window(paths: Paths, host: str, model: str) -> int | None:
    """The window in tokens that this host once stated for this model."""
    found = _read(paths).get(host, {}).get(model)
    return found if type(found) is int and found > 0 else None


def remember(paths: Paths, host: str, model: str, tokens: int) -> None:
    """Keep a stated window. Two writers at once: one of two true statements is lost, and comes again."""
    learned = _read(paths)
    models = learned.setdefault(host, {})
    if model and models.get(model) != tokens:
        models[model] = tokens
        write_atomic(paths.learned(), wire.dumps(learned, indent=2).encode("ascii"))


def _read(paths: Paths) -> dict[str, Any]:
    try:
        value = wire.loads(read_bytes(paths.learned()))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {host: models for host, models in value.items() if isinstance(models, dict)}
