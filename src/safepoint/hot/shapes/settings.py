"""Settings: `framework` of manifest.yaml, compiled to settings.json."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypedDict
else:  # pydantic wants the backport below 3.12
    from typing_extensions import NotRequired, TypedDict

from annotated_types import Ge, Gt, Le, MinLen

from .terms import Count, Host, Language, Mode, OnCompact, Positive, Ratio, Text


class Tier(TypedDict):
    """Thresholds for windows of up to `window` tokens (the largest tier also serves larger ones)."""

    window: Positive
    yellow_ratio: Ratio
    red_ratio: Ratio
    yellow_tokens: NotRequired[Positive]  # absolute caps: the smaller of ratio and cap counts
    red_tokens: NotRequired[Positive]


class Override(TypedDict):
    """Thresholds of one model, one host, or one model on one host, whatever the size of the window."""

    host: NotRequired[Host]
    model: NotRequired[Text]  # in any spelling of its id
    yellow_ratio: NotRequired[Ratio]
    red_ratio: NotRequired[Ratio]
    yellow_tokens: NotRequired[Positive]
    red_tokens: NotRequired[Positive]


class ProxyLimit(TypedDict):
    yellow: Positive
    red: Positive


class Proxies(TypedDict):
    """Used when nothing better is known; a proxy reaches Yellow at most."""

    prompts: ProxyLimit
    shell_bytes: ProxyLimit


class BudgetThresholds(TypedDict):
    tiers: Annotated[list[Tier], MinLen(1)]
    proxies: Proxies
    deny_on: list[Literal["host", "transcript", "turn_sum", "estimate"]]
    extend_tokens: Positive  # what `safepoint extend` adds when no number is given
    # A manifest of an earlier version lacks these.
    overrides: NotRequired[list[Override]]  # the first that fits is laid over the tier
    estimate_error: NotRequired[Annotated[float, Ge(0), Le(1)]]  # of an estimate, until a session's is known
    hysteresis_ratio: NotRequired[Annotated[float, Ge(0), Le(0.2)]]  # Green again so far below Yellow


class WindowTable(TypedDict):
    """Context windows in tokens by model id; `default` serves an id that is not listed."""

    default: Positive
    models: dict[str, Positive]
    ambiguous: list[str]  # models sold with two windows: Yellow at most until the window is known


class Grace(TypedDict):
    """What may still run at Red: `calls` in all, and `commands`, each one simple command."""

    calls: Count
    commands: list[Text]


class Bilingual(TypedDict):
    en: Text
    ja: Text


class Section(Bilingual):
    id: Literal["position", "completed", "next_action", "resume_point"]


class Handoff(TypedDict):
    manifest_required_sections: Annotated[list[Section], MinLen(4)]
    recovery_constraints: Annotated[list[Bilingual], MinLen(1)]
    on_compact: dict[Host, OnCompact]
    open_link: bool
    max_age_days: Positive


class Inject(TypedDict):
    """Byte budgets of one answer's added context."""

    max_bytes: Annotated[int, Ge(1024), Le(9000)]
    shared_max_bytes: Annotated[int, Ge(1024), Le(9000)]  # where other tools' hooks answer too


class Deadlines(TypedDict):
    """Seconds."""

    hook_s: Annotated[float, Gt(0), Le(10)]
    stdin_silence_s: Annotated[float, Gt(0), Le(2)]
    git_s: Annotated[float, Gt(0), Le(5)]
    git_end_s: Annotated[float, Gt(0), Le(1)]
    lock_s: Annotated[float, Gt(0), Le(5)]


class CampaignSettings(TypedDict):
    report_dir: Text
    artifact_dir: Text


class Housekeeping(TypedDict):
    """When the files of a session go: moved to a dated folder, and deleted `keep_days` later."""

    mode: Literal["on", "off"]  # at session starts; `safepoint prune` can always be called
    max_age_days: Positive
    max_mb: Positive
    keep_days: Positive


class SyncSettings(TypedDict):
    """How campaigns travel by git. `remote` is the name of one of the clone's remotes; "" sends nothing."""

    remote: str
    auto: Literal["off", "fetch"]  # whether the start of a chat looks at the remote


class TodoSettings(TypedDict):
    """Rules for the todo list. `models_with_tools`: where Claude Code has todo tools without being asked."""

    mode: Literal["strict", "warn", "off"]
    max_open: Positive
    wait_ms: Annotated[int, Ge(0), Le(1500)]
    live_hours: Positive
    models_with_tools: list[Text]


class StaleLimits(TypedDict):
    """Requests. The pause between two reminders doubles from the `back_off_after`-th unanswered one on."""

    after_requests: Positive
    cooldown_requests: Positive
    back_off_after: Positive
    max_cooldown_requests: Positive


class InitialLimits(TypedDict):
    cooldown_requests: Positive


class NoCallLimits(TypedDict):
    after_requests: Positive
    cooldown_requests: Positive


class ListWorth(TypedDict):
    """When work is of the kind that a list is for; one of these is enough."""

    steps: Positive
    tool_calls: Positive
    files: Positive


class ReminderSettings(TypedDict):
    mode: Literal["on", "off"]
    stale: StaleLimits
    initial: InitialLimits
    no_call: NoCallLimits
    worth: ListWorth


class Settings(TypedDict):
    """What a hook knows about its configuration (compiled; `settings.local.json` may override `mode`)."""

    schema_version: Literal[1]
    manifest_sha256: str
    language: Language
    mode: Mode
    budget_thresholds: BudgetThresholds
    windows: dict[Host, WindowTable]
    grace: Grace
    handoff: Handoff
    inject: Inject
    deadlines: Deadlines
    campaign: CampaignSettings
    todo: TodoSettings
    reminders: ReminderSettings
    housekeeping: NotRequired[Housekeeping]  # manifests of earlier versions have none
    sync: NotRequired[SyncSettings]  # likewise
    shared_events: dict[Host, list[str]]  # host events on which other tools' hooks stand as well
