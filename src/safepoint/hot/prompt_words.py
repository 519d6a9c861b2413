"""The prompts that are meant for Safepoint: `safepoint status|extend|pick|dismiss|pause`.

Only as the whole prompt. They are swallowed and answered here, so they work at Red as well.
"""

from __future__ import annotations

from .decisions import SWALLOW, Decision
from .meters.reading import thresholds
from .policies import todos
from .safepoint import release
from .session import EXTEND, PAUSE
from .stores import pending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hook import Hook

WORDS = ("status", "extend", "pick", "dismiss", "pause")
MAX_CHARS = 200
MAX_EXTENSION = 1_000_000  # tokens


def parse(prompt: str) -> tuple[str, str] | None:
    """(word, argument) where the whole prompt is one of the words, else None."""
    text = prompt.strip() if len(prompt) <= MAX_CHARS else ""
    parts = text.split()
    if not 2 <= len(parts) <= 3 or parts[0].lower() != "safepoint" or "\n" in text:
        return None
    word = parts[1].lower()
    return (word, parts[2] if len(parts) == 3 else "") if word in WORDS else None


def answer(hook: Hook, word: str, argument: str) -> Decision:
    """Do what the word says; the reply to the person. The session's lock is held."""
    act = {"status": _status, "extend": _extend, "pick": _pick, "dismiss": _dismiss, "pause": _pause}
    return Decision(SWALLOW, act[word](hook, argument))


def _status(hook: Hook, _argument: str) -> str:
    state = hook.store.state
    reading, level = hook.read(state)
    yellow, red = thresholds(reading, hook.settings, state["extended"])
    progress = todos.progress(state["todos"])
    return hook.say(
        "reply_status",
        level=level,
        tokens="?" if reading["tokens"] is None else f"{reading['tokens']:,}",
        window="?" if reading["window"] is None else f"{reading['window']:,}",
        source=reading["source"],
        window_source=reading["window_source"],
        yellow=f"{yellow:,}",
        red=f"{red:,}",
        campaign=state["campaign_slug"] or "-",
        done=progress["done"],
        total=progress["total"],
        pending=", ".join(item.key for item in pending.listed(hook.paths)[:5]) or "-",
        paused=hook.say("paused_on" if state["paused"] else "paused_off"),
    )


def _extend(hook: Hook, argument: str) -> str:
    digits = argument.replace(",", "").replace("_", "").lower()
    scale = 1000 if digits.endswith("k") else 1
    digits = digits[:-1] if scale > 1 else digits
    if argument and not (digits.isdecimal() and len(digits) < 9):
        return hook.say("reply_extend_refused", argument=argument)
    tokens = int(digits) * scale if argument else hook.settings["budget_thresholds"]["extend_tokens"]
    if not 0 < tokens <= MAX_EXTENSION:
        return hook.say("reply_extend_refused", argument=argument)
    before, red = extend(hook, tokens)
    return hook.say("reply_extend", tokens=f"{red - before:,}", red=f"{red:,}")


def extend(hook: Hook, tokens: int) -> tuple[int, int]:
    """Raise Red for this session by `tokens`, and open the latch: a person's decision, recorded.

    Where Red began (tokens) and where it begins now, which may be less: it stays below the window.
    """
    before = _red(hook)
    hook.store.write(hook.record(EXTEND, tokens=tokens))
    release(hook, "extended")
    return before, _red(hook)


def _red(hook: Hook) -> int:
    reading, _ = hook.read(hook.store.state)
    return thresholds(reading, hook.settings, hook.store.state["extended"])[1]


def _pick(hook: Hook, argument: str) -> str:
    from .handover import pick

    if argument and pick(hook, argument):
        return hook.say("reply_pick", id=argument)
    known = ", ".join(item.key for item in pending.listed(hook.paths)) or "-"
    return hook.say("reply_pick_unknown", id=argument or "-", known=known)


def _dismiss(hook: Hook, argument: str) -> str:
    offers = pending.listed(hook.paths)
    chosen = [item for item in offers if item.key.startswith(argument)] if argument else offers
    if len(chosen) != 1:
        known = ", ".join(item.key for item in offers) or "-"
        return hook.say("reply_dismiss_none", known=known)
    pending.settle(hook.paths, chosen[0].key)
    return hook.say("reply_dismiss", id=chosen[0].key)


def _pause(hook: Hook, _argument: str) -> str:
    paused = not hook.store.state["paused"]
    hook.store.write(hook.record(PAUSE, value=paused))
    release(hook, "paused")  # if Red stands when the pause ends, the state is saved anew
    return hook.say("reply_pause_on" if paused else "reply_pause_off")
