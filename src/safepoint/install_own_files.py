"""The files of an installation that are Safepoint's own."""

from __future__ import annotations

from . import generate, install_record, manifest, shipped, text_block
from .install_draft import Draft
from .install_plan import HOOKS, language_of_locale
from .install_registrations import shared_events


def add(draft: Draft) -> None:
    """All of them. The package before the entrypoints that import it."""
    content, checked = _manifest(draft)
    draft.settings = checked.settings
    settings = generate.compile_settings(checked.settings, shared_events(draft))
    _add_package(draft)
    draft.change(f"{HOOKS}/manifest.yaml", content)
    draft.files[f"{HOOKS}/manifest.yaml"] = draft.pristine or install_record.digest(content)
    draft.own("settings.json", settings)
    _add_gitignore(draft)
    _add_readme(draft)
    _add_entrypoints(draft)
    if "cursor" in draft.hosts:
        draft.file(shipped.RULE, shipped.template(f"rule.{draft.language}.mdc"))
    if draft.workflow:
        _add_workflow(draft)


def _manifest(draft: Draft) -> tuple[bytes, manifest.Manifest]:
    """The user's manifest if it was ever edited, else the one of this release."""
    path = f"{HOOKS}/manifest.yaml"
    present = draft.project.read(path)
    installed = draft.old["files"].get(path) if draft.old else None
    if present is None or (installed == install_record.digest(present) and not draft.recompile_only):
        if draft.language is None and present is not None:
            draft.language = manifest.parse(present, path).settings["language"]
        draft.language = draft.language or language_of_locale()
        content = shipped.manifest_template(draft.language)
        return content, manifest.parse(content, path)
    edited = present
    if draft.language:
        present = shipped.set_language(present, draft.language)
    checked = _checked(draft, present, path)
    draft.language = checked.settings["language"]
    # The record keeps what Safepoint wrote, so that the edit is seen by every later installation as well.
    draft.pristine = installed or install_record.digest(shipped.manifest_template(draft.language))
    if not draft.recompile_only and install_record.digest(edited) != draft.pristine:
        draft.notes.append(
            f"{path} was edited and is kept as it is. "
            f"Compare it with this release's: {shipped.source_root() / 'manifest.yaml'}"
        )
    return present, checked


def _checked(draft: Draft, content: bytes, path: str) -> manifest.Manifest:
    try:
        return manifest.parse(content, path)
    except manifest.ManifestError:
        compiled = manifest.compiled(draft.project.read(f"{HOOKS}/settings.json") or b"")
        if compiled is None or not draft.keep_settings:
            raise
        return compiled


def _add_package(draft: Draft) -> None:
    if draft.recompile_only and draft.old:
        for path, sha256 in draft.old["files"].items():
            if f"{HOOKS}/_safepoint_" in path:
                draft.files[path] = sha256
        return
    modules = shipped.hot_package()
    if not (draft.package and _modules_in(draft, draft.package) == modules):
        name = shipped.package_name(modules)
        draft.package = shipped.package_name(modules, _modules_in(draft, name))
    for path, content in modules.items():
        draft.own(f"{draft.package}/{path}", content)


def _modules_in(draft: Draft, package: str) -> dict[str, bytes]:
    folder = draft.project.file(HOOKS) / package
    found = sorted(folder.rglob("*.py"))
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in found}


def _add_gitignore(draft: Draft) -> None:
    path = f"{HOOKS}/.gitignore"
    present = draft.project.read(path)
    known = draft.old is not None and path in draft.old["files"]
    if present is not None and present != install_record.gitignore() and not known:
        draft.blocks.append(path)
        draft.change(path, text_block.put(present, list(shipped.IGNORED)))
    else:
        draft.file(path, install_record.gitignore())


def _add_readme(draft: Draft) -> None:
    path = f"{HOOKS}/README.md"
    present = draft.project.read(path)
    known = draft.old is not None and path in draft.old["files"]
    name = "README.md"
    if present is not None and not known and not install_record.is_recognised(path, present):
        name = "SAFEPOINT.md"
        draft.notes.append(f"{path} is yours and stays; Safepoint's page is {HOOKS}/SAFEPOINT.md.")
    draft.own(name, shipped.template(f"README.{draft.language}.md"))


def _add_entrypoints(draft: Draft) -> None:
    for name, content in shipped.entrypoints(draft.package).items():
        if draft.recompile_only and draft.old:
            path = f"{HOOKS}/{name}"
            if path in draft.old["files"]:
                draft.files[path] = draft.old["files"][path]
            continue
        draft.own(name, content, executable=True)


def _add_workflow(draft: Draft) -> None:
    """Skills and pages that people may make their own: what they edited stays, and that is said."""
    for path, content in shipped.workflow_files(draft.language or "en", draft.hosts).items():
        present = draft.project.read(path)
        known = draft.old["files"].get(path) if draft.old else None
        if not draft.project.file(path).resolve().is_relative_to(draft.project.root.resolve()):
            draft.notes.append(f"{path} leads out of the project: nothing is written there.")
        elif present is None or known == install_record.digest(present):
            draft.file(path, content)
        elif known is None:
            if present != content:
                draft.notes.append(f"{path} is there already and not Safepoint's: it stays as it is.")
        else:
            draft.files[path] = known
            if present != content:
                draft.notes.append(f"{path} was edited and is kept as it is.")


def drop_old(draft: Draft) -> None:
    """Files of an earlier version, last: hooks that are running may still import them."""
    for path, sha256 in (draft.old["files"] if draft.old else {}).items():
        present = draft.project.read(path)
        if path in draft.files or present is None:
            continue
        if install_record.digest(present) == sha256:
            draft.change(path, None)
        else:
            draft.notes.append(f"{path} is of an earlier version, but was edited: it stays.")
