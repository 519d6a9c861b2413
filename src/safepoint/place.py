"""Which campaign a command means, and what has been begun under its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from .called_as import to_type
from .errors import SafepointError
from .hot.shapes import Settings
from .hot.slugs import slugify
from .hot.stores import campaigns, envelope_facts, pending, project_file
from .hot.stores.paths import Paths, session_key
from .hot.stores.session_store import SessionStore
from .sessions import load_all
from .unknown_name import instead_of, listed

SESSION_NAMES = ("CLAUDE_CODE_SESSION_ID", "CURSOR_CONVERSATION_ID")


class Place(NamedTuple):
    """One campaign in one project."""

    paths: Paths
    settings: Settings
    slug: str
    report: str  # below the project; "" where it has none
    session: str  # the chat whose agent runs this command; "" for a person

    def file(self, name: str) -> Path:
        return Path(self.paths.project) / name

    def envelope(self, number: int) -> str:
        folder = project_file.relative(self.paths.project, self.settings["campaign"]["artifact_dir"])
        if not folder:
            raise SafepointError("campaign.artifact_dir in manifest.yaml lies outside of the project")
        return f"{folder}/{self.slug}--step{number}.md"


def prepare(paths: Paths) -> None:
    """The state folders as a hook makes them: private, and kept out of commits."""
    SessionStore(paths, "none", "none", "", "cursor").prepare()


def session_of(environment: dict[str, str]) -> str:
    """The chat in whose shell this runs, as far as its host tells."""
    return next((environment[name] for name in SESSION_NAMES if environment.get(name)), "")


def place(project: str, settings: Settings, campaign: str = "", say_which: str = "--campaign SLUG") -> Place:
    """The campaign named, or the one that a hook of this chat would find.

    Raises for a name that nothing here has; and without a name, where no campaign is open or several are:
    `say_which` is how this command is told.
    """
    paths, session = Paths(project), session_of(dict(os.environ))
    key = session_key(session) if session else "none"
    here = campaigns.resolve(paths, key, session or "none", os.environ, settings)
    if not campaign and here.by == "session":
        campaign = _unnamed(paths, settings, say_which)
    if not campaign:
        return Place(paths, settings, here.slug, here.report, session)
    named = {**os.environ, campaigns.ENV_NAME: campaign}
    found = campaigns.resolve(paths, key, session or "none", named, settings)
    is_here = here.by != "session" and found.slug == here.slug
    if not (is_here or found.report or has_begun(paths, settings, found.slug)):
        known = sorted(begun(paths, settings))
        raise SafepointError(
            f"no campaign {campaign!r}{instead_of(campaign, known)}" if known else
            f"no campaign {campaign!r}, nor any other; begin one: {to_type('campaign', 'start', 'SLUG')}"
        )  # fmt: skip
    return Place(paths, settings, found.slug, found.report, session)


def _unnamed(paths: Paths, settings: Settings, say_which: str) -> str:
    """The campaign of a chat that was cut off here, where neither this chat nor a report names one."""
    waiting = [item.handoff["campaign_slug"] for item in pending.listed(paths)]
    folder = campaigns.reports_folder(paths.project, settings["campaign"]["report_dir"])
    slugs = sorted(slugify(campaigns.stem_of(name)) for name in campaigns.open_reports(paths.project, folder))
    if len(slugs) > 1:
        cut_off = set(waiting).intersection(slugs)
        if len(cut_off) == 1:
            return cut_off.pop()
        raise SafepointError(f"{len(slugs)} campaigns are open ({listed(slugs)}): say which with {say_which}")
    if not waiting:
        newest = _of_newest_chat(paths, settings, slugs)
        if newest:
            return newest
        raise SafepointError(f"no campaign is open here; begin one: {to_type('campaign', 'start', 'SLUG')}")
    return waiting[0]


def _of_newest_chat(paths: Paths, settings: Settings, still_open: list[str]) -> str:
    """The campaign that the newest chat here works on, as one that has taken a handoff over; "" for none.

    One whose task report says that it is over is none.
    """
    chats = [one.state for one in load_all(paths.project) if not one.state["agent_id"]]
    slug = chats[0]["campaign_slug"] if chats else ""
    known = begun(paths, settings)
    return slug if slug in known and (slug in still_open or not known[slug]) else ""


def begun(paths: Paths, settings: Settings) -> dict[str, str]:
    """Every campaign that left a file here, with its task report in the folder of reports, '' without one."""
    found: dict[str, str] = {}
    for name in _names(project_file.folder(paths.project, settings["campaign"]["artifact_dir"])):
        slug = name.split("--")[0]
        if envelope_facts.belongs(name, slug) or name == f"{slug}--checkpoint.md":
            found[slug] = ""
    for name in _names(paths.session):
        if name.startswith("resume-point-") and name.endswith(".json") and name.count(".") == 1:
            found[name[len("resume-point-") : -5]] = ""
    for item in pending.listed(paths):
        found[item.handoff["campaign_slug"]] = ""
    folder = campaigns.reports_folder(paths.project, settings["campaign"]["report_dir"])
    for name in _names(project_file.folder(paths.project, folder)) if folder else []:
        if campaigns.may_be_report(name) and project_file.regular(paths.project, f"{folder}/{name}"):
            found[slugify(campaigns.stem_of(name))] = f"{folder}/{name}"
    return found


def has_begun(paths: Paths, settings: Settings, slug: str) -> bool:
    """A slug with a dot in it is not to be told from a session's part in a resume point's name."""
    return slug in begun(paths, settings) or os.path.exists(paths.resume_point(slug))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder) if folder else []
    except OSError:
        return []
