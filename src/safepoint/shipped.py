"""What Safepoint puts into a repository: the hot package, the entrypoints, texts and the manifest."""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
from collections.abc import Collection
from pathlib import Path

from . import registration, yaml_lines
from .errors import SafepointError

PACKAGE = Path(__file__).resolve().parent
HOOKS = ".cursor/hooks"
RULE = ".cursor/rules/safepoint.mdc"
WORKFLOW_RULE = ".cursor/rules/safepoint-workflow.mdc"
IGNORED = ("__pycache__/", "settings.local.json", "backup/")


def source_root() -> Path:
    """Where `hooks/` and `manifest.yaml` are: the repository, or a folder inside an installed wheel."""
    for root in (PACKAGE.parents[1], PACKAGE / "_shipped"):
        if (root / "manifest.yaml").is_file() and (root / "hooks").is_dir():
            return root
    raise SafepointError("this installation of Safepoint has lost its hooks folder; install it again")


def version() -> str:
    return importlib.metadata.version("safepoint")


def hot_package() -> dict[str, bytes]:
    """The modules that run inside hooks, by path within their package."""
    hot = PACKAGE / "hot"
    files = sorted(file for file in hot.rglob("*.py") if "__pycache__" not in file.parts)
    return {file.relative_to(hot).as_posix(): file.read_bytes() for file in files}


def package_name(files: dict[str, bytes], taken: dict[str, bytes] | None = None) -> str:
    """The folder for the hot package. A name that holds other code already gets a digest: no hook that is
    running may find its modules exchanged underneath it."""
    name = "_safepoint_" + re.sub(r"\W", "_", version())
    if not taken or taken == files:
        return name
    digest = hashlib.sha256()
    for path, content in files.items():
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return f"{name}_{digest.hexdigest()[:8]}"


def entrypoints(package: str) -> dict[str, bytes]:
    """The entrypoints as they are installed: they import the versioned package that lies beside them."""
    out = {}
    for name in registration.entrypoints():
        text = (source_root() / "hooks" / f"{name}.py").read_text(encoding="utf-8")
        text = text.replace("safepoint.hot", package)
        out[f"{name}.py"] = text.replace('os.path.join(HOOKS_DIR, "..", "src")', "HOOKS_DIR").encode()
    return out


def template(name: str) -> bytes:
    return (PACKAGE / "templates" / name).read_bytes()


def workflow_files(language: str, hosts: Collection[str]) -> dict[str, bytes]:
    """Skills, rule and pages for work in steps, by where they go."""
    pages = {
        "docs/CONTEXT_BUDGET.md": "CONTEXT_BUDGET.{}.md",
        "docs/references/context-budget-internals.md": "internals.{}.md",
    }
    for host, folder in (("cursor", ".cursor/skills"), ("claude_code", ".claude/skills")):
        if host in hosts:
            pages[f"{folder}/workflow-orchestrator/SKILL.md"] = "workflow-orchestrator.{}.md"
            pages[f"{folder}/workflow-orchestrator/references/worker-dispatch.md"] = "worker-dispatch.{}.md"
            pages[f"{folder}/deep-thinking/SKILL.md"] = "deep-thinking.{}.md"
    if "cursor" in hosts:
        pages[WORKFLOW_RULE] = "rule.{}.mdc"
    return {path: template(f"workflow/{name.format(language)}") for path, name in pages.items()}


def manifest_template(language: str) -> bytes:
    return set_language((source_root() / "manifest.yaml").read_bytes(), language)


def set_language(manifest: bytes, language: str) -> bytes:
    """The manifest with another language and every other byte as it was."""
    lines = manifest.decode("utf-8-sig").splitlines(keepends=True)
    document = yaml_lines.parse("".join(lines))
    at = document.lines.get(("framework", "language"), 0) - 1
    if at < 0:
        return manifest
    lines[at] = re.sub(r"(\blanguage\s*:\s*)[\"']?\w+[\"']?", rf"\g<1>{language}", lines[at], count=1)
    return "".join(lines).encode()
