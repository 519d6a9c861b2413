"""Words and bounds that several shapes use."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, MinLen

Host = Literal["cursor", "claude_code"]
Level = Literal["green", "yellow", "red"]
Language = Literal["en", "ja"]
Mode = Literal["enforce", "warn", "off"]
TokenSource = Literal["host", "transcript", "turn_sum", "unconfirmed", "estimate", "proxy", "unknown"]
WindowSource = Literal["host", "learned", "model_table", "ambiguous", "host_default", "unknown"]
OnCompact = Literal["handoff", "continue"]
Known = Literal["verified", "carried"]
Standing = Literal["holds", "changed since", "gone"]  # completed work, looked at again
StepStatus = Literal["incomplete", "complete", "blocked", "fatal"]
PlanAction = Literal[
    "redispatch_step", "generate_envelope", "resume_worker", "continue", "nothing", "ask_user"
]
Ratio = Annotated[float, Gt(0), Le(1)]
Count = Annotated[int, Ge(0)]
Positive = Annotated[int, Gt(0)]
Text = Annotated[str, MinLen(1)]
Json = dict[str, Any]
