"""SHA-256 without ``hashlib``, whose import loads OpenSSL."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _from_hashlib(data: bytes) -> Any:
    import hashlib

    return hashlib.sha256(data)


def _find_sha256() -> Callable[[bytes], Any]:
    try:
        import _sha2  # type: ignore[import-not-found]  # 3.12 and later

        return _sha2.sha256  # type: ignore[no-any-return]
    except ImportError:
        pass
    try:
        import _sha256  # type: ignore[import-not-found]

        return _sha256.sha256  # type: ignore[no-any-return]
    except ImportError:  # a build that leaves SHA-2 to OpenSSL
        return _from_hashlib


_new = _find_sha256()


def sha256_hex(data: bytes) -> str:
    """The 64 lower-case hex digits of the SHA-256 of ``data``."""
    digest: str = _new(data).hexdigest()
    return digest
