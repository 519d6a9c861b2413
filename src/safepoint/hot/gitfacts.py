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
    from typing import Optional

    from .shapes import GitSnapshot

MAX_FILES = 200
MAX_OUTPUT_BYTES = 4 * 1024 * 1024  # a status beyond this is cut, and says so
_STATUS = ["status", "--porcelain=v2", "--branch", "-z"]


def snapshot(project: str, deadline_s: float) -> GitSnapshot:
    """Branch, commit and changed files of `project`; {"unavailable": why} where git does not tell in time."""
    output, why = run(project, _STATUS, deadline_s)
    if why:
        return {"unavailable": why}
    return parse_status(output)


def parse_status(output: bytes) -> GitSnapshot:
    """The answer of `git status --porcelain=v2 --branch -z` as a snapshot."""
    facts: GitSnapshot = {"base_commit_sha": "", "branch": "", "changed_files": [], "changed_total": 0,
                          "untracked_total": 0, "truncated": len(output) >= MAX_OUTPUT_BYTES}  # fmt: skip
    fields = output.decode("utf-8", "surrogateescape").split("\0")
    at = 0
    while at < len(fields):
        field = fields[at]
        at += 1
        if field.startswith("# branch.oid "):
            sha = field[13:]
            facts["base_commit_sha"] = "" if sha == "(initial)" else sha
        elif field.startswith("# branch.head "):
            facts["branch"] = "" if field[14:] == "(detached)" else shown_branch(field[14:])
        elif field[:2] in ("1 ", "2 ", "u "):
            # a rename ("2") has one more column, and its old name in the field behind it
            columns = {"1": 8, "2": 9, "u": 10}[field[0]]
            _add(facts, field.split(" ", columns)[-1])
            facts["changed_total"] += 1
            at += field[0] == "2"
        elif field.startswith("? "):
            _add(facts, field[2:])
            facts["changed_total"] += 1
            facts["untracked_total"] += 1
    return facts


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
