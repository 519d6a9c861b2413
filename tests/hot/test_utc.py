from __future__ import annotations

from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot.utc import utc


@pytest.mark.parametrize(
    ("unix", "text"),
    [
        pytest.param(0, "1970-01-01T00:00:00Z", id="epoch"),
        pytest.param(951782399.9, "2000-02-28T23:59:59Z", id="fraction"),
        pytest.param(951782400, "2000-02-29T00:00:00Z", id="leap-day"),
        pytest.param(4107542400, "2100-03-01T00:00:00Z", id="no-leap-year"),
    ],
)
def test_utc(unix: float, text: str) -> None:
    assert utc(unix) == text


@given(st.integers(-62135596800, 253402300799))
def test_utc_agrees_with_datetime(unix: int) -> None:
    expected = datetime.fromtimestamp(unix, timezone.utc) if unix >= 0 else None
    if expected is not None:
        assert utc(unix) == expected.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
    assert len(utc(unix)) == 20
