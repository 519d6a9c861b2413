"""How the command line is called here, so that what it tells people to type can be typed."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import MutableMapping

NAME = "safepoint"  # where a shell finds it by that, and wherever else it is not known how it is called
LAUNCHER = "SAFEPOINT_LAUNCHER"  # bin/safepoint says in it how it was called
_found = NAME


def remember(argument: str, environment: MutableMapping[str, str]) -> None:
    """Find out how this process was called: by a launcher that says so, else by `argument` (`sys.argv[0]`).

    The launcher's word is taken out of `environment`: a process that this one starts was called otherwise.
    """
    global _found
    launcher, program = environment.pop(LAUNCHER, ""), os.path.splitext(os.path.basename(argument))[0]
    if launcher or program == NAME:
        _found = _typed(launcher or argument)
    elif program == "__main__":
        _found = f"{shlex.quote(sys.executable)} -m {NAME}"
    else:  # another program, which has this one in it: that is not how a person calls it
        _found = NAME


def _typed(path: str) -> str:
    on_path = shutil.which(NAME)
    if on_path and os.path.exists(path) and os.path.samefile(on_path, path):
        return NAME
    if os.path.basename(path) == path:  # `sh safepoint`, in its folder
        path = os.path.join(os.curdir, path)
    return shlex.quote(path)


def name() -> str:
    """The words that call it, as a shell takes them: `safepoint`, `./bin/safepoint`."""
    return _found


def to_type(*words: str) -> str:
    """A command of ours as it can be typed in this folder, each of `words` quoted where a shell needs it."""
    return " ".join([_found, *map(shlex.quote, words)])
