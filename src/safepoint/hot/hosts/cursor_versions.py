"""What Cursor's versions do with the text that a hook adds. Imported only when there is some."""

from __future__ import annotations

from .. import events as ev

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Channel = Literal["session_start", "prompt", "after_tool"]
    Carriers = tuple[Channel, frozenset[str]]

_AFTER_TOOL: Carriers = ("after_tool", frozenset({ev.AFTER_TOOL}))
_CLI: Carriers = ("session_start", frozenset({ev.SESSION_START, ev.AFTER_TOOL}))

# From each version of the IDE on: the earliest event that is known to deliver what a new session has to be
# told, and all that are known to deliver.
# sessionStart was seen to work in 3.9.16 and 3.20.17, and to drop its text in 3.1.15, 3.6.31 and 3.12.17. A
# fix is taken to last through its minor version's patches, and the last one from there on. In between nothing
# is known, nor of the undocumented text of beforeSubmitPrompt and preToolUse: there the documented
# postToolUse is late, but sure. Up to 3.7.2 it is ignored, so the prompt is all there is to try.
# An event that is not known to deliver is given no text: so none is lost, and none is shown twice.
_IDE: tuple[tuple[tuple[int, int, int], Carriers], ...] = (
    (
        (3, 20, 17),
        (
            "session_start",
            frozenset({ev.SESSION_START, ev.PROMPT, ev.BEFORE_TOOL, ev.AFTER_TOOL, ev.TOOL_FAILED}),
        ),
    ),
    ((3, 10, 0), _AFTER_TOOL),
    ((3, 9, 16), ("session_start", frozenset({ev.SESSION_START, ev.PROMPT, ev.AFTER_TOOL}))),
    ((3, 7, 3), _AFTER_TOOL),
    ((0, 0, 0), ("prompt", frozenset({ev.PROMPT}))),
)


def is_cli(version: str) -> bool:
    """The CLI's versions are dates, ``2026.09.28-64d2043``."""
    year = version.partition(".")[0]
    return len(year) == 4 and year.isdecimal()


def start_channel(host_version: str) -> Channel:
    """Where the text for a new session has to be put so that this version shows it, once."""
    return _carriers(host_version)[0]


def context_events(host_version: str) -> frozenset[str]:
    """Kinds of event whose answer is known to carry text to the model in this version."""
    return _carriers(host_version)[1]


def _carriers(host_version: str) -> Carriers:
    if is_cli(host_version):
        return _CLI
    version = _parsed(host_version)
    for since, carriers in _IDE:
        if version is not None and version >= since:
            return carriers
    return _AFTER_TOOL


def _parsed(version: str) -> tuple[int, int, int] | None:
    parts = version.partition("-")[0].split(".")
    try:
        return int(parts[0]), int(parts[1]), int(parts[2])
    except (IndexError, ValueError):
        return None
