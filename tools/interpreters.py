#!/usr/bin/env python3
"""The hot part's tests on every CPython from 3.9 on that this machine has, and a static check of 3.9.

.venv/bin/python tools/interpreters.py [--list] [VERSION ...]

Looks for `python3.N` on the path and for pyenv's versions. Each gets an environment of its own with what the
tests need, in `.venv/interpreters`, made once; `tests/hot` runs in it, then two files of `tests/process` with
its interpreter as the hooks' `python3`. The static check, by vermin, needs no Python 3.9: it knows since when
each name of the standard library is there. Where no 3.14 is found, but node and npm are, Pyodide's stands in:
it imports every module and runs the tests of those that are pure.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv/interpreters"
VERSIONS = [f"3.{minor}" for minor in range(9, 15)]
NEEDS = ["pytest>=8,<9", "hypothesis>=6.100,<7", "pydantic>=2.7,<3", "filelock", "PyYAML"]
HOT = ["src/safepoint/hot", "hooks"]
CHATS = ["tests/process/test_claude.py", "tests/process/test_cursor.py", "tests/hot/test_redact_canaries.py"]
# Of `tests/hot`, what installs, which the environments cannot, and plays with the hooks' interpreter instead.
NOT_IN_IT = ["redact_canaries"]
# What uses the cold part, which begins with 3.10, or looks at the source alone.
NOT_ON_3_9 = ["resume_point", "places", "layers"]
PYODIDE = "pyodide@314.0.7"  # CPython 3.14 as WebAssembly
# What it can run: no processes, signals, locks, no PyYAML; of hypothesis a release that is Python alone.
WASM_NEEDS = ["pytest>=8,<9", "hypothesis==6.122.0", "annotated_types", "typing_extensions"]
WASM_TESTS = (
    "budget", "completed", "host_claude_code", "host_cursor", "host_render", "ids", "markdown",
    "meter_account", "meter_reading", "new_chat_link", "quoting", "records", "reminders", "resume_plan",
    "resume_text", "session", "simple_command", "textweight", "thresholds", "todo_calls", "todo_rules",
    "todos", "utc", "window", "work",
)  # fmt: skip
_ASK = "import sys;print(sys.implementation.name, '%d.%d' % sys.version_info[:2])"


def found() -> dict[str, Path]:
    """The interpreter of each version; of several the first on the path, else pyenv's newest."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    interpreters = {}
    for version in VERSIONS:
        on_path = shutil.which(f"python{version}")
        candidates = [Path(on_path)] if on_path else []
        candidates += sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)
        for candidate in candidates:
            if _says(candidate) == f"cpython {version}":  # a shim may stand for nothing
                interpreters[version] = candidate
                break
    return interpreters


def _says(python: Path) -> str:
    try:
        done = subprocess.run([python, "-I", "-c", _ASK], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def environment(name: str, python: Path, needs: list[str]) -> Path:
    """The Python of an environment. Raises CalledProcessError where it cannot be made."""
    folder = HOME / name
    made, ready = folder / "bin/python", folder / "ready"
    if not ready.exists():
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        pip = [made, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *needs], check=True)
        ready.touch()
    return made


def run(version: str, python: Path) -> bool:
    """Whether all tests pass on this version."""
    print(f"== CPython {version}: {python}", flush=True)
    made = environment(version, python, NEEDS)
    left_out = NOT_IN_IT + (NOT_ON_3_9 if version == "3.9" else [])
    ignored = [f"--ignore=tests/hot/test_{name}.py" for name in left_out]
    quiet = ["-q", "-p", "no:cacheprovider"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    in_it = subprocess.run([made, "-m", "pytest", "tests/hot", *ignored, *quiet], cwd=ROOT, env=variables)
    links = HOME / version / "hooks"
    links.mkdir(exist_ok=True)
    (links / "python3").unlink(missing_ok=True)
    (links / "python3").symlink_to(python.resolve())
    variables = {**os.environ, "PATH": f"{links}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "pytest", *CHATS, *quiet]
    as_hooks = subprocess.run(command, cwd=ROOT, env=variables)
    return in_it.returncode == as_hooks.returncode == 0


def run_in_wasm() -> bool:
    """Whether the pure part's tests pass on Pyodide's CPython."""
    print(f"== CPython 3.14 as WebAssembly: {PYODIDE}", flush=True)
    folder = HOME / "wasm"
    packages = folder / "packages"
    if not packages.exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, PYODIDE]
        subprocess.run(npm, check=True)
        pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "--only-binary=:all:", "--target", packages, *WASM_NEEDS], check=True)
    tests = [f"tests/hot/test_{name}.py" for name in WASM_TESTS]
    script = [ROOT / "tools/wasm_python.mjs", folder / "node_modules/pyodide", packages, ROOT]
    return subprocess.run(["node", *script, "-q", "-p", "no:cacheprovider", *tests]).returncode == 0


def floor_holds() -> bool:
    """Whether nothing in the hot part needs more than Python 3.9, as far as its text tells."""
    print("== 3.9, by vermin", flush=True)
    made = environment("vermin", Path(sys.executable), ["vermin>=1.6"])
    # the typing-only modules may name newer things; what is behind a check of `hasattr` is no demand
    command = [made.with_name("vermin"), "-t=3.9-", "--violations", "--no-tips", "--no-parse-comments",
               "--exclude-regex", "/shapes/", *HOT]  # fmt: skip
    return subprocess.run(command, cwd=ROOT).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="name what would run")
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="3.9 to 3.14, or: static")
    asked = parser.parse_args()
    here = found()
    wanted = asked.versions or [*VERSIONS, "static"]
    failed = []
    if "static" in wanted and not asked.list and not floor_holds():
        failed.append("static")
    for version, python in here.items():
        if version in wanted and asked.list:
            print(f"{version}  {python}")
        elif version in wanted and not run(version, python):
            failed.append(version)
    missing = [version for version in VERSIONS if version in wanted and version not in here]
    if "3.14" in missing and shutil.which("node") and shutil.which("npm"):
        missing.remove("3.14")
        if asked.list:
            print(f"3.14  {PYODIDE}")
        elif not run_in_wasm():
            failed.append("3.14")
    if missing:
        print(f"== not on this machine: {', '.join(missing)}")
    if failed:
        print(f"== failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
