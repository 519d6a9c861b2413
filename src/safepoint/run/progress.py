"""What a session changed, and what is left: files, commits, todos, steps."""

from __future__ import annotations

from typing import NamedTuple

from ..hot import gitfacts
from ..hot.digest import sha256_hex
from ..hot.files import read_bytes
from ..hot.shapes import Envelope, SessionState, Settings
from ..hot.stores import checkpoints, envelope_facts, project_file, task_report
from ..hot.stores.paths import Paths
from .outcome import Left

GIT_S = 10.0  # seconds: between sessions there is more time than in a hook


class Look(NamedTuple):
    """The work at one moment. Two equal ones: nothing was done in between."""

    head: str
    files: frozenset[tuple[str, str]]  # path and content of each that is changed, as git or a hook has seen
    more_files: int  # how many git has beyond those that were looked at
    todos: frozenset[tuple[str, str]]  # text and status
    steps: tuple[tuple[int, str, int], ...]  # number, status, sub-steps done


class Change(NamedTuple):
    files: list[str]
    commits: int
    changed: bool  # also where only a todo or a step changed


def look(
    paths: Paths, settings: Settings, slug: str, state: SessionState | None, before: Look | None
) -> Look:
    """The work as it stands. A session that did nothing (`state` None) has the todos of the one before."""
    git = gitfacts.parse_status(gitfacts.asked(paths.project, GIT_S)[1])
    names = set(git["changed_files"])
    names |= set(state["files_changed"]) if state else set()
    names |= {name for name, _ in before.files} if before else set()
    report = state["report"] if state else ""
    todos = frozenset((item["content"], item["status"]) for item in state["todos"]) if state else None
    return Look(
        git["base_commit_sha"],
        frozenset((name, content(paths.project, name, report)) for name in names),
        git["changed_total"],
        todos if todos is not None else (before.todos if before else frozenset()),
        tuple(_step(one) for one in _steps(paths, settings, slug)),
    )


def content(project: str, name: str, report: str) -> str:
    """A word that tells one content of a file from another; "" where there is no file.

    The task report is taken without Safepoint's own section, which every Red writes anew.
    """
    if name == report:
        path = project_file.regular(project, name)
        try:
            text = project_file.decode(read_bytes(path)) if path else ""
        except OSError:
            text = ""
        return sha256_hex(task_report.without_section(text).encode("utf-8", "surrogateescape"))
    (mark,) = checkpoints.mark_files(project, [name])
    if mark["size"] < 0:
        return ""
    return mark.get("sha256") or f"{mark['size']}:{mark['mtime_ns']}"


def _steps(paths: Paths, settings: Settings, slug: str) -> list[Envelope]:
    return envelope_facts.of_campaign(paths, settings, slug)[0] if slug else []


def _step(one: Envelope) -> tuple[int, str, int]:
    return one["step"], one["status"], sum(part["status"] == "done" for part in one["substeps"])


def left(paths: Paths, settings: Settings, slug: str, state: SessionState) -> Left:
    """What the steps of the campaign and the todo list say of the work that is left."""
    steps = _steps(paths, settings, slug)
    stopped = [one for one in steps if one["status"] in ("blocked", "fatal")]
    said = f"step {stopped[0]['step']} is {stopped[0]['status']}: {stopped[0]['reason']}" if stopped else ""
    return Left(
        steps=len(steps),
        steps_open=sum(one["status"] != "complete" for one in steps),
        stopped=said,
        todos=len(state["todos"]),
        todos_open=sum(item["status"] != "completed" for item in state["todos"]),
    )


def change(project: str, before: Look, after: Look) -> Change:
    """What was changed between two looks."""
    old, new = dict(before.files), dict(after.files)
    files = {name for name in old.keys() & new.keys() if old[name] != new[name]}
    files |= new.keys() - old.keys()
    commits = 0
    if before.head != after.head:
        names, commits = _committed(project, before.head, after.head)
        files |= names
    return Change(sorted(files), commits, _is_changed(before, after, bool(files)))


def _is_changed(before: Look, after: Look, files: bool) -> bool:
    return files or (before.head, before.more_files, before.todos, before.steps) != (
        after.head, after.more_files, after.todos, after.steps,
    )  # fmt: skip


def _committed(project: str, before: str, after: str) -> tuple[set[str], int]:
    """(files, commits) that lead from one commit to the other; the empty tree stands for none."""
    span = f"{before}..{after}" if before else after
    counted, why = gitfacts.run(project, ["rev-list", "--count", span], GIT_S)
    count = int(counted) if not why and counted.strip().isdigit() else 0
    listing = ["diff", "--no-renames", before] if before else ["ls-tree", "-r"]
    names, why = gitfacts.run(project, [*listing, "--name-only", "-z", after], GIT_S)
    found = names.decode("utf-8", "surrogateescape").split("\0") if not why else []
    return {name for name in found if name}, count
