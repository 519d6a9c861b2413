"""Our reading at every tool call, beside the usage that the model has served for it."""

import json

import pytest
from model_script import Usage, bash, call, failure, turn
from terminal import Terminal

from safepoint.hot import session
from safepoint.hot.meters.reading import reading

SONNET, OPUS, HAIKU = "claude-sonnet-4-5", "claude-opus-4-8", "claude-haiku-4-5"
WINDOWS = {SONNET: 200_000, f"{SONNET}[1m]": 1_000_000, OPUS: 1_000_000, HAIKU: 200_000}
TEXT = "the basket keeps its discount until the order is paid and the test of it passes\n"
LINES = 250
GROWTH = 40 + LINES * 17  # sixteen common words and the end of the line, one token each in every vocabulary


class Script:
    """Model turns that each run a command of their own, and what each was served with."""

    def __init__(self):
        self.served = {}  # command -> usage

    def turn(self, tokens, *more, calls=1, output=40):
        """A turn at `tokens`, split over the three kinds as a client never sees it twice the same."""
        first = len(self.served)
        fresh, created = 3 + first, tokens // (7 + first % 5)
        usage = Usage(fresh, created, tokens - fresh - created, output + first)
        commands = [f"echo call-{first + number}" for number in range(calls)]
        self.served.update(dict.fromkeys(commands, usage))
        return turn(*map(bash, commands), *more, usage=usage)

    def turns(self, count, start, step):
        return [self.turn(start + number * step) for number in range(count)]


def readings(safepoint, key):
    """What the guard read at each command, by the session's journal."""
    lines = (safepoint.session / f"{key}.journal.jsonl").read_text("utf-8").splitlines()
    records = [record for record in map(json.loads, lines) if record["kind"] == "before_tool"]
    return {record["command"]: record["reading"] for record in records if "command" in record}


def shown(usage):
    return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens


def wrong(found, served, window):
    """Commands whose reading is not that of their usage, each with what was read."""
    return {
        command: (found[command], usage)
        for command, usage in served.items()
        if found[command]["measured"] != shown(usage) + usage.output_tokens
        or found[command]["tokens"] - found[command]["measured"] > 600  # what hooks and calls have added
        or (found[command]["source"], found[command]["window"]) != ("transcript", window)
    }


def test_every_reading_of_a_long_session_is_the_usage_that_was_served(claude, project, safepoint, model):
    work = call("Agent", description="d", prompt="FRONT job", subagent_type="general-purpose",
                run_in_background=False)  # fmt: skip
    back = call("Agent", description="d", prompt="BACK job", subagent_type="general-purpose")
    childs, script = Script(), Script()
    childs.served = {"echo child": Usage(5, 600, 64_000, 77)}
    front = [turn(bash("echo child"), usage=childs.served["echo child"]), "FRONT report"]
    behind = [turn(bash("echo behind"), tokens=91_000), "BACK report"]
    stub = model(subagents=[("FRONT", front), ("BACK", behind)])
    seen = set()

    def play(*steps, model_id=SONNET, **options):
        """One run of the client, judged by its own window."""
        stub.then(*steps)
        run = claude.run(project, stub, "go on", model_id=model_id, env={"SAFEPOINT": "warn"}, **options)
        assert stub.unplayed == 0, run
        key = run.of_type("system", "init")[-1]["session_id"]
        served = {command: usage for command, usage in script.served.items() if command not in seen}
        seen.update(served)
        assert wrong(readings(safepoint, key), served, WINDOWS[model_id]) == {}
        return key

    overloaded = failure(529, "overloaded_error", "Overloaded")
    first = play(
        *script.turns(6, 21_000, 3_100), script.turn(47_000, calls=3), script.turn(52_000, work),
        overloaded, script.turn(53_500), script.turn(54_100, back), "Waiting.",
        *script.turns(2, 58_000, 5_000), "Enough.",
    )  # fmt: skip
    (child,) = {request.agent_id for request in stub.subagent("FRONT")}
    assert wrong(readings(safepoint, f"{first}.{child}"), childs.served, 200_000) == {}
    play(*script.turns(4, 70_000, 9_000), script.turn(140_000, calls=2), "Enough.", resume=first)
    play(*script.turns(4, 150_000, 60_000), "Enough.", resume=first, model_id=OPUS)
    play(*script.turns(3, 420_000, 70_000), "Enough.", resume=first, model_id=f"{SONNET}[1m]")
    play(*script.turns(3, 90_000, 800), "Enough.", resume=first, model_id=HAIKU)  # cleared by the client
    claude.run(project, stub, "/compact", resume=first)
    play(*script.turns(4, 24_000, 2_000), failure(403, "permission_error", "NO"), resume=first)
    play(*script.turns(3, 33_000, 2_000), "Enough.", resume=first)
    fork = play(*script.turns(4, 45_000, 4_000), "Enough.", resume=first, flags=["--fork-session"])
    assert fork != first
    play(*script.turns(2, 38_000, 1_000), "Enough.", resume=first)
    assert len(stub.main) >= 40


@pytest.mark.parametrize("up_to_date", [True, False])
def test_guard_that_is_a_response_behind_reads_the_next_one_within_a_tenth(
    claude, project, safepoint, model, up_to_date
):
    """The session grows by outputs of known size; what the hooks know before a response is its estimate."""
    project.write("page.txt", TEXT * LINES)
    script, truth = [], {}
    for number in range(10):
        command, tokens = f"cat page.txt  # {number}", 6_000 + number * GROWTH
        script.append(turn(bash(command), tokens=tokens))
        truth[command] = tokens
    run = claude.run(project, model(*script), "read it", up_to_date=up_to_date, env={"SAFEPOINT": "warn"})
    estimates = before_each_guard(safepoint, run.session_id)
    later = list(truth)[1:]
    errors = {command: (estimates[command] - truth[command]) / GROWTH for command in later}
    assert {command: error for command, error in errors.items() if abs(error) > 0.1} == {}
    found = readings(safepoint, run.session_id)
    assert all(abs(found[command]["tokens"] / (truth[command] + 40) - 1) < 0.1 for command in later)


def before_each_guard(safepoint, key):
    """The reading before each guard's record, which brings the response that it acts on, if it is there."""
    settings = json.loads((safepoint.hooks / "settings.json").read_text("utf-8"))
    state, found = session.new_state(key, "", "claude_code"), {}
    for line in (safepoint.session / f"{key}.journal.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        if record["kind"] == "before_tool":
            found[record["command"]] = reading(state["meter"], "claude_code", "", settings)["tokens"]
        state = session.apply(state, record)
    return found


def test_model_switched_in_the_middle_of_a_session_has_its_window_from_the_next_call_on(
    claude, project, safepoint, model
):
    script = Script()
    stub = model(script.turn(130_000), "Waiting.", script.turn(131_000), "Enough.")
    chat = Terminal(claude, project, stub, env={"SAFEPOINT": "warn"})
    try:
        chat.send("do the work", lambda: len(stub.main) == 2)
        chat.until(lambda: "Waiting." in chat.screen)
        chat.send(f"/model {OPUS}", lambda: kinds(safepoint, chat)[-1] == "model_switch")
        chat.send("go on", lambda: len(stub.main) == 4)
    finally:
        chat.close()
    assert [request.model for request in stub.main] == [SONNET, SONNET, OPUS, OPUS]
    found, (before, after) = readings(safepoint, chat.session_id), script.served
    assert wrong(found, {before: script.served[before]}, 200_000) == {}
    assert wrong(found, {after: script.served[after]}, 1_000_000) == {}


def kinds(safepoint, chat):
    lines = (safepoint.session / f"{chat.session_id}.journal.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["kind"] for line in lines]
