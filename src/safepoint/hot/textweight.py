"""How many tokens a text costs, without a tokenizer: characters are counted by kind, each kind has its price.

The prices are fitted by `tools/bench/accuracy` to two published vocabularies (Anthropic's first and OpenAI's
o200k), each text at the dearer of the two: reading too low is what lets a context fill up unseen.  The error
for each kind of text is in docs/performance.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PICTURE_TOKENS = 1_500  # whatever its bytes: the model is shown a picture, not base64
_SLICE = 4096
_MAX_SLICES = 64
_MAX_NODES = 200_000

# --- prices: written by `python -m tools.bench.accuracy --fit` ---
_PRICES = (
    (b"a", 0.08),
    (b".", 0.813),
    (b" ", 0.023),
    (b"n", 1.023),
    (b"t", 0.768),
    (b" a", 0.716),
    (b".a", 0.832),
    (b"na", 0.808),
    (b"..", -0.813),
)
_CAPITAL_PRICES = (
    (b"A", 0.361),
    (b"aA", 0.556),
)
_DIGIT_PRICES = (
    (b"0", 0.848),
    (b"0a", 0.464),
    (b"a0", 0.654),
    (b"0A", 1.675),
    (b"A0", 1.63),
    (b" 0", 1.253),
    (b"00", -0.848),
)
_SCRIPT_PRICES = (
    (b"k", 0.998),
    (b"h", 0.912),
    (b"g", 1.275),
    (b"L", 2.203),
    (b"C", 0.541),
    (b"S", 0.686),
)
# --- end of prices ---
# No corpus of these: first bytes in UTF-8 as a class, price of a character.
_RARE = (
    (b"E", 0.8),  # Greek
    (b"M", 0.7),  # Armenian, Hebrew, Arabic
    (b"I", 1.0),  # Indic, Thai
    (b"F", 1.2),  # full-width forms
    (b"Y", 2.2),  # emoji and all else beyond the basic plane
)
# The class of a byte. A character of several bytes has that of its first; the others are dropped (_LATER),
# and so is \r, which costs nothing before \n.
_CLASSES = (
    b"." * 9 + b"tn.._" + b"." * 18 + b" " + b"." * 15  # signs, tab, line ends, blank
    + b"0" * 10 + b"." * 7 + b"A" * 26 + b"." * 6 + b"a" * 26 + b"." * 5
    + b"_" * 64  # _LATER
    + b"L" * 14 + b"E" * 2 + b"C" * 5 + b"M" * 11  # accented Latin, Greek, Cyrillic, Hebrew and its like
    + b"I" * 2 + b"S" + b"k" + b"h" * 6 + b"g" * 4 + b"F" * 2  # Indic; dashes and boxes; kana, Han, Hangul
    + b"Y" * 16
)  # fmt: skip
_LATER = b"\r" + bytes(range(0x80, 0xC0))


def tokens(text: str) -> int:
    """Estimated tokens of ``text``; 0 only for the empty text.

    Beyond 262,144 characters, 64 evenly spaced pieces of 4096 stand for the whole: the time is bounded.
    """
    size = len(text)
    if size <= _SLICE:
        return _rounded(_weigh(text)) or (1 if text else 0)
    step = max(_SLICE, size // _MAX_SLICES)
    starts = range(0, size - _SLICE + 1, step) if step > _SLICE else range(0, size, _SLICE)
    total = seen = 0.0
    for start in starts:
        piece = text[start : start + _SLICE]
        total += _weigh(piece)
        seen += len(piece)
    return _rounded(total * size / seen)


def value_tokens(obj: Any) -> int:
    """Estimated tokens of a payload's value, nested to any depth, as the model would be shown it as JSON."""
    texts: list[str] = []
    stack = [obj]
    nodes = 0
    while stack and nodes < _MAX_NODES:
        node = stack.pop()
        nodes += 1
        if isinstance(node, str):
            texts.append(node)
        elif isinstance(node, dict):
            texts.extend([key for key in node if isinstance(key, str)])
            stack.extend(node.values())
        elif isinstance(node, (list, tuple)):
            stack.extend(node)
        else:
            texts.append(_scalar(node))
    # Each node brings its quotes and commas; a single text comes as it is.
    structure = 0 if isinstance(obj, str) else nodes
    return tokens("\n".join(texts)) + structure + 4 * len(stack)


def _rounded(weight: float) -> int:
    whole = int(weight)
    return whole if whole == weight else whole + 1


def _scalar(node: object) -> str:
    if isinstance(node, int) and node.bit_length() > 4096:
        return "9" * (node.bit_length() * 3 // 10)
    return repr(node) if node is None or isinstance(node, (int, float)) else ""


def _weigh(text: str) -> float:
    """Kinds of characters, and of neighbours, which show where a word begins; at the speed of C."""
    kinds = text.encode("utf-8", "surrogatepass").translate(_CLASSES, _LATER)
    weight = 0.0
    for kind, price in _PRICES:
        weight += kinds.count(kind) * price
    # Most short texts have neither of the next two, and to look is cheaper than to count.
    if b"A" in kinds:
        for kind, price in _CAPITAL_PRICES:
            weight += kinds.count(kind) * price
    if b"0" in kinds:
        for kind, price in _DIGIT_PRICES:
            weight += kinds.count(kind) * price
    if not text.isascii():
        for kind, price in _SCRIPT_PRICES + _RARE:
            weight += kinds.count(kind) * price
    return weight
