from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from user_files import contents

from safepoint import hook_commands, hook_files, jsonc, registration
from safepoint.hook_files import Form, HookFileError, merge, withdraw

CURSOR = {event: entries[0] for event, entries in registration.cursor_hooks("base")["hooks"].items()}
CURSOR_FULL = {event: entries[0] for event, entries in registration.cursor_hooks("full")["hooks"].items()}
CLAUDE = {event: groups[0] for event, groups in registration.claude_settings()["hooks"].items()}
FILES: st.SearchStrategy[tuple[Form, bytes]] = contents("cursor").map(lambda one: ("cursor", one)) | contents(
    "claude"
).map(lambda one: ("claude", one))


def entries_for(form: Form) -> dict[str, Any]:
    return CURSOR if form == "cursor" else CLAUDE


def data(content: bytes | None) -> Any:
    text = (content or b"").decode("utf-8-sig")
    return jsonc.parse(text).value if text.strip() else {}


def without_ours(value: dict[str, Any]) -> dict[str, Any]:
    """The plain data with Safepoint's entries and emptied events left out, to compare meanings."""
    hooks = {}
    for event, entries in value.get("hooks", {}).items():
        kept = [one for one in entries if "CLAUDE_PROJECT_DIR" not in str(one)]
        if kept:
            hooks[event] = kept
    rest = {key: item for key, item in value.items() if key not in ("hooks", "version")}
    return rest | ({"hooks": hooks} if hooks else {})


@settings(max_examples=80, deadline=None)
@example(("cursor", b'{"hooks":{/* mine */},}'))
@example(("cursor", b'{"version": 1, "hooks": {"stop": [ /* mine */ ]}}'))
@example(("claude", b"{// mine \r\n}"))
@given(FILES)
def test_withdrawing_restores_every_byte(file: tuple[Form, bytes]) -> None:
    form, content = file
    merged = merge(content, "f", form, entries_for(form), {})
    assert withdraw(merged.content or b"", "f", form, merged.made).content == content


@settings(max_examples=50, deadline=None)
@given(FILES)
def test_merging_adds_each_entry_once_and_keeps_the_rest(file: tuple[Form, bytes]) -> None:
    form, content = file
    merged = merge(content, "f", form, entries_for(form), {})
    assert merge(merged.content, "f", form, entries_for(form), merged.made) == merged
    after = data(merged.content)
    for event, entry in entries_for(form).items():
        assert after["hooks"][event].count(entry) == 1
    assert without_ours(after) == without_ours(data(content))
    assert (merged.content or b"").startswith(b"\xef\xbb\xbf") == content.startswith(b"\xef\xbb\xbf")


@settings(max_examples=40, deadline=None)
@given(contents("cursor"))
def test_changing_the_event_set_there_and_back_changes_nothing(content: bytes) -> None:
    base = merge(content, "f", "cursor", CURSOR, {})
    full = merge(base.content, "f", "cursor", CURSOR_FULL, base.made)
    back = merge(full.content, "f", "cursor", CURSOR, full.made)
    assert data(back.content) == data(base.content)
    assert withdraw(full.content or b"", "f", "cursor", full.made).content == content
    assert withdraw(back.content or b"", "f", "cursor", back.made).content == content


@settings(max_examples=40, deadline=None)
@given(contents("cursor"), contents("cursor"))
def test_what_the_user_adds_later_stays(content: bytes, later: bytes) -> None:
    """Another tool's entry behind ours on every event."""
    merged = merge(content, "f", "cursor", CURSOR, {})
    text = (merged.content or b"").decode("utf-8-sig")
    for event in CURSOR:
        text = hook_files.json_edit.append(text, ["hooks", event], {"command": "late"})
    left = data(withdraw(text.encode(), "f", "cursor", merged.made).content)
    for event in CURSOR:
        assert left["hooks"][event][-1] == {"command": "late"}
    assert "CLAUDE_PROJECT_DIR" not in str(left)


def test_a_new_file_is_the_generated_one() -> None:
    from safepoint.generate import dump

    assert merge(None, "f", "cursor", CURSOR, {}).content == dump(registration.cursor_hooks("base"))
    assert merge(None, "f", "claude", CLAUDE, {}).content == dump(registration.claude_settings())


def test_a_file_of_ours_alone_goes_away() -> None:
    merged = merge(None, "f", "cursor", CURSOR, {})
    assert withdraw(merged.content or b"", "f", "cursor", merged.made).content is None


def test_the_users_style_is_kept() -> None:
    before = '{\n\t"version": 1, // ours\n\t"hooks": {\n\t\t"stop": [{"command": "x"}] // mine\n\t}\n}\n'
    entry = {"stop": CURSOR["stop"]}
    after = (merge(before.encode(), "f", "cursor", entry, {}).content or b"").decode()
    first, rest = after.split('{"command": "x"}')
    assert before.startswith(first)
    assert rest.endswith("] // mine\n\t}\n}\n")


def test_an_old_command_is_replaced_in_place_and_the_rest_of_the_entry_kept() -> None:
    old = registration.command("session_stop").replace("-I -S", "-I")
    before = hook_files.json.dumps({"version": 1, "hooks": {"stop": [{"timeout": 30, "command": old}]}})
    after = data(merge(before.encode(), "f", "cursor", {"stop": CURSOR["stop"]}, {}).content)
    assert after["hooks"]["stop"] == [{"timeout": 30, "command": CURSOR["stop"]["command"]}]


def test_an_entry_inside_a_users_group_is_taken_out_alone() -> None:
    ours = {"type": "command", "command": registration.command("session_stop")}
    group = {"matcher": "*", "hooks": [{"type": "command", "command": "mine"}, ours]}
    before = hook_files.json.dumps({"hooks": {"Stop": [group]}}, indent=2)
    left = data(withdraw(before.encode(), "f", "claude", {}).content)
    assert left == {"hooks": {"Stop": [{"matcher": "*", "hooks": [group["hooks"][0]]}]}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"hooks": {\n  "stop": [}\n}', "f:2:12: '}' where a value is expected"),
        ('{"a": 1\n "b": 2}', "f:2:2: '\"' where ',' or '}' is expected"),
        ('{"a": 01}', "f:1:7: '01' where a value is expected"),
        ("{'a': 1}", "f:1:2: \"'a'\" where a key in double quotes or '}' is expected"),
        ('{"a": 1', "f:1:8: the end of the file where ',' or '}' is expected"),
        ('{"a": "x\n"}', "f:1:7: a text in double quotes that does not end on its line"),
        ('{"a": "\\x"}', "f:1:7: a text with an escape that JSON does not have"),
        ('{"a": 1, "a": 2}', 'f:1:10: the key "a" stands twice in this object'),
        ("{} {}", "f:1:4: '{' after the end of the value"),
        ("{ /* ", "f:1:3: a comment that is never closed"),
        ("[]", "f:1:1: an object {…} is expected here"),
        ('{"hooks": []}', "f:1:11: an object {…} with the hooks is expected here"),
        ('{"hooks": {"stop": {}}}', "f:1:20: a list […] is expected for stop"),
        ('{"version": 2}', "f:1:13: version 2 is not known, only 1"),
        ("[" * 300, "nested deeper than 200"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(HookFileError) as caught:
        merge(text.encode(), "f", "cursor", CURSOR, {})
    assert said in str(caught.value)
    assert str(caught.value).endswith("The file was left as it is.")


def test_a_byte_that_is_not_utf8_is_refused_with_its_place() -> None:
    with pytest.raises(HookFileError, match="f:2:3: a byte that is not UTF-8"):
        merge(b'{\n "\xff": 1}', "f", "cursor", CURSOR, {})


@settings(max_examples=60, deadline=None)
@given(FILES, st.data())
def test_any_cut_is_refused_or_merged(file: tuple[Form, bytes], draw: st.DataObject) -> None:
    form, content = file
    cut = content[: draw.draw(st.integers(0, len(content)))]
    try:
        merged = merge(cut, "f", form, entries_for(form), {})
    except HookFileError as error:
        assert error.line >= 1 and error.column >= 1
    else:
        assert withdraw(merged.content or b"", "f", form, merged.made).content == cut


def test_other_tools_events_are_found() -> None:
    merged = merge(b'{"hooks": {"stop": [{"command": "x"}], "preCompact": []}}', "f", "cursor", CURSOR, {})
    assert hook_commands.events_of_others(merged.content, "f", "cursor", Path("/p")) == {"stop"}
    claude = b'{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}'
    content = merge(claude, "f", "claude", CLAUDE, {}).content
    assert hook_commands.events_of_others(content, "f", "claude", Path("/p")) == {"Stop"}
