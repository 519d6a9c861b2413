"""What one import costs a process: why the hooks live without most of the standard library (ADR 0006)."""

from __future__ import annotations

import os
import statistics
import sysconfig

from .latency import Row
from .processes import run

STANDARD = ("os", "json", "re", "typing", "dataclasses", "pathlib", "hashlib", "subprocess", "argparse")
OURS = ("filelock", "click", "pydantic")


def costs(python: str, runs: int) -> list[Row]:
    """Each import in a process of its own, beside a bare one: the median of the ratios."""
    packages = sysconfig.get_paths()["purelib"]
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    bare = f"'{python}' -I -S -c pass"
    commands = {name: f"'{python}' -I -S -c 'import {name}'" for name in STANDARD}
    commands |= {
        name: f"'{python}' -I -S -c 'import sys; sys.path.append(\"{packages}\"); import {name}'"
        for name in OURS
    }
    ratios: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(runs + 1):
        for name, command in commands.items():
            base = run(bare, b"", environment, os.getcwd()).seconds
            full = run(command, b"", environment, os.getcwd())
            if full.code:
                raise RuntimeError(f"{command}: exit {full.code}")
            if number:
                ratios[name].append(full.seconds / base)
    return [Row(f"import {name}", statistics.median(each), "×", None) for name, each in ratios.items()]
