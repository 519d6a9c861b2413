from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from safepoint.hot import digest


@given(st.binary())
def test_digest_is_hashlibs(data: bytes) -> None:
    expected = hashlib.sha256(data).hexdigest()
    assert digest.sha256_hex(data) == expected
    assert digest._from_hashlib(data).hexdigest() == expected
