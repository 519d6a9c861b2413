"""Finds this package's modules without searching for them.

For each module Python asks all its finders, then looks at the folder's time, its listing and four endings:
for the two dozen modules of a Green guard that is 6 % of a bare start. Where a module of ours is follows
from its name. Everything else (the .pyc, its check against the source, its writing) stays Python's own.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from typing import Any, Optional

# Folders: those of the first kind hold nothing in their `__init__`, so it is not even read.
EMPTY = frozenset({"handlers", "hosts", "meters", "policies", "stores"})
PACKAGES = frozenset({"redaction", "shapes", "texts"})


class Finder:
    """A finder for `sys.meta_path`."""

    def __init__(self, package: str, folder: str, machinery: Any) -> None:
        self._prefix, self._folder, self._machinery = package + ".", folder + "/", machinery
        self._spec_of: type[ModuleSpec] = type(__spec__)  # its module need not be imported for it

    def find_spec(self, name: str, path: object = None, target: object = None) -> Optional[ModuleSpec]:
        if not name.startswith(self._prefix):
            return None
        tail, machinery = name[len(self._prefix) :], self._machinery
        file, inside = self._folder + tail.replace(".", "/"), None
        if tail in EMPTY:
            spec = self._spec_of(name, None, is_package=True)
            spec.submodule_search_locations = [file]
            return spec
        if tail in PACKAGES:
            file, inside = file + "/__init__", [file]
        file += ".py"
        loader = machinery.SourceFileLoader(name, file)
        return machinery.spec_from_file_location(  # type: ignore[no-any-return]
            name, file, loader=loader, submodule_search_locations=inside
        )


def install() -> None:
    """Use it for the package that this module is in; for a process that does nothing else."""
    try:
        import _frozen_importlib_external as machinery
    except ImportError:  # another interpreter: it finds them as it finds all
        return
    sys.meta_path.insert(0, Finder(__name__.rpartition(".")[0], __file__.rpartition("/")[0], machinery))
