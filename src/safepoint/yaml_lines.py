"""YAML as plain data, with the line that each value stands on and no key said twice."""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml

Path = tuple["str | int", ...]
MAX_VALUES = 20_000  # aliases may repeat a value; this many are no manifest


class YamlError(Exception):
    """A text that is no YAML, or none that a manifest may be."""

    def __init__(self, line: int, message: str, path: Path = (), allowed: str = "") -> None:
        super().__init__(message)
        self.line, self.message, self.path, self.allowed = line, message, path, allowed


class Document(NamedTuple):
    data: Any
    lines: dict[Path, int]

    def line_of(self, path: Path) -> int:
        """The line of the value at `path`, or of the nearest value around it that is there."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


class _Loader(yaml.SafeLoader):
    """YAML 1.1 reads `mode: off` as False and a date as a date; here both stay text."""


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag != "tag:yaml.org,2002:timestamp" and (tag != "tag:yaml.org,2002:bool" or first in "tTfF")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse(text: str) -> Document:
    try:
        loader = _Loader(text)
        try:
            return _document(loader)
        finally:
            loader.dispose()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(
            line, f"this is not YAML: the character {error.character:#x} is not allowed"
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise YamlError(line, f"this is not YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlError(1, f"this is not YAML: {' '.join(str(error).split())}") from error


def _document(loader: _Loader) -> Document:
    node = loader.get_single_node()
    lines: dict[Path, int] = {}
    data = None if node is None else _build(loader, node, (), lines, ())
    return Document(data, lines)


def _build(
    loader: _Loader, node: yaml.Node, path: Path, lines: dict[Path, int], above: tuple[int, ...]
) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if id(node) in above:
        raise YamlError(lines[path], "an alias points to what it is part of", path)
    if len(lines) > MAX_VALUES:
        raise YamlError(lines[path], f"more than {MAX_VALUES} values", path)
    above = (*above, id(node))
    if isinstance(node, yaml.MappingNode):
        return _build_mapping(loader, node, path, lines, above)
    if isinstance(node, yaml.SequenceNode):
        return [_build(loader, child, (*path, i), lines, above) for i, child in enumerate(node.value)]
    return loader.construct_object(node)


def _build_mapping(
    loader: _Loader, node: yaml.MappingNode, path: Path, lines: dict[Path, int], above: tuple[int, ...]
) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key_node, child in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise YamlError(line, "a key that is not a word", path, "plain keys")
        key = key_node.value
        if key in out:
            message = f"the key stands twice, first on line {lines[(*path, key)]}"
            raise YamlError(line, message, (*path, key), "each key once")
        lines[(*path, key)] = line
        out[key] = _build(loader, child, (*path, key), lines, above)
    return out
