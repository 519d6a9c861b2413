"""Finds the pinned Claude Code client in the repository's cache folder, or installs it there with npm."""

import os
import shutil
import subprocess
from pathlib import Path

from filelock import FileLock

PACKAGE = "@anthropic-ai/claude-code"
VERSION = os.environ.get("SAFEPOINT_E2E_CLAUDE_VERSION", "2.1.332")
CACHE = Path(__file__).resolve().parents[2] / ".cache"
UNREACHABLE = (
    "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH",
    "ERR_SOCKET_TIMEOUT", "CERT_IN_CHAIN", "UNABLE_TO_GET_ISSUER_CERT",
)  # fmt: skip


class ClientUnavailableError(Exception):
    """No npm, no way to its registry, or no build for this platform."""


def client(cache: Path = CACHE) -> Path:
    folder = cache / f"claude-code-{VERSION}"
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{folder}.lock", timeout=600):
            if not folder.is_dir():
                _install(folder)
    return _native_binary(folder)


def _install(folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise ClientUnavailableError("npm is not installed")
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    command = [npm, "install", "--prefix", str(partial), "--no-save", "--no-audit", "--no-fund",
               "--no-package-lock", "--fetch-retries=1", f"{PACKAGE}@{VERSION}"]  # fmt: skip
    done = subprocess.run(command, cwd=partial, capture_output=True, text=True, timeout=540)
    if done.returncode != 0:
        shutil.rmtree(partial)
        if any(code in done.stderr for code in UNREACHABLE):
            raise ClientUnavailableError(f"npm cannot reach its registry: {done.stderr.strip()[:300]}")
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    _check_version(_native_binary(partial))
    partial.rename(folder)


def _native_binary(folder: Path) -> Path:
    # npm 11 may leave the package's postinstall script unrun, and with it a text stub in bin/; the platform
    # package holds the same binary.
    packages = folder / "node_modules" / "@anthropic-ai"
    wrapper = packages / "claude-code" / "bin" / "claude.exe"
    for candidate in [wrapper, *sorted(packages.glob("claude-code-*/claude"))]:
        if candidate.is_file() and candidate.stat().st_size > 10_000_000:
            return candidate
    raise ClientUnavailableError(f"{PACKAGE} {VERSION} has no build for this platform")


def _check_version(binary: Path) -> None:
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=60).stdout
    if not said.startswith(VERSION):
        raise RuntimeError(f"{binary} says it is {said.strip()!r}, not {VERSION}")
