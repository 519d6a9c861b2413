"""What sessions leave below a project, known by its names: `--purge` takes that and nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from . import generate, manifest, shipped
from . import project as projects
from .changes import Change
from .errors import SafepointError
from .hot.stores import project_file
from .hot.stores.paths import ROOT, STATE_FOLDERS, Paths
from .project import Project

FOLDERS = tuple(f"{ROOT}/{name}" for name in STATE_FOLDERS)
SESSION, ARTIFACTS = FOLDERS[0], FOLDERS[2]
TRACKED, BEFORE, FOREIGN = (
    "git has them",
    "they were there before Safepoint",
    "their names are not Safepoint's",
)
FOUND = f"{SESSION}/found-before.json"  # between two installations: what the record of the first one said
SHOWN = 5

_ID = r"[A-Za-z0-9_][A-Za-z0-9._-]*"  # what `safe_name` lets through
_PRUNED = re.compile(rf"{re.escape(SESSION)}/pruned/\d{{4}}-\d\d-\d\d/")  # moved there, under its old path
_TEMPORARY = re.compile(r"\..{1,40}\.\d+-\d+-[0-9a-f]+\.tmp(?:\.lock)?", re.DOTALL)
_ARTIFACT = re.compile(rf"{_ID}--(?:checkpoint|step\d+|(?:step\d+\.)?worker-{_ID})\.md")


class Left(NamedTuple):
    """What there is. `stays` is by reason; `folders`, innermost first, go once they are empty."""

    ours: list[str]
    stays: dict[str, list[str]]
    folders: list[str]

    def notes(self) -> list[str]:
        return [f"{shortened(paths)}: left in place, since {why}." for why, paths in self.stays.items()]


def shortened(paths: list[str]) -> str:
    more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
    return ", ".join(paths[:SHOWN]) + more


def _pattern(places: Iterable[str]) -> re.Pattern[str]:
    """All files of these kinds, from one of each that was made with the id ID and the number 90."""
    found = [re.escape(place[1:]).replace("ID", _ID).replace("90", r"\d+") for place in places]
    return re.compile("|".join(found))


_PATHS = Paths("")
_STATE = _pattern((
    _PATHS.journal("ID"), _PATHS.journal_segment("ID", 90), _PATHS.state("ID"), _PATHS.turns("ID"),
    f"{_PATHS.state('ID')}.broken-90", _PATHS.errors(), _PATHS.learned(), _PATHS.pointer(),
    _PATHS.resume_point("ID"), _PATHS.resume_point("ID", "ID"), _PATHS.red_checkpoint("ID"),
    _PATHS.red_checkpoint("ID", 90), _PATHS.handoff("ID"), _PATHS.notes("ID"), _PATHS.pre_compact("ID"),
    _PATHS.offer("ID"), _PATHS.claim("ID"), _PATHS.settled("ID"),
    f"/{FOUND}", _PATHS.settled("ID").replace(".json", ".claim"), _PATHS.tracker("ID"),
    _PATHS.run_journal("ID"),
))  # fmt: skip
_EMPTY = _pattern((
    _PATHS.lock("ID"), _PATHS.saving_lock("ID"), _PATHS.campaign_lock("ID"), f"{_PATHS.session}/ID.told-ID",
    f"{_PATHS.session}/.pruned", _PATHS.run_lock("ID"), _PATHS.run_lock(""),
))  # fmt: skip


def artifact_folders(project: Project) -> list[str]:
    """Where envelopes lie: the folder as it comes, the one that the hooks were told, the manifest's."""
    names = [ARTIFACTS, told_folder(project)]
    with contextlib.suppress(SafepointError):
        content = project.read(f"{shipped.HOOKS}/manifest.yaml") or b""
        names.append(manifest.parse(content, "").settings["campaign"]["artifact_dir"])
    return _tidy(project, names)


def told_folder(project: Project) -> str:
    """`artifact_dir` as it is compiled for the hooks; '' where that cannot be read."""
    try:
        settings = json.loads(project.read(f"{shipped.HOOKS}/settings.json") or b"")
        return str(settings["campaign"]["artifact_dir"])
    except (ValueError, TypeError, KeyError):
        return ""


def _tidy(project: Project, names: list[str]) -> list[str]:
    tidy = [project_file.relative(str(project.root), name) for name in names]
    return list(dict.fromkeys(name for name in tidy if name))


def survey(project: Project, found: Iterable[str] = ()) -> Left:
    """Everything in the state folders, and the envelopes elsewhere. `found`: what Safepoint found there."""
    artifacts = artifact_folders(project)
    paths = list(_candidates(project, artifacts))
    tracked, before = projects.tracked(project, [*FOLDERS, *artifacts]), {*found, *_remembered(project)}
    ours: list[str] = []
    stays: dict[str, list[str]] = {}
    for path in paths:
        why = TRACKED if path in tracked else BEFORE if path in before else ""
        if not why and not is_ours(project, path, artifacts):
            why = FOREIGN
        stays.setdefault(why, []).append(path) if why else ours.append(path)
    ours = [path for path in ours if not _still_ignores(path, stays)]
    return Left(ours, stays, _folders(ours, artifacts))


def _folders(ours: list[str], artifacts: list[str]) -> list[str]:
    """The state folders and those between them and a file, innermost first."""
    found = {*FOLDERS, *artifacts, f"{SESSION}/pending", f"{SESSION}/settled"}
    for path in ours:
        parents = [parent.as_posix() for parent in PurePosixPath(path).parents]
        found |= {parent for parent in parents if parent.startswith(FOLDERS)}
    return sorted(found, key=len, reverse=True)


def _still_ignores(path: str, stays: dict[str, list[str]]) -> bool:
    """The `.gitignore` of a folder outlives what git must not see there."""
    folder, _, name = path.rpartition("/")
    kept = [other for why, paths in stays.items() if why != TRACKED for other in paths]
    return name == ".gitignore" and any(other.startswith(f"{folder}/") for other in kept)


def found_before(project: Project, artifact_dir: str, is_first: bool) -> list[str]:
    """Files that bear names of Safepoint's, although no hook of it has run here yet."""
    if is_first and project.file(f"{SESSION}/.gitignore").exists():
        return _remembered(project)  # an earlier installation's
    artifacts = _tidy(project, [artifact_dir])
    folders = FOLDERS if is_first else ()
    paths = _candidates(project, artifacts, folders)
    return sorted(path for path in paths if is_ours(project, path, [ARTIFACTS, *artifacts]))


def remember(project: Project, found: list[str]) -> Change | None:
    """Keep what was found beside the files of sessions that stay, for the next installation."""
    if not found or not project.file(f"{SESSION}/.gitignore").exists():
        return None
    return Change(FOUND, project.file(FOUND), project.read(FOUND), generate.dump(found), private=True)


def _remembered(project: Project) -> list[str]:
    try:
        found = json.loads(project.read(FOUND) or b"[]")
    except ValueError:
        return []
    return [path for path in found if isinstance(path, str)] if isinstance(found, list) else []


def is_ours(project: Project, path: str, artifacts: list[str]) -> bool:
    """Whether Safepoint writes files of this name. Of those that are always empty: and it is empty."""
    file = project.file(path)
    if file.is_symlink() or not file.is_file():
        return False
    path = _PRUNED.sub(f"{ROOT}/", path)
    folder, _, name = path.rpartition("/")
    if _TEMPORARY.fullmatch(name) or _STATE.fullmatch(path):
        return True
    if _EMPTY.fullmatch(path):
        return file.stat().st_size == 0
    if name == ".gitignore":
        return folder in FOLDERS and file.read_bytes() == b"*\n"
    return folder in artifacts and _ARTIFACT.fullmatch(name) is not None


def _candidates(project: Project, artifacts: list[str], folders: Iterable[str] = FOLDERS) -> Iterator[str]:
    """Files below the state folders, then what may be an envelope in a folder of somebody else's."""
    seen = set()
    for folder in folders:
        if not _is_astray(project, folder):
            for path in _below(project, folder):
                seen.add(path)
                yield path
    for folder in artifacts:
        if project_file.folder(str(project.root), folder) and not _is_astray(project, folder):
            for name in sorted(os.listdir(project.file(folder))):
                path = f"{folder}/{name}"
                if path not in seen and (_ARTIFACT.fullmatch(name) or _TEMPORARY.fullmatch(name)):
                    yield path


def _is_astray(project: Project, folder: str) -> bool:
    """A link on the way: Safepoint writes nothing through one."""
    here = project.root
    for part in folder.split("/"):
        here = here / part
        if here.is_symlink():
            return True
    return False


def _below(project: Project, folder: str) -> Iterator[str]:
    root = str(project.root)
    for at, folders, names in os.walk(project.file(folder)):
        links = [name for name in folders if os.path.islink(f"{at}/{name}")]
        for name in sorted([*names, *links]):
            yield os.path.relpath(f"{at}/{name}", root).replace(os.sep, "/")
