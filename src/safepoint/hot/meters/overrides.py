"""Thresholds of one model or host, laid over those of the window's size."""

from __future__ import annotations

from .window import normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..shapes import Reading, Tier
    from ..shapes.settings import Override


def overridden(tier: Tier, overrides: list[Override], reading: Reading) -> Tier:
    """``tier`` with what the first row says that fits the reading's host and model."""
    row = chosen(overrides, reading)
    if row is None:
        return tier
    changed = tier.copy()
    for name in ("yellow_ratio", "red_ratio", "yellow_tokens", "red_tokens"):
        if name in row:
            changed[name] = row[name]
    return changed


def chosen(overrides: list[Override], reading: Reading) -> Override | None:
    """The first row whose host and model, as far as it names them, are those of the reading."""
    return next((row for row in overrides if _fits(row, reading)), None)


def _fits(row: Override, reading: Reading) -> bool:
    if row.get("host", reading.get("host")) != reading.get("host"):
        return False
    return "model" not in row or normalize(row["model"]) == normalize(reading.get("model", ""))
