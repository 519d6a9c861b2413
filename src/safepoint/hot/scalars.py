"""A text as a YAML scalar. Pure."""

from __future__ import annotations

# Words that YAML takes for something else than a text, in its versions 1.1 and 1.2.
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quote(value: str) -> str:
    """`value` as a YAML scalar that every reader takes for this text, bare where that is safe."""
    if _is_bare(value):
        return value
    return '"' + "".join([char if _is_printable(char) else _escape(char) for char in value]) + '"'


def _is_bare(value: str) -> bool:
    """A text that starts with a letter is no number, date or indicator."""
    return (
        value[:1].isalpha()
        and value.isprintable()
        and value.lower() not in _WORDS
        and value[-1] not in " :"
        and ": " not in value
        and " #" not in value
    )


def _is_printable(char: str) -> bool:
    return char.isprintable() and char not in '"\\'


def _escape(char: str) -> str:
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
