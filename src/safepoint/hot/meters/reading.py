"""What the meter says: tokens, window, where both come from, and which level that is."""

from __future__ import annotations

from . import window as windows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..shapes import Host, Level, Meter, Reading, Settings, Tier, TokenSource

MAX_ESTIMATED_SHARE = 0.25
ESTIMATE_ERROR, HYSTERESIS_RATIO = 0.12, 0.02  # for settings that do not say
MAX_EXTENDED_RATIO = 0.97  # of the window: behind that no answer fits any more


def reading(
    meter: Meter, host: Host, model: str, settings: Settings, env_like: Mapping[str, str] | None = None
) -> Reading:
    """The present reading.  ``model`` is the event's; the meter knows the last one that was named."""
    found = _claude(meter) if host == "claude_code" else _cursor(meter)
    name = model or meter.get("model", "")
    found["window"], found["window_source"] = windows.resolve(
        host, name, meter, settings["windows"], env_like, _proof(found)
    )
    margin = _margin(meter, found["estimated"], settings)
    if margin:
        found["margin"] = margin
    if settings["budget_thresholds"].get("overrides"):
        found["host"], found["model"] = host, name
    return found


def proxy_reading(
    prompts: int, shell_bytes: int, settings: Settings, unknown: Reading | None = None
) -> Reading:
    """A reading for when nothing is known but how long the session has been going on.

    The proxy that stands higher is laid on the scale of the window (of ``unknown``, the reading that it
    replaces; else of the smallest tier), so that its yellow and red limits fall on the thresholds there.
    ``level`` never lets it pass yellow.
    """
    proxies = settings["budget_thresholds"]["proxies"]
    result = _unknown()
    if unknown is not None:
        result["window"], result["window_source"] = unknown["window"], unknown["window_source"]
    if result["window"] is None:
        result["window"] = min(tier["window"] for tier in settings["budget_thresholds"]["tiers"])
    yellow, red = thresholds(result, settings)
    tokens = 0
    for value, limit in ((prompts, proxies["prompts"]), (shell_bytes, proxies["shell_bytes"])):
        tokens = max(tokens, _on_scale(value, limit["yellow"], limit["red"], yellow, red))
    result["tokens"] = result["estimated"] = tokens
    result["source"] = "proxy"
    return result


def thresholds(reading: Reading, settings: Settings, extended: int = 0) -> tuple[int, int]:
    """``(yellow, red)`` in tokens; the level begins at the figure itself.

    ``extended`` (tokens) is what the user granted on top of red.  Without a window the smallest tier counts.
    """
    tiers = sorted(settings["budget_thresholds"]["tiers"], key=_tier_window)
    window = reading["window"] or tiers[0]["window"]
    tier = next((tier for tier in tiers if tier["window"] >= window), tiers[-1])
    overrides = settings["budget_thresholds"].get("overrides")
    if overrides:
        from .overrides import overridden

        tier = overridden(tier, overrides, reading)
    yellow, red = _limits(tier, window)
    red = max(red, min(red + max(0, extended), int(window * MAX_EXTENDED_RATIO)))
    return min(yellow, red), red


def level(reading: Reading, settings: Settings, extended: int = 0, before: Level = "green") -> Level:
    """Unknown is never full, and what is not measured well enough to stop an agent ends at yellow.

    An estimate is red only where it would be so with its error taken off.  ``before`` is the level so far:
    yellow ends a little below where it began, so that an estimate that wavers crosses it once.
    """
    tokens = reading["tokens"]
    if tokens is None or reading["source"] == "unknown":
        return "green"
    yellow, red = thresholds(reading, settings, extended)
    if tokens < yellow:
        return "green" if before == "green" or tokens < yellow - hysteresis(reading, settings) else "yellow"
    sure = tokens - reading.get("margin", 0)
    return "red" if sure >= red and _may_deny(reading, settings) else "yellow"


def hysteresis(reading: Reading, settings: Settings) -> int:
    """How far below yellow (tokens) a session is green again."""
    ratio = settings["budget_thresholds"].get("hysteresis_ratio", HYSTERESIS_RATIO)
    return round((reading["window"] or 0) * ratio)


def _margin(meter: Meter, estimated: int, settings: Settings) -> int:
    """What is left out of account at red: the usual error, all that stands in for what no hook was shown."""
    unknown = 0
    if meter.get("lost", 0) or meter.get("found", 0):
        from . import cursor

        unknown = min(estimated, cursor.guessed(meter))
    error = meter.get("error", settings["budget_thresholds"].get("estimate_error", ESTIMATE_ERROR))
    return unknown + round((estimated - unknown) * error) + meter.get("risen", 0) + meter.get("unsure", 0)


def _may_deny(reading: Reading, settings: Settings) -> bool:
    if reading["source"] == "proxy" or reading["window_source"] in ("ambiguous", "unknown"):
        return False
    return reading["source"] in settings["budget_thresholds"]["deny_on"]


def _proof(found: Reading) -> int | None:
    """What may prove a larger window than assumed: no estimate, and a solved sum only by a margin."""
    measured = found["measured"]
    if measured is None or found["source"] in ("host", "transcript"):
        return measured
    if found["source"] == "unconfirmed":
        return None
    return measured * 9 // 10


def _claude(meter: Meter) -> Reading:
    result = _unknown()
    transcript = meter.get("transcript")
    unseen = sum(meter.get("unseen", {}).values())
    if transcript is not None and transcript["base"] is not None:
        result["measured"] = transcript["base"] + transcript["output"]
        result["estimated"] = transcript["after"] + unseen
        result["source"] = "transcript"
    elif "exact" in meter:  # said by the client itself, before its first record (a resumed chat)
        result["measured"] = meter["exact"]
        result["estimated"] = unseen + (transcript["after"] if transcript else 0)
        result["source"] = meter.get("exact_source", "host")
    if result["measured"] is not None:
        result["tokens"] = result["measured"] + result["estimated"]
    return result


def _cursor(meter: Meter) -> Reading:
    result = _unknown()
    if "exact" not in meter and "growth" not in meter:
        return result
    if meter.get("compacted") and meter.get("calls", 0):  # the model went on with a summary of unknown size
        return result
    from . import cursor

    result["estimated"] = cursor.estimated_growth(meter)
    if "exact" in meter:
        result["measured"] = meter["exact"]
        result["tokens"] = tokens = meter["exact"] + result["estimated"]
        result["source"] = _cursor_source(meter, result["estimated"], tokens)
    else:
        result["estimated"] += cursor.START_TOKENS
        result["tokens"] = result["estimated"]
        result["source"] = "estimate"
    return result


def _cursor_source(meter: Meter, estimated: int, tokens: int) -> TokenSource:
    """A figure whose larger part was measured bears the name of the measurement, if that is not in doubt."""
    if meter.get("doubt", 0):
        return "unconfirmed"  # names no source of `deny_on`
    if meter.get("lost", 0) or estimated > tokens * MAX_ESTIMATED_SHARE:
        return "estimate"
    return meter.get("exact_source", "turn_sum")


def _limits(tier: Tier, window: int) -> tuple[int, int]:
    yellow = min(round(window * tier["yellow_ratio"]), tier.get("yellow_tokens", window))
    red = min(round(window * tier["red_ratio"]), tier.get("red_tokens", window))
    return yellow, red


def _tier_window(tier: Tier) -> int:
    return tier["window"]


def _on_scale(value: int, low: int, high: int, low_tokens: int, high_tokens: int) -> int:
    if value < low:
        return low_tokens * value // low
    if high <= low:
        return high_tokens
    return low_tokens + (high_tokens - low_tokens) * (value - low) // (high - low)


def _unknown() -> Reading:
    return {
        "tokens": None,
        "measured": None,
        "estimated": 0,
        "window": None,
        "source": "unknown",
        "window_source": "unknown",
    }
