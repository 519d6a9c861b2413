from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from safepoint.hot import campaign, places, runtime
from safepoint.hot.events import PROMPT, Event
from safepoint.hot.hook import Hook
from safepoint.hot.stores import tracker_file
from safepoint.shipped import source_root

Change = Callable[[Path], object]


def hook_in(project: Path) -> Hook:
    hooks = str(source_root() / "hooks")
    event = Event(PROMPT, "cursor", "s-1")
    event.project, event.now = str(project), 1_790_000_000.0
    hook = Hook(event, runtime.read_settings(hooks), hooks)
    hook.store.prepare()
    hook.store.load()
    return hook


def updated(project: Path) -> Hook:
    hook = hook_in(project)
    places.update(hook)
    hook.store.save()
    return hook


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    looked: list[str] = []
    write = tracker_file.write
    monkeypatch.setattr(tracker_file, "write", lambda *given: looked.append("again") or write(*given))
    return looked


def branch(project: Path, name: str) -> None:
    (project / ".git").mkdir(exist_ok=True)
    (project / ".git/HEAD").write_text(f"ref: refs/heads/{name}\n", encoding="utf-8")


def put(name: str, text: str = "# A report\n") -> Change:
    def change(project: Path) -> None:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")

    return change


def test_nothing_is_looked_up_twice(tmp_path: Path, looked_up: list[str]) -> None:
    for _ in range(3):
        updated(tmp_path)
    assert looked_up == ["again"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda project: branch(project, "other"), id="branch"),
        pytest.param(put("docs/agent-tasks/reports/a.md"), id="report"),
        pytest.param(put(".cursor/.artifacts/work--step1.md"), id="envelope"),
        pytest.param(put(".cursor/.session/handoff-s-1.md"), id="handoff"),
        pytest.param(put(".cursor/.tracking/tracker-s-1.md", "---\nstep: step9\n---\n"), id="tracker"),
        pytest.param(lambda project: os.environ.update(SAFEPOINT_CAMPAIGN="x"), id="environment"),
    ],
)
def test_every_change_that_matters_is_seen(
    tmp_path: Path, looked_up: list[str], monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    monkeypatch.setenv("SAFEPOINT_CAMPAIGN", "")
    branch(tmp_path, "work")
    updated(tmp_path)
    change(tmp_path)
    hook = updated(tmp_path)
    assert looked_up == ["again", "again"]
    assert hook.store.state["places"]


def test_an_envelope_that_is_edited_in_place_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAFEPOINT_CAMPAIGN", "work")
    envelope = tmp_path / ".cursor/.artifacts/work--step1.md"
    put(".cursor/.artifacts/work--step1.md", "---\nstatus: incomplete\n---\n")(tmp_path)
    assert updated(tmp_path).store.state["workflow_step"] == "step1"
    envelope.write_text("---\nstatus: complete\n---\n", encoding="utf-8")
    assert updated(tmp_path).store.state["workflow_step"] == ""


@pytest.mark.parametrize("name", ["", "work", "Fix It!", "main"])
def test_a_new_session_is_named_as_a_full_look_would_name_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("SAFEPOINT_CAMPAIGN", "")
    if name:
        branch(tmp_path, name)
        for known in ("main", name):
            put(f".git/refs/heads/{known}", "1" * 40 + "\n")(tmp_path)
    light, full = updated(tmp_path).store.state, hook_in(tmp_path)
    campaign.refresh(full)
    state = full.store.state
    for field in ("campaign_slug", "campaign_by", "report", "workflow_step"):
        assert light[field] == state[field], field  # type: ignore[literal-required]
    assert light["campaign_by"] == ("branch" if name not in ("", "main") else "session")
