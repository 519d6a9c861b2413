#!/usr/bin/env python3
"""Writes the tables of faults, conditions and their outcomes into docs/reliability.md, by real hooks.

.venv/bin/python tools/reliability.py           about a minute
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reliability.md"
sys.path[:0] = [str(ROOT / "tests/process"), str(ROOT / "tests/hot")]

import fault_conditions  # noqa: E402
import fault_table  # noqa: E402

_TABLES = {"faults": fault_table.table, "conditions": fault_conditions.table}


def run() -> None:
    for role in ("AUTHOR", "COMMITTER"):
        os.environ.setdefault(f"GIT_{role}_NAME", "Test")
        os.environ.setdefault(f"GIT_{role}_EMAIL", "test@example.invalid")
    page = PAGE.read_text(encoding="utf-8")
    for host in fault_table.HOSTS:
        for kind, table in _TABLES.items():
            with tempfile.TemporaryDirectory() as folder:
                lines = table(Path(folder), host)
            block = re.compile(rf"(<!-- {kind}: {host} -->\n).*?(<!-- end -->)", re.DOTALL)
            page = block.sub(lambda match, lines=lines: f"{match[1]}{lines}\n{match[2]}", page)
    PAGE.write_text(page, encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    run()
