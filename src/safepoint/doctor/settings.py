"""Every place that a setting can come from: is it valid, does it count, and does it switch the guard off?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .. import installed, manifest, shipped
from ..called_as import to_type
from ..errors import SafepointError
from ..hot import switches
from ..hot.digest import sha256_hex
from .findings import Finding, Site, listed

MANIFEST, COMPILED = f"{shipped.HOOKS}/manifest.yaml", f"{shipped.HOOKS}/settings.json"
LOCAL = f"{shipped.HOOKS}/{switches.LOCAL_FILE}"
SHOWN_CHARS = 60  # of a value


def settings(site: Site) -> Iterator[Finding]:
    """The manifest is valid, and what the hooks read is what it was compiled to."""
    if site.record is None:
        return
    again = to_type("generate", str(site.path))
    try:
        source = site.project.read(MANIFEST) or b""
        wanted = manifest.parse(source, MANIFEST)
    except SafepointError as error:
        yield Finding("settings", "problem", str(error), f"Correct it, then run: {again}")
        return
    text = _trouble(site, source, dict(wanted.settings))
    if text:
        yield Finding("settings", "problem", text, again, "generate")
    else:
        yield Finding("settings", "ok", f"{MANIFEST} is compiled.")


def _trouble(site: Site, source: bytes, wanted: dict[str, Any]) -> str:
    """What is wrong with the compiled settings, '' where nothing is."""
    try:
        found = json.loads(site.project.read(COMPILED) or b"")
        if not isinstance(found, dict):
            raise ValueError("it holds no JSON object")
    except (ValueError, RecursionError) as error:
        return f"{COMPILED} cannot be read ({error}), so the hooks do nothing."
    if found.get("manifest_sha256", "") != sha256_hex(source) and site.settings is not None:
        return f"{MANIFEST} was edited and not compiled: the hooks go by what it said before."
    if site.settings is not None:  # these come from the hooks files: see `others.shared`
        wanted["shared_events"] = found["shared_events"]
    differing = list(_differing(found, wanted, ""))
    return f"{COMPILED} is not what {MANIFEST} says: {listed(differing)}." if differing else ""


def _differing(found: dict[str, Any], wanted: dict[str, Any], at: str) -> Iterator[str]:
    """Each key whose value is another one than it should be, with that value."""
    for key in dict.fromkeys([*wanted, *found]):
        is_now, should_be = found.get(key), wanted.get(key)
        if isinstance(is_now, dict) and isinstance(should_be, dict):
            yield from _differing(is_now, should_be, f"{at}{key}.")
        elif key not in found:
            yield f"{at}{key} is missing"
        elif key not in wanted or is_now != should_be or type(is_now) is not type(should_be):
            yield f"{at}{key} is {json.dumps(is_now, ensure_ascii=False)[:SHOWN_CHARS]}"


def switched(site: Site) -> Iterator[Finding]:
    """What is set beside the manifest: it is understood, and the guard is not off unnoticed."""
    for text in installed.complaints(site.path, site.environment):
        remedy = (
            f"Correct it or take it away. What counts: {switches.ENV_NAME}=off or warn, and in {LOCAL} mode."
        )
        yield Finding("settings", "problem", text, remedy)
    asked = switches.from_environment(site.environment)
    if asked:
        said = site.environment[switches.ENV_NAME]
        text = f"{switches.ENV_NAME}={said} stands in the environment: from here nothing is denied."
        yield Finding("settings", "note", text, "Take it out of the environment to have the guard back.")
    elif site.settings is not None and site.settings["mode"] != "enforce":  # with what LOCAL says in it
        text = f"The mode is {site.settings['mode']}: nothing is denied."
        remedy = f"mode: enforce in the manifest, or take {LOCAL} away."
        yield Finding("settings", "note", text, remedy)
