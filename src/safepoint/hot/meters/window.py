"""How large a model's context window is, in tokens, and how that is known."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..shapes import Host, Meter, WindowSource, WindowTable

STANDARD, LARGE = 200_000, 1_000_000
TIERS = (STANDARD, LARGE)
SMALLEST, LARGEST = 16_000, 20_000_000  # a window beyond these is a slip of the host, not a window

# A fuller context than this means that the window is larger than assumed. Cursor compacts at about 90 %.
# Claude Code was seen to fill a window of 200 k past 199 k without compacting: only the window is proof.
PROOF_RATIO: Mapping[Host, float] = {"claude_code": 1.0, "cursor": 0.92}

_PREFIXES = ("models", "anthropic", "openai", "google", "us", "eu", "apac", "global", "bedrock", "vertex")
# How a model is run, not which one it is.  Cursor appends these, and not to every event of one turn.
_MODES = ("thinking", "reasoning", "fast", "slow", "minimal", "low", "medium", "high", "xhigh")
_MARKS = ("latest", "1m", "v1")


def resolve(
    host: Host,
    model: str,
    meter: Meter,
    windows: Mapping[Host, WindowTable],
    env_like: Mapping[str, str] | None,
    tokens: int | None,
) -> tuple[int | None, WindowSource]:
    """The window and its source.  ``tokens``: what a host stated of the present context, None if nothing."""
    env = env_like or {} if host == "claude_code" else {}  # the client's own switches
    stated = _stated(model, meter, env)
    if stated:
        return stated, "host"
    window, source = _assumed(host, model, meter, windows)
    if window is None:
        return None, "unknown"
    if _is_on(env.get("CLAUDE_CODE_DISABLE_1M_CONTEXT")):
        return min(window, STANDARD), "model_table" if source == "ambiguous" else source
    if tokens is not None and tokens > fullest(host, window):
        return _larger(window, tokens), "ambiguous"
    return window, source


def fullest(host: Host, window: int) -> int:
    """The most tokens that a context of this window has been seen to hold."""
    return int(window * PROOF_RATIO[host])


def normalize(model: str) -> str:
    """One spelling for the ids that mean one model.

    ``claude-sonnet-4-5``, ``claude-4.5-sonnet-thinking``, ``anthropic/claude-sonnet-4-5-20250929[1m]`` and
    ``us.anthropic.claude-sonnet-4-5-20250929-v1:0`` all become ``claude-sonnet 4.5``.
    """
    name = model.strip().lower().rpartition("/")[2].partition("[")[0].partition("@")[0].partition(":")[0]
    words: list[str] = []
    version: list[str] = []
    for part in name.replace(".", "-").replace("_", "-").replace(" ", "-").split("-"):
        if part.isdigit():
            if len(part) < 3:
                version.append(part)
            elif len(part) != 8:  # eight digits are a date
                words.append(part)
        elif part and part not in _MODES + _MARKS and (words or part not in _PREFIXES):
            words.append(part)
    while len(version) > 1 and version[-1] == "0":
        version.pop()
    return ("-".join(words) + " " + ".".join(version)).strip()


def is_large(model: str) -> bool:
    """Whether the id itself names the window of a million tokens."""
    name = model.strip().lower()
    return name.endswith("[1m]") or "-1m-" in name + "-"


def parse_tokens(text: object) -> int | None:
    """Tokens from ``"1m"``, ``"200k"``, ``"272000"`` or a number; None for anything else."""
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        return None
    name = str(text).strip().lower().replace("_", "").replace(",", "")
    unit = {"k": 1000, "m": 1_000_000}.get(name[-1:], 1)
    try:
        value = float(name[:-1] if unit > 1 else name) * unit
    except ValueError:
        return None
    return int(value) if 1 <= value <= 1e9 else None


def plausible(window: int | None, context_tokens: int | None = None) -> int | None:
    """The window that a host states, unless it can be none: absurd, or smaller than what it holds."""
    if window is None or not SMALLEST <= window <= LARGEST or window < (context_tokens or 0):
        return None
    return window


def context_param(model_params: object) -> int | None:
    """The window that Cursor's ``model_params`` name, as in ``[{"id": "context", "value": "1m"}]``."""
    if not isinstance(model_params, list):
        return None
    for param in model_params:
        if isinstance(param, dict) and param.get("id") == "context":
            return plausible(parse_tokens(param.get("value")))
    return None


def _stated(model: str, meter: Meter, env: Mapping[str, str]) -> int | None:
    if meter.get("window_source") == "host" and "window" in meter and same_model(model, meter):
        return meter["window"]
    if is_large(model) or is_large(_requested(meter)):
        return LARGE
    return parse_tokens(env.get("CLAUDE_CODE_MAX_CONTEXT_TOKENS"))


def _assumed(
    host: Host, model: str, meter: Meter, windows: Mapping[Host, WindowTable]
) -> tuple[int | None, WindowSource]:
    if meter.get("window_source") == "learned" and "window" in meter and same_model(model, meter):
        return meter["window"], "learned"
    table = windows.get(host)
    if table is None:
        return None, "unknown"
    name = normalize(model)
    window = _lookup(model, name, table["models"])
    if name and any(normalize(other) == name for other in table["ambiguous"]):
        told = bool(_requested(meter))  # asked for without the mark of the large window
        return window or table["default"], "model_table" if told else "ambiguous"
    return (window, "model_table") if window else (table["default"], "host_default")


def _requested(meter: Meter) -> str:
    """The model as the client asked for it; Claude Code's newer transcripts say so, `[1m]` included."""
    transcript = meter.get("transcript")
    return transcript.get("requested", "") if transcript else ""


def _lookup(model: str, name: str, models: Mapping[str, int]) -> int | None:
    if model in models:
        return models[model]
    if name:
        for other in models:
            if normalize(other) == name:
                return models[other]
    return None


def same_model(model: str, meter: Meter) -> bool:
    """Whether the meter's window is this model's.  Ids that name none (Cursor's Auto) contradict nothing."""
    mine, other = normalize(model), normalize(meter.get("window_model", ""))
    return mine == other or mine in ("", "default") or other in ("", "default")


def _larger(window: int, tokens: int) -> int:
    return next((tier for tier in TIERS if tier > window and tier > tokens), max(window, LARGE))


def _is_on(value: Any) -> bool:
    return str(value or "").strip().lower() not in ("", "0", "false", "no", "off")
