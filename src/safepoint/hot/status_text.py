"""The status line's words and figures. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from .shapes import Level, TodoProgress

WIDTH = 10  # of the bar, in characters


def line(
    tokens: Optional[int], window: Optional[int], level: Level, campaign: str, todos: TodoProgress
) -> str:
    """`ctx ███████░░░ 72% 144k/200k · fix-auth · 4/7`; what is not known is left out."""
    parts = [_context(tokens, window)]
    if level != "green":
        parts[0] += f" {level.capitalize()}"
    if campaign:
        parts.append(campaign)
    if todos["total"]:
        parts.append(f"{todos['done']}/{todos['total']}")
    return " · ".join(parts)


def _context(tokens: Optional[int], window: Optional[int]) -> str:
    if tokens is None:
        return f"ctx {'░' * WIDTH} –/{_short(window)}" if window else "ctx –"
    if not window:
        return f"ctx {_short(tokens)}"
    share = tokens / window
    full = min(WIDTH, round(WIDTH * share))
    return f"ctx {'█' * full}{'░' * (WIDTH - full)} {share:.0%} {_short(tokens)}/{_short(window)}"


def _short(tokens: int) -> str:
    """144k, 1M, 1.2M: three digits at most."""
    if tokens < 999_500:
        return f"{round(tokens / 1000)}k"
    return f"{tokens / 1_000_000:.1f}".rstrip("0").rstrip(".") + "M"
