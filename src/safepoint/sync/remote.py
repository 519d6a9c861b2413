"""The remote that campaigns go to: who has what there, and the push that overwrites nothing unseen."""

from __future__ import annotations

import time
from typing import NamedTuple

from ..called_as import to_type
from ..errors import SafepointError
from ..hot import campaign_refs as refs
from ..hot.shapes import Settings
from ..hot.stores.bundles import BundleError, Content, read
from ..hot.stores.folders import prepare
from ..hot.stores.paths import Paths
from ..hot.work_commit import point
from .git import LOCAL_S, Git

POINT_S = 10.0


def state_folders(project: str) -> Paths:
    """The project's paths, with the folders there. Raises SafepointError where they cannot be."""
    paths = Paths(project)
    try:
        prepare(paths)
    except OSError as error:
        raise SafepointError(f"{error.filename}: {error.strerror}; nothing was changed") from error
    return paths


class Remote(NamedTuple):
    """One remote of this clone. `timeout_s` bounds each exchange with it."""

    project: str
    name: str
    timeout_s: float

    def there(self) -> dict[str, str]:
        """Its campaigns: name -> object id."""
        try:
            return refs.on_remote(self.project, self.name, self.timeout_s)
        except refs.RemoteError as error:
            raise self._failure(error) from error

    def every_ref(self) -> dict[str, str]:
        """All its refs."""
        try:
            output = refs.ask(self.project, ["ls-remote", "--refs", "--", self.name], self.timeout_s)
        except refs.RemoteError as error:
            raise self._failure(error) from error
        pairs = [line.partition("\t")[::2] for line in output.decode("utf-8", "replace").splitlines()]
        return {ref: sha for sha, ref in pairs if refs.is_id(sha)}

    def fetch(self, names: list[str]) -> None:
        try:
            refs.fetch(self.project, self.name, names, self.timeout_s)
        except refs.RemoteError as error:
            raise self._failure(error) from error

    def push(self, sha: str, name: str, expected: str) -> bool:
        """Send the commit; False where the ref is not (any more) what was `expected` ("": no such ref)."""
        ref = refs.ROOT + name
        options = ["--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"]
        lease = f"--force-with-lease={ref}:{expected}"
        try:
            refs.ask(
                self.project, ["push", *options, lease, "--", self.name, f"{sha}:{ref}"], self.timeout_s
            )
        except refs.RemoteError as error:
            if self.there().get(name, "") != expected:
                return False
            raise self._failure(error) from error
        return True

    def known(self, kind: str) -> dict[str, str]:
        """The clone's own refs of one kind for this remote."""
        return refs.known(self.project, refs.of(kind, self.name), LOCAL_S)

    def point(self, kind: str, name: str, sha: str) -> None:
        if not point(self.project, refs.of(kind, self.name, name), sha, POINT_S):
            raise SafepointError(f"{refs.of(kind, self.name, name)} could not be set to {sha}")

    def read(self, sha: str) -> Content:
        """The bundle of a commit that was fetched. Raises BundleError."""
        return read(self.project, sha, LOCAL_S)

    def _failure(self, error: refs.RemoteError) -> SafepointError:
        return SafepointError(
            f"{self.name}: {error}\nNothing was changed here. Whether git reaches it at all:"
            f" git ls-remote {self.name}"
        )


def configured(project: str, settings: Settings, timeout_s: float, is_asked: bool = True) -> Remote:
    """The remote of the settings. Raises where there is none, or where one that `is_asked` is not there."""
    sync = settings.get("sync")
    name = sync["remote"] if sync else ""
    Git(project)  # says so where there is no repository
    if not name:
        raise SafepointError(
            "no remote is set, so nothing is sent or fetched. Name one (git remote -v) in manifest.yaml,"
            f" framework.sync.remote, then: {to_type('generate', project)}"
        )
    if is_asked and not refs.has_remote(project, name):
        raise SafepointError(
            f"this clone has no remote {name} (framework.sync.remote in manifest.yaml);"
            " git remote -v shows those it has"
        )
    return Remote(project, name, timeout_s)


class Listed(NamedTuple):
    """One campaign on the remote: its bundle, or what is wrong with it."""

    name: str
    sha: str
    content: Content | None
    problem: str
    standing: str  # new, here (pushed, pulled or taken), or moved on (there is a newer one than the one here)


def listing(remote: Remote) -> list[Listed]:
    """Have all campaigns of the remote here, as objects, and say what they are. Nothing is made pending."""
    there, here = remote.there(), remote.known(refs.FETCHED)
    remote.fetch([name for name, sha in there.items() if here.get(name) != sha])
    _forget(remote, [name for name in here if name not in there])
    stand = [remote.known(kind) for kind in (refs.BASE, refs.TAKEN)]
    found = []
    for name in sorted(there):
        known = [kind[name] for kind in stand if name in kind]
        standing = "here" if there[name] in known else "moved on" if known else "new"
        try:
            found.append(Listed(name, there[name], remote.read(there[name]), "", standing))
        except BundleError as error:
            found.append(Listed(name, there[name], None, str(error), standing))
    return found


def _forget(remote: Remote, names: list[str]) -> None:
    """What the remote has no more, this clone need not keep."""
    Git(remote.project).update_refs([f"delete {refs.of(refs.FETCHED, remote.name, name)}" for name in names])


def who(content: Content) -> str:
    """Who pushed a bundle, from where, and when."""
    from ..hot.quoting import safe

    meta = content.meta
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(meta["created_at_unix"]))
    return f"{safe(meta['by'], 80) or '?'} from {safe(meta['machine'], 80) or '?'}, {when}"
