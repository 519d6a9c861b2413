"""Who may import whom in the hot package. This table is the architecture; the page in docs explains it.

Each module belongs to the first layer whose names fit it, and imports only from the layers named there.
Imports that only a type checker sees do not count.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

HOT = Path(__file__).parents[2] / "src/safepoint/hot"
HOOKS = Path(__file__).parents[2] / "hooks"


class Layer(NamedTuple):
    modules: tuple[str, ...]  # a name, or a package with a dot behind it
    below: tuple[str, ...]  # layers it may import from, beside its own
    is_pure: bool


LAYERS = {
    "shapes": Layer(("shapes", "shapes."), (), True),
    "words": Layer(
        ("decisions", "events", "utc", "scalars", "markdown", "front_matter", "front_lists", "quoting",
         "textweight", "redact", "redaction.", "texts.", "new_chat_link", "handoff_text", "near_names",
         "resume_packing", "resume_text", "status_text", "work_lines", "stores.bundle_check"),
        ("digest",), True,
    ),
    "digest": Layer(("digest",), (), False),
    "wire": Layer(("wire", "wire_pipe", "wire_slow"), (), False),
    "hosts": Layer(("hosts.",), ("words", "wire", "digest", "window"), True),
    "window": Layer(("meters.window",), (), True),
    "transcript": Layer(
        ("meters.transcript", "meters.transcript_schedule", "meters.transcript_tail"), ("words", "wire"),
        False,
    ),
    "meters": Layer(("meters.",), ("words", "window"), True),
    "policies": Layer(("policies.", "records", "todo_calls"), ("words",), True),
    "session": Layer(("session",), ("words", "meters", "policies"), True),
    "system": Layer(
        ("beside", "campaign_refs", "child", "deadline", "detached", "durable", "files", "finder", "flock",
         "git_files", "gitfacts", "opener", "slugs", "switches", "work_commit", "work_message",
         "work_names"),
        ("words", "wire", "digest"), False,
    ),
    "stores": Layer(("stores.",), ("words", "wire", "digest", "system", "session"), False),
    "services": Layer(
        ("hook", "answer", "campaign", "faults", "freshness", "handover", "keep_work", "notes", "places",
         "prompt_words", "resume_parts", "resume_state", "safepoint", "safepoint_files", "skill_reminder",
         "sync_start", "todo_guard", "todo_notes", "workers"),
        ("words", "wire", "digest", "hosts", "meters", "transcript", "policies", "session", "system",
         "stores"),
        False,
    ),
    "handlers": Layer(
        ("handlers.",),
        ("words", "digest", "policies", "session", "system", "stores", "services"), False,
    ),
    "finder": Layer(("finder",), (), False),
    "runtime": Layer(
        ("runtime",), ("words", "wire", "hosts", "system", "services", "handlers", "finder"), False,
    ),
    "statusline": Layer(
        ("statusline",),
        ("words", "wire", "hosts", "window", "policies", "session", "system", "stores", "services", "finder",
         "runtime"),
        False,
    ),
}  # fmt: skip
# What a pure module has no use for: files, clocks, the environment, other processes, chance.
IMPURE = {"os", "io", "time", "json", "random", "subprocess", "socket", "datetime", "pathlib", "tempfile"}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name; a package's own file by the package's name."""
    found = {}
    for path in sorted(HOT.rglob("*.py")):
        parts = path.relative_to(HOT).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def layer_of(name: str) -> str:
    for layer, (names, _, _) in LAYERS.items():
        if name in names or any(one.endswith(".") and (name + ".").startswith(one) for one in names):
            return layer
    raise AssertionError(f"{name} is in no layer: say in this table where it belongs")


def imports(name: str, path: Path) -> tuple[set[str], set[str]]:
    """(modules of the package, modules of the standard library or others) that run when `name` is used."""
    known = modules()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    own: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            others |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            others.add(node.module or "")
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1]
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}" if base else alias.name
                own.add(full if full in known else base)
    return own - {""}, others - {"__future__"}


EVERY = [(name, path) for name, path in modules().items() if name]
IDS = [name for name, _ in EVERY]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=IDS)
def test_module_imports_only_from_layers_below(name: str, path: Path) -> None:
    layer = layer_of(name)
    allowed = {layer, *LAYERS[layer].below}
    packages = {one.split(".")[0] for one in IDS if "." in one}
    wrong = sorted(
        other for other in imports(name, path)[0] if other not in packages and layer_of(other) not in allowed
    )
    assert not wrong, f"{name} ({layer}) imports {wrong}; it may import from {sorted(allowed)}"


@pytest.mark.parametrize(("name", "path"), EVERY, ids=IDS)
def test_hot_module_imports_the_standard_library_alone(name: str, path: Path) -> None:
    if layer_of(name) == "shapes":
        return  # read by the type checker and the cold path only
    tops = {other.split(".")[0] for other in imports(name, path)[1]}
    private = {"_frozen_importlib_external", "_json", "_signal", "_sha2", "_sha256"}
    assert tops <= set(sys.stdlib_module_names) | private, f"{name}: {tops}"


@pytest.mark.parametrize(("name", "path"), EVERY, ids=IDS)
def test_pure_module_has_no_file_clock_or_environment(name: str, path: Path) -> None:
    if LAYERS[layer_of(name)].is_pure:
        assert not {other.split(".")[0] for other in imports(name, path)[1]} & IMPURE


@pytest.mark.parametrize(("name", "path"), EVERY, ids=IDS)
def test_hot_module_is_python_3_9(name: str, path: Path) -> None:
    if layer_of(name) != "shapes":
        compile(path.read_text(encoding="utf-8"), str(path), "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


@pytest.mark.parametrize("path", sorted(HOOKS.glob("*.py")), ids=lambda path: path.stem)
def test_entrypoint_is_short_and_knows_only_what_it_starts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 15 and path.stat().st_mode & 0o111
    names = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    starts = "statusline" if path.stem == "session_statusline" else "runtime"
    assert [(node.module, node.names[0].name) for node in names] == [("safepoint.hot", starts)]
    assert path.stem.startswith("session_")
