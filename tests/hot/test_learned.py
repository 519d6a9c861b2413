from __future__ import annotations

import json
from pathlib import Path

import pytest

from safepoint.hot.stores import learned
from safepoint.hot.stores.paths import Paths
from safepoint.hot.stores.session_store import SessionStore


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    paths = Paths(str(tmp_path))
    SessionStore(paths, "s-1", "s-1", "", "cursor").prepare()
    return paths


def test_nothing_is_known_at_first(paths: Paths) -> None:
    assert learned.window(paths, "cursor", "gpt-5") is None


def test_window_is_kept_for_its_host_and_model(paths: Paths) -> None:
    learned.remember(paths, "cursor", "gpt-5", 272_000)
    learned.remember(paths, "claude_code", "gpt-5", 200_000)
    learned.remember(paths, "cursor", "gpt-5", 400_000)
    assert learned.window(paths, "cursor", "gpt-5") == 400_000
    assert learned.window(paths, "claude_code", "gpt-5") == 200_000
    assert learned.window(paths, "cursor", "other") is None


def test_window_of_no_model_is_not_kept(paths: Paths) -> None:
    learned.remember(paths, "cursor", "", 272_000)
    assert not Path(paths.learned()).exists()


def test_known_window_is_not_written_again(paths: Paths) -> None:
    learned.remember(paths, "cursor", "gpt-5", 272_000)
    before = Path(paths.learned()).stat().st_ino
    learned.remember(paths, "cursor", "gpt-5", 272_000)
    assert Path(paths.learned()).stat().st_ino == before


@pytest.mark.parametrize(
    "content",
    [b"", b"not json", b"[]", b"null", b"\xff\xfe", b'{"cursor": []}', b'{"cursor": {"gpt-5": "272000"}}',
     b'{"cursor": {"gpt-5": -1}}', b'{"cursor": {"gpt-5": 0}}', b'{"cursor": {"gpt-5": true}}',
     b'{"cursor": {"gpt-5": 1.5}}', b'{"cursor": {"gpt-5": null}}'],
)  # fmt: skip
def test_garbage_is_not_believed_and_replaced(paths: Paths, content: bytes) -> None:
    Path(paths.learned()).write_bytes(content)
    assert learned.window(paths, "cursor", "gpt-5") is None
    learned.remember(paths, "cursor", "gpt-5", 272_000)
    assert learned.window(paths, "cursor", "gpt-5") == 272_000


def test_what_else_was_known_stays(paths: Paths) -> None:
    Path(paths.learned()).write_text('{"cursor": {"a": 1}, "claude_code": {"b": 2}, "odd": 3}')
    learned.remember(paths, "cursor", "gpt-5", 272_000)
    kept = json.loads(Path(paths.learned()).read_text())
    assert kept == {"cursor": {"a": 1, "gpt-5": 272_000}, "claude_code": {"b": 2}}


def test_a_small_window_is_believed_at_its_second_statement(paths: Paths) -> None:
    for stated, known in ((128_000, None), (64_000, None), (128_000, None), (128_000, 128_000)):
        learned.remember(paths, "cursor", "small", stated)
        assert learned.window(paths, "cursor", "small") == known
    learned.remember(paths, "cursor", "small", 64_000)
    assert learned.window(paths, "cursor", "small") == 128_000
    assert learned.window(paths, "once", "cursor small") == 64_000  # no host has that name
