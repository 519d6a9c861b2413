"""Conditions that a hook may find: odd transcripts and repositories, no git, held locks, another clock.

Each is made for real, beside a scene, for the time of one hook process.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from fault_scene import BASES, MOMENTS, SESSION, Around, Scene, make_base
from fault_table import head, outcome, row
from real_disks import full, not_ours, read_only

GIB = 1024**3
Setting = Callable[[Scene], Iterator[Around]]


class Condition(NamedTuple):
    """`what` and `how` for the table; `set_up` yields what is around the process while it lasts.

    `commits` is False where the chat begins in a repository that has none.
    """

    what: str
    how: str
    set_up: Setting
    hosts: tuple[str, ...] = ("claude_code", "cursor")
    commits: bool = True


def _transcript_behind_a_hole(scene: Scene) -> Iterator[Around]:
    last = scene.transcript.read_bytes() if scene.transcript.exists() else b""
    with scene.transcript.open("wb") as file:
        file.truncate(GIB)
        file.seek(GIB)
        file.write(b"\n" + last)
    yield Around()


def _transcript_of_one_line(scene: Scene) -> Iterator[Around]:
    with scene.transcript.open("r+b" if scene.transcript.exists() else "wb") as file:
        file.truncate(GIB)
    yield Around()


def _transcript_folder(scene: Scene) -> Iterator[Around]:
    scene.transcript.unlink(missing_ok=True)
    scene.transcript.mkdir()
    yield Around()


def _git_is(scene: Scene, script: str) -> Around:
    """`script` is what runs as git; {real} in it is the real one."""
    folder = scene.project.parent / "bin"
    folder.mkdir()
    real = shutil.which("git")
    (folder / "git").write_text("#!/bin/sh\n" + script.format(real=real) + "\n")
    (folder / "git").chmod(0o755)
    return Around(environment={"PATH": f"{folder}:{os.environ['PATH']}"})


def _git_refuses(scene: Scene) -> Iterator[Around]:
    yield _git_is(scene, 'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {real} "$@"')


def _git_hangs(scene: Scene) -> Iterator[Around]:
    yield _git_is(scene, "exec sleep 30")


def _git_missing(scene: Scene) -> Iterator[Around]:
    (scene.project.parent / "empty").mkdir()
    yield Around(environment={"PATH": str(scene.project.parent / "empty")})


def _bare(scene: Scene) -> Iterator[Around]:
    shutil.rmtree(scene.project / ".git")
    subprocess.run(["git", "init", "-q", "--bare"], cwd=scene.project, check=True)
    yield Around()


def _calm(scene: Scene) -> Iterator[Around]:
    yield Around()


def _other(scene: Scene) -> Iterator[Around]:
    shutil.rmtree(scene.project / ".git")
    subprocess.run(["git", "init", "-q"], cwd=scene.project, check=True)
    yield Around()


def _no_head(scene: Scene) -> Iterator[Around]:
    (scene.project / ".git/HEAD").write_bytes(b"\0" * 41)
    yield Around()


def _no_index(scene: Scene) -> Iterator[Around]:
    (scene.project / ".git/index").write_bytes(b"\0" * 41)
    yield Around()


def _no_objects(scene: Scene) -> Iterator[Around]:
    shutil.rmtree(scene.project / ".git/objects")
    (scene.project / ".git/objects").mkdir()
    yield Around()


def _no_repository(scene: Scene) -> Iterator[Around]:
    shutil.rmtree(scene.project / ".git")
    yield Around()


def _no_home(scene: Scene) -> Iterator[Around]:
    yield Around(environment={"HOME": None, "XDG_CONFIG_HOME": None})


def _clock_back(scene: Scene) -> Iterator[Around]:
    yield Around(("earlier", "", "1"))


def _locks(scene: Scene) -> list[Path]:
    scene.session.mkdir(parents=True, exist_ok=True)
    names = ("lock", "saving.lock")
    return [scene.session / f"{session}.{name}" for session in (SESSION, "fault-2") for name in names]


def _held_by_the_living(scene: Scene) -> Iterator[Around]:
    files = [path.open("a") for path in _locks(scene)]
    for file in files:
        fcntl.flock(file, fcntl.LOCK_EX)
    yield Around()
    for file in files:
        file.close()


def _held_by_the_dead(scene: Scene) -> Iterator[Around]:
    code = (
        "import fcntl,os,sys,time\nfor path in sys.argv[1:]:\n fd = os.open(path, os.O_CREAT | os.O_RDWR)\n"
        " fcntl.flock(fd, fcntl.LOCK_EX)\nprint('held', flush=True)\ntime.sleep(60)"
    )
    paths = [str(path) for path in _locks(scene)]
    with subprocess.Popen([sys.executable, "-c", code, *paths], stdout=subprocess.PIPE) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        holder.send_signal(signal.SIGKILL)
    yield Around()


def _state_of_the_future(scene: Scene) -> Iterator[Around]:
    path = scene.session / f"{SESSION}.state.json"
    if path.exists():
        path.write_text(path.read_text().replace('"schema_version":1', '"schema_version":99', 1))
    yield Around()


def _state_is(scene: Scene, data: bytes) -> Iterator[Around]:
    path = scene.session / f"{SESSION}.state.json"
    if path.exists():
        path.write_bytes(data)
    yield Around()


def _state_empty(scene: Scene) -> Iterator[Around]:
    yield from _state_is(scene, b"")


def _state_binary(scene: Scene) -> Iterator[Around]:
    yield from _state_is(scene, bytes(range(256)) * 40)


def _state_folder(scene: Scene) -> Iterator[Around]:
    path = scene.session / f"{SESSION}.state.json"
    if path.exists():
        path.unlink()
        (path / "inside").mkdir(parents=True)
    yield Around()


STEPS = ("init", "commit")
CLAUDE = ("claude_code",)
CONDITIONS = (
    Condition("a transcript of 1 GB", "sparse, the figure at its end", _transcript_behind_a_hole, CLAUDE),
    Condition("a transcript of 1 GB", "one line without an end", _transcript_of_one_line, CLAUDE),
    Condition("a transcript", "that is a folder", _transcript_folder, CLAUDE),
    Condition("git", "refuses: no `safe.directory`", _git_refuses),
    Condition("git", "hangs", _git_hangs),
    Condition("git", "is missing", _git_missing),
    Condition("the folder", "is no repository any more", _no_repository),
    Condition("the repository", "is bare", _bare),
    Condition("the repository", "has no commit", _calm, commits=False),
    Condition("the repository", "is another one by now", _other),
    Condition("the repository", "has a damaged HEAD", _no_head),
    Condition("the repository", "has a damaged index", _no_index),
    Condition("the repository", "has lost its objects", _no_objects),
    Condition("`HOME`", "is not set", _no_home),
    Condition("the clock", "a day back", _clock_back),
    Condition("the file system of `.cursor`", "mounted read-only", read_only),
    Condition("the file system of the state folder", "full", full),
    Condition("`.cursor`", "not writable for this user", not_ours),
    Condition("the session's locks", "held by a hung process", _held_by_the_living),
    Condition("the session's locks", "held by a killed process", _held_by_the_dead),
    Condition("the state file", "of a later version", _state_of_the_future),
    Condition("the state file", "empty", _state_empty),
    Condition("the state file", "binary", _state_binary),
    Condition("the state file", "is a folder", _state_folder),
)


def under(condition: Condition, scene: Scene) -> AbstractContextManager[Around]:
    return contextmanager(condition.set_up)(scene)


def bases(folder: Path, host: str) -> dict[tuple[str, bool], Scene]:
    """Every base by its name, in a repository of one commit (True) or none."""
    return {
        (base, commits): make_base(base, folder / f"{base}-{commits}", host, STEPS[: 1 + commits])
        for base in BASES
        for commits in (True, False)
    }


def table(folder: Path, host: str) -> str:
    """Every condition at every moment."""
    made = bases(folder, host)
    lines = [head()]
    for i, condition in enumerate(CONDITIONS):
        if host not in condition.hosts:
            continue
        words = []
        for j, moment in enumerate(MOMENTS):
            scene = made[moment.base, condition.commits].copy(folder / f"{i}-{j}")
            with under(condition, scene) as around:
                words.append(outcome(scene, moment, around).words)
        lines.append(row(condition.what, condition.how, words))
    return "\n".join(lines)
