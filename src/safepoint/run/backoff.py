"""How long to wait before the model is asked again. Pure: chance comes as a number."""

from __future__ import annotations


def pause_s(attempt: int, first_s: float, most_s: float, chance: float) -> float:
    """Seconds to wait before attempt 1, 2, …: doubled each time, and drawn from its upper half.

    `chance` is from 0 to 1. Half of it is fixed, so that a retry is never at once; the other half is
    drawn, so that many runs that were refused at the same moment do not come back at the same moment.
    """
    longest = min(most_s, first_s * 2.0 ** min(attempt - 1, 30))
    return longest / 2 + longest / 2 * chance
