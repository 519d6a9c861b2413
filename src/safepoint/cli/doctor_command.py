"""doctor: look at an installation, say what is wrong and what to do, and do what is safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..called_as import to_type
from .render import show

if TYPE_CHECKING:
    from ..doctor import Finding

SIGNS = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}


@click.command()
@click.argument("path", type=click.Path(), default=".")
@click.option("--fix", is_flag=True, help="Do what is safe: install again, compile, make private.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def doctor(path: str, fix: bool, as_json: bool) -> int:
    """Check the installation in the repository at PATH: files, settings, interpreter, commands, a deny.

    The hooks are tried in a scratch copy; no session is touched. Exit status: 1 when there is a problem.
    """
    from .. import doctor as examining

    site = examining.site_of(path)
    findings, done = examining.examine(site), list[str]()
    if fix:
        done = examining.repair(site, findings)
        if done:
            site = examining.site_of(path)
            findings = examining.examine(site)
    problems = [one for one in findings if one.level == "problem"]
    result = {
        "project": site.path, "healthy": not problems, "done": done,
        "findings": [
            {"check": one.check, "level": one.level, "text": one.text, "remedy": one.remedy,
             "fixable": bool(one.fix)} for one in findings
        ],
    }  # fmt: skip
    show(result, "\n".join(_lines(site.path, findings, done)), as_json)
    return 1 if problems else 0


def _lines(path: str, findings: list[Finding], done: list[str]) -> list[str]:
    lines = [path, *(f"  {line}" for line in done)]
    for one in findings:
        lines.append(f"  {SIGNS[one.level]}  {one.check}: {one.text}")
        if one.remedy:
            lines.append(f"           -> {one.remedy}")
    problems = [one for one in findings if one.level == "problem"]
    if not problems:
        return [*lines, "Everything is well."]
    number = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    fixable = any(one.fix for one in problems) and not done
    hint = f" What is safe is done by: {to_type('doctor', path, '--fix')}" if fixable else ""
    return [*lines, f"{number}.{hint}"]
