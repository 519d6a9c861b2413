"""Whether a shell command did something, or only looked. Pure."""

from __future__ import annotations

# Commands that only look: repeating them costs nothing, so they are no work to be kept from.
_LOOKS = frozenset(
    {"ls", "cat", "head", "tail", "grep", "rg", "find", "pwd", "echo", "which", "wc", "tree", "stat", "file",
     "less", "more", "date", "du", "df", "sed", "awk", "type", "printf", "true", "cd", "sort", "uniq", "diff",
     "export", "sleep"}
)  # fmt: skip
_GIT_LOOKS = frozenset(
    {"status", "diff", "log", "show", "branch", "blame", "rev-parse", "remote", "ls-files", "fetch"}
)
_PREFIXES = ("sudo", "env", "time", "nohup")  # a command follows
_ACTS = ("-i", "-delete", "-exec")  # options by which sed and find do more than look


def is_work(command: str) -> bool:
    """False for commands that only look at things."""
    bare = _unquoted(command)
    for separator in ("&&", "||", ";", "|"):
        bare = bare.replace(separator, "\n")
    return any(_acts(line.split()) for line in bare.split("\n"))


def _unquoted(command: str) -> str:
    """`command` with every quoted stretch replaced by a `_`."""
    bare, quote = "", ""
    for char in command:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
            bare += "_"
        else:
            bare += char
    return bare


def _acts(words: list[str]) -> bool:
    while words and ("=" in words[0] or words[0] in _PREFIXES):
        words = words[1:]
    if not words:
        return False
    if _writes_file(words):
        return True
    name = words[0].rsplit("/", 1)[-1]
    if name == "git":
        return len(words) > 1 and words[1] not in _GIT_LOOKS
    return name not in _LOOKS or any(word.startswith(_ACTS) for word in words if name in ("sed", "find"))


def _writes_file(words: list[str]) -> bool:
    """Output goes into a file; `2>&1` and `/dev/null` are none."""
    targets = [
        word.rpartition(">")[2] or following
        for word, following in zip(words, [*words[1:], ""])
        if ">" in word
    ]
    return any(target and target[0] != "&" and target != "/dev/null" for target in targets)
