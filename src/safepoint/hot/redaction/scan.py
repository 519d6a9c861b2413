"""One text, what was found in it, and where runs of characters end."""

from __future__ import annotations

from .marks import MAX_PLACES, TooDenseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int, str]  # start, end, label

DIGITS = frozenset("0123456789")


class Scan:
    """One text and what was found in it."""

    __slots__ = ("_left", "_line", "low", "spans", "text")

    def __init__(self, text: str, low: str) -> None:
        if len(low) != len(text):
            raise ValueError("lower case of another length")
        self.text = text
        self.low = low
        self.spans: list[Span] = []
        self._left = MAX_PLACES
        self._line = (0, -1)

    def places(self, marker: str, lowered: bool = False) -> Iterator[int]:
        """Each index of ``marker``, but for those inside a span that was added since the one before."""
        text = self.low if lowered else self.text
        at = text.find(marker)
        while at >= 0:
            self._left -= 1
            if self._left < 0:
                raise TooDenseError
            known = len(self.spans)
            yield at
            after = at + len(marker)
            if len(self.spans) > known:
                after = max(after, self.spans[-1][1])
            at = text.find(marker, after)

    def line_end(self, start: int) -> int:
        """Where the line of ``start`` ends; remembered, for a line can be the whole text."""
        first, end = self._line
        if not first <= start <= end:
            end = self.text.find("\n", start)
            end = len(self.text) if end < 0 else end
            self._line = (start, end)
        return end

    def add(self, start: int, end: int, label: str) -> None:
        if end > start:
            self.spans.append((start, end, label))


def run(text: str, start: int, chars: str, limit: int = 0) -> int:
    """Where the run of ``chars`` that begins at ``start`` ends, at most ``limit`` further."""
    size, end = 64, start
    while True:
        size = min(size, start + limit - end) if limit else size
        piece = text[end : end + size]
        rest = len(piece.lstrip(chars))
        end += len(piece) - rest
        if rest or not piece:
            return end
        size = min(size * 8, 1 << 20)
