"""How long this process may still take."""

from __future__ import annotations


def left_s() -> float:
    """Seconds until this process gives up; far away where no timer runs."""
    import _signal  # type: ignore[import-not-found]

    timer: float = _signal.getitimer(_signal.ITIMER_REAL)[0] if hasattr(_signal, "getitimer") else 0.0
    return timer or 60.0
