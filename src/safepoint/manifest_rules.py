"""Rules over several settings at once, which no single shape can state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from .hot.meters.window import normalize
from .hot.policies.simple_command import is_simple_command
from .yaml_lines import Path

Fault = tuple[Path, str, str]
HOSTS = ("cursor", "claude_code")
SECTIONS = ("position", "completed", "next_action", "resume_point")


def check(settings: dict[str, Any], sound: set[str]) -> Iterator[Fault]:
    """Faults of the sections named in `sound`, whose shapes are known to be right."""
    for section, rule in RULES.items():
        if section in sound and section in settings:
            for path, message, allowed in rule(settings[section]):
                yield (section, *path), message, allowed


def _budget(budget: dict[str, Any]) -> Iterator[Fault]:
    tiers = budget["tiers"]
    for i, tier in enumerate(tiers):
        yield from _ascending(tier, ("tiers", i), "yellow_ratio", "red_ratio")
        yield from _ascending(tier, ("tiers", i), "yellow_tokens", "red_tokens")
    for i, (smaller, larger) in enumerate(pairwise(tiers), 1):
        if larger["window"] <= smaller["window"]:
            allowed = f"more than {smaller['window']}, the row before it"
            yield ("tiers", i, "window"), f"{larger['window']} is out of order", allowed
    for name, limit in budget["proxies"].items():
        yield from _ascending(limit, ("proxies", name), "yellow", "red")
    yield from _twice(budget["deny_on"], ("deny_on",))
    for i, row in enumerate(budget.get("overrides", [])):
        yield from _override(row, tiers, ("overrides", i))


def _override(row: dict[str, Any], tiers: list[dict[str, Any]], path: Path) -> Iterator[Fault]:
    if "host" not in row and "model" not in row:
        yield path, "fits everything", "a host, a model, or both"
    if not {"yellow_ratio", "red_ratio", "yellow_tokens", "red_tokens"} & set(row):
        yield path, "changes nothing", "yellow_ratio, red_ratio, yellow_tokens, red_tokens"
    for tier in tiers:
        faults = [
            *_ascending({**tier, **row}, path, "yellow_ratio", "red_ratio"),
            *_ascending({**tier, **row}, path, "yellow_tokens", "red_tokens"),
        ]
        for (*_, key), message, allowed in faults:
            where = (*path, key) if key in row else path
            yield where, f"with the tier of {tier['window']}: {message}", allowed
        if faults:
            return


def _ascending(row: dict[str, Any], path: Path, low: str, high: str) -> Iterator[Fault]:
    if low in row and high in row and row[low] >= row[high]:
        yield (*path, low), f"{row[low]} is not below {high} {row[high]}", f"less than {row[high]}"


def _twice(values: list[Any], path: Path) -> Iterator[Fault]:
    for i, value in enumerate(values):
        if value in values[:i]:
            yield (*path, i), f"{value} stands twice", "each once"


def _grace(grace: dict[str, Any]) -> Iterator[Fault]:
    """A command that the guard itself would not take for a simple one lets nothing through."""
    allowed = "the words of one simple command, without quotes"
    for i, command in enumerate(grace["commands"]):
        if is_simple_command(command, [command]):
            continue
        yield ("commands", i), f"{command!r} can never match: {_why_not_simple(command)}", allowed


def _why_not_simple(command: str) -> str:
    bad = next((word for word in command.split() if not is_simple_command(word, [word])), "")
    if not bad:
        return "it is empty"
    if "'" in bad or '"' in bad:
        return f"{bad} holds a quote, and words are compared without"
    return f"{bad} is syntax of a shell"


def _hosts(table: dict[str, Any]) -> Iterator[Fault]:
    for host in HOSTS:
        if host not in table:
            yield (host,), "is missing", "one entry for each of cursor, claude_code"


def _windows(windows: dict[str, Any]) -> Iterator[Fault]:
    yield from _hosts(windows)
    for host, table in windows.items():
        listed = {normalize(model) for model in table["models"]}
        for i, model in enumerate(table["ambiguous"]):
            if normalize(model) in listed:
                yield (host, "ambiguous", i), f"{model} is under models as well", "one of the two"


def _handoff(handoff: dict[str, Any]) -> Iterator[Fault]:
    ids = [section["id"] for section in handoff["manifest_required_sections"]]
    for i, name in enumerate(ids):
        if name in ids[:i]:
            yield ("manifest_required_sections", i, "id"), f"{name} stands twice", "each section once"
    for name in SECTIONS:
        if name not in ids:
            yield ("manifest_required_sections",), f"the section {name} is missing", ", ".join(SECTIONS)
    for path, message, allowed in _hosts(handoff["on_compact"]):
        yield ("on_compact", *path), message, allowed


def _inject(inject: dict[str, Any]) -> Iterator[Fault]:
    shared, alone = inject["shared_max_bytes"], inject["max_bytes"]
    if shared > alone:
        yield ("shared_max_bytes",), f"{shared} is more than max_bytes {alone}", f"at most {alone}"


def _deadlines(deadlines: dict[str, Any]) -> Iterator[Fault]:
    whole = deadlines["hook_s"]
    for name in ("stdin_silence_s", "git_s", "git_end_s", "lock_s"):
        if deadlines[name] >= whole:
            yield (name,), f"{deadlines[name]} leaves no time before hook_s {whole}", f"less than {whole}"


def _campaign(campaign: dict[str, Any]) -> Iterator[Fault]:
    for name, value in campaign.items():
        if value.startswith(("/", "~", "\\")) or ":" in value or ".." in value.replace("\\", "/").split("/"):
            yield (name,), f"{value!r} leaves the project", "a folder inside the project, relative to it"


def _todo(todo: dict[str, Any]) -> Iterator[Fault]:
    yield from _twice(todo["models_with_tools"], ("models_with_tools",))


def _reminders(reminders: dict[str, Any]) -> Iterator[Fault]:
    stale = reminders["stale"]
    longest, pause = stale["max_cooldown_requests"], stale["cooldown_requests"]
    if longest < pause:
        path, allowed = ("stale", "max_cooldown_requests"), f"at least {pause}"
        yield path, f"{longest} is less than cooldown_requests {pause}", allowed


def _sync(sync: dict[str, Any]) -> Iterator[Fault]:
    remote = sync["remote"]
    if remote.startswith("-") or any(char in remote for char in " \t\n:@\\~^?*["):
        allowed = "the name of a remote, as `git remote` shows it; an address is none"
        yield ("remote",), f"{remote!r} is no name of a remote", allowed
    if sync["auto"] == "fetch" and not remote:
        yield ("auto",), "fetch, but no remote is named", "off, or a remote"


RULES: dict[str, Callable[[Any], Iterator[Fault]]] = {
    "budget_thresholds": _budget,
    "grace": _grace,
    "windows": _windows,
    "handoff": _handoff,
    "inject": _inject,
    "deadlines": _deadlines,
    "campaign": _campaign,
    "todo": _todo,
    "reminders": _reminders,
    "sync": _sync,
}
