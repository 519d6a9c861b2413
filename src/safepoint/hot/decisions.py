"""What Safepoint answers to an event, before a host adapter spells it."""

from __future__ import annotations

ALLOW, DENY, SWALLOW, HALT = "allow", "deny", "swallow", "halt"


class Decision:
    """One answer.

    `verdict`: `allow` (say nothing about permission), `deny` (the tool does not run), `swallow` (the
    prompt does not reach the model), `halt` (the turn ends). `reason` is what the model reads on a deny
    or the user on a swallow. `user` is a line to the user, `context` parts for the model, best first:
    (priority name, text). `followup` is submitted as the next user message where a host can.
    """

    __slots__ = ("context", "followup", "reason", "user", "verdict")

    def __init__(self, verdict: str = ALLOW, reason: str = "", user: str = "") -> None:
        self.verdict = verdict
        self.reason = reason
        self.user = user
        self.context: list[tuple[str, str]] = []
        self.followup = ""

    def __repr__(self) -> str:
        return f"Decision({self.verdict!r}, reason={self.reason[:40]!r}, user={self.user[:40]!r})"
