"""Everything that people and models read, by key, in two languages. Pure.

Facts are data: each is made one line (`quoting.safe`) here, so a caller may pass a file name as it is.
"""

from __future__ import annotations

from ..quoting import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

MAX_FACT_CHARS = 2000
# Facts that are a word of ours: the text for it stands under this prefix and the word.
_WORDS = {"source": "source_", "window_source": "window_", "kind": "kind_", "level": "level_"}
# What a text is about, by the first word of its key: these are in a module of their own, which is loaded
# when one of them is asked for.
_ABOUT = {
    "todo": "todos", "reminder": "todos", "reply": "replies", "paused": "replies",
    **dict.fromkeys(
        ("claim", "command", "completed", "doubt", "evidence", "exit", "fresh", "handoff", "known", "label",
         "line", "next", "offer", "offered", "path", "plan", "resume", "why", "written"),
        "handoff",
    ),
}  # fmt: skip


def find(language: str, key: str) -> Optional[str]:
    """The text `key` as it is written down; None where there is none. An unknown language is English."""
    about = _ABOUT.get(key.partition("_")[0], "")
    name = f"{about}_{language}" if language == "ja" else f"{about}_en"
    # importlib.import_module would do the same at the price of importing importlib
    messages: dict[str, str] = __import__(name.lstrip("_"), globals(), None, ["MESSAGES"], 1).MESSAGES
    return messages.get(key)


def say(language: str, key: str, **facts: object) -> str:
    """The text `key` with its facts; a fact not given shows as `?`. Raises KeyError for an unknown key.

    `link` may be empty: the words around it go as well. `list` is several lines, or a list.
    """
    text = find(language, key)
    if text is None:
        raise KeyError(key)
    return text.format_map(_Facts(language, facts))


class _Facts(dict):  # type: ignore[type-arg]  # dict[str, str] is made anew at each import
    def __init__(self, language: str, facts: dict[str, object]) -> None:
        super().__init__({name: _spell(language, name, value) for name, value in facts.items()})

    def __missing__(self, name: str) -> str:
        return "" if name == "link" else "?"


def _spell(language: str, name: str, value: object) -> str:
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
        return (find(language, "link_clause") or "").format(link=text) if text and text == value else ""
    if name in _WORDS:
        return find(language, _WORDS[name] + text) or text
    return text
