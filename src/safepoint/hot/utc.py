"""A point in time as text, without importing `time` or `datetime`. Pure."""

from __future__ import annotations


def utc(unix: float) -> str:
    """`2026-08-03T12:34:56Z` for seconds since 1970."""
    days, second = divmod(int(unix), 86400)
    year, month, day = _date(days)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"{year:04}-{month:02}-{day:02}T{clock}Z"


def _date(days: int) -> tuple[int, int, int]:
    """The Gregorian date of a day counted from 1970-01-01, by eras of 400 years that begin in March."""
    era, day_of_era = divmod(days + 719468, 146097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1
