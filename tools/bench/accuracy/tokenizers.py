"""Real token counts, by the two published vocabularies that npm has; kept in the project's ignored cache."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

VERSIONS = {"gpt-tokenizer": "4.0.0", "@anthropic-ai/tokenizer": "0.0.4"}
NAMES = ("anthropic", "o200k")
FOLDER = Path(__file__).resolve().parents[3] / ".cache/tokenizers"
MODULES = FOLDER / "node_modules"
_SCRIPT = Path(__file__).resolve().parent / "count.mjs"


class TokenizersUnavailableError(Exception):
    """npm or Node is missing, or npm could not install the tokenizers."""


def install() -> None:
    """The two packages from npm, at the versions that the prices were fitted with."""
    if all((MODULES / name / "package.json").exists() for name in VERSIONS):
        return
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise TokenizersUnavailableError("npm and Node are needed for the real token counts")
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = [f"{name}@{version}" for name, version in VERSIONS.items()]
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), *wanted]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise TokenizersUnavailableError(done.stderr.strip()[-500:])


def count(bodies: list[str]) -> list[tuple[int, int]]:
    """(Anthropic's first vocabulary, OpenAI's o200k) for each text."""
    install()
    lines = "".join(json.dumps(body) + "\n" for body in bodies)
    done = subprocess.run(
        ["node", str(_SCRIPT), str(MODULES)], input=lines, capture_output=True, text=True, check=True
    )
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]
