"""What git says of a work tree: one bounded `git status`. What its files tell alone is in `git_files`.

Git may hang (a network file system, a hook-like fsmonitor) or be missing; neither may hold a hook up.
"""

from __future__ import annotations

import os

from . import child
from .git_files import is_in_bare, shown_branch
from .redact import capture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional

    from .shapes import GitSnapshot

MAX_FILES = 200
MAX_OUTPUT_BYTES = 4 * 1024 * 1024  # a status beyond this is cut, and says so
_HOOKS = "/.cursor/hooks/"
_COLUMNS = {"1": 8, "2": 9, "u": 10}  # before the name
STATUS = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"]


def snapshot(project: str, deadline_s: float) -> GitSnapshot:
    """Branch, commit and changed files of `project`; {"unavailable": why} where git does not tell in time."""
    return asked(project, deadline_s)[0]


def asked(project: str, deadline_s: float) -> tuple[GitSnapshot, bytes]:
    """The snapshot, and the answer of git that it is made of; empty where there is none."""
    output, why = run(project, STATUS, deadline_s)
    return ({"unavailable": why}, b"") if why else (parse_status(output), output)


def parse_status(output: bytes) -> GitSnapshot:
    """The answer of `STATUS` as a snapshot."""
    facts: GitSnapshot = {"base_commit_sha": "", "branch": "", "changed_files": [], "changed_total": 0,
                          "untracked_total": 0, "truncated": len(output) >= MAX_OUTPUT_BYTES}  # fmt: skip
    untracked: set[str] = set()
    for kind, state, name, _ in entries(output):
        if kind == "#" and state == "branch.oid":
            facts["base_commit_sha"] = "" if name == "(initial)" else name
        elif kind == "#" and state == "branch.head":
            facts["branch"] = "" if name == "(detached)" else shown_branch(name)
        elif kind != "#":
            if kind == "?":
                name = _folded(name)
                if name in untracked:
                    continue
                untracked.add(name)
            _add(facts, name)
            facts["changed_total"] += 1
    facts["untracked_total"] = len(untracked)
    return facts


def _folded(name: str) -> str:
    """What an untracked file is told as: the two hundred of a fresh installation are their folder."""
    before, ours, _ = f"/{name}".partition(_HOOKS)
    return f"{before}{ours}"[1:] if ours else name


def entries(output: bytes) -> Iterator[tuple[str, str, str, str]]:
    """(kind, state, name, old name) of each entry of `STATUS`.

    Kinds are git's: "1" changed, "2" renamed or copied (only that has an old name), "u" unmerged, "?"
    untracked. The state has two letters, of the index and of the work tree. "#" is a heading: its key is the
    state, its value the name. Bytes that are no UTF-8 are kept as surrogates.
    """
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    for field in fields:
        kind = field[:1]
        if kind == "#":
            _, state, name = (field + "  ").split(" ", 2)
            yield kind, state, name.rstrip(" "), ""
        elif kind in _COLUMNS and len(columns := field.split(" ", _COLUMNS[kind])) > _COLUMNS[kind]:
            yield kind, columns[1], columns[-1], next(fields, "") if kind == "2" else ""
        elif kind == "?":
            yield kind, "", field[2:], ""


def _add(facts: GitSnapshot, name: str) -> None:
    if len(facts["changed_files"]) < MAX_FILES:
        facts["changed_files"].append(capture(name, 1000))
    else:
        facts["truncated"] = True


def has_commit(project: str, sha: str, deadline_s: float) -> bool:
    """Whether the repository knows the commit. True as well where git does not tell, as in a damaged one."""
    if not sha or any(char not in "0123456789abcdef" for char in sha):
        return False
    _, why = run(project, ["cat-file", "-e", sha + "^{commit}"], deadline_s)
    if why != "failed":
        return True
    return bool(run(project, ["rev-parse", "--git-dir"], deadline_s)[1])


def run(project: str, arguments: list[str], deadline_s: float) -> tuple[bytes, str]:
    """(stdout, why it failed): "" is success; else one of the words here.

    "no git", "not a repository", "not a safe.directory" (another user's folder), "timeout" or "failed".

    git gets no GIT_* variable (a hook inside a git hook has some), takes no lock and runs no fsmonitor.
    """
    try:
        status, output, errors = call(project, arguments, deadline_s)
    except FileNotFoundError:
        return b"", "no git"
    except OSError:
        return b"", "failed"
    if status is None:
        return b"", "timeout"
    return (output, "") if status == 0 else (b"", _why(errors))


def call(
    project: str,
    arguments: list[str],
    deadline_s: float,
    *,
    variables: Optional[dict[str, str]] = None,
    data: bytes = b"",
    max_bytes: int = MAX_OUTPUT_BYTES,
) -> tuple[Optional[int], bytes, bytes]:
    """(exit status, None where it took too long; stdout up to `max_bytes`; stderr).

    `variables` are added to an environment without GIT_*; `data` is what git reads. Raises OSError where
    git cannot be started.
    """
    if is_in_bare(project):
        return 128, b"", b"fatal: in a bare repository"
    command = ["git", "-C", project, "--no-optional-locks", "-c", "core.fsmonitor=false", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["LC_ALL"] = "C"
    environment.update(variables or {})
    return child.run(command, environment, deadline_s, data=data, max_bytes=max_bytes)


def _why(errors: bytes) -> str:
    """Git's complaint as a word of ours."""
    if b"dubious ownership" in errors:
        return "not a safe.directory"
    return "not a repository" if b"not a git repository" in errors else "failed"
