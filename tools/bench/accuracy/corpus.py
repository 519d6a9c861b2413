"""The texts that the estimate is fitted to and judged by: what this machine has, and a few of our own.

A text's file decides whether it is fitted to or judged by, so no file is on both sides.
"""

from __future__ import annotations

import base64
import difflib
import gettext
import json
import random
import sysconfig
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from . import logs
from .tokenizers import MODULES

ROOT = Path(__file__).resolve().parents[3]
TEXTS = Path(__file__).resolve().parent / "texts"
STDLIB = Path(sysconfig.get_paths()["stdlib"])
SIZES = (800, 3000, 9000)  # characters: a short output, a file, a long read
EACH = 120  # texts of a kind

_PACKAGES = (
    STDLIB / "site-packages",
    Path(sysconfig.get_paths()["purelib"]),
    Path("/usr/lib/python3/dist-packages"),
)
_NODE = (
    MODULES,
    Path("/usr/lib/node_modules"),
    Path("/usr/local/lib/node_modules"),
    Path("/usr/share/nodejs"),
)
_HEADERS = (Path(sysconfig.get_paths()["include"]), Path("/usr/include"), Path("/usr/local/include"))
_SCRIPTS = (Path("/usr/share"), Path("/usr/lib"), Path("/etc"))
_LOCALES = (Path("/usr/share/locale"), Path("/usr/share/vim"))


class Text(NamedTuple):
    kind: str
    source: str
    body: str

    @property
    def fitted(self) -> bool:
        """On the side that the prices are fitted to, by the name of its file alone."""
        return zlib.crc32(self.source.encode()) % 2 == 0


def texts() -> list[Text]:
    """The whole corpus; a kind that this machine has nothing of is missing."""
    found = []
    for kind, bodies in KINDS.items():
        found.extend(_cut(kind, bodies()))
    return found


def _cut(kind: str, files: Iterator[tuple[str, str]]) -> list[Text]:
    """At most EACH pieces, one or two of a file, of changing size."""
    cut: list[Text] = []
    chance = random.Random(kind)
    for source, body in files:
        if len(cut) >= EACH:
            break
        for _ in range(1 if len(body) < 20_000 else 2):
            size = chance.choice(SIZES)
            start = chance.randrange(max(1, len(body) - size))
            piece = body[start : start + size]
            if len(piece) >= 300:
                cut.append(Text(kind, source, piece))
    return cut


def _files(folders: tuple[Path, ...], *patterns: str) -> Iterator[tuple[str, str]]:
    """Readable files, in an order that neither names nor folders decide."""
    found = {
        path for folder in folders if folder.is_dir() for name in patterns for path in folder.rglob(name)
    }
    for path in sorted(found, key=lambda path: (zlib.crc32(str(path).encode()), str(path))):
        try:
            if path.is_file() and path.stat().st_size < 1_000_000:
                yield path.name, path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue


def _code(folders: tuple[Path, ...], *patterns: str) -> Callable[[], Iterator[tuple[str, str]]]:
    return lambda: _files(folders, *patterns)


def _javascript() -> Iterator[tuple[str, str]]:
    for name, body in _files(_NODE, "*.js", "*.mjs", "*.cjs"):
        if len(max(body.split("\n"), key=len)) < 400 and "vocab" not in name:  # as written, not as packed
            yield name, body


def _english() -> Iterator[tuple[str, str]]:
    yield from _files((*_NODE, *_PACKAGES, ROOT), "*.md", "*.rst", "README*")


def _written(language: str, catalogs: tuple[str, ...], more: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Our own text, what else the project has in the language, message catalogs, an editor's tutor."""
    own = TEXTS / f"{language}.md"
    if own.exists():
        yield from _parts(own, 4)
    for pattern in more:
        for path in sorted(ROOT.glob(pattern)) + sorted(Path("/usr/share").glob(pattern)):
            yield from _parts(path, 12)
    for folder in _LOCALES:
        for name in catalogs:
            for path in sorted(folder.glob(f"**/{name}/LC_MESSAGES/*.mo")):
                yield from _messages(path)


def _parts(path: Path, paragraphs: int) -> Iterator[tuple[str, str]]:
    parts = path.read_text(encoding="utf-8").split("\n\n")
    for number in range(0, len(parts), paragraphs):
        yield f"{path.name}-{number}", "\n\n".join(parts[number : number + paragraphs])


def _messages(path: Path) -> Iterator[tuple[str, str]]:
    if path.name.startswith("iso_"):  # lists of names
        return
    try:
        with path.open("rb") as file:
            catalog = gettext.GNUTranslations(file)
    except (OSError, ValueError):
        return
    said = [text for key, text in catalog._catalog.items() if key and isinstance(text, str)]  # type: ignore[attr-defined]
    for number in range(0, len(said), 120):
        yield f"{path.name}-{number}", "\n".join(said[number : number + 120])


def _json() -> Iterator[tuple[str, str]]:
    """Files, and the same without their blanks, as tools answer."""
    for number, (name, body) in enumerate(_files((*_NODE, *_PACKAGES, Path("/usr/share")), "*.json")):
        try:
            value = json.loads(body)
        except ValueError:
            continue
        yield name, body if number % 2 else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _base64() -> Iterator[tuple[str, str]]:
    """Packed bytes: in one line, or in lines of 76."""
    for number, (name, body) in enumerate(_files((STDLIB,), "*.py")):
        data = zlib.compress(body.encode())
        text = base64.encodebytes(data) if number % 2 else base64.b64encode(data)
        yield name, text.decode()


def _hex() -> Iterator[tuple[str, str]]:
    """Lists of digests, lock files' integrity lines, dumps of bytes."""
    for number, (name, body) in enumerate(_files((STDLIB,), "*.py")):
        data = zlib.compress(body.encode())
        width = (20, 32, 16)[number % 3]
        pieces = [data[start : start + width] for start in range(0, len(data), width)]
        if number % 3 == 2:
            yield name, "\n".join(f"{16 * line:08x}  {piece.hex(' ')}" for line, piece in enumerate(pieces))
        else:
            yield name, "\n".join(f"{piece.hex()}  {name}/{line}" for line, piece in enumerate(pieces))


def _diffs() -> Iterator[tuple[str, str]]:
    """Every file against a version of it in which some lines are gone, some new and some changed."""
    files = [*_take(_files((STDLIB,), "*.py"), EACH), *_take(_javascript(), EACH), *_take(_english(), EACH)]
    for name, body in sorted(files, key=lambda file: zlib.crc32(file[0].encode())):
        before = body.splitlines(keepends=True)
        chance = random.Random(name)
        after = []
        for line in before:
            fate = chance.random()
            if fate > 0.96:
                after.append(chance.choice(before))
            if fate > 0.04:
                after.append(line.replace("self", "this").replace("the ", "its ") if fate > 0.9 else line)
        yield name, "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def _take(files: Iterator[tuple[str, str]], count: int) -> Iterator[tuple[str, str]]:
    for _, file in zip(range(count), files):
        yield file


KINDS: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "Python": _code((STDLIB,), "*.py"),
    "JavaScript": _javascript,
    "TypeScript": _code(_NODE, "*.ts"),
    "C and C++": _code(_HEADERS, "*.h", "*.c", "*.hpp"),
    "Perl": _code(_SCRIPTS, "*.pm", "*.pl"),
    "shell": _code((*_SCRIPTS, Path("/usr/bin"), ROOT / "bin"), "*.sh", "*.bash", "*.postinst", "*-config"),
    "English": _english,
    "Japanese": lambda: _written(
        "ja", ("ja",), ("docs/*.ja.md", "README.ja.md", "vim/vim*/tutor/tutor.ja.utf-8")
    ),
    "Chinese": lambda: _written(
        "zh", ("zh_CN.UTF-8", "zh_TW.UTF-8", "zh_CN", "zh_TW"), ("vim/vim*/tutor/tutor.zh_*.utf-8",)
    ),
    "Korean": lambda: _written("ko", ("ko.UTF-8", "ko"), ("vim/vim*/tutor/tutor.ko.utf-8",)),
    "French, German": lambda: _written("fr", ("fr", "de"), ("vim/vim*/tutor/tutor.[fd][re].utf-8",)),
    "Russian": lambda: _written("ru", ("ru.UTF-8", "ru"), ("vim/vim*/tutor/tutor.ru.utf-8",)),
    "JSON": _json,
    "logs": logs.texts,
    "base64": _base64,
    "diffs": _diffs,
    "digests, dumps": _hex,
}
