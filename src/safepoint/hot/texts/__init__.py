"""Everything that people and models read, by key, in two languages. Pure.

Facts are data: each is made one line (`quoting.safe`) here, so a caller may pass a file name as it is.
"""

from __future__ import annotations

from ..quoting import safe

MAX_FACT_CHARS = 2000
# Facts that are a word of ours: the text for it stands under this prefix and the word.
_WORDS = {"source": "source_", "window_source": "window_", "kind": "kind_", "level": "level_"}


def table(language: str, about: str = "") -> dict[str, str]:
    """The messages of one language, those about the todo list apart; only these are imported."""
    if about == "todos":
        if language == "ja":
            from .todos_ja import MESSAGES
        else:
            from .todos_en import MESSAGES
    elif language == "ja":
        from .ja import MESSAGES
    else:
        from .en import MESSAGES
    return MESSAGES


def say(language: str, key: str, **facts: object) -> str:
    """The text `key` with its facts. An unknown language is English; a fact not given shows as `?`.

    `link` may be empty: the words around it go as well. `list` is several lines, or a list.
    """
    messages = table(language, "todos" if key.startswith(("todo_", "reminder_")) else "")
    return messages[key].format_map(_Facts(messages, facts))


class _Facts(dict):  # type: ignore[type-arg]  # dict[str, str] is made anew at each import
    def __init__(self, messages: dict[str, str], facts: dict[str, object]) -> None:
        super().__init__({name: _spell(messages, name, value) for name, value in facts.items()})

    def __missing__(self, name: str) -> str:
        return "" if name == "link" else "?"


def _spell(messages: dict[str, str], name: str, value: object) -> str:
    if name == "list":
        lines = value if isinstance(value, (list, tuple)) else str(value).split("\n")
        return "\n".join([f"- {safe(str(line), MAX_FACT_CHARS)}" for line in lines if line])
    if isinstance(value, float):
        return f"{value:.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if value is None:
        return "?"
    text = safe(str(value), MAX_FACT_CHARS)
    if name == "link":  # a cut one leads nowhere
        return messages["link_clause"].format(link=text) if text and text == value else ""
    if name in _WORDS:
        return messages.get(_WORDS[name] + text, text)
    return text
