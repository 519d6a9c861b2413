"""The work that hooks put aside at Red: which there is, and the old of it out of the way and back."""

from __future__ import annotations

from typing import NamedTuple

from ..errors import SafepointError
from ..hot import campaign_refs as refs
from ..hot import work_message
from ..hot.git_files import root
from ..hot.shapes import Housekeeping
from ..hot.stores import pending, pruning, retention
from ..hot.stores.paths import Paths
from ..unknown_name import instead_of
from .git import Git

LOCAL, PRUNED = f"{refs.ROOT}{refs.LOCAL}/", f"{refs.ROOT}{refs.PRUNED}/"


class Kept(NamedTuple):
    """The work of one session at Red. `at_unix` is when it was put aside."""

    name: str
    commit: str
    base: str
    at_unix: int
    subject: str

    @property
    def campaign(self) -> str:
        return self.subject.rpartition(": ")[2]


def listed(project: str) -> list[Kept]:
    """All of them, the newest first; [] outside a repository."""
    if not root(project):
        return []
    form = "%(refname)%00%(objectname)%00%(parent)%00%(committerdate:unix)%00%(subject)"
    lines = Git(project).run(["for-each-ref", f"--format={form}", LOCAL]).text.split("\n")
    found = []
    for line in lines:
        fields = line.split("\0")
        if len(fields) == 5:
            base = fields[2].split()[0] if fields[2] else ""
            found.append(Kept(fields[0][len(LOCAL) :], fields[1], base, int(fields[3] or 0), fields[4]))
    return sorted(found, key=lambda one: one.at_unix, reverse=True)


def none_yet(project: str) -> str:
    """Where was looked in vain, and what puts something there."""
    if not root(project):
        return f"no work is put aside in {project}: git keeps it, and this is in no git repository"
    return (
        f"no work is put aside in {project} (as {LOCAL}SESSION in git). A hook does that when a chat comes to"
        " Red with changes that are not committed"
    )


def find(project: str, wanted: str) -> Kept:
    """The one whose session or campaign is (or begins with) `wanted`; the newest where that is empty."""
    known = listed(project)
    if not known:
        raise SafepointError(none_yet(project))
    found = [one for one in known if one.name.startswith(wanted) or one.campaign == wanted]
    if not found:
        names = list(dict.fromkeys(name for one in known for name in (one.name, one.campaign)))
        raise SafepointError(f"no work was put aside for {wanted!r}{instead_of(wanted, names)}")
    return found[0]


def left_out(project: str, work: str, base: str) -> tuple[list[str], int]:
    """What a commit of work says that it does not hold: the first names, and how many there are."""
    if work == base:  # it is the user's own commit
        return [], 0
    return work_message.left_out(Git(project).run(["log", "-1", "--format=%b", work, "--"]).text)


def old(project: str, limits: Housekeeping, now: float) -> list[Kept]:
    """Those that are older than sessions are kept, but for sessions whose handoff still waits."""
    waiting = {refs.local(item.key)[len(LOCAL) :] for item in pending.listed(Paths(project))}
    oldest = now - limits["max_age_days"] * retention.DAY_S
    return [one for one in listed(project) if one.at_unix < oldest and one.name not in waiting]


def put_away(project: str, kept: list[Kept], now: float) -> None:
    """Move their refs to today's, from where `bring_back` has them."""
    away = f"{PRUNED}{pruning.day_of(now)}/"
    lines = [
        f"update {away}{one.name} {one.commit}\ndelete {LOCAL}{one.name} {one.commit}" for one in kept
    ]
    if lines:
        Git(project).update_refs(lines)


def expire(project: str, limits: Housekeeping, now: float) -> list[str]:
    """Delete what was put away longer ago than pruned files are kept; the refs."""
    if not root(project):
        return []
    oldest = pruning.oldest_day(limits, now)
    gone = [name for name in refs.known(project, PRUNED, 10.0) if name[:10] < oldest]
    Git(project).update_refs([f"delete {PRUNED}{name}" for name in gone])
    return [f"{PRUNED}{name}" for name in gone]


def days(project: str) -> list[str]:
    """The days on which something was put away that is still there."""
    return sorted({name[:10] for name in refs.known(project, PRUNED, 10.0)}) if root(project) else []


def bring_back(project: str, day: str) -> list[str]:
    """What was put away on `day` is there again, unless a newer one of the session is."""
    if not root(project):
        return []
    here = refs.known(project, LOCAL, 10.0)
    away = {name[11:]: sha for name, sha in refs.known(project, PRUNED, 10.0).items() if name[:10] == day}
    back = [name for name in away if name not in here]
    lines = [f"create {LOCAL}{name} {away[name]}\ndelete {PRUNED}{day}/{name}" for name in back]
    Git(project).update_refs(lines)
    return [f"{LOCAL}{name}" for name in back]
