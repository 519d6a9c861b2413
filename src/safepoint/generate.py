"""`manifest.yaml` to the files that are made from it, and the check that nobody edited those by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from . import changes, manifest, plugins, registration
from .changes import Change
from .errors import SafepointError
from .hot.campaign_refs import has_remote
from .hot.shapes import Settings


class Generated(NamedTuple):
    """One generated file. `state`: same, differs or missing."""

    path: str
    content: bytes
    state: str

    @property
    def action(self) -> str:
        return "create" if self.state == "missing" else "change"


def dump(data: Any) -> bytes:
    return (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()


def compile_settings(settings: Settings, shared_events: dict[str, list[str]] | None = None) -> bytes:
    return dump({**settings, "shared_events": shared_events or settings["shared_events"]})


def for_source(root: Path) -> list[Generated]:
    """The generated files of Safepoint's own repository.

    The sample hooks.json registers the base set, which no Cursor version with preToolUse refuses.
    """
    checked = manifest.load(root / "manifest.yaml", "manifest.yaml")
    contents = {
        "hooks.json": dump(registration.cursor_hooks("base")),
        "hooks/claude-settings.json": dump(registration.claude_settings()),
        "hooks/settings.json": compile_settings(checked.settings),
        **{path: dump(content) for path, content in plugins.files().items()},
    }
    return [Generated(path, content, _state(root / path, content)) for path, content in contents.items()]


def _state(file: Path, content: bytes) -> str:
    try:
        return "same" if file.read_bytes() == content else "differs"
    except FileNotFoundError:
        return "missing"


def from_changes(planned: list[Change]) -> list[Generated]:
    return [
        Generated(change.path, change.after or b"", "missing" if change.before is None else "differs")
        for change in planned
        if not change.private  # copies of what people wrote are not made from the manifest
    ]


def write(files: list[Generated], root: Path) -> None:
    for one in files:
        if one.state != "same":
            (root / one.path).parent.mkdir(exist_ok=True)
            changes.write(root / one.path, one.content)


def remote_notes(project: str, settings: Settings) -> list[str]:
    """That the settings name a remote which the repository does not have."""
    sync = settings.get("sync")
    if not sync or not sync["remote"] or has_remote(project, sync["remote"]):
        return []
    return [
        f"sync.remote in manifest.yaml is {sync['remote']}, and this repository has no remote of that name"
        " (git remote -v shows those it has): push, pull and fetch refuse until it has"
    ]


class DriftError(SafepointError):
    """Generated files that are not what their source says."""

    def __init__(self, files: list[Generated], remedy: str) -> None:
        self.files = files
        said = {"missing": "is missing", "differs": "differs from what manifest.yaml says"}
        lines = [f"{one.path}: {said[one.state]}" for one in files]
        super().__init__("\n".join([*lines, f"Edit manifest.yaml, not these files, then run: {remedy}"]))


def check(files: list[Generated], remedy: str) -> None:
    drifted = [one for one in files if one.state != "same"]
    if drifted:
        raise DriftError(drifted, remedy)
