"""Lines of Safepoint's own inside a text file of somebody else's, between two marks."""

from __future__ import annotations

BEGIN = b"# >>> safepoint"
END = b"# <<< safepoint"


def put(content: bytes | None, lines: list[str]) -> bytes:
    """The file with the block as its last part (or where it stood before)."""
    rest = content or b""
    block = b"\n".join([BEGIN, *(line.encode() for line in lines), END])
    found = _find(rest)
    if found:
        return rest[: found[0]] + block + rest[found[1] :]
    # A file whose last line is not ended gets a block that is not ended either, so that `take` can tell.
    return rest + block + b"\n" if not rest or rest.endswith(b"\n") else rest + b"\n" + block


def take(content: bytes) -> bytes:
    """The file as it was before `put`."""
    found = _find(content)
    if not found:
        return content
    start, end = found
    if content[end : end + 1] == b"\n":
        end += 1
    elif end == len(content) and start:
        start -= 1
    return content[:start] + content[end:]


def _find(content: bytes) -> tuple[int, int] | None:
    start = content.find(BEGIN)
    end = content.find(END, start)
    return (start, end + len(END)) if start >= 0 and end >= 0 else None
