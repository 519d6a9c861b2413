"""Files of one JSON object a line: the kind that the first line tells, and what is wrong with the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from .hot.shapes import Record

MOST = 50  # problems that are told of one file
Judge = Callable[[dict[str, Any]], str]  # what is wrong with a line; "" for nothing
_RECORD = TypeAdapter(Record)
_TURN = {"at": (int, float), "role": str, "text": str}
_RUN = {"run": str, "event": str, "at_unix": int}
_ERROR = {"at": (int, float), "kind": str, "error": str, "where": str}


def _fields(wanted: dict[str, Any]) -> Judge:
    def check(record: dict[str, Any]) -> str:
        wrong = [name for name, kind in wanted.items() if not isinstance(record.get(name), kind)]
        return f"missing or of another type: {', '.join(wrong)}" if wrong else ""

    return check


def _journal(record: dict[str, Any]) -> str:
    if not isinstance(record.get("kind"), str):
        return "kind: missing"
    if record["kind"] == "snapshot":
        return ""
    try:
        _RECORD.validate_python(record)
    except ValueError as error:
        return " ".join(str(error).splitlines()[1:3])
    return ""


# The kinds, each with a key that tells a line of it, and what is wrong with one ("" for nothing).
_KINDS: tuple[tuple[str, str, Judge], ...] = (
    ("role", "turns of a session", _fields(_TURN)),
    ("event", "journal of a run", _fields(_RUN)),
    ("where", "failures of hooks", _fields(_ERROR)),
    ("kind", "journal", _journal),
    ("type", "transcript of Claude Code", _fields({"type": str})),
)


def check(name: str, data: bytes) -> tuple[str, list[str]]:
    """(kind, problems) of such a file. A last line without its newline is still being written."""
    kind = ""
    judge: Judge = _journal
    problems: list[str] = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        if not line:
            continue
        record = _object(line)
        if record is None:
            problems.append(f"{name}:{number}: no JSON object")
            continue
        if not kind:
            kind, judge = _kind_of(record)
            if not kind:
                known = ", ".join(kind for _, kind, _ in _KINDS)
                return "unknown", [f"{name}:{number}: none of the files Safepoint knows ({known})"]
        problem = judge(record)
        problems += [f"{name}:{number}: {problem}"] if problem else []
    return kind or "journal", problems[:MOST]


def _kind_of(record: dict[str, Any]) -> tuple[str, Judge]:
    for key, kind, judge in _KINDS:
        if isinstance(record.get(key), str):
            return kind, judge
    return "", _journal


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
