"""The facts of a resume point as Markdown lines, one function a section. Pure.

Each returns [] for "nothing", and at most `keep` entries; what is left out is counted and `where` named.
"""

from __future__ import annotations

from .quoting import code, safe
from .texts import find, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .shapes import Command, CompletedWork, ResumePoint, TodoItem

TEXT_CHARS, PATH_CHARS, COMMAND_CHARS = 300, 200, 300
BOXES = {"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}


def position(point: ResumePoint, language: str) -> list[str]:
    """Step, todo, file, last tool, reading."""
    return [
        _step(point, language),
        todo_position(point, language),
        _file(point, language),
        _last(point, language),
        _reading(point, language),
    ]


def _step(point: ResumePoint, language: str) -> str:
    step, phase = point["workflow_step"], point["orchestrator_phase"]
    if not step:
        return say(language, "line_no_step")
    key = "line_step_phase" if phase else "line_step"
    return say(language, key, step=safe(step, 80), phase=safe(phase, 80))


def todo_position(point: ResumePoint, language: str) -> str:
    """Which todo the work stands at."""
    progress = point["todo_progress"]
    total, done = progress["total"], progress["done"]
    if not total:
        return say(language, "line_no_todo")
    if done >= total:
        return say(language, "line_todo_done", total=total)
    item = safe(progress["current_item"], TEXT_CHARS) or "-"
    return say(language, "line_todo", number=done + 1, total=total, item=item)


def _file(point: ResumePoint, language: str) -> str:
    if not point["files_changed"]:
        return say(language, "line_no_file")
    return say(language, "line_file", file=safe(point["files_changed"][-1], PATH_CHARS))


def _last(point: ResumePoint, language: str) -> str:
    last = point["last_completed"]
    if last is None:
        return say(language, "line_no_last")
    key = "line_last" if last.get("exit") is None else "line_last_exit"
    return say(
        language, key, tool=safe(last["tool"], 80), summary=safe(last["summary"], TEXT_CHARS),
        exit=str(last.get("exit")),
    )  # fmt: skip


def _reading(point: ResumePoint, language: str) -> str:
    reading = point["reading"]
    tokens, window = reading["tokens"], reading["window"]
    if tokens is None or not window:
        return say(language, "line_no_reading", level=point["level"])
    return say(
        language, "line_reading", percent=round(100 * tokens / window), tokens=tokens, window=window,
        source=reading["source"], level=point["level"],
    )  # fmt: skip


def next_action(point: ResumePoint, language: str) -> list[str]:
    """The one thing to do next, as one list item, and the files that belong to it."""
    action = point["next_action"]
    source = action["source"] if action["description"] else "none"
    key = f"next_{source}" if find(language, f"next_{source}") else "next_todo"
    lines = ["- " + say(language, key, text=safe(action["description"], 600))]
    if action["inputs_to_read"]:
        paths = ", ".join([safe(path, PATH_CHARS) for path in action["inputs_to_read"][:8]])
        lines.append("  - " + say(language, "next_reads", paths=paths))
    return lines


def completed(point: ResumePoint, language: str, keep: int, where: str) -> list[str]:
    """The work that need not be done again; the newest where there is too much of it."""
    work = point["completed_work"]
    return _newest([_work(item, language) for item in work], language, keep, where)


def _work(item: CompletedWork, language: str) -> str:
    evidence = item["evidence"]
    name = "evidence_" + evidence.replace(" ", "_")
    shown = find(language, name) or safe(evidence, 80)
    key = "known_verified" if item["known"] == "verified" else "known_carried"
    is_command = evidence.startswith("exit ")
    text = (code if is_command else safe)(item["description"], COMMAND_CHARS)
    return f"- {text} ({say(language, key, evidence=shown)})"


def doubtful(work: Sequence[tuple[CompletedWork, str, str]], language: str) -> list[str]:
    """Work that was done and does not hold as it was, each item with how it stands and why."""
    lines = []
    for item, stands, reason in work:
        name = f"doubt_{reason}" if find(language, f"doubt_{reason}") else f"doubt_{stands.split()[0]}"
        lines.append(f"{_work(item, language)}: {say(language, name, path=safe(reason, PATH_CHARS))}")
    return lines


def open_errors(point: ResumePoint, language: str, keep: int, where: str) -> list[str]:
    """Failures that nothing has shown to be gone."""
    lines = [f"- {safe(e['tool'], 80)}: {safe(e['message'], 400)}" for e in point["open_errors"]]
    return _newest(lines, language, keep, where)


def commands(point: ResumePoint, language: str, keep: int, where: str) -> list[str]:
    """Shell commands with what came of them, oldest first."""
    return _newest([_command(item, language) for item in point["recent_commands"]], language, keep, where)


def _command(item: Command, language: str) -> str:
    known = item["exit"] is not None
    result = say(language, "exit_known" if known else "exit_unknown", exit=str(item["exit"]))
    if item["cwd"] not in ("", "."):
        result = say(language, "command_in", exit=result, cwd=safe(item["cwd"], PATH_CHARS))
    return f"- {code(item['command'], COMMAND_CHARS)} ({result})"


def todos(point: ResumePoint, language: str, keep: int, where: str) -> list[str]:
    """The todo list in its own order; of a long one the finished items go first."""
    items = point["todos"]
    shown = list(items)
    for item in items:
        if len(shown) <= keep:
            break
        if item["status"] == "completed":
            shown.remove(item)
    lines = [_todo(item) for item in shown[:keep]]
    return lines + more(language, len(items) - len(lines), where)


def _todo(item: TodoItem) -> str:
    return f"- {BOXES.get(item['status'], '[ ]')} {safe(item['content'], TEXT_CHARS) or '-'}"


def files(point: ResumePoint, language: str, keep: int, where: str) -> list[str]:
    """Files changed, then files only read, the newest of each."""
    changed = point["files_changed"]
    read = [name for name in point["files_read"] if name not in changed]
    lines: list[str] = []
    for key, names in (("line_changed", changed), ("line_read", read)):
        entries = [say(language, key, file=safe(name, PATH_CHARS)) for name in names]
        lines += _newest(entries, language, keep, where)
    return lines


def git(point: ResumePoint, language: str, keep: int) -> list[str]:
    """Branch, commit and what was changed at the time."""
    snapshot = point["git_snapshot"]
    if not snapshot or snapshot.get("unavailable"):
        why = safe(snapshot.get("unavailable", ""), 200) or say(language, "line_git_not_asked")
        return [say(language, "line_no_git", why=why)]
    branch, changed = safe(snapshot.get("branch", ""), 200), snapshot.get("changed_files", [])
    total = snapshot.get("changed_total", len(changed))
    lines = [
        say(language, "line_branch", branch=branch) if branch else say(language, "line_no_branch"),
        say(language, "line_commit", commit=safe(snapshot.get("base_commit_sha", ""), 80) or "-"),
        say(language, "line_git_changed", count=total),
    ]
    lines += [say(language, "line_git_file", file=safe(name, PATH_CHARS)) for name in changed[:keep]]
    if total > min(keep, len(changed)):
        lines.append(say(language, "line_git_more", count=total - min(keep, len(changed))))
    elif snapshot.get("truncated"):
        lines.append(say(language, "line_git_cut"))
    if "untracked_total" in snapshot:
        lines.append(say(language, "line_untracked", count=snapshot["untracked_total"]))
    return lines


def subagents(point: ResumePoint, language: str, keep: int, where: str) -> list[str]:
    """Subagents that had begun and not ended."""
    lines = [f"- {safe(name, TEXT_CHARS) or '-'}" for name in point["subagents_running"]]
    return _newest(lines, language, keep, where)


def more(language: str, count: int, where: str) -> list[str]:
    """The line that says how many entries are not shown, if any."""
    if count <= 0:
        return []
    if not where:
        return [say(language, "line_more_short", count=count)]
    return [say(language, "line_more", count=count, where=where)]


def _newest(lines: list[str], language: str, keep: int, where: str) -> list[str]:
    return more(language, len(lines) - keep, where) + lines[-keep:]
