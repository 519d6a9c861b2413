"""A disk that is really read-only, full or not ours, for one hook process; or as if, where that is forbidden.

A mount is made in a mount namespace of the process' own and is gone with it. Where this system allows no
namespace, or root cannot give up its rights, `fault_runner` makes the same error instead.
"""

from __future__ import annotations

import errno
import functools
import os
import subprocess
from collections.abc import Iterator, Sequence

from fault_scene import Around, Scene

_OWN_MOUNTS = ("unshare", "--mount", "--propagation", "private")
# Root without a capability: it owns its files, and their modes hold for it.
_WITHOUT_RIGHTS = ("setpriv", "--inh-caps=-all", "--bounding-set=-all")
_SHELL = ("sh", "-eu", "-c")
_READ_ONLY = 'mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; exec "$@"'
# The state folder is on a disk without a free block while the hook runs; what it left there is kept.
_FULL = """
disk="$0.disk"; mkdir "$disk"; mount -t tmpfs -o size=1m,mode=700 tmpfs "$disk"
cp -a "$0/." "$disk"
dd if=/dev/zero of="$disk/.rest" bs=4k 2>/dev/null || true
mount --bind "$disk" "$0"
status=0; "$@" || status=$?
umount "$0"; rm "$disk/.rest"; cp -a "$disk/." "$0"; umount "$disk"; rmdir "$disk"
exit $status
"""


@functools.cache
def _works(command: Sequence[str]) -> bool:
    """Whether this system lets us do so. Asked once for each."""
    try:
        return subprocess.run(command, capture_output=True, timeout=30).returncode == 0
    except OSError:
        return False


def mounts_work() -> bool:
    return _works((*_OWN_MOUNTS, *_SHELL, "mount -t tmpfs tmpfs /tmp"))


def rights_can_go() -> bool:
    return os.geteuid() != 0 or _works((*_WITHOUT_RIGHTS, "true"))


def _instead(number: int, call: str = "change") -> Around:
    return Around((call, "/.cursor", str(number)))


def read_only(scene: Scene) -> Iterator[Around]:
    """`.cursor` on a file system that is mounted read-only."""
    folder = scene.project / ".cursor"
    folder.mkdir(exist_ok=True)
    real = Around(within=(*_OWN_MOUNTS, *_SHELL, _READ_ONLY, str(folder)))
    yield real if mounts_work() else _instead(errno.EROFS)


def full(scene: Scene) -> Iterator[Around]:
    """The state folder on a file system without a free block: a file grows as far as its last one reaches."""
    scene.session.mkdir(parents=True, exist_ok=True)
    real = Around(within=(*_OWN_MOUNTS, *_SHELL, _FULL, str(scene.session)))
    yield real if mounts_work() else _instead(errno.ENOSPC, "create")


def not_ours(scene: Scene) -> Iterator[Around]:
    """Nobody may write below `.cursor`; the hook runs without root's rights."""
    folder = scene.project / ".cursor"
    folder.mkdir(exist_ok=True)
    modes = {path: path.stat().st_mode for path in [folder, *folder.rglob("*")]}
    for path in reversed(modes):
        path.chmod(0o500 if path.is_dir() else 0o400)
    within = _WITHOUT_RIGHTS if os.geteuid() == 0 else ()
    yield Around(within=within) if rights_can_go() else _instead(errno.EACCES)
    for path, mode in modes.items():
        path.chmod(mode)

