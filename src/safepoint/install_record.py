"""What an installation made, kept beside it so that uninstalling takes out that and nothing else."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from . import mcp_files, registered_parts, registration, shipped
from .errors import SafepointError
from .generate import dump
from .hook_files import Form, Made
from .hot.shapes import Host
from .project import Project
from .registration import EventSet

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypedDict
else:
    from typing_extensions import NotRequired, TypedDict

PATH = f"{shipped.HOOKS}/install-record.json"


class Registration(TypedDict):
    """A users' JSON file that holds parts of ours, and what each of them has made there."""

    parts: dict[Form, Made]
    backup: str | None  # the file as it was before; None when there was none


class InstallRecord(TypedDict):
    schema_version: Literal[1]
    version: str
    package: str
    hosts: list[Host]
    events: EventSet
    scope: Literal["shared", "local"]
    files: dict[str, str]  # path -> sha256 of what was installed, line ends taken as \n
    created_folders: list[str]
    registrations: dict[str, Registration]
    workflow: NotRequired[bool]  # skills, rule and pages for work in steps
    python: NotRequired[str]  # the interpreter of a local installation, as its command lines name it
    found: NotRequired[list[str]]  # users' files with names of session files, from before the first session
    blocks: list[str]  # text files of others that hold a block of ours


_ADAPTER = TypeAdapter(InstallRecord)
_LOST = "It says what was installed; restore it from git, or delete it and Safepoint goes by what it finds."


def digest(content: bytes) -> str:
    """A checkout may rewrite line ends; that is not a change."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def read(project: Project) -> InstallRecord | None:
    content = project.read(PATH)
    if content is None:
        return None
    try:
        return _ADAPTER.validate_python(_as_now(json.loads(content)))
    except RecursionError as error:
        raise SafepointError(f"{PATH}: nested too deeply. {_LOST}") from error
    except ValueError as error:
        if not isinstance(error, ValidationError):
            raise SafepointError(f"{PATH}: {error}. {_LOST}") from error
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SafepointError(f"{PATH}: {where}: {first['msg']}. {_LOST}") from error


def _as_now(value: Any) -> Any:
    """A record in which a file could hold one part only, as it is written now."""
    known = value.get("registrations") if isinstance(value, dict) else None
    for one in known.values() if isinstance(known, dict) else ():
        if isinstance(one, dict) and "form" in one:
            one["parts"] = {one.pop("form"): one.pop("made", {})}
    return value


def render(record: InstallRecord) -> bytes:
    return dump(record)


def guess(project: Project) -> InstallRecord | None:
    """A record for an installation whose own is lost: what can be recognised by its form."""
    hooks = project.file(shipped.HOOKS)
    packages = sorted(hooks.glob("_safepoint_*/")) if hooks.is_dir() else []
    files = [file for package in packages for file in sorted(package.rglob("*.py"))]
    paths = [file.relative_to(project.root).as_posix() for file in files]
    paths += [path for path in own_paths() if is_recognised(path, project.read(path))]
    forms: dict[str, tuple[Form, ...]] = {
        ".cursor/hooks.json": ("cursor",),
        ".claude/settings.json": ("claude", "status_line"),
        ".claude/settings.local.json": ("claude", "status_line"),
    }
    forms.update(dict.fromkeys(mcp_files.FILES.values(), ("mcp",)))
    registrations: dict[str, Registration] = {}
    for path, candidates in forms.items():
        content = project.read(path)
        parts: dict[Form, Made] = {form: {} for form in candidates if registered_parts.found(content, form)}
        if parts:
            registrations[path] = {"parts": parts, "backup": None}
    if not paths and not registrations:
        return None
    hosts: list[Host] = ["cursor"] if ".cursor/hooks.json" in registrations else []
    if any(path.startswith(".claude") for path in registrations):
        hosts.append("claude_code")
    return {
        "schema_version": 1,
        "version": "",
        "package": packages[-1].name if packages else "",
        "hosts": hosts,
        "events": "base",
        "scope": "local" if ".claude/settings.local.json" in registrations else "shared",
        "files": {path: _guess_digest(path, project.read(path) or b"") for path in paths},
        "created_folders": [],
        "registrations": registrations,
        "blocks": [],
    }


def _guess_digest(path: str, content: bytes) -> str:
    """Empty for a manifest that may be edited: nothing says what it was when it was installed."""
    if path.endswith("/manifest.yaml"):
        came = [digest(shipped.manifest_template(language)) for language in ("en", "ja")]
        return digest(content) if digest(content) in came else ""
    return digest(content)


def own_paths() -> list[str]:
    """Every file of ours outside the package, apart from the record and the registrations."""
    names = [f"{name}.py" for name in registration.entrypoints()]
    names += ["settings.json", "manifest.yaml", "README.md", "SAFEPOINT.md", ".gitignore"]
    return [f"{shipped.HOOKS}/{name}" for name in names] + [shipped.RULE]


def is_recognised(path: str, content: bytes | None) -> bool:
    """Whether a file at one of `own_paths` is Safepoint's, by what is in it."""
    if content is None:
        return False
    name = path.rsplit("/", 1)[-1]
    if name.endswith(".py"):
        return b"_safepoint_" in content
    if name == ".gitignore":
        return content == gitignore()
    mark = {"settings.json": b'"manifest_sha256"', "manifest.yaml": b"budget_thresholds:"}
    return mark.get(name, b"Safepoint") in content


def gitignore() -> bytes:
    return ("\n".join(shipped.IGNORED) + "\n").encode()
