"""The latencies as a table, and its block in docs/performance.md."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from .latency import Row

PAGE = Path(__file__).resolve().parents[2] / "docs/performance.md"
BEGIN, END = "<!-- latency: python -m tools.bench latency --write -->", "<!-- end of latency -->"


def text(rows: list[Row], runs: int, slack: float, python: str, of: str = "") -> str:
    """Markdown, with a word on each bound. `of`: what was measured where it is not the time that passed."""
    lines = ["| what | figure | bound | kept | time |", "|---|---:|---:|---|---:|"]
    for row in rows:
        bound = "" if row.bound is None else f"{row.bound:g}"
        time = "" if row.ms is None else f"{row.ms:.1f} ms"
        kept = "yes" if row.holds(0) else "within slack" if row.holds(slack) else "**no**"
        note = f", {row.note}" if row.note else ""
        kept = kept if bound else ""
        lines.append(f"| {row.name}{note} | {row.figure:.2f} {row.unit} | {bound} | {kept} | {time} |")
    runs_text = f"Medians of {runs} paired runs{f' of {of}' if of else ''}, slack {slack:.0%}"
    return "\n".join([*lines, "", f"{runs_text}. {machine(python)}."])


def machine(python: str) -> str:
    """What it ran on; `python` is the interpreter of the hooks."""
    asked = ([python, "-V"], ["git", "--version"], ["jq", "--version"], ["node", "--version"])
    versions = [_first_line(command) for command in asked]
    versions[3] = versions[3] and f"node {versions[3]}"
    where = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    load = os.getloadavg()[0]
    return f"{', '.join(filter(None, versions))}; {where}, load {load:.1f} when it ended"


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (done.stdout or done.stderr).partition("\n")[0].strip()


def write(block: str, begin: str = BEGIN, end: str = END) -> None:
    """Put the block between its marks, or at the end of the page."""
    page = PAGE.read_text(encoding="utf-8")
    full = f"{begin}\n{block}\n{end}"
    if begin in page:
        head, _, rest = page.partition(begin)
        page = head + full + rest.partition(end)[2]
    else:
        page = page.rstrip() + "\n\n" + full + "\n"
    PAGE.write_text(page, encoding="utf-8")
