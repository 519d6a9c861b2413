"""What Cursor's versions do with the text that a hook adds. Imported only when there is some."""

from __future__ import annotations

from .. import events as ev

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Channel = Literal["session_start", "prompt", "after_tool"]

# The earliest channel that is known to deliver, from each version on, what a new session has to be told.
# sessionStart was seen to work in 3.9.16 and 3.20.17, and to drop its text in 3.1.15, 3.6.31 and 3.12.17. A
# fix is taken to last through its minor version's patches, and the last one from there on. In between nothing
# is known of it, nor of beforeSubmitPrompt's undocumented text: there the documented postToolUse is late, but
# sure. Up to 3.7.2 postToolUse is ignored, so the prompt is all there is. A version has one channel, and an
# event that is not known to deliver is given no text: so none is lost, and none is shown twice.
_CHANNELS: tuple[tuple[tuple[int, int, int], Channel], ...] = (
    ((3, 20, 17), "session_start"),
    ((3, 10, 0), "after_tool"),
    ((3, 9, 16), "session_start"),
    ((3, 7, 3), "after_tool"),
    ((0, 0, 0), "prompt"),
)
_AFTER_TOOL = frozenset({ev.BEFORE_TOOL, ev.AFTER_TOOL, ev.TOOL_FAILED})
_CONTEXT: dict[Channel, frozenset[str]] = {
    "session_start": _AFTER_TOOL | {ev.SESSION_START, ev.PROMPT},
    "after_tool": _AFTER_TOOL,
    "prompt": frozenset({ev.PROMPT}),
}
_CLI_CONTEXT = _AFTER_TOOL | {ev.SESSION_START}  # its beforeSubmitPrompt is not known to carry text


def is_cli(version: str) -> bool:
    """The CLI's versions are dates, ``2026.09.28-64d2043``."""
    year = version.partition(".")[0]
    return len(year) == 4 and year.isdigit()


def start_channel(host_version: str) -> Channel:
    """Where the text for a new session has to be put so that this version shows it, once."""
    if is_cli(host_version):
        return "session_start"
    version = _version(host_version)
    if version is None:
        return "after_tool"
    for since, channel in _CHANNELS:
        if version >= since:
            return channel
    return "after_tool"


def context_events(host_version: str = "") -> frozenset[str]:
    """Kinds of event whose answer is known to carry text to the model in this version."""
    return _CLI_CONTEXT if is_cli(host_version) else _CONTEXT[start_channel(host_version)]


def _version(text: str) -> tuple[int, int, int] | None:
    parts = text.partition("-")[0].split(".")
    try:
        return int(parts[0]), int(parts[1]), int(parts[2])
    except (IndexError, ValueError):
        return None
