"""The prompts that are meant for Safepoint: `safepoint status|extend|pick|dismiss|pause`.

Only as the whole prompt. They are swallowed and answered here, so they work at Red as well.
"""

from __future__ import annotations

import os

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
WITH_ARGUMENT = ("extend", "pick", "dismiss")
CHANGING = ("extend", "pick", "dismiss", "pause")  # what only a person may ask for
HELP = "help"
SCHEDULED = "scheduled"  # in the place of a word that no person has sent
RECORD = "word"  # kind of the journal record that keeps a word from being done twice
MAX_CHARS = 200
ALMOST = 0.75  # how like a word has to be for us to answer: "safepoint docs" is for the model
MAX_EXTENSION = 1_000_000  # tokens


def parse(prompt: str) -> tuple[str, str] | None:
    """(word, argument) where the whole prompt is one of the words, or a slip of one ("help"), else None."""
    text = prompt.strip() if len(prompt) <= MAX_CHARS else ""
    parts = text.split()
    if not parts or len(parts) > 3 or parts[0].lower() != "safepoint" or "\n" in text:
        return None
    word, argument = (*(part for part in parts[1:]), "", "")[:2]
    word = word.lower()
    if word in WORDS:
        return (word, argument) if not argument or word in WITH_ARGUMENT else None
    return (HELP, word) if len(parts) < 3 and _is_slip(word) else None


def sent(hook: Hook) -> tuple[str, str] | None:
    """The word that the event's prompt is, as `parse` gives it, or (`SCHEDULED`, word)."""
    found = parse(hook.event.prompt)
    if found is None or found[0] not in CHANGING or not hook.event.transcript_path:
        return found
    if hook.event.host == "claude_code":
        from .meters.transcript_schedule import is_scheduled

        if is_scheduled(hook.event.transcript_path, hook.event.prompt, hook.event.now):
            return SCHEDULED, found[0]
    return found


def _is_slip(word: str) -> bool:
    """True for no word at all, for "help", and for what only looks like a known word."""
    if word in ("", "help", "--help", "-h"):
        return True
    from .near_names import near

    return bool(near(word, WORDS, ALMOST))


def tokens_of(argument: str) -> int | None:
    """Tokens from `20000`, `20,000` or `20k`, full-width too; None where that is not 1 to a million."""
    from unicodedata import normalize

    digits = normalize("NFKC", argument).replace(",", "").replace("_", "").lower()
    scale = 1000 if digits.endswith("k") else 1
    digits = digits[:-1] if scale > 1 else digits
    tokens = int(digits) * scale if digits.isdecimal() and len(digits) < 9 else 0
    return tokens if 0 < tokens <= MAX_EXTENSION else None


def answer(hook: Hook, word: str, argument: str) -> Decision:
    """Do what the word says; the reply to the person. The session's lock is held."""
    act = {"status": _status, "extend": _extend, "pick": _pick, "dismiss": _dismiss, "pause": _pause,
           HELP: _help, SCHEDULED: _scheduled}  # fmt: skip
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


def _help(hook: Hook, word: str) -> str:
    return hook.say("reply_help", word=f"safepoint {word}".strip())


def _scheduled(hook: Hook, word: str) -> str:
    return hook.say("reply_scheduled", word=word)


def _extend(hook: Hook, argument: str) -> str:
    asked = tokens_of(argument) if argument else hook.settings["budget_thresholds"]["extend_tokens"]
    if asked is None:
        return hook.say("reply_extend_refused", argument=argument)
    try:
        return extend(hook, asked).text(hook)
    except FullError as error:
        return hook.say("reply_extend_full", tokens=error.tokens, red=error.red)


class FullError(Exception):
    """No extension lets this session go on: it holds `tokens`, and Red can begin at `red` at most."""

    def __init__(self, tokens: int, red: int) -> None:
        super().__init__(f"the context holds {tokens:,} tokens, and Red can begin at {red:,} at most")
        self.tokens, self.red = tokens, red


class Extended:
    """What came of an extension by `asked` tokens: Red `moved` by so many, and begins at `red` now."""

    def __init__(self, asked: int, moved: int, red: int, withdrew: bool) -> None:
        self.asked, self.moved, self.red = asked, moved, red
        self.withdrew = withdrew  # a handoff of this session waited for a new chat

    def text(self, hook: Hook) -> str:
        lines = [hook.say("reply_extend", tokens=self.moved, red=self.red)]
        if self.moved < self.asked:
            lines.append(hook.say("reply_extend_capped", asked=self.asked))
        if self.withdrew:
            lines.append(hook.say("reply_handoff_withdrawn"))
        return "\n".join(lines)


def extend(hook: Hook, tokens: int) -> Extended:
    """Raise Red for this session by `tokens`, and open the latch: a person's decision, recorded.

    Red stays below the window. Raises FullError, and changes nothing, where the session would be stopped
    again at once.
    """
    reading, _ = hook.read(hook.store.state)
    extended = hook.store.state["extended"]
    before = thresholds(reading, hook.settings, extended)[1]
    red = thresholds(reading, hook.settings, extended + tokens)[1]
    held = reading["tokens"] or 0
    if red <= before or held >= red:
        raise FullError(held, thresholds(reading, hook.settings, MAX_EXTENSION)[1])
    hook.store.write(hook.record(EXTEND, tokens=tokens))
    return Extended(tokens, red - before, red, _withdraws(hook, "extended"))


def _pick(hook: Hook, argument: str) -> str:
    from .handover import pick

    offers = pending.listed(hook.paths)
    found = pending.named(offers, argument)
    if len(found) != 1:
        return _which(hook, "pick", argument, offers, found)
    return hook.say("reply_pick" if pick(hook, found[0]) else "reply_pick_failed", id=found[0].key)


def _dismiss(hook: Hook, argument: str) -> str:
    offers = pending.listed(hook.paths)
    found = pending.named(offers, argument) if argument else offers
    if len(found) != 1:
        return _which(hook, "dismiss", argument, offers, found)
    pending.settle(hook.paths, found[0].key)
    return hook.say("reply_dismiss", id=found[0].key)


def _which(
    hook: Hook, word: str, argument: str, offers: list[pending.Offered], found: list[pending.Offered]
) -> str:
    """What to say where a person's words do not name one of those that wait."""
    if not offers:
        return hook.say("reply_none_waits")
    waiting = [item.key for item in found or offers]
    if argument and not found:
        return hook.say("reply_unknown_handoff", id=argument, list=waiting)
    return hook.say("reply_which_handoff", word=word, list=waiting)


def _pause(hook: Hook, _argument: str) -> str:
    paused = not hook.store.state["paused"]
    hook.store.write(hook.record(PAUSE, value=paused))
    withdrew = _withdraws(hook, "paused")  # if Red stands when the pause ends, the state is saved anew
    is_red = hook.read(hook.store.state)[1] == "red"
    lines = [hook.say("reply_pause_on" if paused else "reply_pause_off")]
    if withdrew:
        lines.append(hook.say("reply_handoff_withdrawn"))
    if is_red and (withdrew or not paused):
        lines.append(hook.say("reply_pause_on_red" if paused else "reply_pause_off_red"))
    return "\n".join(lines)


def _withdraws(hook: Hook, reason: str) -> bool:
    """Open the latch; whether that took back a handoff of this session that waited for a new chat."""
    offer = hook.paths.offer(hook.session_key)
    waited = os.path.exists(offer)
    release(hook, reason)
    return waited and not os.path.exists(offer)
