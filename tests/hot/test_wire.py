from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from safepoint.hot import wire, wire_pipe, wire_slow

FEW = settings(max_examples=25, deadline=None)
TEXT = st.text(max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=10)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=5)


# --- reading ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b'{"a":1}', {"a": 1}, id="plain"),
        pytest.param(b'\xef\xbb\xbf{"a":1}', {"a": 1}, id="one-mark"),
        pytest.param(b'\xef\xbb\xbf\xef\xbb\xbf {"a":1}', {"a": 1}, id="two-marks"),
        pytest.param(b'\r\n\t {"a":1}\n', {"a": 1}, id="white-space"),
        pytest.param(b'{"a":1}{"a":2}', {"a": 1}, id="second-object-ignored"),
        pytest.param(b'{"a":1}\nEOF\n', {"a": 1}, id="heredoc-end-ignored"),
        pytest.param(b'{"a":1,"a":2}', {"a": 2}, id="last-of-equal-keys"),
        pytest.param(b'{"a":"x\ty\nz"}', {"a": "x\ty\nz"}, id="raw-control-characters"),
        pytest.param(b'{"a":NaN,"b":-Infinity}', {"a": None, "b": None}, id="not-a-number-is-none"),
        pytest.param(b'{"a":"\\ud83d"}', {"a": "\ud83d"}, id="lone-surrogate"),
        pytest.param(b'{"a":"\xff\xfe"}', {"a": "\udcff\udcfe"}, id="not-utf8"),
        pytest.param('{"a":"日本語 🎉"}'.encode(), {"a": "日本語 🎉"}, id="japanese"),
    ],
)
def test_first_object_is_read(data: bytes, expected: dict[str, object]) -> None:
    assert wire.first_object(data) == expected


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        pytest.param(b"", "empty", id="nothing"),
        pytest.param(b"\xef\xbb\xbf \n", "empty", id="mark-and-space"),
        pytest.param(b"{", "incomplete", id="open-brace"),
        pytest.param(b'{"a": tr', "incomplete", id="half-a-literal"),
        pytest.param(b'{"a": "x\\u00', "incomplete", id="half-an-escape"),
        pytest.param(b'{"a": -', "incomplete", id="minus"),
        pytest.param(b'{"a": 1.5e+', "incomplete", id="half-a-number"),
        pytest.param(b'{"a" 1}', "broken", id="no-colon"),
        pytest.param(b'{"a": "\\uZZZZ"}', "broken", id="wrong-escape"),
        pytest.param(b"{'a': 1}", "broken", id="single-quotes"),
        pytest.param(b"nope", "broken", id="prose"),
        pytest.param(b"text {}", "broken", id="text-before"),
        pytest.param(b"[1, 2]", "not_object", id="list"),
        pytest.param(b"null", "not_object", id="null"),
        pytest.param(b'"x"', "not_object", id="string"),
    ],
)
def test_error_says_what_is_wrong(data: bytes, kind: str) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.first_object(data)
    assert caught.value.kind == kind
    assert isinstance(caught.value, ValueError)


@FEW
@given(OBJECTS, st.data())
def test_every_cut_of_an_object_is_incomplete(obj: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(obj, ensure_ascii=data.draw(st.booleans()))
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(wire.WireError) as caught:
        wire.first_object(text[:cut].encode())
    assert caught.value.kind == "incomplete"


@FEW
@given(st.binary())
def test_any_bytes_are_an_object_or_a_wire_error(data: bytes) -> None:
    try:
        assert isinstance(wire.first_object(data), dict)
    except wire.WireError as error:
        assert error.kind in {"empty", "incomplete", "broken", "not_object"}


@FEW
@given(OBJECTS, st.binary())
def test_what_follows_the_object_does_not_matter(obj: dict[str, object], rest: bytes) -> None:
    assert wire.first_object(json.dumps(obj).encode() + rest) == obj


def test_deep_nesting_does_not_crash() -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.first_object(b'{"a":' * 500_000)
    assert caught.value.kind in {"broken", "incomplete"}
    with pytest.raises(wire.WireError):
        wire.first_object(b'{"a":' + b"[" * 500_000 + b"]" * 500_000 + b"}")


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="no limit to run into")
def test_integer_past_the_digit_limit_is_none() -> None:
    assert wire.first_object(b'{"a":' + b"9" * 5000 + b',"b":1}') == {"a": None, "b": 1}


@pytest.mark.parametrize("text", ['{"a":1} x', "", "{", "[1] [2]", "\x00"])
def test_loads_wants_the_whole_text(text: str) -> None:
    with pytest.raises(wire.WireError):
        wire.loads(text)


@FEW
@given(VALUES)
def test_loads_undoes_dumps(value: object) -> None:
    assert wire.loads(wire.dumps(value)) == value
    assert wire.loads(wire.dumps(value, indent=2).encode()) == value


# --- without the C accelerator ---------------------------------------------------------------------------


@pytest.fixture
def no_scanner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_scanner", None)
    monkeypatch.setattr(wire, "encode", wire_slow.encode)


@pytest.mark.usefixtures("no_scanner")
def test_json_does_the_same_without_the_scanner() -> None:
    assert wire.first_object(b' {"a":"\xe3\x81\x82","n":NaN} x') == {"a": "あ", "n": None}
    assert wire.dumps({1: float("nan"), "s": {2}}) == '{"1":null,"s":null}'
    assert wire.canonical({"b": 1, "a": 2}) == b'{"a":2,"b":1}'


# --- writing ---------------------------------------------------------------------------------------------


class Odd:
    def __str__(self) -> str:
        raise RuntimeError("no name")


CYCLE: list[object] = [1]
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"b": [1, 2.5, True, None], "a": "x"}, '{"b":[1,2.5,true,null],"a":"x"}', id="compact"),
        pytest.param("日\n", '"\\u65e5\\n"', id="ascii"),
        pytest.param("\ud83d", '"\\ud83d"', id="lone-surrogate"),
        pytest.param([float("nan"), float("inf"), -float("inf")], "[null,null,null]", id="not-finite"),
        pytest.param({1: 3, None: 2, 2.5: 4}, '{"1":3,"null":2,"2.5":4}', id="keys"),
        pytest.param({(1, 2): 1, b"k": 2}, '{"(1, 2)":1,"b\'k\'":2}', id="unusual-keys"),
        pytest.param([{1}, b"x", object()], "[null,null,null]", id="unknown-objects"),
        pytest.param({Odd(): 1}, '{"Odd":1}', id="key-without-a-string"),
        pytest.param((1, (2,)), "[1,[2]]", id="tuples"),
        pytest.param(CYCLE, "[1,null]", id="cycle"),
    ],
)
def test_dumps(value: object, expected: str) -> None:
    assert wire.dumps(value) == expected


def test_fields_stand_on_lines_of_their_own() -> None:
    value = {"a": 1, "b": {"c": [float("nan"), "日"]}, "d": []}
    text = wire.dump_fields(value)
    assert text.splitlines() == ["{", '  "a": 1,', '  "b": {"c":[null,"\\u65e5"]},', '  "d": []', "}"]
    assert wire.loads(text) == {"a": 1, "b": {"c": [None, "日"]}, "d": []}


def test_dumps_survives_any_depth() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert wire.dumps(value).count("[") >= wire_slow.MAX_DEPTH
    assert wire.dumps(value, indent=1)
    assert wire.canonical(value)
    while value:  # taken apart by hand: freeing it in one go is the interpreter's problem, not ours
        value = value.pop()  # type: ignore[assignment]


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="no limit to run into")
def test_integer_too_long_to_print_is_null() -> None:
    assert wire.dumps([10**5000, 1]) == "[null,1]"


@FEW
@given(VALUES)
def test_output_is_what_json_writes(value: object) -> None:
    assert wire.dumps(value) == json.dumps(value, separators=(",", ":"))
    assert wire.dumps(value, indent=2) == json.dumps(value, indent=2)
    assert wire.canonical(value) == json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


@FEW
@given(
    st.recursive(st.floats() | st.integers(), lambda v: st.tuples(v, v) | st.dictionaries(st.integers(), v))
)
def test_digest_text_survives_the_file(value: object) -> None:
    assert wire.canonical(wire.loads(wire.dumps(value))) == wire.canonical(value)


@FEW
@given(st.text(st.characters(min_codepoint=0xD800, max_codepoint=0xDBFF)))
def test_lone_surrogates_survive(text: str) -> None:
    assert wire.loads(wire.dumps(text)) == text
    assert wire.utf8(text) == b"?" * len(text)


# --- the pipe --------------------------------------------------------------------------------------------


class Pipe:
    """A pipe that a thread writes to: bytes to write, or seconds to wait."""

    def __init__(self, *steps: bytes | float, close: bool) -> None:
        self.read_fd, self.write_fd = os.pipe()
        self._steps, self._close = steps, close
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def _write(self) -> None:
        for step in self._steps:
            if isinstance(step, bytes):
                while step:
                    step = step[os.write(self.write_fd, step) :]
            else:
                time.sleep(step)
        if self._close:
            os.close(self.write_fd)

    def finish(self) -> None:
        self._thread.join()
        os.close(self.read_fd)
        if not self._close:
            os.close(self.write_fd)


BIG = b'{"a":"' + b"x" * 300_000 + b'"}'


@pytest.mark.parametrize("close", [True, False], ids=["closed", "left-open"])
@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param((b'{"a":1}',), b'{"a":1}', id="at-once"),
        pytest.param((b'{"a":{}', 0.02, b',"b":2}\n'), b'{"a":{},"b":2}\n', id="pause-behind-a-brace"),
        pytest.param((BIG,), BIG, id="larger-than-the-pipe"),
        pytest.param((b'{"a":1', 0.01, b"}"), b'{"a":1}', id="in-two-parts"),
        pytest.param((b'{"a":', 0.01), b'{"a":', id="cut-off"),
        pytest.param((), b"", id="nothing"),
    ],
)
def test_pipe_is_read_to_the_object(steps: tuple[bytes | float, ...], expected: bytes, close: bool) -> None:
    pipe = Pipe(*steps, close=close)
    started = time.monotonic()
    chunks, found = wire_pipe.collect(b"", pipe.read_fd, silence_s=0.1)
    assert b"".join(chunks) == expected
    assert found is None or found == json.loads(expected)
    assert time.monotonic() - started < 1.5
    pipe.finish()


def test_complete_object_is_not_waited_behind() -> None:
    pipe = Pipe(b'{"a":1}', close=False)
    started = time.monotonic()
    assert wire.read_payload(pipe.read_fd, silence_s=5) == ({"a": 1}, 7)
    assert time.monotonic() - started < 2
    pipe.finish()


def test_read_object_reports_what_is_wrong() -> None:
    pipe = Pipe(b'{"a":', close=True)
    with pytest.raises(wire.WireError) as caught:
        wire.read_payload(pipe.read_fd)
    assert caught.value.kind == "incomplete"
    pipe.finish()


def test_dripping_braces_are_looked_at_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(wire, "peek", lambda data: looked.append(len(data)))
    monkeypatch.setattr(wire_pipe, "_GRACE_S", 0.0)
    chunks = [b'{"a":'] + [b"{}"] * 200
    monkeypatch.setattr(wire_pipe, "_waiter", lambda fd: lambda seconds: seconds > 0.1)
    monkeypatch.setattr(wire, "read", lambda fd, count: chunks.pop(0) if chunks else b"")
    assert len(b"".join(wire_pipe.collect(b"", 0, 0.3)[0])) == 405
    assert sum(looked) <= 2 * 405


def test_closed_stdin_reads_as_nothing() -> None:
    read_fd, write_fd = os.pipe()
    os.close(read_fd)
    os.close(write_fd)
    with pytest.raises(wire.WireError, match="empty"):
        wire.read_payload(read_fd)


def test_good_payload_loads_neither_json_nor_re() -> None:
    code = (
        "import sys; from safepoint.hot import wire; wire.dumps(wire.read_payload(), indent=2); "
        "print(sorted({'json', 're', 'typing', 'hashlib'} & set(sys.modules)))"
    )
    env = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], input=b'{"a":1}', env=env, capture_output=True, check=True
    )
    assert done.stdout.strip() == b"[]"
