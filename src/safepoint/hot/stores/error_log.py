"""`errors.jsonl`: one line for each thing that failed."""

from __future__ import annotations

import os

from .. import wire
from ..files import append_line, is_folder
from ..redact import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .paths import Paths


def append(paths: Paths, line: dict[str, object], error: BaseException) -> None:
    """Add `line` with the error and where it arose, as far as that can be written at all."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    line["error"] = capture(f"{type(error).__name__}: {error}", 600)
    line["where"] = (
        f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    )
    try:
        if is_folder(paths.session):
            append_line(paths.errors(), wire.dumps(line).encode("ascii"))
    except OSError:
        pass
