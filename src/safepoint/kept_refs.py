"""The refs of ours in a clone: which of them belong to one installation, and their removal with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .hot import campaign_refs as refs
from .project import Project
from .sessions import load_all
from .sync.git import Git

LIST_S = 10.0


class Ref(NamedTuple):
    """A ref, and the object that it names."""

    name: str
    sha: str


def of_project(project: Project) -> list[Ref]:
    """The refs below `refs/safepoint/` that go with the installation in `project`; [] outside a repository.

    Work trees share their refs. Where there are several, or the project is a folder of a repository, only the
    work of the sessions that are known here counts: the rest may be another installation's.
    """
    if project.git_root is None:
        return []
    root = str(project.root)
    found = refs.known(root, refs.ROOT, LIST_S)
    if not found:
        return []
    trees = Git(root).run(["worktree", "list", "--porcelain"]).text.split("\n")
    if project.prefix or sum(line.startswith("worktree ") for line in trees) > 1:
        own = {refs.local(session.key)[len(refs.ROOT) :] for session in load_all(root)}
        found = {name: sha for name, sha in found.items() if name in own}
    return [Ref(refs.ROOT + name, sha) for name, sha in sorted(found.items())]


def delete(project: Project, found: Sequence[Ref]) -> None:
    """Delete these, unless one names another object by now: then none goes. Raises SafepointError."""
    if found:
        Git(str(project.root)).update_refs([f"delete {one.name} {one.sha}" for one in found])
