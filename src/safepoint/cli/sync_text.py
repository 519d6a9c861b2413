"""What push, pull and restore say to a person."""

from __future__ import annotations

from typing import Any

from ..called_as import to_type
from ..counted import counted
from ..hot.quoting import safe
from .render import columns


def on_the_other_machine(slug: str, has_work: bool) -> list[str]:
    """What has to be done there. How the command line is called there is not known here."""
    steps = [(f"safepoint pull {slug}", "a new chat there is then shown the handoff")]
    if has_work:
        steps.append((f"safepoint restore {slug}", "the uncommitted files, into a clean work tree"))
    return [
        "On the other machine, in its clone of this repository, with Safepoint installed there:",
        *(f"  {line}" for line in columns([[step, f"# {what}"] for step, what in steps])),
        "Then open a new chat in that folder, and send anything.",
    ]


def left_out(names: list[str], total: int = 0) -> list[str]:
    return some("left out", names, total)


def some(words: str, names: list[str], total: int = 0) -> list[str]:
    """A line with the first of them; none where there are none. `total`: where `names` are only some."""
    if not names:
        return []
    more = max(total, len(names)) - len(names[:8])
    return [f"{words}: {', '.join(map(shown, names[:8]))}{f' and {more} more' if more else ''}"]


def shown(name: str) -> str:
    """A name that another machine gave, without what a terminal would obey."""
    return safe(name, 300)


def pulled(result: dict[str, Any]) -> list[str]:
    slug = result["campaign"]
    lines = [f"{slug}: pushed by {result['who']}, on branch {shown(result['branch']) or '-'}"]
    if not result["new"]:
        return [*lines, "It was pulled before, and there is nothing newer. To offer it again: --again"]
    if result["pending"] and result["shown_first"] != result["id"]:
        first = result["shown_first"]
        lines.append(
            (f"It waits, and a new chat in this folder is shown {first} first." if first else
             "It waits, and no new chat in this folder is shown it by itself.")
            + f" To have this one: {to_type('resume', '--pick', result['id'])}"
        )  # fmt: skip
    elif result["pending"]:
        lines.append("A new chat in this folder is shown its handoff with its first message.")
    else:
        lines.append("Its chat began in this clone: its handoff here is newer, and stays as it is.")
    lines += [f"set aside in .cursor/.session/pruned: {name}" for name in result["moved"]]
    lines += [f"left as it is here: {name}" for name in result["kept"]]
    if not result["at_base"] and result["base"]:
        lines.append(f"It stands on commit {result['base'][:12]}; HEAD here is another one.")
    if result["has_work"]:
        lines.append(f"Its uncommitted files: {to_type('restore', slug)} [--worktree PATH]")
    return [*lines, *left_out(result["left_out"])]


def restored(result: dict[str, Any]) -> list[str]:
    lines = [f"{counted(len(result['files']), 'file')} restored in {result['folder']}, not staged."]
    if result["merged"]:
        lines.append(f"HEAD is another commit than the work's ({result['base'][:12] or 'none'}): merged.")
    lines += [f"conflict: {shown(name)}" for name in result["conflicts"]]
    if result["conflicts"]:
        commit = result["commit"][:12]
        lines += [
            "In them <<<<<<< to ======= is this clone's (HEAD), and ======= to >>>>>>> the restored work."
            " Keep what is to stay, take the marks out; nothing is staged, and no merge is to be ended.",
            "One without marks is binary, or one side has deleted it: git show HEAD:PATH is this clone's,"
            f" git show {commit}:PATH the restored work's.",
        ]
    if result["pending_in"]:
        lines.append(f"A new chat in {result['pending_in']} is shown the handoff.")
    gone = [one["path"] for one in result["not_laid_out"] if one["why"] == "outside_sparse"]
    inner = [f"{one['path']} ({one['commit'][:12] or 'removed'})" for one in result["not_laid_out"]
             if one["why"] == "submodule"]  # fmt: skip
    passed = [f"{one['path']} ({one['filter']})" for one in result["filtered"]]
    return [
        *lines,
        *some("there already, as in the work", result["there_already"]),
        *some("written although outside of the sparse checkout", result["outside_sparse"]),
        *some("not removed, since git would not show it outside of the sparse checkout", gone),
        *some("not laid out, since it is a submodule's commit", inner),
        *some("as its filter gives it back, which may be less than there was", passed),
        *left_out(result["left_out"], result["left_out_total"]),
    ]
