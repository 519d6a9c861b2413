"""Users' hook files as hypothesis strategies: any content, in any style that JSON with comments has."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from safepoint import registration
from safepoint.hook_files import Form

BLANKS = st.text(" \t", max_size=2)
NEWLINES = st.sampled_from(["\n", "\n  ", "\n\t", "\n\n    ", "\n"])
COMMENTS = st.sampled_from(
    ["/* block */", "/**/", "// line \n", "//\n", "/* two\n lines */", '// "x": [1],\n']
)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["http://x", "// no comment", "/*", 'a"b', "}{][,:"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
COMMAND = st.sampled_from(["./mine.sh", "jq . # http://x", "python3 hook.py", "npx guard"])


class Styled:
    """Writes a value with white space, comments and trailing commas as drawn."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.trivia = draw(st.sampled_from(["none", "spaces", "lines", "comments"]))
        self.trailing = draw(st.booleans()) and self.trivia == "comments"
        self.indent = draw(st.sampled_from([None, 2, 4, "\t"]))

    def document(self, value: Any) -> str:
        if self.trivia == "none":
            return json.dumps(value, indent=self.indent, ensure_ascii=self.draw(st.booleans()))
        return self.gap() + self.value(value) + self.gap()

    def gap(self) -> str:
        if self.trivia == "spaces":
            return self.draw(BLANKS)
        if self.trivia == "lines":
            return self.draw(BLANKS | NEWLINES)
        return "".join(self.draw(st.lists(BLANKS | NEWLINES | COMMENTS, max_size=3)))

    def value(self, value: Any) -> str:
        if isinstance(value, list):
            return "[" + self.joined([self.value(item) for item in value]) + "]"
        if isinstance(value, dict):
            members = [
                json.dumps(key) + self.gap() + ":" + self.gap() + self.value(item)
                for key, item in value.items()
            ]
            return "{" + self.joined(members) + "}"
        return json.dumps(value)

    def joined(self, parts: list[str]) -> str:
        inside = ",".join(self.gap() + part + self.gap() for part in parts) or self.gap()
        return inside + ("," + self.gap() if parts and self.trailing and self.draw(st.booleans()) else "")


@st.composite
def contents(draw: st.DrawFn, form: Form) -> bytes:
    """A file as a user might have it before Safepoint comes."""
    known = registration.CURSOR_FULL if form == "cursor" else registration.CLAUDE
    events = st.sampled_from([*known, "afterFileEdit", "Notification"])
    entry = st.fixed_dictionaries({"command": COMMAND}, optional={"timeout": st.integers(1, 60)})
    if form == "claude":
        group = {"hooks": st.lists(entry, max_size=2)}
        entry = st.fixed_dictionaries(group, optional={"matcher": st.just("Bash")})
    value: dict[str, Any] = draw(st.dictionaries(st.text(min_size=1, max_size=6), PLAIN, max_size=3))
    for key in ("hooks", "version"):
        value.pop(key, None)
    if draw(st.booleans()):
        value["hooks"] = draw(st.dictionaries(events, st.lists(entry, max_size=2), max_size=4))
    if form == "cursor" and draw(st.booleans()):
        value["version"] = 1
    names = draw(st.permutations(list(value)))
    text = Styled(draw).document({name: value[name] for name in names})
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    if draw(st.integers(0, 9)) == 0:
        text = draw(st.sampled_from(["", "\n", "  \n", "{}", "{ }\n", "{\n}\n"]))
    return (draw(st.sampled_from(["", "", "\ufeff"])) + text).encode()
