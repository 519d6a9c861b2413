"""Whether a shell command is one of a few that may still run at Red, and nothing more than that. Pure."""

from __future__ import annotations

# What may make one command two, or a word another than the one that stands there. Not all of it does so
# within quotes, but shells differ (cmd knows no single ones), and a command too many refused does no harm.
_SHELL_SYNTAX = frozenset(";&|<>`$\\\n\r\0")
_UNQUOTED_SYNTAX = frozenset("(){}")
# What may stand behind a grace command: options that select or say something. Any other may start an editor
# or another program, ask questions, or write elsewhere, and git completes the beginning of a name.
_OPTIONS = frozenset(
    ("--", "--all", "--allow-empty", "--amend", "--author", "--branch", "--cached", "--color", "--date",
     "--dry-run", "--exit-code", "--file", "--fixup", "--force", "--ignored", "--message", "--name-only",
     "--name-status", "--no-color", "--no-edit", "--no-ext-diff", "--no-gpg-sign", "--no-textconv",
     "--no-verify", "--numstat", "--porcelain", "--quiet", "--reuse-message", "--short", "--shortstat",
     "--signoff", "--staged", "--stat", "--untracked-files", "--update", "--verbose", "--word-diff")
)  # fmt: skip
_LETTERS = frozenset("abmAufnvsqzwCMFU0123456789")


def is_simple_command(command: str, allowed: list[str]) -> bool:
    """True when `command` is one of `allowed`, with plain arguments behind it at most."""
    words = _plain_words(command.strip())
    for plain in (plain.split() for plain in allowed):
        if plain and words[: len(plain)] == plain:
            return all(_is_harmless(word) for word in _without_messages(words[len(plain) :]))
    return False


def _without_messages(words: list[str]) -> list[str]:
    """The words but for a commit's message, which may say anything."""
    kept: list[str] = []
    for word in words:
        before = kept[-1] if kept else ""
        is_message = before == "--message" or (before[:1] == "-" != before[1:2] and before.endswith("m"))
        kept.append("message" if is_message else word)
    return kept


def _is_harmless(word: str) -> bool:
    """No option but those that select or say something, and no path that leads out of the project."""
    if word.startswith("--"):
        return word.split("=", 1)[0] in _OPTIONS
    if word.startswith("-") and word != "-":
        return set(word[1:]) <= _LETTERS
    return not word.startswith(("/", "~")) and ".." not in word.replace("\\", "/").split("/")


def _plain_words(command: str) -> list[str]:
    """The words as a shell splits them; none where one might do more than split them."""
    if not _SHELL_SYNTAX.isdisjoint(command):
        return []
    words, word, quote = [], "", ""
    for char in command + " ":
        if quote:
            quote, word = ("", word) if char == quote else (quote, word + char)
        elif char in "'\"":
            quote = char
        elif char in _UNQUOTED_SYNTAX:
            return []
        elif char not in " \t":
            word += char
        elif word:
            words.append(word)
            word = ""
    return [] if quote else words
