from __future__ import annotations

import json

import pytest

from safepoint import mcp_files
from safepoint.hook_files import HookFileError

ENTRY = {"command": "safepoint", "args": ["mcp"]}
OTHER = '{\n  // mine\n  "mcpServers": {\n    "other": {"command": "x"}\n  },\n  "inputs": []\n}\n'


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(None, id="no-file"),
        pytest.param("", id="empty"),
        pytest.param("\n", id="blank"),
        pytest.param("{}", id="empty-object"),
        pytest.param('{"mcpServers": {}}\n', id="no-servers"),
        pytest.param('{"mcpServers": { }, "x": 1}', id="spaced"),
        pytest.param(OTHER, id="others-and-comments"),
        pytest.param(OTHER.replace("\n", "\r\n"), id="crlf"),
        pytest.param("\ufeff" + OTHER, id="bom"),
    ],
)
def test_server_goes_in_and_out_again_to_the_byte(before: str | None) -> None:
    content = None if before is None else before.encode()
    merged = mcp_files.merge(content, "mcp.json", ENTRY, {})
    assert merged.content is not None and mcp_files.is_registered(merged.content)
    again = mcp_files.merge(merged.content, "mcp.json", ENTRY, merged.made)
    assert again == merged
    assert mcp_files.withdraw(merged.content, "mcp.json", merged.made).content == content


def test_another_way_to_start_it_replaces_the_one_before() -> None:
    merged = mcp_files.merge(OTHER.encode(), "mcp.json", ENTRY, {})
    moved = {"command": "/opt/python", "args": ["-m", "safepoint", "mcp"]}
    again = mcp_files.merge(merged.content, "mcp.json", moved, merged.made)
    assert again.content is not None and b"/opt/python" in again.content and b'"other"' in again.content
    assert mcp_files.withdraw(again.content, "mcp.json", again.made).content == OTHER.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("[]", "an object", id="list"),
        pytest.param('{"mcpServers": []}', "an object", id="servers-no-object"),
        pytest.param('{"mcpServers": {"safepoint": {"command": "mine"}}}', "not Safepoint's", id="foreign"),
        pytest.param("{", "mcp.json:1", id="broken"),
    ],
)
def test_what_could_only_be_guessed_at_is_refused(content: str, message: str) -> None:
    with pytest.raises(HookFileError, match=message):
        mcp_files.merge(content.encode(), "mcp.json", ENTRY, {})


def test_cursor_is_told_which_folder_is_meant() -> None:
    assert mcp_files.entry("cursor")["args"][-2:] == ["--project", "${workspaceFolder}"]
    assert json.dumps(mcp_files.entry("claude_code")).count("workspaceFolder") == 0
