"""The latencies as a table, and its block in docs/performance.md."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

from .latency import Row

PAGE = Path(__file__).resolve().parents[2] / "docs/performance.md"
BEGIN, END = "<!-- latency: python -m tools.bench latency --write -->", "<!-- end of latency -->"


def text(rows: list[Row], runs: int, slack: float) -> str:
    """Markdown; a figure above its bound is marked."""
    lines = ["| what | figure | bound | time |", "|---|---:|---:|---:|"]
    for row in rows:
        bound = "" if row.bound is None else f"{row.bound:g}"
        time = "" if row.ms is None else f"{row.ms:.1f} ms"
        mark = "" if row.holds(0) else " (above)" if row.holds(slack) else " **(above)**"
        note = f", {row.note}" if row.note else ""
        lines.append(f"| {row.name}{note} | {row.figure:.2f} {row.unit}{mark} | {bound} | {time} |")
    return "\n".join([*lines, "", f"Medians of {runs} paired runs. {machine()}."])


def machine() -> str:
    import os

    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    load = os.getloadavg()[0]
    return (
        f"Python {platform.python_version()}, {git}, {platform.system()} {platform.machine()},"
        f" {os.cpu_count()} cores, load {load:.1f} when it ended"
    )


def write(block: str) -> None:
    """Put the block between its marks, or at the end of the page."""
    page = PAGE.read_text(encoding="utf-8")
    full = f"{BEGIN}\n{block}\n{END}"
    if BEGIN in page:
        head, _, rest = page.partition(BEGIN)
        page = head + full + rest.partition(END)[2]
    else:
        page = page.rstrip() + "\n\n" + full + "\n"
    PAGE.write_text(page, encoding="utf-8")
