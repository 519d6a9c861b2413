"""The folders that the state lies in: private, and kept out of commits."""

from __future__ import annotations

import errno
import os

from ..files import write_atomic
from .paths import ROOT, STATE_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .paths import Paths


class PathError(OSError):
    """A path that is not what it has to be.  ``filename`` is the path, ``strerror`` says why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(errno.EINVAL, reason, path)


def prepare(paths: Paths) -> None:
    """Make the state folders: private, and kept out of commits by a file of their own."""
    for name in STATE_FOLDERS:
        folder = f"{paths.project}/{ROOT}/{name}"
        make_private_dir(folder)
        if not os.path.lexists(folder + "/.gitignore"):
            write_atomic(folder + "/.gitignore", b"*\n")
    make_private_dir(paths.pending)


def make_private_dir(path: str) -> None:
    """Have a folder at ``path``; those that this has to create are for the owner alone.

    Raises PathError where the last component is no folder, or a symbolic link, leading astray.
    """
    if not path:
        raise PathError(path, "no path")
    path = path.rstrip("/") or path  # a trailing slash would hide a link from the look below
    try:
        os.mkdir(path, 0o700)
    except FileNotFoundError:
        make_private_dir(os.path.dirname(os.path.abspath(path)))
        make_private_dir(path)
    except OSError:
        if os.path.islink(path):
            raise PathError(path, "a symbolic link where a folder has to be") from None
        if not os.path.isdir(path):
            if os.path.exists(path):
                raise PathError(path, "not a folder") from None
            raise
