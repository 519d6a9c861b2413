"""What sessions have left: how much, what failed in them, and which windows were only assumed."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .. import sessions as stored
from .. import shipped
from ..called_as import to_type
from ..counted import counted
from ..hot.files import is_folder, read_bytes
from ..hot.stores.paths import ROOT, STATE_FOLDERS, Paths
from .findings import Finding, Site, listed

LARGE_BYTES = 200 * 1024 * 1024
MANY_FILES = 3000  # a session's start has no time to look through more, and leaves them alone
ERRORS_DAYS = 7
RECENT = 5  # sessions whose windows are looked at


class Failure(NamedTuple):
    """One line of the error log. `text`: the error, where it arose, and at which event."""

    kind: str
    text: str


def size(site: Site) -> Iterator[Finding]:
    """All that is in the state folders, and that they are folders: hooks follow no link to one."""
    paths = [site.project.file(f"{ROOT}/{name}") for name in STATE_FOLDERS]
    there = [path for path in paths[:2] if os.path.lexists(path)]  # the others may be links
    wrong = [f"{ROOT}/{path.name}" for path in there if not is_folder(str(path))]
    if wrong:
        text = (
            f"{listed(wrong)}: no folder, or only a link to one, so no session is kept there."
        )
        yield Finding("state", "problem", text, "Move it away: the next hook makes the folder.")
    count = total = 0
    for walked in paths:
        for path in walked.rglob("*"):
            try:
                is_file, length = path.is_file(), path.lstat().st_size
            except OSError:
                continue
            count, total = count + is_file, total + (length if is_file else 0)
    text = f"{counted(count, 'file')} of sessions, {total / 1e6:.1f} MB."
    if total > LARGE_BYTES:
        remedy = to_type("prune", str(site.path), "--max-mb", str(LARGE_BYTES // 2_000_000))
        yield Finding("state", "problem", text, remedy)
    elif count > MANY_FILES:
        remedy = to_type("prune", str(site.path), "--max-age-days", "14")
        yield Finding("state", "problem", text + " Too many to be tidied at a session's start.", remedy)
    else:
        yield Finding("state", "ok", text)


def errors(site: Site) -> Iterator[Finding]:
    """Failures of hooks in the last days, by kind, with the newest. What was repaired since is history."""
    path = Path(Paths(site.path).errors())
    try:
        lines = read_bytes(str(path))[-200_000:].splitlines()
    except OSError:
        return
    since, fresh, history = time.time() - ERRORS_DAYS * 86_400, list[Failure](), list[Failure]()
    repaired = {kind: _written(site, kind) for kind in ("settings", "code")}
    for line in lines:
        try:
            entry = json.loads(line)
            kind, at = str(entry["kind"]), float(entry["at"])
            failure = Failure(kind, f"{entry['error']} ({entry['where']}, {entry['event']})")
        except (ValueError, LookupError, TypeError):
            continue
        if at > since:
            (fresh if at > repaired["settings" if kind == "settings" else "code"] else history).append(
                failure
            )
    if fresh:
        text = f"Hooks failed in the last {ERRORS_DAYS} days: {_told(fresh)}"
        yield Finding("errors", "problem", text, f"See {path.relative_to(site.project.root)}.")
    if history:
        yield Finding("errors", "ok", f"What failed was written anew since: {_told(history)}")


def _told(failures: list[Failure]) -> str:
    kinds = [f"{count} × {kind}" for kind, count in Counter(one.kind for one in failures).most_common()]
    return f"{listed(kinds)}. The last: {failures[-1].text}"


def _written(site: Site, kind: str) -> float:
    """When the settings or the code that hooks go by were written last, be it by an installation or by git.

    A failure behind that is a fresh one, whatever it was about; so one that was not repaired comes back.
    """
    files = [name for name in (site.record["files"] if site.record else {}) if name.startswith(shipped.HOOKS)]
    ending = ".py" if kind == "code" else "/settings.json"
    found = [_changed(site.project.file(name)) for name in files if name.endswith(ending)]
    return max(found, default=0.0)


def _changed(file: Path) -> float:
    """One that was put in the place of another, or made readable, tells it by its status (not on Windows)."""
    try:
        status = file.stat()
    except OSError:
        return 0.0
    return max(status.st_mtime, status.st_ctime)


def windows(site: Site) -> Iterator[Finding]:
    """Whether the window of the last sessions is known or assumed."""
    if site.settings is None:
        return
    assumed: dict[str, str] = {}
    for session in stored.load_all(site.path)[:RECENT]:
        reading, host = session.state["reading"], session.state["host"]
        model = session.state["meter"].get("model") or session.state["model"]
        if reading["tokens"] is not None and reading["window_source"] in ("host_default", "ambiguous"):
            how = "assumed" if reading["window_source"] == "host_default" else "not certain: Yellow at most"
            assumed[f"{model or 'a model without a name'} ({host})"] = f"{reading['window'] or 0:,}, {how}"
    for model, window in assumed.items():
        text = f"The window of {model} is {window}."
        yield Finding("window", "note", text, "Say what it is under windows in the manifest.")


def cursor_version(site: Site) -> str:
    """The Cursor that was last seen here, by its own word."""
    for session in stored.load_all(site.path):
        if session.state["host"] == "cursor" and session.state["host_version"]:
            return str(session.state["host_version"])
    return ""
