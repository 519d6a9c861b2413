"""A campaign's bundle: one commit whose tree holds what a chat goes on from, and whose parent is the work.

    bundle.json         who made it, where and when; `shapes.Bundle`
    checkpoint.json     red checkpoint         handoff.md, notes.md     resume-point.json
    report.md           the task report        artifacts/NAME.md        envelopes of steps and workers

What comes from a remote is data of a stranger: only these names, regular files, within these sizes, of the
right shape. Where they are written follows from the checked slug and session id, never from a path in it.
"""

from __future__ import annotations

from .. import wire
from ..files import safe_name
from ..gitfacts import call
from ..slugs import slugify
from . import bundle_check
from .bundle_check import is_below, problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..shapes import Bundle, RedCheckpoint, ResumePoint

KIND = "safepoint campaign"
META, CHECKPOINT, HANDOFF, NOTES, POINT, REPORT = (
    "bundle.json", "checkpoint.json", "handoff.md", "notes.md", "resume-point.json", "report.md",
)  # fmt: skip
ARTIFACTS = "artifacts/"
MAX_FILES, MAX_BYTES, MAX_TOTAL = 120, 2_000_000, 8_000_000
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


class BundleError(Exception):
    """A commit that is no bundle of ours, or not a sound one. The text says what is wrong."""


class Content:
    """A bundle that passed every check. `files` are the texts by their names in the tree."""

    __slots__ = ("checkpoint", "files", "meta", "point", "sha")

    def __init__(
        self, sha: str, meta: Bundle, checkpoint: RedCheckpoint, point: ResumePoint, files: dict[str, bytes]
    ) -> None:
        self.sha, self.meta, self.checkpoint, self.point, self.files = sha, meta, checkpoint, point, files

    @property
    def artifacts(self) -> dict[str, bytes]:
        """The envelopes by their file names."""
        named = [name for name in self.files if name.startswith(ARTIFACTS)]
        return {name[len(ARTIFACTS) :]: self.files[name] for name in named}


def read(project: str, sha: str, deadline_s: float) -> Content:
    """The bundle that commit `sha` is. Raises BundleError."""
    files = _files(project, sha, deadline_s)
    meta: Any = _json(files, META)
    _check(meta, bundle_check.BUNDLE, META)
    if meta["kind"] != KIND or meta["schema_version"] != 1:
        raise BundleError(f"{META}: made by another program, or by a newer version of Safepoint")
    slug = meta["campaign"]
    if not slug or slugify(slug) != slug:
        raise BundleError(f"{META}: campaign: {slug!r:.80} is no name of a campaign")
    if meta["session_id"] != safe_name(meta["session_id"]):
        raise BundleError(f"{META}: session_id: {meta['session_id']!r:.80} is no id")
    if meta["reason"] not in ("red", "compact", "moved"):
        raise BundleError(f"{META}: reason: {meta['reason']!r:.40}")
    if meta["report"] and not is_below(meta["report"]):
        raise BundleError(f"{META}: report: {meta['report']!r:.80} leaves the project")
    checkpoint: Any = _json(files, CHECKPOINT)
    _check(checkpoint, bundle_check.CHECKPOINT, CHECKPOINT)
    point: Any = _json(files, POINT) if POINT in files else checkpoint["resume_point"]
    _check(point, bundle_check.POINT, POINT)
    from .checkpoints import digest

    if checkpoint["sha256"] != digest(checkpoint):
        raise BundleError(f"{CHECKPOINT}: its content does not match its digest")
    for one in (checkpoint["resume_point"], point):
        if one["campaign_slug"] != slug or safe_name(one["orig_session_id"]) != meta["session_id"]:
            raise BundleError(f"{CHECKPOINT}: belongs to another campaign or session")
    if HANDOFF not in files:
        raise BundleError(f"{HANDOFF}: missing")
    return Content(sha, meta, checkpoint, point, files)


def _check(value: Any, shape: Any, name: str) -> None:
    said = problem(value, shape)
    if said:
        raise BundleError(f"{name}: {said}")


def _json(files: dict[str, bytes], name: str) -> Any:
    if name not in files:
        raise BundleError(f"{name}: missing")
    try:
        return wire.loads(files[name])
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{name}: no JSON: {error}") from None


def _files(project: str, sha: str, deadline_s: float) -> dict[str, bytes]:
    """Names and contents of the commit's tree. Sizes and modes are looked at before any content is."""
    arguments = ["ls-tree", "--full-tree", "-r", "-t", "-l", "-z", sha + "^{commit}^{tree}"]
    listing = _git(project, arguments, deadline_s, 200_000)
    found: dict[str, str] = {}
    total = 0
    for line in listing.split(b"\0")[:-1]:
        facts, _, raw = line.partition(b"\t")
        name = raw.decode("utf-8", "replace")
        fields = facts.decode("ascii", "replace").split()
        if name == ARTIFACTS[:-1] and fields[1] == "tree":
            continue
        if len(fields) != 4 or fields[0] != "100644" or fields[1] != "blob":
            raise BundleError(f"{name!r:.80}: not a regular file")
        if not _may_be(name):
            raise BundleError(f"{name!r:.80}: no file of a bundle")
        total += int(fields[3])
        if int(fields[3]) > MAX_BYTES or total > MAX_TOTAL or len(found) >= MAX_FILES:
            raise BundleError(f"{name!r:.80}: too large, or too many files")
        found[name] = fields[2]
    if len({name.lower() for name in found}) != len(found):
        raise BundleError("two names differ in large and small letters alone")
    if META not in found:
        raise BundleError(f"{META}: missing")
    return _contents(project, found, deadline_s)


def _may_be(name: str) -> bool:
    if name.startswith(ARTIFACTS):
        file = name[len(ARTIFACTS) :]
        return _PLAIN.issuperset(file) and file.endswith(".md") and file[0] not in ".-" and len(file) <= 200
    return name in (META, CHECKPOINT, HANDOFF, NOTES, POINT, REPORT)


def _contents(project: str, found: dict[str, str], deadline_s: float) -> dict[str, bytes]:
    ids = "".join([f"{sha}\n" for sha in found.values()]).encode("ascii")
    answer = _git(project, ["cat-file", "--batch"], deadline_s, 2 * MAX_TOTAL, ids)
    files, at = {}, 0
    for name in found:
        end = answer.find(b"\n", at)
        head = answer[at:end].split()
        if len(head) != 3 or head[1] != b"blob":
            raise BundleError(f"{name}: cannot be read")
        size = int(head[2])
        files[name] = answer[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
    return files


def _git(
    project: str, arguments: list[str], deadline_s: float, max_bytes: int, data: bytes = b""
) -> bytes:
    try:
        status, output, errors = call(project, arguments, deadline_s, data=data, max_bytes=max_bytes)
    except OSError as error:
        raise BundleError(f"git cannot be started: {error.strerror}") from None
    if status is None:
        raise BundleError(f"git did not answer within {deadline_s:.1f} s")
    if status:
        said = errors.decode("utf-8", "replace").strip()[-200:]
        raise BundleError(f"it is no commit that a bundle could be in ({said})")
    return output
