from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from safepoint import generate, manifest
from safepoint.errors import SafepointError
from safepoint.hot.shapes import Settings

ROOT = Path(__file__).parents[2]


def test_generated_files_are_up_to_date() -> None:
    generate.check(generate.for_source(ROOT), "safepoint generate .")


def test_the_compiled_settings_have_the_declared_shape() -> None:
    TypeAdapter(Settings).validate_python(
        json.loads((ROOT / "hooks/settings.json").read_bytes()), strict=True
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name in ("manifest.yaml", *(one.path for one in generate.for_source(ROOT))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_an_edited_file_is_named_with_what_to_run(source: Path) -> None:
    file = source / "hooks/settings.json"
    file.write_text(file.read_text().replace('"calls": 5', '"calls": 50'))
    (source / "hooks.json").unlink()
    with pytest.raises(SafepointError) as caught:
        generate.check(generate.for_source(source), "safepoint generate .")
    assert str(caught.value).split("\n") == [
        "hooks.json: is missing",
        "hooks/settings.json: differs from what manifest.yaml says",
        "Edit manifest.yaml, not these files, then run: safepoint generate .",
    ]


def test_a_changed_manifest_reaches_the_settings(source: Path) -> None:
    file = source / "manifest.yaml"
    file.write_text(file.read_text().replace("calls: 5", "calls: 7"))
    generate.write(generate.for_source(source), source)
    settings = json.loads((source / "hooks/settings.json").read_bytes())
    assert settings["grace"]["calls"] == 7
    assert settings["manifest_sha256"] == manifest.load(file).sha256
    generate.check(generate.for_source(source), "")


def test_a_wrong_manifest_writes_nothing(source: Path) -> None:
    before = (source / "hooks/settings.json").read_bytes()
    file = source / "manifest.yaml"
    file.write_text(file.read_text().replace("calls: 5", "calls: -5"))
    with pytest.raises(manifest.ManifestError):
        generate.for_source(source)
    assert (source / "hooks/settings.json").read_bytes() == before
