"""The message of a commit of work. It tells what the commit does not hold, and so needs no file beside it."""

from __future__ import annotations

from .redact import capture
from .wire import dumps, loads

# A JSON string a line, and how many there are.
LEFT_OUT, LEFT_OUT_TOTAL = "Left-out: ", "Left-out-total: "
LISTED = 50


def written(subject: str, left_out: list[str]) -> str:
    """The message, with the first names that are left out: known forms of secrets are taken out of them."""
    if not left_out:
        return subject
    lines = [LEFT_OUT + dumps(capture(name, 300)) for name in left_out[:LISTED]]
    return "\n".join([subject, "", *lines, f"{LEFT_OUT_TOTAL}{len(left_out)}"])


def left_out(body: str) -> tuple[list[str], int]:
    """The names in the rest of a message, which may be a stranger's, and how many there are in all."""
    names, total = [], 0
    for line in body.split("\n"):
        try:
            if line.startswith(LEFT_OUT):
                names.append(str(loads(line[len(LEFT_OUT) :].encode())))
            elif line.startswith(LEFT_OUT_TOTAL):
                total = int(line[len(LEFT_OUT_TOTAL) :])
        except ValueError:
            continue
    return names, max(total, len(names))
