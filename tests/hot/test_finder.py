from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from safepoint.hot import finder

HOT = Path(finder.__file__).parent
FOLDERS = {file.parent.relative_to(HOT).as_posix() for file in HOT.rglob("*.py")} - {"."}
START = """
import sys
sys.path.insert(0, {source!r})
from safepoint.hot import finder
finder.install()
from safepoint.hot.stores import paths
import safepoint.hot.texts, safepoint.hot.hosts.fields as fields
import json
modules = (paths, fields, safepoint.hot.texts)
print(json.dumps({{one.__name__: [one.__file__, one.__package__, one.__cached__] for one in modules}}))
"""


def test_the_folders_are_named() -> None:
    assert FOLDERS == finder.EMPTY | finder.PACKAGES


def test_what_is_not_read_is_empty() -> None:
    assert [name for name in finder.EMPTY if (HOT / name / "__init__.py").read_bytes().strip()] == []


def test_modules_are_what_they_are_otherwise() -> None:
    code = START.format(source=str(HOT.parents[1]))
    outputs = [
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", text], capture_output=True, check=True, text=True
        ).stdout
        for text in (code, code.replace("finder.install()", ""))
    ]
    found, otherwise = map(json.loads, outputs)
    assert found == otherwise
    assert found["safepoint.hot.stores.paths"][1] == "safepoint.hot.stores"
