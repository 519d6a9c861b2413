#!/usr/bin/env python3
"""Writes the table of faults and outcomes into docs/reliability.md, from real hook processes.

.venv/bin/python tools/reliability.py           about a minute
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reliability.md"
sys.path.insert(0, str(ROOT / "tests/process"))

import fault_table  # noqa: E402

_BLOCK = re.compile(r"(<!-- faults -->\n).*?(<!-- end of faults -->)", re.DOTALL)


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        table = fault_table.table(Path(folder))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_BLOCK.sub(lambda match: f"{match[1]}{table}\n{match[2]}", page), encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    run()
