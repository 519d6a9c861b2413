"""`python -m tools.fuzz TARGET --seconds N`: fuzz; `--keep` adds what reached new code to the corpus.

Ends with the input written to `crash-…` in the folder of `--found` where something is wrong; the same command
with `--replay FILE` plays that again.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from .entry import ROOT, Hooks, find_package

CORPUS = Path(__file__).parent / "corpus"
KEPT_BYTES = 2048  # of a file in the corpus: small ones say the same


def main() -> int:
    find_package()
    from .targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("target", choices=sorted(TARGETS))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--found", type=Path, default=Path(tempfile.gettempdir()) / "safepoint-fuzz")
    parser.add_argument("--keep", type=int, default=0, metavar="N", help="add up to N inputs to the corpus")
    parser.add_argument("--replay", type=Path, metavar="FILE")
    asked = parser.parse_args()
    if asked.replay:
        with Hooks() as hooks:
            TARGETS[asked.target](hooks, asked.replay.read_bytes())
        return 0
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: python -m pip install atheris", file=sys.stderr)
        return 2
    work = asked.found / asked.target
    _in_child(lambda: _fill(work, asked.target))  # what it imports is not instrumented
    status = _in_child(lambda: _fuzz(asked.target, work, asked.seconds))  # libFuzzer ends its process
    if asked.keep:
        _keep(work, asked.target, asked.keep)
    return status


def _in_child(work: Callable[[], None]) -> int:
    """The exit status of a process that does this and ends."""
    if os.fork() == 0:
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.wait()[1])


def _fill(work: Path, target: str) -> None:
    """The corpus and the seeds in a folder that the fuzzer may grow."""
    from .seeds import SEEDS

    work.mkdir(parents=True, exist_ok=True)
    for path in (CORPUS / target).glob("*"):
        shutil.copy(path, work)
    for number, data in enumerate(SEEDS[target]()):
        (work / f"seed-{number}").write_bytes(data)


def _fuzz(target: str, work: Path, seconds: int) -> None:
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports(include=["safepoint"], enable_loader_override=False):
        _import_all()
    from .targets import TARGETS

    run = TARGETS[target]
    with Hooks() as hooks:
        options = [f"-max_total_time={seconds}", "-max_len=16384", "-rss_limit_mb=3000", "-timeout=20",
                   f"-artifact_prefix={work.parent}/", "-len_control=0", str(work)]  # fmt: skip
        atheris.Setup([sys.argv[0], *options], lambda data: run(hooks, data))
        atheris.Fuzz()


def _import_all() -> None:
    """Every hot module, so that all of them are instrumented."""
    hot = ROOT / "src/safepoint/hot"
    for path in sorted(hot.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
        if not name.endswith("__init__") and "shapes" not in name:
            importlib.import_module(name)


def _keep(work: Path, target: str, count: int) -> None:
    """The smallest of what reached new code; no seed, since those are made anew each time."""
    (CORPUS / target).mkdir(parents=True, exist_ok=True)
    new = [path for path in work.iterdir() if not path.name.startswith("seed-")]
    small = [path for path in new if path.stat().st_size <= KEPT_BYTES]
    for path in sorted(small, key=lambda path: path.stat().st_size)[-count:]:
        shutil.copy(path, CORPUS / target)


if __name__ == "__main__":
    sys.exit(main())
