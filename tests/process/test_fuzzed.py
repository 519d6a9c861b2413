"""Whatever comes on stdin or lies in our files: the entry function exits 0 with one JSON object or nothing.

`tools/fuzz` looks for more with a coverage-guided fuzzer; what it kept is played here too.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import payloads
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tools.fuzz.entry import KINDS, Hooks  # noqa: E402
from tools.fuzz.targets import FILES, TARGETS  # noqa: E402

CORPUS = [
    (target, path) for target in TARGETS for path in sorted((ROOT / "tools/fuzz/corpus" / target).glob("*"))
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ODD = st.sampled_from(["", "\0", "../../../etc", "/", "a" * 5000, "\udcff", "\ud83d", -1, 10**400, True, None,
                       [], {}, [[[]]], {"": None}, "\n", "NaN", float("nan"), 1e308, "C:\\x",
                       "//host/x"])  # fmt: skip
REAL = [payloads.claude(event) for event in payloads.CLAUDE] + [
    payloads.cursor(event) for event in payloads.CURSOR
]
FEW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def changed(draw: st.DrawFn) -> dict[str, Any]:
    """A real payload in which some fields are gone, or anything else."""
    payload = copy.deepcopy(draw(st.sampled_from(REAL)))
    for _ in range(draw(st.integers(1, 4))):
        holder = payload
        inner = [value for value in payload.values() if isinstance(value, dict) and value]
        if inner and draw(st.booleans()):
            holder = draw(st.sampled_from(inner))
        if holder:
            name = draw(st.sampled_from(sorted(holder)))
            if draw(st.booleans()):
                holder[name] = copy.deepcopy(draw(ODD | JSON))
            else:
                holder.pop(name)
    return payload


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A real payload as bytes, cut or with bytes of another kind inside."""
    data = payloads.wire_bytes(draw(st.sampled_from(REAL)))
    at = draw(st.integers(0, len(data)))
    rest = data[at + draw(st.integers(0, 30)) :] if draw(st.booleans()) else b""
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe"]))
    return mark + data[:at] + draw(st.binary(max_size=9)) + rest


@pytest.fixture(scope="module")
def hooks() -> Iterator[Hooks]:
    with Hooks() as found:
        yield found


@pytest.mark.parametrize(
    ("target", "path"), CORPUS, ids=[f"{target}-{path.name[:12]}" for target, path in CORPUS]
)
def test_what_the_fuzzer_kept(target: str, path: Path, hooks: Hooks) -> None:
    TARGETS[target](hooks, path.read_bytes())


@FEW
@given(st.lists(st.tuples(st.sampled_from(KINDS), changed()), min_size=1, max_size=4))
def test_changed_payloads(hooks: Hooks, events: list[tuple[str, dict[str, Any]]]) -> None:
    """No error of our own is hidden behind the answer that lets the tool go on."""
    hooks.clean()
    for kind, payload in events:
        hooks.call(kind, json.dumps(payload).encode())


@settings(FEW, max_examples=40)
@given(
    st.sampled_from(range(len(FILES))),
    st.binary(max_size=400) | JSON.map(lambda value: json.dumps(value).encode()),
)
def test_files_of_any_content(hooks: Hooks, number: int, content: bytes) -> None:
    TARGETS["files"](hooks, bytes([number]) + content)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300) | st.text(max_size=99).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_texts_of_any_kind_are_judged(hooks: Hooks, data: bytes) -> None:
    TARGETS["redact"](hooks, data)


@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(KINDS), data=damaged() | st.binary(max_size=200))
def test_process_ends_well(kind: str, data: bytes) -> None:
    """A process of its own, which ends as a hook does: with the real timer, and by `os._exit`."""
    with tempfile.TemporaryDirectory() as folder:
        status, out, err = forked(kind, data, Path(folder))
    assert (status, err) == (0, b"")
    assert out == b"" or isinstance(json.loads(out.decode("ascii")), dict)


def forked(kind: str, data: bytes, folder: Path) -> tuple[int, bytes, bytes]:
    files = [open(folder / f"stream-{number}", "w+b") for number in range(3)]  # noqa: SIM115
    files[0].write(data)
    files[0].seek(0)
    child = os.fork()
    if child == 0:
        for number, file in enumerate(files):
            os.dup2(file.fileno(), number)
        os.environ["CLAUDE_PROJECT_DIR"] = str(folder)
        from safepoint.hot import runtime

        runtime.main(kind, str(ROOT / "hooks"))
        os._exit(99)
    _, status = os.waitpid(child, 0)
    out, err = (file.seek(0) or file.read() for file in files[1:])
    for file in files:
        file.close()
    return os.waitstatus_to_exitcode(status), out, err
