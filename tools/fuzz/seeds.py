"""What the fuzzer begins with: real events of both hosts, the files of a real chat, texts with secrets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from .entry import KINDS, ROOT, Hooks
from .targets import FILES, SESSION, _begin

sys.path.insert(0, str(ROOT / "tests/hot"))


def payload() -> Iterator[bytes]:
    """Each event alone, then in chats of six; the first byte of a line chooses the entrypoint."""
    import payloads

    for builder, events in ((payloads.claude, payloads.CLAUDE), (payloads.cursor, payloads.CURSOR)):
        lines = [
            chr(ord("@") + number % len(KINDS)) + json.dumps(builder(event), ensure_ascii=False)
            for number, event in enumerate(events)
        ]
        for at, line in enumerate(lines):
            yield line.encode()
            yield "\n".join(lines[at : at + 6]).encode()
    yield b"B\xef\xbb\xbf\xef\xbb\xbf{}"


def files() -> Iterator[bytes]:
    with Hooks() as hooks:
        transcript = hooks.project / "transcript.jsonl"
        _begin(hooks, str(transcript))
        for number, name in enumerate(FILES):
            path = hooks.project / ".cursor" / name.format(SESSION)
            yield bytes([5 * len(FILES) + number]) + (
                path.read_bytes() if path.is_file() else b'{"session_id": "old", "at": 1.5}\n'
            )


def redact() -> Iterator[bytes]:
    from planted import secrets_of_all_kinds

    for secret in secrets_of_all_kinds():
        yield secret.text.encode()


SEEDS = {"payload": payload, "files": files, "redact": redact}
