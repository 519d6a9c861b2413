"""What a scan of the transcript seldom needs: a look from the end, compactions, documents, subagents."""

from __future__ import annotations

import os

from .. import textweight
from .transcript import MAX_SEEN, MAX_TAIL_BYTES, count, occupancy, parsed, read_at, usage_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from ..shapes import Transcript

PAGE_BYTES = 75_000  # base64 of about one page of a PDF, which costs about as much as an image

_BLOCK = 64 * 1024


def why_unread(path: str) -> Optional[OSError]:
    """Why a transcript that is there cannot be read; None where there is none yet, or all is well."""
    from errno import EISDIR, ENOENT, ENOTDIR

    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            os.read(fd, 1)
        finally:
            os.close(fd)
    except OSError as error:
        return None if error.errno in (ENOENT, ENOTDIR) else error
    except ValueError:  # a NUL in the path
        return None
    return OSError(EISDIR, "no regular file", path) if not os.path.isfile(path) else None


def no_figure(path: str) -> OSError:
    """What is said of a file whose end, as far as a hook can look, holds no figure."""
    from errno import EFBIG

    return OSError(EFBIG, f"no figure in its last {MAX_TAIL_BYTES // 1024**2} MB", path)


def subagent_transcript(transcript_path: str, session_id: str, agent_id: str) -> str:
    """Where a subagent's own records are, next to its parent's transcript; "" when an id is no file name."""
    for name in (session_id, agent_id):
        if not name or "/" in name or "\\" in name or "\0" in name or ".." in name:
            return ""
    folder = os.path.join(os.path.dirname(transcript_path), session_id, "subagents")
    return os.path.join(folder, f"agent-{agent_id}.jsonl")


def fresh(path: str, inode: int, offset: int) -> Transcript:
    return {
        "path": path, "inode": inode, "offset": offset, "message_id": "", "base": None, "output": 0,
        "after": 0, "model": "", "boundary": False,
    }  # fmt: skip


def leap(
    fd: int, path: str, last: Transcript | None, stat: os.stat_result, max_tail_bytes: int, sidechain: bool
) -> tuple[int, Transcript, bool]:
    """Where to begin near the end, the state to begin with, and whether the figure was passed over.

    ``last`` is what was known of the same file before it grew by too much to read.  Where nothing near the
    end settles the figure, the old one holds: it is too low by what was passed over, but unknown is worse.
    """
    start, settles = tail_start(fd, stat.st_size, max_tail_bytes, sidechain)
    is_passed = not settles and stat.st_size > max_tail_bytes
    if start == stat.st_size and is_passed:  # in the middle of one line: the next hook looks again
        return start, last.copy() if last is not None else fresh(path, stat.st_ino, 0), True
    if last is not None and not settles:
        state = last.copy()
        state["offset"] = start
        return start, state, is_passed
    return start, fresh(path, stat.st_ino, start), is_passed


def tail_start(fd: int, size: int, max_tail_bytes: int, sidechain: bool) -> tuple[int, bool]:
    """The offset of the last line that settles the figure (a usage or a boundary), and whether there is one.

    Without one among the last ``max_tail_bytes``: of the first line that begins in there.
    """
    floor = max(0, size - max_tail_bytes)
    position = first = size
    carry: list[bytes] = []  # in order, the pieces of a line whose start was not read yet
    while position > floor:
        start = max(floor, position - _BLOCK)
        block = read_at(fd, start, position - start)
        head, newline, rest = block.partition(b"\n")
        if not newline:
            carry.insert(0, block)
        else:
            first = start + len(head) + 1
            found = _last_settling(rest + b"".join(carry), first, sidechain)
            if found >= 0:
                return found, True
            carry = [head + newline]
        position = start
    if floor == 0:
        found = _last_settling(b"".join(carry), 0, sidechain)
        return max(found, 0), found >= 0
    return first, False


def _last_settling(data: bytes, base: int, sidechain: bool) -> int:
    """The offset of the last complete settling line of ``data``, which begins at ``base``; -1 without one."""
    end = data.rfind(b"\n")
    while end >= 0:
        start = data.rfind(b"\n", 0, end) + 1
        line = data[start:end]
        if b"compact_boundary" in line or b'"usage"' in line:
            record = parsed(line, sidechain)
            if record is not None and (is_boundary(record) or has_figure(record)):
                return base + start
        end = start - 1
    return -1


def take_system(record: dict[str, Any], state: Transcript) -> None:
    """Of the client's own records a compaction's counts: what came before it is no longer sent."""
    if not is_boundary(record):
        return
    metadata = record.get("compactMetadata")
    post = metadata.get("postTokens") if isinstance(metadata, dict) else None
    state["base"] = count(post) or None
    state["output"] = state["after"] = 0
    state["message_id"] = ""
    state["boundary"] = True


def is_boundary(record: dict[str, Any]) -> bool:
    return record.get("type") == "system" and record.get("subtype") == "compact_boundary"


def has_figure(record: dict[str, Any]) -> bool:
    """Whether the record says how full the context was."""
    usage = usage_of(record)
    return usage is not None and occupancy(usage) > 0


def bound(seen: list[str]) -> None:
    """Keep the newest: what was found long ago stands for nothing that is still awaited."""
    prompt = "prompt" in seen
    del seen[:-MAX_SEEN]
    if prompt and "prompt" not in seen:
        seen.insert(0, "prompt")


def weigh_document(source: object) -> int:
    """Tokens of a document block: a text, or pages that are shown as pictures."""
    data = source.get("data") if isinstance(source, dict) else None
    if not isinstance(data, str):
        return textweight.PICTURE_TOKENS
    if isinstance(source, dict) and source.get("type") == "text":
        return textweight.tokens(data)
    return textweight.PICTURE_TOKENS * (1 + len(data) // PAGE_BYTES)
