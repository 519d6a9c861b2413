"""What stands of ours in one file of a person's: one or several parts, each with a form of its own.

They are put in in the order of `ORDER` and taken out the other way round, so that a later part never finds a
file that an earlier one has still to make.
"""

from __future__ import annotations

from typing import Any

from . import hook_files, mcp_files, status_line_file
from .hook_files import Form, Made, Merged

ORDER: tuple[Form, ...] = ("cursor", "claude", "mcp", "status_line")
# hooks: event -> entry; mcp: how the server is started; status_line: how the interpreter is named
Wanted = dict[Form, Any]


def merge(
    content: bytes | None, path: str, wanted: Wanted, known: dict[Form, Made]
) -> tuple[bytes | None, dict[Form, Made]]:
    """The file with just the `wanted` parts of ours, and what each has made there."""
    made: dict[Form, Made] = {}
    for form in reversed(ORDER):
        if form in known and form not in wanted and content is not None:
            content = _withdraw(content, path, form, known[form]).content
    for form in ORDER:
        if form in wanted:
            content, made[form] = _merge(content, path, form, wanted[form], known.get(form, {}))
    return content, made


def withdraw(content: bytes, path: str, known: dict[Form, Made]) -> bytes | None:
    """The file without any part of ours; None where it was ours whole."""
    left: bytes | None = content
    for form in reversed(ORDER):
        if form in known and left is not None:
            left = _withdraw(left, path, form, known[form]).content
    return left


def found(content: bytes | None, form: Form) -> bool:
    """Whether a file that may be anything holds this part of ours."""
    if form == "mcp":
        return mcp_files.is_registered(content)
    if form == "status_line":
        return status_line_file.is_registered(content)
    return hook_files.is_registered(content, form)


def _merge(content: bytes | None, path: str, form: Form, wanted: Any, made: Made) -> Merged:
    if form == "mcp":
        return mcp_files.merge(content, path, wanted, made)
    if form == "status_line":
        return status_line_file.merge(content, path, wanted, made)
    return hook_files.merge(content, path, form, wanted, made)


def _withdraw(content: bytes, path: str, form: Form, made: Made) -> Merged:
    if form == "mcp":
        return mcp_files.withdraw(content, path, made)
    if form == "status_line":
        return status_line_file.withdraw(content, path, made)
    return hook_files.withdraw(content, path, form, made)
