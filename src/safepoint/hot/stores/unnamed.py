"""What a campaign is called that nobody has named: by the branch, else by the session."""

from __future__ import annotations

from ..files import safe_name
from ..git_files import default_branch, head


def name(project: str, session_id: str) -> tuple[str, str]:
    """`(name, by)`."""
    branch = _branch(project)
    return (branch, "branch") if branch else (f"session-{safe_name(session_id)[:8]}", "session")


def _branch(project: str) -> str:
    """The branch, unless it is the one that all work starts from, or none is checked out."""
    branch = (head(project) or {}).get("branch", "")
    return branch if branch and branch != default_branch(project) else ""
