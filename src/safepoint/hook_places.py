"""Which project's hooks a person's command line means: this one's, or another's that it names by a path.

Another's hook that runs here writes into this project's state, by that one's code and settings.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

HOOKS = ".cursor/hooks"
# What both hosts set to the folder of the project that they have opened.
_PROJECT = re.compile(r"\$(?:\{(?:CLAUDE|CURSOR)_PROJECT_DIR\}|(?:CLAUDE|CURSOR)_PROJECT_DIR\b)")
_UNKNOWN = re.compile(r"[$`*?]")  # a shell makes something of it that is not seen here
_FILE = re.compile(r"(?:[\w-]+=)?(?P<place>.*?)/?\.cursor/hooks/session_\w+\.py", re.DOTALL)
_IN_CODE = re.compile(r"""(?P<quote>['"])(?P<place>[^'"]*?)/?\.cursor/hooks/?(?P=quote)""")


def foreign(command: object, root: Path) -> str:
    """The folder of the other project whose hook a command line of the project `root` names; '' for none.

    Where a path leads cannot always be told (a variable): then it is this project's. Links and the spelling
    of a path do not matter, nor whether the folder is there.
    """
    if not isinstance(command, str) or HOOKS not in command or "\0" in command:
        return ""
    found = [folder for folder in _folders(command, str(root)) if folder]
    if not found or any(_is_same(folder, str(root)) for folder in found):
        return ""
    return os.path.normpath(found[0])


def _folders(command: str, root: str, here: str | None = None) -> Iterator[str]:
    """The folder before each `.cursor/hooks` in the line, absolute; "" where that cannot be told.

    `here`: the folder that the line runs in, if it is not `root`; "" where that cannot be told.
    """
    words, around = _words(command), list[str]()
    here = root if here is None else here
    for before, word in zip(["", *words], words, strict=False):
        found = _FILE.fullmatch(word)
        if word and set(word) <= set("();<>|&"):
            for mark in word:  # a `cd` holds inside of its parentheses
                if mark == "(":
                    around.append(here)
                elif mark == ")" and around:
                    here = around.pop()
        elif before == "cd":
            here = _joined(here, word, root)
        elif "import" in word:
            places = [found["place"] for found in _IN_CODE.finditer(word)]
            yield from (_joined("", place, root) for place in places if place)
        elif found and (len(word.split()) == 1 or os.path.exists(word)):
            yield _joined(here, found["place"] or ("/" if word.startswith("/") else "."), root)
        elif found and word != command:  # a line within the line
            yield from _folders(word, root, here)


def _words(command: str) -> list[str]:
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        return list(lexer)
    except ValueError:  # a quote that is not closed
        return command.split()


def _joined(here: str, place: str, root: str) -> str:
    """`place` as seen from the folder `here`; "" where one of the two cannot be told."""
    place = os.path.expanduser(_PROJECT.sub(lambda _: root, place))
    if _UNKNOWN.search(place.replace(root, "")) or place == "-" or not (here or os.path.isabs(place)):
        return ""
    return os.path.join(here, place)


def _is_same(folder: str, root: str) -> bool:
    for below in ("", f"/{HOOKS}"):
        try:
            if os.path.samefile(folder + below, root + below):
                return True
        except OSError:  # one of the two is not there
            continue
    return os.path.normcase(os.path.realpath(folder)) == os.path.normcase(os.path.realpath(root))
