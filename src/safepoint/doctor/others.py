"""What else runs on the same events: Safepoint a second time, or hooks of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .. import jsonc, registration, shipped
from ..called_as import to_type
from ..hot.files import read_bytes
from . import registered
from .findings import Finding, Site, listed
from .registered import Entry

# Names in Cursor's documentation. A version drops the whole file for one name that it does not know.
CURSOR_EVENTS = frozenset(registration.CURSOR_FULL) | {
    "beforeMCPExecution", "afterMCPExecution", "afterFileEdit", "afterAgentThought", "beforeTabFileRead",
    "afterTabFileEdit",
}  # fmt: skip
FULL_SINCE = (3, 12)  # the oldest version of which we have seen payloads of all events of the full set
PLUGIN = "safepoint"
NAMES_IT = "names a hook of Safepoint's"


def twice(site: Site) -> Iterator[Finding]:
    """Each event counts once all the same, since its second delivery has the same key; but time is paid."""
    everything = registered.in_project(site)
    ours = [entry for entry in everything if entry.is_ours]
    seen: dict[tuple[str, str], list[str]] = {}
    for entry in ours:
        seen.setdefault((entry.host, entry.event), []).append(entry.file)
    double = {event: names for (_, event), names in seen.items() if len(names) > 1}
    if double:
        where = " and ".join(sorted({name for names in double.values() for name in names}))
        text = f"Registered twice in {where}: {listed(sorted(double))}"
        yield Finding("twice", "problem", text, "Install again.", "install")
    yield from _embedded(everything)
    yield from _differing([entry for entry in everything if entry.is_ours or entry.is_embedded])
    user = sorted({entry.file for entry in registered.of_user(site) if entry.is_ours or entry.is_embedded})
    if user:
        text = f"Safepoint also stands in {' and '.join(user)}, so every event of this project runs it twice."
        yield Finding("twice", "problem", text, "Take its entries out there: they belong to a project.")
    plugins = list(_plugins(site))
    if plugins and ours:
        text = f"Safepoint is a plugin as well ({listed(plugins)}). Events count once, but each costs twice."
        yield Finding("twice", "note", text, "Keep one: uninstall here, or switch the plugin off.")


def of_another_project(site: Site) -> Iterator[Finding]:
    """Command lines that run the hooks of another project on this one's events."""
    found: dict[str, list[Entry]] = {}
    for entry in [*registered.in_project(site), *registered.of_user(site)]:
        if entry.foreign:
            found.setdefault(entry.foreign, []).append(entry)
    for folder, entries in found.items():
        runs = "runs" if any(registration.surely_runs(entry.command) for entry in entries) else "names"
        text = f"{_line_of_yours(entries, runs + ' a hook of another project, ' + folder + ',')}"
        if not (Path(folder) / shipped.HOOKS).is_dir():
            remedy = (
                "Take that line out: `python3` ends with 2 where a file is missing, which denies every tool."
            )
            yield Finding("foreign", "problem", f"{text}, where no hooks are.", remedy)
            continue
        remedy = (
            'Take that line out. A hook of this project is named by "$CLAUDE_PROJECT_DIR"/.cursor/hooks/…'
        )
        effect = "Here it would go by that project's code and settings."
        yield Finding("foreign", "problem" if runs == "runs" else "note", f"{text}. {effect}", remedy)


def _embedded(entries: list[Entry]) -> Iterator[Finding]:
    """Command lines of a person's that run ours, or may: alone, or with ours beside."""
    own = {(entry.host, entry.event) for entry in entries if entry.is_ours}
    in_file = {(entry.file, entry.event) for entry in entries if entry.is_ours}
    lines = [entry for entry in entries if entry.is_embedded]
    beside = [entry for entry in lines if (entry.host, entry.event) in own]
    doubtful = [entry for entry in entries if entry.is_in_doubt and (entry.host, entry.event) in own]
    if doubtful:
        text = f"{_line_of_yours(doubtful, NAMES_IT)}, beside its own."
        remedy = "Nothing, if it does not run it. Else take that line out: events count once, but cost twice."
        yield Finding("twice", "note", text, remedy)
    for found in (beside, [entry for entry in lines if entry not in beside]):
        if not found:
            continue
        text = _line_of_yours(found, "runs Safepoint")
        if found is not beside:
            remedy = "Nothing, if it is meant: it is not tried here. Else take it out and install again."
            yield Finding("twice", "note", f"{text}, in the place of Safepoint's own.", remedy)
        elif all(entry.is_wide and (entry.file, entry.event) in in_file for entry in found):
            remedy = "Take that line out. Or install again: then Safepoint's own goes."
            yield Finding("twice", "problem", f"{text}, beside Safepoint's own.", remedy, "install")
        else:
            yield Finding("twice", "problem", f"{text}, beside Safepoint's own.", "Take that line out.")


def _line_of_yours(entries: list[Entry], does: str) -> str:
    where = listed(sorted({entry.file for entry in entries}))
    events = listed(sorted({entry.event for entry in entries}))
    return f"{where}: a command line of yours {does} on {events}"


def _differing(entries: Iterable[Entry]) -> Iterator[Finding]:
    """Claude Code's entries that Cursor reads as well, and cannot tell to be those of its own file."""
    own: dict[str, list[Entry]] = {}
    for entry in entries:
        own.setdefault(entry.event, []).append(entry)
    for is_users in (False, True):
        found = sorted(
            event
            for claude, event in registration.CLAUDE_IN_CURSOR.items()
            for one in own.get(claude, ())
            if own.get(event)
            and all(one.command != other.command for other in own[event])
            and any(other.is_embedded for other in (one, *own[event])) is is_users
        )
        text = f"Cursor runs these twice, since the two files word the command differently: {listed(found)}"
        if found and is_users:
            yield Finding("twice", "problem", text, "Give both files the same line.")
        elif found:
            yield Finding("twice", "problem", text, "Install again.", "install")


def _plugins(site: Site) -> Iterator[str]:
    """Places that say Safepoint is switched on as a plugin of Claude Code, or is one of Cursor's."""
    claude = Path(site.environment.get("CLAUDE_CONFIG_DIR") or site.home / ".claude")
    files = {
        "~/.claude/settings.json": claude / "settings.json",
        ".claude/settings.json": site.project.file(".claude/settings.json"),
        ".claude/settings.local.json": site.project.file(".claude/settings.local.json"),
    }
    for name, path in files.items():
        enabled = _json(path).get("enabledPlugins")
        for plugin, on in enabled.items() if isinstance(enabled, dict) else ():
            if on and plugin.partition("@")[0] == PLUGIN:
                yield f"{plugin} in {name}"
    for manifest in sorted((site.home / ".cursor/plugins").glob("*/*/.cursor-plugin/plugin.json")):
        if _json(manifest).get("name") == PLUGIN:
            yield f"~/{manifest.parents[1].relative_to(site.home).as_posix()}"


def _json(path: Path) -> dict[str, Any]:
    try:
        value = jsonc.parse(read_bytes(str(path)).decode("utf-8-sig")).value
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def shared(site: Site) -> Iterator[Finding]:
    """Other tools' hooks on our events: on Cursor the texts of all are added up before its limit."""
    if site.settings is None:
        return
    inject = site.settings["inject"]
    for where, entries in (("project", registered.in_project(site)), ("user", registered.of_user(site))):
        others = [entry for entry in entries if not (entry.is_ours or entry.is_embedded)]
        theirs = [entry for entry in others if _is_our_event(entry)]
        if not theirs:
            continue
        events = sorted({entry.event for entry in theirs})
        text = f"Hooks of other tools in {listed(sorted({e.file for e in theirs}))} on {listed(events)}."
        if where == "user":
            smaller = f"set inject.max_bytes to {inject['shared_max_bytes']} if texts get lost."
            remedy = f"Cursor adds the texts of all hooks up: {smaller}"
            yield Finding("shared", "note", text, remedy)
            continue
        known = {event for host in site.settings["shared_events"].values() for event in host}
        if any(_in_cursor(entry) not in known and entry.event not in known for entry in theirs):
            remedy = f"{to_type('generate', str(site.path))}, so that texts on these events are kept shorter."
            yield Finding(
                "shared", "problem", text + " The settings do not know of them.", remedy, "generate"
            )
        else:
            limit = f" There, texts have {inject['shared_max_bytes']} bytes instead of {inject['max_bytes']}."
            yield Finding("shared", "note", text + limit, "Nothing, unless you do not want them.")


def _is_our_event(entry: Entry) -> bool:
    return registration.entrypoint_of(entry.host, entry.event) is not None


def _in_cursor(entry: Entry) -> str:
    return registration.CLAUDE_IN_CURSOR.get(entry.event, entry.event)


def unknown_events(site: Site, version: str) -> Iterator[Finding]:
    """Names in Cursor's file that would void it. `version`: the newest Cursor seen here, '' if none."""
    file = site.project.file(".cursor/hooks.json")
    strange = sorted(set(registered.events(file)) - CURSOR_EVENTS)
    if strange:
        text = f".cursor/hooks.json names {listed(strange)}, which Cursor's documentation does not have."
        remedy = "Correct or remove it: one event that a version does not know voids the whole file."
        yield Finding("events", "problem", text, remedy)
    full = site.record is not None and site.record["events"] == "full"
    if full and version and _parsed(version) < FULL_SINCE:
        text = f"All events are registered, and Cursor {version} may not know them all: then it runs no hook."
        yield Finding("events", "problem", text, to_type("install", str(site.path), "--events", "base"))


def _parsed(version: str) -> tuple[int, ...]:
    """The CLI's versions are dates, and so newer than any of the editor's."""
    numbers = version.partition("-")[0].split(".")[:2]
    return tuple(int(part) if part.isdecimal() else 0 for part in numbers)
