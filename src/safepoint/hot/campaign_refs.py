"""Campaigns as refs of a git repository: their names, and what a remote has of them.

On the remote a campaign is `refs/safepoint/NAME`. In the clone, below `refs/safepoint/`:

    fetched/REMOTE/NAME     what the remote had when it was last asked
    base/REMOTE/NAME        what a person here pushed or pulled last
    taken/REMOTE/NAME       what the start of a chat made pending by itself
    local/SESSION           the work in progress when a session reached Red
    pruned/DATE/…           of these last, what `safepoint prune` has taken out of the way
"""

from __future__ import annotations

import os

from .gitfacts import call
from .slugs import slugify
from .work_commit import QUIET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

ROOT = "refs/safepoint/"
LOCAL, FETCHED, BASE, TAKEN, PRUNED = "local", "fetched", "base", "taken", "pruned"
MAX_CAMPAIGNS = 200
MAX_ANSWER = 16_000_000  # bytes
_HEX = frozenset("0123456789abcdef")
# What leads to another repository or index. All else that git takes from the environment may be its login.
_ELSEWHERE = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_ASKPASS",
)  # fmt: skip


class RemoteError(Exception):
    """A remote that does not do what it was asked. The text is git's own, or says that it was too slow."""


def name_of(slug: str) -> str:
    """`slug` where it can be the last part of a ref, else a tidy form of it with six digits of its digest."""
    if ".." in slug or slug.endswith(".lock") or slug in (LOCAL, FETCHED, BASE, TAKEN, PRUNED):
        return slugify(slug.replace("..", " ") + " ")  # what is no slug gets six digits of its digest
    return slug


def local(key: str) -> str:
    """The ref of a session's work in progress at Red."""
    return f"{ROOT}{LOCAL}/{name_of(key.rstrip('.'))}"


def of(kind: str, remote: str, name: str = "") -> str:
    """The clone's ref of a kind (FETCHED, BASE, TAKEN) for a remote's campaign; without one, its start."""
    return f"{ROOT}{kind}/{name_of(slugify(remote))}/{name}"


def on_remote(project: str, remote: str, deadline_s: float) -> dict[str, str]:
    """The remote's campaigns: name -> object id. Raises RemoteError."""
    output = ask(project, ["ls-remote", "--refs", "--", remote, ROOT + "*"], deadline_s)
    found = {}
    for line in output.decode("utf-8", "replace").splitlines()[: MAX_CAMPAIGNS * 10]:
        sha, _, ref = line.partition("\t")
        name = ref[len(ROOT) :]
        if ref.startswith(ROOT) and "/" not in name and slugify(name) == name and is_id(sha):
            found[name] = sha
    return dict(list(found.items())[:MAX_CAMPAIGNS])


def known(project: str, prefix: str, deadline_s: float) -> dict[str, str]:
    """The clone's own refs below `prefix`, by what stands behind it. {} where git does not tell."""
    arguments = ["for-each-ref", "--format=%(objectname) %(refname)", prefix]
    try:
        status, output, _ = call(project, arguments, deadline_s)
    except OSError:
        return {}
    lines = output.decode("utf-8", "replace").splitlines() if status == 0 else []
    pairs = [line.partition(" ")[::2] for line in lines]
    return {ref[len(prefix) :]: sha for sha, ref in pairs if ref.startswith(prefix)}


def fetch(project: str, remote: str, names: list[str], deadline_s: float) -> None:
    """Have these campaigns here, as `fetched` refs. Raises RemoteError.

    Nothing else changes: no FETCH_HEAD, no tag, no branch of the remote.
    """
    if names:
        wanted = [f"+{ROOT}{name}:{of(FETCHED, remote, name)}" for name in names]
        options = [
            "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
            "--no-auto-maintenance", "--refmap=", "--no-prune",
        ]  # fmt: skip
        ask(project, ["fetch", *options, "--", remote, *wanted], deadline_s)


def ask(project: str, arguments: list[str], deadline_s: float) -> bytes:
    """What git answers after it has talked to a remote, without a prompt or a hook. Raises RemoteError."""
    quick = ["-c", "http.lowSpeedLimit=1", "-c", f"http.lowSpeedTime={max(1, int(deadline_s))}"]
    try:
        status, output, errors = call(
            project, [*QUIET, *quick, *arguments], deadline_s, variables=_variables(project),
            max_bytes=MAX_ANSWER,
        )  # fmt: skip
    except OSError as error:
        raise RemoteError(f"git cannot be started: {error.strerror}") from None
    if status is None:
        raise RemoteError(f"no answer within {deadline_s:.1f} s")
    if status:
        from .redact import capture

        said = errors.decode("utf-8", "replace").strip() or output.decode("utf-8", "replace").strip()
        plain = "".join([char for char in said if char.isprintable() or char == "\n"])  # it may be anybody's
        raise RemoteError(capture(plain, 1000) or f"git {arguments[0]} ended with status {status}")
    return output


def _variables(project: str) -> dict[str, str]:
    """The user's own GIT_* but what leads elsewhere; ssh and git ask nobody anything."""
    kept = [name for name in os.environ if name.startswith("GIT_") and name not in _ELSEWHERE]
    variables = {name: os.environ[name] for name in kept}
    variables.update({"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "SSH_ASKPASS": "true",
                      "GCM_INTERACTIVE": "never"})  # fmt: skip
    ssh = variables.get("GIT_SSH_COMMAND") or _setting(project, "core.sshCommand")
    if not ssh and "GIT_SSH" in variables:
        return variables  # a program of the user's own, whose options are not known
    ssh = ssh or "ssh"
    program = ssh.split()[0].rpartition("/")[2]
    if program in ("ssh", "ssh.exe"):
        ssh += " -o BatchMode=yes -o ConnectTimeout=10 -o ControlMaster=no"
    variables["GIT_SSH_COMMAND"] = ssh
    return variables


def _setting(project: str, name: str) -> str:
    try:
        status, output, _ = call(project, ["config", "--get", name], 1.0)
    except OSError:
        return ""
    return output.decode("utf-8", "replace").strip() if status == 0 else ""


def has_remote(project: str, remote: str) -> bool:
    """Whether the clone has a remote of this name. An address is none: the clone says where work goes."""
    return not remote.startswith("-") and bool(_setting(project, f"remote.{remote}.url"))


def is_id(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)


def choose(names: list[str], wanted: list[Optional[str]]) -> str:
    """The campaign to go on with: the first wanted one that is there, else the only one; "" for neither."""
    for slug in wanted:
        if slug and name_of(slug) in names:
            return name_of(slug)
    return names[0] if len(names) == 1 else ""
