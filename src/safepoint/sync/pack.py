"""A campaign as it stands here, as the files of a bundle and as the commit that holds them."""

from __future__ import annotations

import getpass
import platform
import tempfile
from pathlib import Path
from typing import NamedTuple

from ..called_as import to_type
from ..errors import SafepointError
from ..hot import handoff_text, wire
from ..hot.files import read_bytes
from ..hot.gitfacts import snapshot
from ..hot.policies import resume_point
from ..hot.shapes import Bundle, Host, RedCheckpoint, ResumePoint, SessionState
from ..hot.stores import (
    bundles,
    checkpoints,
    envelope_facts,
    pending,
    project_file,
    projections,
    skill_checkpoints,
)
from ..hot.stores.paths import session_key
from ..hot.stores.session_store import exists
from ..place import Place
from ..sessions import Session, load_all
from .git import LOCAL_S, Git


class Source(NamedTuple):
    """What a chat elsewhere goes on from: a handoff that waits here, or a session as it stands."""

    session_id: str
    host: Host
    reason: str
    checkpoint: RedCheckpoint
    point: ResumePoint
    handoff: bytes


def source_of(where: Place, now: int) -> Source:
    """The newest session of the campaign, or the handoff of it that waits. Raises where there is neither.

    `now` (unix seconds) is the time that the state of a session is told to be of.
    """
    offers = [item for item in pending.listed(where.paths) if item.handoff["campaign_slug"] == where.slug]
    sessions = [
        session for session in load_all(where.paths.project)
        if session.state["campaign_slug"] == where.slug and not session.state["agent_id"]
        and session.state["tool_calls"]
    ]  # fmt: skip
    newest = sessions[0] if sessions else None
    for item in offers:
        own = newest is None or item.key == newest.key
        last_at = int(newest.state["last_at"]) if newest else 0
        if own or item.handoff["created_at_unix"] >= last_at:
            _check_own(where, item)
            return _of_offer(where, item)
    if newest is None:
        raise SafepointError(
            f"nothing of {where.slug} is here that a chat can go on from: no handoff waits, and no chat"
            f" of it has used a tool. The campaigns: {to_type('campaign', 'list')}"
        )
    return _of_session(where, newest, now)


def _check_own(where: Place, item: pending.Offered) -> None:
    """What came from another machine is not sent back with the files of this one."""
    if exists(where.paths.journal(item.key)) or exists(where.paths.state(item.key)):
        return
    raise SafepointError(
        f"the newest handoff of {where.slug}, {item.key}, came from another machine, and no chat here has"
        " gone on from it: there is nothing new to send. To send what was here before instead:"
        f" {to_type('resume', '--dismiss', item.key)}"
    )


def _of_offer(where: Place, item: pending.Offered) -> Source:
    paths, handoff = where.paths, item.handoff
    try:
        checkpoint = checkpoints.read(paths.absolute(handoff["checkpoint"]))
        text = read_bytes(paths.absolute(handoff["handoff"]), bundles.MAX_BYTES)
    except (checkpoints.CheckpointError, OSError) as error:
        raise SafepointError(f"the handoff {item.key} cannot be read: {error}") from error
    point = checkpoint["resume_point"]
    try:
        path = projections.resume_point_of(paths, where.slug, point["orig_session_id"])
        later = wire.loads(read_bytes(path))
        if later["orig_session_id"] == point["orig_session_id"]:
            point = later
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return Source(
        handoff["session_id"], handoff["host"], handoff["reason"], checkpoint, point, text
    )


def _of_session(where: Place, session: Session, now: int) -> Source:
    """A chat that is not full: its state, as at Red, and nothing of it is written here."""
    paths = where.paths
    state: SessionState = {**session.state, "git": snapshot(paths.project, LOCAL_S)}
    point = resume_point.build(state, "moved", now, where.slug)
    touched = [*point["git_snapshot"].get("changed_files", []), *point["files_changed"]]
    checkpoint: RedCheckpoint = {
        "schema_version": 1, "session_id": state["session_id"], "host": state["host"],
        "created_at_unix": now, "reason": "moved", "resume_point": point,
        "file_marks": checkpoints.mark_files(paths.project, list(dict.fromkeys(touched))),
        "handoff": paths.relative(paths.handoff(session.key)), "sha256": "",
    }  # fmt: skip
    checkpoint["sha256"] = checkpoints.digest({**checkpoint})
    settings = where.settings
    text = handoff_text.render(
        point, language=settings["language"], sections=settings["handoff"]["manifest_required_sections"],
        constraints=settings["handoff"]["recovery_constraints"], kind="moved",
        checkpoint=paths.relative(paths.red_checkpoint(session.key)),
        resume_point_path=paths.relative(paths.resume_point(where.slug)),
        notes=paths.relative(paths.notes(session.key)), report=where.report, envelope="",
        session_id=state["session_id"],
    )  # fmt: skip
    return Source(state["session_id"], state["host"], "moved", checkpoint, point, wire.utf8(text))


def files_of(where: Place, source: Source) -> dict[str, bytes]:
    """The files of the bundle by their names in it, without `bundle.json`."""
    paths = where.paths
    files = {
        bundles.CHECKPOINT: wire.dumps(source.checkpoint, indent=2).encode("ascii"),
        bundles.POINT: wire.dumps(source.point, indent=2).encode("ascii"),
        bundles.HANDOFF: source.handoff,
    }
    notes = Path(paths.notes(session_key(source.session_id)))
    if notes.is_file():
        files[bundles.NOTES] = notes.read_bytes()
    report = project_file.regular(paths.project, where.report) if where.report else ""
    if report:
        files[bundles.REPORT] = Path(report).read_bytes()
    for name, path in artifacts_of(where).items():
        files[bundles.ARTIFACTS + name] = path.read_bytes()
    for name, data in files.items():
        if len(data) > bundles.MAX_BYTES:
            raise SafepointError(f"{name} has {len(data):,} bytes; a bundle takes {bundles.MAX_BYTES:,}")
    return files


def artifacts_of(where: Place) -> dict[str, Path]:
    """Envelopes and the skill checkpoint of the campaign, by file name."""
    steps, workers = envelope_facts.of_campaign(where.paths, where.settings, where.slug)
    skill = skill_checkpoints.facts(where.paths, where.settings, where.slug)
    names = [one["path"] for one in [*steps, *workers]] + ([skill["path"]] if skill else [])
    kept = names[: bundles.MAX_FILES - 10]
    return {name.rpartition("/")[2]: Path(where.paths.project, name) for name in kept}


def meta_of(
    where: Place, source: Source, git: Git, work: str, base: str, left_out: list[str], now: int
) -> Bundle:
    snapshot = source.checkpoint["resume_point"]["git_snapshot"]
    return {
        "schema_version": 1, "kind": bundles.KIND, "campaign": where.slug,
        "created_at_unix": now, "by": _person(git), "machine": platform.node()[:200],
        "session_id": session_key(source.session_id), "host": source.host,
        "reason": "moved" if source.reason not in ("red", "compact") else source.reason,  # type: ignore[typeddict-item]
        "branch": snapshot.get("branch", ""), "base_commit_sha": base, "work_sha": work,
        "left_out": [project_file.encode(name).decode("utf-8", "replace") for name in left_out[:50]],
        "in_work": [], "report": where.report,
    }  # fmt: skip


def _person(git: Git) -> str:
    name = git.try_run(["config", "--get", "user.name"]).text
    try:
        return project_file.encode(name).decode("utf-8", "replace")[:200] or getpass.getuser()
    except (OSError, KeyError):
        return ""


def in_work(where: Place, git: Git, work: str, names: list[str]) -> list[str]:
    """Of the bundle's report and envelopes those whose files the work holds as well, and so brings."""
    paths = where.paths
    prefix = str(Path(paths.project).resolve().relative_to(Path(git.top).resolve())).replace("\\", "/")
    below = "" if prefix == "." else prefix + "/"
    lies = {bundles.ARTIFACTS + name: path for name, path in artifacts_of(where).items()}
    if where.report:
        lies[bundles.REPORT] = Path(paths.project, where.report)
    found = []
    for name in names:
        if name in lies:
            path = below + lies[name].relative_to(paths.project).as_posix()
            if git.try_run(["cat-file", "-e", f"{work}:{path}"]).status == 0:
                found.append(name)
    return found


def tree_of(git: Git, files: dict[str, bytes]) -> str:
    """The tree that holds these files; it is named by nothing yet."""
    with tempfile.TemporaryDirectory(prefix="safepoint-bundle-") as folder:
        listed = []
        for number, data in enumerate(files.values()):
            path = Path(folder, str(number))
            path.write_bytes(data)
            listed.append(str(path))
        wanted = "\n".join(listed).encode() + b"\n"
        ids = git.run(["hash-object", "-w", "--no-filters", "--stdin-paths"], wanted).text.split("\n")
    inner: list[str] = []
    outer: list[str] = []
    for name, sha in zip(files, ids, strict=True):
        folder_name, _, file = name.rpartition("/")
        (inner if folder_name else outer).append(f"100644 blob {sha}\t{file}")
    if inner:
        tree = git.run(["mktree", "-z"], "\0".join(inner).encode() + b"\0").text
        outer.append(f"040000 tree {tree}\t{bundles.ARTIFACTS[:-1]}")
    return git.run(["mktree", "-z"], "\0".join(outer).encode() + b"\0").text


def commit(git: Git, tree: str, parent: str, message: str) -> str:
    """The commit of a tree; it is named by no ref yet."""
    parents = ["-p", parent] if parent else []
    return git.run(["commit-tree", tree, *parents, "-m", message]).text
